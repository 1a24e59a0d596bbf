package removal

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// slowSource is a source whose clock moves with each dry run. Whatever else it is asked, it does not know.
type slowSource struct {
	*recording.Source
	probeTime time.Duration
	elapsed   atomic.Int64
	views     atomic.Int64 // for each of which the types are asked for
}

func (s *slowSource) Now() time.Time { return startTime.Add(time.Duration(s.elapsed.Load())) }

func (s *slowSource) Types(ctx context.Context) ([]stuck.Type, []stuck.Gap, error) {
	s.views.Add(1)
	return s.Source.Types(ctx)
}

func (s *slowSource) MayPatch(context.Context, stuck.Type, string, string) (bool, error) {
	return true, nil
}

func (s *slowSource) Probe(context.Context, stuck.Object) error {
	s.elapsed.Add(int64(s.probeTime))
	return nil
}

// configMapToDiagnose is an object with a finalizer that is its own, so that it shares its dry run with no other.
func configMapToDiagnose(name string) stuck.Object {
	return stuck.Object{
		Type: cluster.ConfigMapType, Namespace: "shop", Name: name, UID: types.UID(name), ResourceVersion: "1",
		DeletionTime: startTime.Add(-time.Hour), Finalizers: []string{"example.com/" + name},
	}
}

// TestDiagnosesAreFresh holds that no diagnosis rests on what was read more than five seconds ago, unless it was read for this object alone.
func TestDiagnosesAreFresh(t *testing.T) {
	known, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	objects := []stuck.Object{configMapToDiagnose("a"), configMapToDiagnose("b")}
	for name, test := range map[string]struct {
		probeTime, pause time.Duration
		// others is whether the objects are diagnosed ahead.
		others bool
		// views are how often everything is read: for the first object, and for both.
		views [2]int64
	}{
		"quick":                    {0, 4 * time.Second, true, [2]int64{1, 1}},
		"later":                    {0, 6 * time.Second, true, [2]int64{1, 2}},
		"alone":                    {0, 4 * time.Second, false, [2]int64{1, 1}},
		"old when it is read":      {2 * time.Second, 2 * time.Second, false, [2]int64{1, 2}},
		"slow alone":               {time.Minute, 0, false, [2]int64{1, 2}},
		"the others take too long": {3 * time.Second, 0, true, [2]int64{2, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			source := &slowSource{Source: (&recording.Recording{Version: "v1.37.1"}).Source([]stuck.Type{cluster.ConfigMapType}), probeTime: test.probeTime}
			d := Diagnoser{Source: source, Catalog: known}
			ahead := 0
			next := func(n int) (others []stuck.Object) {
				if ahead = n; test.others {
					others = slices.Clone(objects)
				}
				return others
			}
			for i, object := range objects {
				diagnosis, err := d.Diagnose(t.Context(), object, next)
				if err != nil || diagnosis.Object.Name != object.Name {
					t.Fatalf("%v, %v", diagnosis, err)
				}
				if n := source.views.Load(); n != test.views[i] {
					t.Errorf("everything was read %d times for %d objects, not %d times", n, i+1, test.views[i])
				}
				source.elapsed.Add(int64(test.pause))
			}
			if isLate := test.views[0] > 1; isLate != (ahead < maxAhead) {
				t.Errorf("%d objects were to be diagnosed ahead", ahead)
			}
		})
	}
}
