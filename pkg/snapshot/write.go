package snapshot

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/dump"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Options say what a snapshot is to hold.
type Options struct {
	// ConfigMapValues keeps the values of the ConfigMaps that were read whole.
	ConfigMapValues bool
	// Redaction replaces names, unless it is nil.
	Redaction *Redaction
}

// Summary is what a snapshot holds.
type Summary struct {
	// Objects is how many it has, and Whole how many of them have more than their metadata.
	Objects, Whole int
	// Failed is how many questions ended with an error, which it has too.
	Failed int
}

// Write writes a compressed archive, in the layout of crust-gather with JSON as its YAML, and our
// own folder. All files are below one folder.
func (r *Recorder) Write(w io.Writer, folder string, options Options) (Summary, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	compressed := gzip.NewWriter(w)
	a := &archive{tar: tar.NewWriter(compressed), folder: folder, time: r.start(), names: map[string]bool{}}
	document, err := r.redactedDocument(options)
	if err != nil {
		return Summary{}, err
	}
	for _, file := range []struct {
		name    string
		content any
	}{
		{"version.yaml", map[string]string{"gitVersion": r.version}},
		{"api.json", discoveryOf(r.types, func(group string) bool { return group == "" })},
		{"apis.json", discoveryOf(r.types, func(group string) bool { return group != "" })},
		{"collected.timestamp", r.start().Format("2006-01-02 15:04:05.999999999 UTC")},
		{dump.SnapshotFile, document},
	} {
		if err := a.add(file.name, file.content); err != nil {
			return Summary{}, err
		}
	}
	summary, err := r.addObjects(a, options)
	if err != nil {
		return summary, err
	}
	for _, answer := range r.answers {
		if answer.Failed() && (answer.Error == nil || answer.Error.Reason != metav1.StatusReasonNotFound) {
			summary.Failed++
		}
	}
	return summary, closeAll(a.tar, compressed)
}

// addObjects adds a file for each object.
func (r *Recorder) addObjects(a *archive, options Options) (summary Summary, err error) {
	keys := slices.SortedFunc(maps.Keys(r.objects), func(a, b objectKey) int {
		return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.resource, b.resource), cmp.Compare(a.name, b.name))
	})
	for _, key := range keys {
		o := r.objects[key]
		content := withheld(o, options.ConfigMapValues)
		if options.Redaction != nil {
			content = options.Redaction.object(content)
			key.namespace, key.name = options.Redaction.Text(key.namespace), options.Redaction.Text(key.name)
		}
		if err := a.add(pathOf(o.typ, key), content); err != nil {
			return summary, err
		}
		if summary.Objects++; o.detail == whole {
			summary.Whole++
		}
	}
	return summary, nil
}

func closeAll(closers ...io.Closer) error {
	for _, c := range closers {
		if err := c.Close(); err != nil {
			return err
		}
	}
	return nil
}

// redactedDocument is the document, with pseudonyms if they are asked for.
func (r *Recorder) redactedDocument(options Options) (dump.Snapshot, error) {
	if options.Redaction == nil {
		return r.document(), nil
	}
	return options.Redaction.document(r.document())
}

// document is what the snapshot keeps beside the objects.
func (r *Recorder) document() dump.Snapshot {
	s := dump.Snapshot{
		TypeMeta: metav1.TypeMeta{APIVersion: "kubectl-finalizers/v1alpha1", Kind: dump.SnapshotKind}, Time: r.start(), Types: r.types,
		ClockSpreadSeconds: int64(r.ClockSpread().Seconds()), ClockSkewSeconds: int64(r.ClockSkew().Seconds()),
	}
	if r.versionError != nil {
		s.VersionError = apitext.ErrorMessage(r.versionError)
	}
	for _, gap := range r.gaps {
		s.DiscoveryGaps = append(s.DiscoveryGaps, dump.DiscoveryGap{Source: gap.Source, Error: gap.Error, Group: gap.GroupVersion.Group, Version: gap.GroupVersion.Version})
	}
	for _, question := range slices.Sorted(maps.Keys(r.answers)) {
		s.Answers = append(s.Answers, r.answers[question])
	}
	return s
}

// discoveryOf is the aggregated discovery document of some groups.
func discoveryOf(types []stuck.Type, has func(group string) bool) apidiscovery.APIGroupDiscoveryList {
	list := apidiscovery.APIGroupDiscoveryList{TypeMeta: metav1.TypeMeta{APIVersion: "apidiscovery.k8s.io/v2", Kind: "APIGroupDiscoveryList"}}
	for _, t := range types {
		if !has(t.Group) {
			continue
		}
		i := slices.IndexFunc(list.Items, func(g apidiscovery.APIGroupDiscovery) bool { return g.Name == t.Group })
		if i < 0 {
			i = len(list.Items)
			list.Items = append(list.Items, apidiscovery.APIGroupDiscovery{ObjectMeta: metav1.ObjectMeta{Name: t.Group}})
		}
		group := &list.Items[i]
		j := slices.IndexFunc(group.Versions, func(v apidiscovery.APIVersionDiscovery) bool { return v.Version == t.Version })
		if j < 0 {
			j = len(group.Versions)
			freshness := apidiscovery.DiscoveryFreshnessCurrent
			if t.Stale {
				freshness = apidiscovery.DiscoveryFreshnessStale
			}
			group.Versions = append(group.Versions, apidiscovery.APIVersionDiscovery{Version: t.Version, Freshness: freshness})
		}
		group.Versions[j].Resources = append(group.Versions[j].Resources, resourceOf(t))
	}
	return list
}

func resourceOf(t stuck.Type) apidiscovery.APIResourceDiscovery {
	r := apidiscovery.APIResourceDiscovery{
		Resource: t.Resource, ResponseKind: &metav1.GroupVersionKind{Group: t.Group, Version: t.Version, Kind: t.Kind},
		Scope: apidiscovery.ScopeCluster, SingularResource: t.SingularName, ShortNames: t.ShortNames, Categories: t.Categories, Verbs: []string{"get"},
	}
	if t.Namespaced {
		r.Scope = apidiscovery.ScopeNamespace
	}
	if t.Listable {
		r.Verbs = append(r.Verbs, "list")
	}
	if t.Watchable {
		r.Verbs = append(r.Verbs, "watch")
	}
	if t.Listable && !t.Undeletable {
		r.Verbs = append(r.Verbs, "delete")
	}
	return r
}

// pathOf is where crust-gather keeps an object (src/gather/representation.rs).
func pathOf(t stuck.Type, key objectKey) string {
	version := strings.ReplaceAll(t.GVK().GroupVersion().String(), "/", "-")
	file := strings.ToLower(version+"/"+fileName(t.Kind)) + "/" + fileName(key.name) + ".yaml"
	if key.namespace == "" {
		return "cluster/" + file
	}
	return "namespaces/" + fileName(key.namespace) + "/" + file
}

// fileName is a name that is safe in a path. The name itself is in the object.
func fileName(name string) string {
	safe := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r) {
			return r
		}
		return '-'
	}, name)
	if strings.Trim(safe, ".") == "" {
		return "-"
	}
	return safe
}

// add writes a file: a text as it is, anything else as JSON.
func (a *archive) add(name string, content any) error {
	text, isText := content.(string)
	encoded := []byte(text)
	if !isText {
		var err error
		if encoded, err = json.Marshal(content); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
	}
	for i, base := 2, strings.TrimSuffix(name, ".yaml"); a.names[name]; i++ {
		name = fmt.Sprintf("%s-%d.yaml", base, i)
	}
	a.names[name] = true
	header := &tar.Header{Name: a.folder + "/" + name, Mode: 0o600, Size: int64(len(encoded)), ModTime: a.time, Format: tar.FormatPAX}
	if err := a.tar.WriteHeader(header); err != nil {
		return err
	}
	_, err := a.tar.Write(encoded)
	return err
}
