package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// busySource is a cluster in which some objects are left, by their names.
type busySource struct {
	*recording.Source
	left  string
	err   error
	reads int
}

func (b *busySource) Metadata(_ context.Context, t stuck.Type, _, name string) (*metav1.PartialObjectMetadata, error) {
	b.reads++
	if b.err != nil {
		return nil, b.err
	}
	if !strings.Contains(b.left, name) {
		return nil, apierrors.NewNotFound(schema.GroupResource{Resource: t.Resource}, name)
	}
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{UID: types.UID(t.Resource + name)}}, nil
}

func (b *busySource) Scan(_ context.Context, t stuck.Type, _ cluster.Selection, visit func(stuck.Object)) error {
	b.reads++
	for name := range strings.FieldsSeq(b.left) {
		visit(deletingObject(t, name, "1", 0))
	}
	return b.err
}

// What is deleted while list runs is not listed, and is said. What is old, or explained,
// or could not be read again stays.
func TestListDropsDeletedObjects(t *testing.T) {
	young := func(of stuck.Type, names string) []*stuck.Diagnosis {
		var out []*stuck.Diagnosis
		for name := range strings.FieldsSeq(names) {
			out = append(out, &stuck.Diagnosis{Object: deletingObject(of, name, "1", -10*time.Second), Verdict: stuck.Unknown})
		}
		return out
	}
	old, blocked := young(configMaps, "old"), young(configMaps, "blocked")
	old[0].Object.DeletionTime, blocked[0].Verdict = now.Add(-time.Hour), stuck.Blocked
	for name, test := range map[string]struct {
		of         []*stuck.Diagnosis
		left       string
		err        error
		want, says string
		reads      int
	}{
		"all are left":         {of: young(configMaps, "a b"), left: "a b", want: "a b", reads: 1},
		"one is deleted":       {of: young(configMaps, "a b"), left: "b", want: "b", reads: 1, says: "1 object was deleted while this command ran; 1 similar object is left: run it again to see whether that number falls.\n"},
		"all are deleted":      {of: append(young(configMaps, "a b"), young(secrets, "s")...), reads: 2, says: "3 objects were deleted while this command ran.\n"},
		"others are left":      {of: append(young(configMaps, "a b"), young(secrets, "s")...), left: "s", want: "s", reads: 2, says: "2 objects were deleted while this command ran.\n"},
		"old or explained":     {of: append(old, blocked...), want: "old blocked"},
		"it could not be read": {of: append(young(configMaps, "a b"), young(secrets, "s")...), err: errors.New("not now"), want: "a b s", reads: 2},
	} {
		t.Run(name, func(t *testing.T) {
			source := &busySource{Source: (&recording.Recording{Time: now}).Source(nil), left: test.left, err: test.err}
			var said strings.Builder
			o := &listOptions{source: source}
			o.program.Streams.ErrOut = &said
			var got []string
			for _, d := range o.dropDeleted(t.Context(), test.of) {
				got = append(got, d.Object.Name)
			}
			if strings.Join(got, " ") != test.want || said.String() != test.says || source.reads != test.reads {
				t.Errorf("after %d reads, not %d, it lists %v, not %s, and says %q, not %q", source.reads, test.reads, got, test.want, said.String(), test.says)
			}
		})
	}
}

// Looking once more costs no more requests than a few.
func TestListRechecksFewTypes(t *testing.T) {
	var all []*stuck.Diagnosis
	for i := range 50 {
		of := stuck.Type{Version: "v1", Resource: fmt.Sprintf("type%d", i), Namespaced: true}
		all = append(all, &stuck.Diagnosis{Object: deletingObject(of, "a", "1", -time.Second), Verdict: stuck.Unknown})
	}
	source := &busySource{Source: (&recording.Recording{Time: now}).Source(nil), left: "a"}
	o := &listOptions{source: source}
	if got := o.dropDeleted(t.Context(), all); len(got) != len(all) || source.reads != 10 {
		t.Errorf("after %d reads it lists %d objects", source.reads, len(got))
	}
}
