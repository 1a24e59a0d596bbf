package wire_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// message is what stands around every message of Kubernetes.
func message(apiVersion, kind string, raw []byte) []byte {
	unknown := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: apiVersion, Kind: kind}, Raw: raw}
	if raw == nil {
		unknown.Raw = []byte{}
	}
	body, err := unknown.Marshal()
	if err != nil {
		panic(err)
	}
	return append([]byte("k8s\x00"), body...)
}

// Whatever comes: what is taken for a list is the list that client-go takes it
// for.
func FuzzBody(f *testing.F) {
	for _, body := range bodies() {
		if len(body) < 10_000 {
			f.Add(body)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := readerAnswer(body)
		if err != nil {
			return
		}
		want, err := clientGoAnswer(body)
		if err != nil {
			t.Fatalf("client-go does not take it for a list: %v\n%q", err, body)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("client-go sees something else (-client-go +reader):\n%s\n%q", diff, body)
		}
	})
}

// What lies within a list's frame is where the interesting accidents happen.
func FuzzList(f *testing.F) {
	for _, n := range []int{0, 1, 3} {
		raw, err := listOf(n, 20).Marshal()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		body := message("meta.k8s.io/v1", "PartialObjectMetadataList", raw)
		got, err := readerAnswer(body)
		if err != nil {
			return
		}
		want, err := clientGoAnswer(body)
		if err != nil {
			t.Fatalf("client-go does not take it for a list: %v\n%q", err, raw)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("client-go sees something else (-client-go +reader):\n%s\n%q", diff, raw)
		}
	})
}

// Every list that can be written is read as client-go reads it.
func FuzzObject(f *testing.F) {
	f.Add("app", "shop", "uid-1", "17", int64(1_700_000_000), int64(0), "example.com/hold", "ReplicaSet", true, uint32(500))
	f.Add("", "", "", "", int64(-1), int64(-62135596800), "", "", false, uint32(70_000))
	f.Fuzz(func(t *testing.T, name, namespace, uid, version string, born, gone int64, finalizer, owner string, yes bool, size uint32) {
		deleted := metav1.Unix(gone, 0)
		one := metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: namespace, UID: types.UID(uid), ResourceVersion: version,
			CreationTimestamp: metav1.Unix(born, 0), DeletionTimestamp: &deleted, Finalizers: []string{finalizer, name},
			OwnerReferences: []metav1.OwnerReference{{Kind: owner, Name: name, UID: types.UID(uid), Controller: &yes}},
			Annotations:     map[string]string{"padding": string(make([]byte, size%200_000))},
		}}
		list := &metav1.PartialObjectMetadataList{
			ListMeta: metav1.ListMeta{Continue: version, ResourceVersion: uid}, Items: []metav1.PartialObjectMetadata{one, {}, one},
		}
		body := encode(list)
		want, err := clientGoAnswer(body)
		if err != nil {
			t.Fatal(err)
		}
		got, err := readerAnswer(body)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v (-client-go +reader):\n%s", err, diff)
		}
	})
}
