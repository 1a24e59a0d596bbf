package catalog

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// fileForm is a catalog file as it is written.
type fileForm struct {
	Area       string      `yaml:"area"`
	Project    string      `yaml:"project"`
	Components []Component `yaml:"components"`
	Finalizers []entryForm `yaml:"finalizers"`
}

// entryForm is an entry as it is written in a file.
type entryForm struct {
	Finalizer    string          `yaml:"finalizer"`
	Pattern      Pattern         `yaml:"pattern"`
	Example      string          `yaml:"example"`
	Names        map[string]Type `yaml:"names"`
	Types        []Type          `yaml:"types"`
	Component    string          `yaml:"component"`
	Verbs        []string        `yaml:"verbs"`
	Role         Role            `yaml:"role"`
	Status       Status          `yaml:"status"`
	WaitsFor     string          `yaml:"waitsFor"`
	Leak         stuck.Leak      `yaml:"leak"`
	LeftBehind   string          `yaml:"leaves"`
	Resolution   []stuck.Step    `yaml:"steps"`
	Note         string          `yaml:"note"`
	Needs        []Need          `yaml:"needs"`
	UsedBy       []Usage         `yaml:"usedBy"`
	Paused       []Pause         `yaml:"paused"`
	Class        []Class         `yaml:"class"`
	Confirmation []Confirmation  `yaml:"confirmation"`
	Remote       []Remote        `yaml:"remote"`
	EnabledBy    []Setting       `yaml:"enabledBy"`
	Obsolete     *Obsolete       `yaml:"obsolete"`
	Source       []Source        `yaml:"source"`
}

// parseAll reads files side by side and returns their entries in the files' order.
func parseAll(files []File, area func(File) string) ([]Entry, error) {
	parsed := make([][]Entry, len(files))
	failed := make([]error, len(files))
	var all sync.WaitGroup
	for i, file := range files {
		all.Go(func() { parsed[i], failed[i] = parseFile(file, area(file)) })
	}
	all.Wait()
	if err := errors.Join(failed...); err != nil {
		return nil, err
	}
	var entries []Entry
	for _, some := range parsed {
		entries = append(entries, some...)
	}
	return entries, nil
}

// parseFile reads one file strictly, with all the documents that are in it.
func parseFile(file File, area string) ([]Entry, error) {
	var entries []Entry
	decoder, found := yaml.NewDecoder(bytes.NewReader(file.Data)), false
	for {
		var document yaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, withPosition(file.Name, err)
		}
		root := document.Content[0]
		if root.Tag == "!!null" { // what stands between two lines of dashes
			continue
		}
		found = true
		some, err := parseDocument(file.Name, root, area)
		if err != nil {
			return nil, err
		}
		entries = append(entries, some...)
	}
	if !found {
		return nil, fmt.Errorf("%s:1: the file is empty", file.Name)
	}
	return entries, nil
}

// parseDocument reads one document of a file strictly.
func parseDocument(name string, root *yaml.Node, area string) ([]Entry, error) {
	if err := unknownFields(root, fileForm{}); err != nil {
		return nil, fmt.Errorf("%s:%w", name, err)
	}
	var form fileForm
	if err := root.Decode(&form); err != nil {
		return nil, withPosition(name, err)
	}
	if area != "" && form.Area != "" {
		return nil, fmt.Errorf("%s:%d: area is said by the folder, leave it out", name, root.Line)
	}
	if form.Area == "" {
		form.Area = area
	}
	if err := form.check(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, root.Line, err)
	}
	if err := form.checkComponents(name, itemLines(root, "components")); err != nil {
		return nil, err
	}
	return form.entries(name, itemLines(root, "finalizers"))
}

// itemLines returns the line on which each item of a list of a file begins.
func itemLines(root *yaml.Node, list string) []int {
	var lines []int
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value != list {
			continue
		}
		for _, item := range root.Content[i+1].Content {
			lines = append(lines, item.Line)
		}
	}
	return lines
}

// checkComponents checks every component, whether an entry refers to it or not.
func (f fileForm) checkComponents(name string, lines []int) error {
	var failed []error
	for i, component := range f.Components {
		if err := component.check(); err != nil {
			failed = append(failed, faultsAt(name, lines[i], err))
		}
	}
	return errors.Join(failed...)
}

// entries resolves components and checks every entry.
func (f fileForm) entries(name string, lines []int) ([]Entry, error) {
	var entries []Entry
	var failed []error
	for i, form := range f.Finalizers {
		entry, err := form.resolve(f)
		entry.file, entry.line, entry.ownDomain = name, lines[i], f.ownDomain(form)
		if err == nil {
			err = entry.check()
		}
		if err != nil {
			failed = append(failed, faultsAt(name, lines[i], err))
		}
		entries = append(entries, entry)
	}
	return entries, errors.Join(failed...)
}

// ownDomain is the widest domain that an entry shares with groups of its component's types; none where some type has a wildcard for
// its group.
func (f fileForm) ownDomain(entry entryForm) (domain string) {
	componentOf := func(e entryForm) string { return cmp.Or(e.Component, f.Components[0].Name) }
	prefix, _, _ := strings.Cut(cmp.Or(entry.Finalizer, string(entry.Pattern)), "/")
	for _, form := range f.Finalizers {
		if componentOf(form) != componentOf(entry) {
			continue
		}
		for _, t := range form.Types {
			_, group := t.split()
			if strings.HasPrefix(group, "*") {
				return ""
			}
			if shared := sharedDomain(group, prefix); shared != "" && (domain == "" || len(shared) < len(domain)) {
				domain = shared
			}
		}
	}
	return domain
}

// resolve joins an entry with what its file says for all of them.
func (e entryForm) resolve(file fileForm) (Entry, error) {
	entry := Entry{
		Finalizer: e.Finalizer, Pattern: e.Pattern, Example: e.Example, Names: e.Names,
		Area: file.Area, Project: file.Project, Types: e.Types, Role: e.Role, Status: e.Status,
		WaitsFor: e.WaitsFor, Leak: e.Leak, LeftBehind: e.LeftBehind, Resolution: markLogs(e.Resolution), Note: e.Note, Source: e.Source,
		Verbs: e.Verbs, Needs: e.Needs, UsedBy: e.UsedBy, Paused: e.Paused, Class: e.Class, Confirmation: e.Confirmation, Remote: e.Remote, EnabledBy: e.EnabledBy, Obsolete: e.Obsolete,
	}
	if entry.Role == "" {
		entry.Role = RoleCleanup
	}
	for _, component := range file.Components {
		if e.Component == "" || e.Component == component.Name {
			entry.Component = component.withDefaults()
			entry.Paused, entry.Class = slices.Concat(e.Paused, component.Paused), slices.Concat(e.Class, component.Class)
			entry.Confirmation = slices.Concat(e.Confirmation, component.Confirmation)
			if component.Hosted != nil {
				entry.Resolution = slices.Concat(markLogs(component.Hosted.Steps), entry.Resolution)
			}
			return entry, nil
		}
	}
	return entry, fmt.Errorf("component %q is not among the file's components", e.Component)
}

// markLogs marks the steps that read logs, which are the controller's: they are of no use
// where nothing runs it.
func markLogs(steps []stuck.Step) []stuck.Step {
	for i, step := range steps {
		steps[i].ReadsLogs = slices.Contains(strings.Fields(step.Command), "logs")
	}
	return steps
}

func (c Component) withDefaults() Component {
	if c.RemovedBy == "" {
		c.RemovedBy = RemovedByWorkload
	}
	return c
}
