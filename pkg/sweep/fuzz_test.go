package sweep

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// FuzzExpiry reads annotations, which anybody may write: what they let expire was created before, and what is said of them is
// short. A duration that Go knows is read as Go reads it.
func FuzzExpiry(f *testing.F) {
	for i, value := range []string{"60s", "2026-02-25T09:26:14Z", "72h", "1w2d3h", "forever", "2w", "99999999999d", "1.5.5d", "-1h", ""} {
		f.Add(uint8(i), value, "2026-01-01T00:00:00Z", int64(1_700_000_000), int64(1_800_000_000))
	}
	f.Add(uint8(131), "1h", strings.Repeat("soon\n", 500), int64(0), int64(1<<40))
	f.Add(uint8(0), strings.Repeat("9", 2000), "", int64(0), int64(1<<40))
	namespaces := stuck.Type{Version: "v1", Resource: "namespaces", SingularName: "namespace", Kind: "Namespace"}
	keys := append([]string{"example.com/keep"}, DefaultAnnotations...)
	f.Fuzz(func(t *testing.T, n uint8, value, other string, created, now int64) {
		key := keys[int(n)%len(keys)]
		m := metav1.ObjectMeta{Name: "preview", CreationTimestamp: metav1.Unix(created, 0), Annotations: map[string]string{key: value}}
		if n >= 128 {
			m.Annotations[twinRefreshed], m.Annotations[openshiftActive] = other, other
		}
		item, ok := Selector{Annotations: keys}.Judge(t.Context(), podSource{now: time.Unix(now, 0)}, namespaces, m)
		if !ok || item.Reason == "" || item.Action == Keep && item.Object.Name != m.Name {
			t.Errorf("%s=%q is %+v", key, value, item)
		}
		if utf8.RuneCountInString(item.Reason) > 1000 {
			t.Errorf("the reason has %d characters", utf8.RuneCountInString(item.Reason))
		}
		countsFromCreation := key == janitorTTL || key == openshiftHardTTL || key == openshiftSoftTTL || key == twinTTL && n < 128
		if item.Action == Delete && (countsFromCreation && now <= created || created == metav1.Time{}.Unix()) {
			t.Errorf("%s=%q: created at %d, it is deleted at %d: %s", key, value, created, now, item.Reason)
		}
		if want, err := time.ParseDuration(value); err == nil && want > 0 && numbersWithUnits.MatchString(value) {
			if got, err := parseLongDuration(value); err != nil || got != want {
				t.Errorf("%q is %s, not %s: %v", value, got, want, err)
			}
		}
	})
}

// FuzzState reads what others wrote into the file of a state: an error names the file, and what is read counts one more sweep,
// can be written within its limit, and is read again as it was.
func FuzzState(f *testing.F) {
	for _, content := range []string{
		`{"clusterUID":"cluster","selection":"namespaces","left":[{"object":"namespace/a","uid":"1","sweeps":2,"since":"2026-01-01T00:00:00+24:00"}]}`,
		`{"clusterUID":"cluster","selection":"namespaces","left":[{"uid":"1","sweeps":9223372036854775807},{"uid":"1"}]}`,
		`{"clusterUID":"other"}`, "null", "", "[]", "\x00", `{"left":[{"sweeps":1e300}]}`,
	} {
		f.Add([]byte(content), "1", 200)
	}
	folder, mine := f.TempDir(), State{ClusterUID: "cluster", Selection: "namespaces"}
	path, now := filepath.Join(folder, mine.Key()), time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, content []byte, uid string, limit int) {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		read, err := ReadState(folder, mine)
		if err != nil {
			if !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
				t.Errorf("the error does not name the file in one line: %v", err)
			}
			return
		}
		uid = strings.ToValidUTF8(uid, "")
		o := stuck.Object{Name: "a", UID: types.UID(uid)}
		before := read.SweepsOf(o)
		next := read.After([]stuck.Object{o}, now)
		if before < 0 || before > maxSweeps || next.SweepsOf(o) != before+1 {
			t.Errorf("%q: after %d sweeps it is the sweep %d", content, before, next.SweepsOf(o))
		}
		next.Left = append(next.Left, read.Left...)
		written, omitted, err := next.Encode(1 << 10)
		if err != nil || len(written) > 1<<10 || omitted > len(next.Left) {
			t.Fatalf("of %d objects %d are omitted, in %d bytes: %v", len(next.Left), omitted, len(written), err)
		}
		again, err := mine.Parse(written)
		if err != nil || len(again.Left) != len(next.Left)-omitted {
			t.Errorf("%s is read as %+v: %v", written, again, err)
		}
		set, _, err := next.ConfigMapValues(map[string]string{mine.Key(): string(content), "left-" + uid + ".json": string(content)})
		if err != nil || len(set[mine.Key()]) == 0 || len(set[mine.Key()]) > maxConfigMapState {
			t.Errorf("in a ConfigMap it is %d bytes: %v", len(set[mine.Key()]), err)
		}
	})
}

// FuzzLabels reads label selectors: how one is written changes neither what it selects nor its description, and one that names no
// label that is there selects objects without labels.
func FuzzLabels(f *testing.F) {
	for _, selector := range []string{"", "!keep", "env!=prod,!keep", "env notin (prod)", "env in (b,a)", "build>3", "a=b, a == c", "x in ()", "a=,b"} {
		f.Add(selector, "env", "a")
	}
	types := []stuck.Type{{Version: "v1", Resource: "configmaps", Namespaced: true}}
	f.Fuzz(func(t *testing.T, selector, key, value string) {
		parsed, err := labels.Parse(selector)
		if err != nil {
			if (Selector{Labels: selector}).Matches(metav1.ObjectMeta{}) {
				t.Errorf("%q is no selector, and selects: %v", selector, err)
			}
			return
		}
		a, b := Selector{Labels: selector}, Selector{Labels: parsed.String()}
		if a.Describe(types) != b.Describe(types) || a.SelectsByAbsence() != b.SelectsByAbsence() {
			t.Errorf("%q is described as %q, and %q as %q", a.Labels, a.Describe(types), b.Labels, b.Describe(types))
		}
		for _, set := range []map[string]string{nil, {key: value}, {key: ""}} {
			m := metav1.ObjectMeta{Labels: set}
			if a.Matches(m) != b.Matches(m) {
				t.Errorf("%q and %q select different objects: %v", a.Labels, b.Labels, set)
			}
		}
		if !parsed.Empty() && a.Matches(metav1.ObjectMeta{}) != a.SelectsByAbsence() {
			t.Errorf("%q selects by absence: %t", selector, a.SelectsByAbsence())
		}
	})
}
