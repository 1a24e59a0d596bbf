package wire_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/wire"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// listOf is a list with all that objects have, most of it of no interest.
func listOf(n, managed int) *metav1.PartialObjectMetadataList {
	yes, no := true, false
	seconds := int64(30)
	born := metav1.Unix(1_700_000_000, 0)
	left := int64(7)
	list := &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{
		ResourceVersion: "4711", Continue: "more", RemainingItemCount: &left,
	}}
	for i := range n {
		m := metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("app-%d", i), GenerateName: "app-", Namespace: fmt.Sprintf("shop-%d", i/3),
			UID: types.UID(fmt.Sprintf("0f5c2f6e-8a3b-4c64-9d1e-%012d", i)), ResourceVersion: fmt.Sprint(1000 + i), Generation: 3,
			CreationTimestamp: born,
			Labels:            map[string]string{"app": "shop", "tier": "backend"},
			Annotations:       map[string]string{"checksum": strings.Repeat("ab", 32)},
			ManagedFields: []metav1.ManagedFieldsEntry{{
				Manager: "kubectl", Operation: "Update", APIVersion: "v1", Time: &born, FieldsType: "FieldsV1",
				FieldsV1: metav1.NewFieldsV1(`{"f:` + strings.Repeat("f", managed) + `":{}}`),
			}},
		}}
		if i%2 == 0 {
			m.OwnerReferences = []metav1.OwnerReference{
				{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "app", UID: "r-1", Controller: &yes, BlockOwnerDeletion: &no},
				{APIVersion: "v1", Kind: "ConfigMap", Name: "config", UID: "c-1"},
			}
		}
		if i%5 == 0 {
			gone := metav1.Unix(1_700_003_600, 0)
			m.DeletionTimestamp, m.DeletionGracePeriodSeconds = &gone, &seconds
			m.Finalizers = []string{"example.com/hold", fmt.Sprintf("example.com/hold-%d", i)}
		}
		list.Items = append(list.Items, m)
	}
	return list
}

// bodies are lists of different make in the forms in which they come.
func bodies() map[string][]byte {
	out := map[string][]byte{}
	for name, list := range map[string]*metav1.PartialObjectMetadataList{
		"empty":                       {},
		"none, but a version":         {ListMeta: metav1.ListMeta{ResourceVersion: "4711"}},
		"a nameless object":           {Items: make([]metav1.PartialObjectMetadata, 1)},
		"few":                         listOf(7, 900),
		"more than fit at once":       listOf(200, 900),
		"objects that do not fit":     listOf(4, 90_000),
		"small ones and large ones":   {Items: append(append(listOf(3, 10).Items, listOf(1, 300_000).Items...), listOf(3, 10).Items...)},
		"one that only just fits not": {Items: listOf(1, 65_200).Items},
	} {
		out[name+", in protobuf"] = encode(list)
		out[name+", in JSON"] = encodeJSON(list)
	}
	return out
}

func TestListsAreReadAsClientGoReadsThem(t *testing.T) {
	for name, body := range bodies() {
		t.Run(name, func(t *testing.T) {
			want, err := clientGoAnswer(body)
			if err != nil {
				t.Fatal(err)
			}
			got, err := readerAnswer(body)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			var slowly answer
			slowly.List, err = wire.NewReader().Read(iotest.OneByteReader(bytes.NewReader(body)), pods, func(o stuck.Object) {
				slowly.Objects = append(slowly.Objects, o)
			})
			if diff := cmp.Diff(want, slowly); err != nil || diff != "" {
				t.Errorf("byte by byte: %v\n%s", err, diff)
			}
		})
	}
}

// A reader keeps nothing of one list for the next, and the objects that it
// has handed out stay what they were.
func TestReaderIsUsedAgain(t *testing.T) {
	reader := wire.NewReader()
	for _, broken := range []bool{false, true, false} {
		for name, body := range bodies() {
			if broken {
				body = body[:len(body)/2]
			}
			want, _ := clientGoAnswer(body)
			var got answer
			var err error
			got.List, err = reader.Read(bytes.NewReader(body), pods, func(o stuck.Object) { got.Objects = append(got.Objects, o) })
			if broken != (err != nil) {
				t.Errorf("%s: the error is %v", name, err)
			}
			if diff := cmp.Diff(want, got); !broken && diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
}

// Wherever a body ends before its time, what came of it is no answer.
func TestListsThatAreCutShortAreErrors(t *testing.T) {
	for name, body := range map[string][]byte{
		"protobuf": encode(listOf(7, 50)), "large protobuf": encode(listOf(2, 66_000)), "empty protobuf": encode(listOf(0, 0)),
		"JSON": encodeJSON(listOf(7, 50)), "empty JSON": encodeJSON(listOf(0, 0)),
	} {
		t.Run(name, func(t *testing.T) {
			want, err := clientGoAnswer(body)
			if err != nil {
				t.Fatal(err)
			}
			step := max(1, len(body)/5000)
			for end := 0; end < len(body); end += step {
				got, err := readerAnswer(body[:end])
				// In protobuf two empty fields follow the list.
				if err == nil && (end < len(body)-4 || !cmp.Equal(want, got)) {
					t.Fatalf("the first %d of %d bytes are taken for a list of %d", end, len(body), len(got.Objects))
				}
			}
		})
	}
}

func TestWhatIsNoListIsAnError(t *testing.T) {
	status := &metav1.Status{Status: metav1.StatusFailure, Message: "no"}
	raw, err := status.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string]string{
		"a status in protobuf":           string(message("v1", "Status", raw)),
		"a list of whole objects":        string(message("v1", "PodList", nil)),
		"a list of another version":      string(message("meta.k8s.io/v1beta1", "PartialObjectMetadataList", nil)),
		"a list of no kind":              string(message("", "", nil)),
		"a list that another follows":    string(encode(listOf(1, 1))) + string(encode(listOf(1, 1))),
		"a list within a smaller one":    "k8s\x00\n\x2b\n\x0emeta.k8s.io/v1\x12\x19PartialObjectMetadataList\x12\x05\x12\x40abc",
		"an item longer than all memory": "k8s\x00\n\x2b\n\x0emeta.k8s.io/v1\x12\x19PartialObjectMetadataList\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x12\xff\xff\xff\xff\xff\xff\xff\x7f\n\xff\xff\xff\xff\xff\x7f\n\xff\xff\xff\xff\x7fx",
		"nothing but the beginning":      "k8s\x00",
		"a status in JSON":               `{"kind":"Status","apiVersion":"v1","status":"Failure"}`,
		"items without a kind":           `{"items":[]}`,
		"items twice":                    `{"kind":"List","items":[],"items":[]}`,
		"an item that is null":           `{"kind":"List","items":[null]}`,
		"an item without metadata":       `{"kind":"List","items":[{}]}`,
		"two lists in JSON":              `{"kind":"List","items":[]}{"kind":"List","items":[]}`,
		"an array":                       `[]`,
		"one enormous value":             `{"kind":"List","items":[{"metadata":{"name":"` + strings.Repeat("x", 17<<20),
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := readerAnswer([]byte(body)); err == nil {
				t.Errorf("it is taken for %d objects", len(got.Objects))
			} else {
				t.Log(err)
			}
		})
	}
}

// A server that knows no metadata alone sends whole objects.
func TestWholeObjectsInJSON(t *testing.T) {
	got, err := readerAnswer([]byte(`{"items":[{"spec":{"items":[1]},"metadata":{"name":"a","deletionTimestamp":"2026-03-01T03:00:00Z","finalizers":["x"]},
		"Metadata":{"name":"b"}}],"metadata":{"continue":"c"},"kind":"WidgetList"}`))
	want := answer{
		List: wire.List{Continue: "c"},
		Objects: []stuck.Object{{
			Type: pods, Name: "a", Finalizers: []string{"x"}, DeletionTime: time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC),
		}},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
