package wire_test

import (
	"bytes"
	"testing"

	metainternalversionscheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/wire"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// BenchmarkReader reads a list of 1,000 objects, beside what the metadata
// client of client-go does with the same bytes.
func BenchmarkReader(b *testing.B) {
	const objects = 1000
	list := listOf(objects, 1500)
	for form, body := range map[string][]byte{"protobuf": encode(list), "json": encodeJSON(list)} {
		kept := 0
		b.Run(form+"/reader", func(b *testing.B) {
			reader := wire.NewReader()
			measure(b, len(body), objects, func() error {
				_, err := reader.Read(bytes.NewReader(body), pods, func(o stuck.Object) {
					if o.Deleting() {
						kept++
					}
				})
				return err
			})
		})
		b.Run(form+"/client-go", func(b *testing.B) {
			measure(b, len(body), objects, func() error {
				list, err := clientGo(body)
				if err != nil {
					return err
				}
				for i := range list.Items {
					if o := stuck.ObjectOf(pods, list.Items[i].ObjectMeta); o.Deleting() {
						kept++
					}
				}
				return nil
			})
		})
	}
}

func measure(b *testing.B, size, objects int, read func() error) {
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		if err := read(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(objects), "ns/object")
}

// clientGo decodes as the metadata client does.
func clientGo(body []byte) (*metav1.PartialObjectMetadataList, error) {
	decoder := metainternalversionscheme.Codecs.UniversalDeserializer()
	object, _, err := decoder.Decode(body, nil, nil)
	if err != nil {
		return nil, err
	}
	return object.(*metav1.PartialObjectMetadataList), nil
}
