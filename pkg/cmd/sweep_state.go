package cmd

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/sweep"
)

// sweepMemory is where it stands what sweeps have left: a file, or a ConfigMap where that is set.
type sweepMemory struct {
	folder    string
	configMap *removal.ConfigMap
	// gaps are what of it could not be read, or has no room.
	gaps *[]stuck.Gap
}

func (r *sweepRun) openMemory(folder string, audit *removal.Audit) sweepMemory {
	m := sweepMemory{folder: folder, gaps: &r.gaps}
	if r.selector.State.Name != "" {
		m.configMap = &removal.ConfigMap{Name: r.selector.State, Source: r.source, Writer: r.remote.Writer, Audit: audit}
	}
	return m
}

// read reads what earlier sweeps have left. A dry run shows whether the ConfigMap can be written.
func (m sweepMemory) read(ctx context.Context, state sweep.State) (sweep.State, error) {
	if m.configMap == nil {
		return sweep.ReadState(m.folder, state)
	}
	var unread error
	read := state
	err := m.configMap.Update(cluster.WithoutReadBudget(ctx), func(current map[string]string) (map[string]string, error) {
		read, unread = state, nil
		if value, exists := current[state.Key()]; exists {
			read, unread = state.Parse([]byte(value))
		}
		set, _, err := state.ConfigMapValues(current)
		return set, err
	}, true)
	if err != nil {
		return read, err
	}
	if unread != nil { // somebody else wrote to it
		m.addGap(fmt.Sprintf("%s of earlier sweeps is damaged, so that they do not count: %s", state.Key(), unread))
	}
	return read, nil
}

// save saves what is left.
func (m sweepMemory) save(ctx context.Context, state sweep.State) error {
	omitted := 0
	if m.configMap != nil {
		err := m.configMap.Update(cluster.WithoutReadBudget(ctx), func(current map[string]string) (set map[string]string, err error) {
			set, omitted, err = state.ConfigMapValues(current)
			return set, err
		}, false)
		if err == nil && omitted > 0 {
			m.addGap(fmt.Sprintf("it is full, so that the sweeps of %d objects are not counted", omitted))
		}
		return err
	}
	content, _, err := state.Encode(sweep.MaxStateFile)
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(m.folder, state.Key()), content)
}

func (m sweepMemory) addGap(text string) {
	*m.gaps = append(*m.gaps, stuck.Gap{Source: m.configMap.Ref(), Error: text})
}

// remember counts for each object that is left how many sweeps have left it.
func (r *sweepRun) remember(ctx context.Context, memory sweepMemory, state sweep.State) {
	var left []stuck.Object
	for _, i := range r.items {
		if i.Left() {
			left = append(left, i.Object)
		}
	}
	state = state.After(left, r.source.Now().UTC())
	for i := range r.items {
		r.items[i].Sweeps = state.SweepsOf(r.items[i].Object)
	}
	r.unsaved = memory.save(ctx, state)
}
