package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// figures is all that was measured.
type figures struct {
	table  []measurement
	growth map[int][]measurement
	single map[string][]sample
}

func (b *bench) run(ctx context.Context) (err error) {
	if b.plugin, err = filepath.Abs(b.plugin); err != nil {
		return fmt.Errorf("finding the plugin: %w", err)
	}
	keep := b.dir != ""
	if !keep {
		temporary, err := os.MkdirTemp("", "bench")
		if err != nil {
			return fmt.Errorf("making a place for the control plane: %w", err)
		}
		defer os.RemoveAll(temporary)
		b.dir = filepath.Join(temporary, "plane")
		defer func() { err = errors.Join(err, plane.Down(b.dir)) }()
	}
	p, filled, err := b.attach(ctx)
	if err != nil {
		if p, err = b.startAndFill(ctx); err != nil {
			return err
		}
	}
	if b.client, err = b.admin(p); err != nil {
		return err
	}
	return b.measureAll(ctx, p, filled)
}

func (b *bench) admin(p *plane.Plane) (kubernetes.Interface, error) {
	config, err := p.Config(plane.Admin)
	if err != nil {
		return nil, err
	}
	return kubernetes.NewForConfig(config)
}

// measureAll fills the cluster from one size to the next, and measures and tells at each.
func (b *bench) measureAll(ctx context.Context, p *plane.Plane, filled int) error {
	found := figures{growth: map[int][]measurement{}}
	l, err := b.load(p)
	if err != nil {
		return err
	}
	for _, size := range slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(b.growth), b.objects)))) {
		if size < filled {
			b.printf("%d objects are in it already: %d are not measured", filled, size)
			continue
		}
		b.printf("filling it with %d objects", size)
		if err := l.fill(ctx, filled, size); err != nil {
			return err
		}
		filled = size
		if err := errors.Join(b.saveProgress(filled), b.measureSize(ctx, p, size, &found)); err != nil {
			return err
		}
		if err := b.writePage(found); err != nil {
			return err
		}
	}
	return nil
}

// measureSize measures at one size what belongs to it.
func (b *bench) measureSize(ctx context.Context, p *plane.Plane, size int, found *figures) error {
	competitors, err := b.competitors(size)
	if err != nil {
		return err
	}
	all, err := b.compare(ctx, p, competitors)
	if err != nil {
		return err
	}
	if found.growth[size] = all; size != b.objects {
		return nil
	}
	found.table = all
	found.single, err = b.singles(ctx, p)
	return err
}

// progressFile is what a control plane that was kept holds.
type progressFile struct{ Objects, CRDs int }

func (b *bench) saveProgress(filled int) error {
	content, err := json.Marshal(progressFile{Objects: filled, CRDs: b.crds})
	if err != nil {
		return fmt.Errorf("noting how full it is: %w", err)
	}
	return os.WriteFile(filepath.Join(b.dir, "bench.json"), content, 0o600)
}

// attach gives the control plane that an earlier run kept, and how full it is.
func (b *bench) attach(ctx context.Context) (*plane.Plane, int, error) {
	content, err := os.ReadFile(filepath.Join(b.dir, "bench.json"))
	if err != nil {
		return nil, 0, fmt.Errorf("reading how full it is: %w", err)
	}
	var kept progressFile
	if err := json.Unmarshal(content, &kept); err != nil {
		return nil, 0, fmt.Errorf("reading how full it is: %w", err)
	}
	if kept.CRDs != b.crds || kept.Objects > b.objects {
		return nil, 0, fmt.Errorf("the control plane in %s holds %d objects of %d custom types: take another folder", b.dir, kept.Objects, kept.CRDs)
	}
	p, err := plane.Attach(ctx, b.dir)
	return p, kept.Objects, err
}

// singles are the commands that do not look at the whole cluster.
func (b *bench) singles(ctx context.Context, p *plane.Plane) (map[string][]sample, error) {
	out := map[string][]sample{}
	for range 2 * b.rounds {
		for name, argv := range map[string][]string{
			explainNamespace: {b.plugin, "explain", "ns/" + full},
			explainPod:       {b.plugin, "explain", "pod/app-0", "-n", namespaceOf(0)},
			listNamespace:    {b.plugin, "list", "-n", full},
			atTerminal:       {"script", "-qefc", b.plugin + " list -A", os.DevNull},
			help:             {b.plugin, "--help"},
			ownVersion:       {b.plugin, "version"},
			catalogue:        {b.plugin, "catalog", "kubernetes.io/pvc-protection"},
			kubectlVersion:   {filepath.Join(p.Bin(), "kubectl"), "version", "--client"},
		} {
			s, err := measure(ctx, b.env(p), argv...)
			if err != nil {
				return nil, err
			}
			out[name] = append(out[name], s)
		}
	}
	return out, nil
}

const (
	explainNamespace = "`explain ns/full`: a namespace with 1,000 objects"
	explainPod       = "`explain pod/app-0`: one object"
	atTerminal       = "`list -A` at a terminal"
	listNamespace    = "`list -n full`: a namespace with 1,000 objects"
	help             = "`--help`"
	ownVersion       = "`version`"
	catalogue        = "`catalog kubernetes.io/pvc-protection`"
	kubectlVersion   = "`kubectl version --client`, to compare with"
)
