package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// crdPageSize is how many CRDs are asked for at once: they can run to a megabyte
// each.
const crdPageSize = 25

// ConversionWebhookCRDs reads which CRDs have a conversion webhook. Of each CRD, one at a
// time, it decodes no more than it needs.
func (s *Server) ConversionWebhookCRDs(ctx context.Context) ([]cluster.CRD, error) {
	var out []cluster.CRD
	read := 0
	keep := func(c cluster.CRD) {
		read++
		if c.Spec.Conversion.Strategy == "Webhook" {
			kept := metav1.ObjectMeta{Name: c.Name}
			if from, ok := c.Annotations[cluster.InjectCAAnnotation]; ok {
				kept.Annotations = map[string]string{cluster.InjectCAAnnotation: from}
			}
			c.ObjectMeta = kept
			out = append(out, c)
		}
	}
	pages := pageSequence{}
	for next, more := "", true; more; more = next != "" {
		read = 0
		page, err := sendLimited(ctx, s, func(ctx context.Context) (string, error) {
			request := s.discovery.RESTClient().Get().AbsPath("/apis", cluster.CustomResourceDefinitionType.Group, cluster.CustomResourceDefinitionType.Version, cluster.CustomResourceDefinitionType.Resource).SetHeader("Accept", "application/json")
			body, err := request.Param("limit", strconv.Itoa(crdPageSize)).Param("continue", next).Stream(ctx)
			if err != nil {
				return "", err
			}
			defer body.Close()
			return decodeCRDs(body, keep)
		})
		if err == nil && page != "" {
			err = pages.follow(page, read)
		}
		if err != nil {
			return nil, err
		}
		next = page
	}
	return out, nil
}

// decodeCRDs visits the items of a list as they come, and gives where the next
// page begins.
func decodeCRDs(body io.Reader, visit func(cluster.CRD)) (next string, err error) {
	in := json.NewDecoder(body)
	if err := expectDelim(in, json.Delim('{')); err != nil {
		return "", err
	}
	for in.More() {
		field, err := in.Token()
		if err != nil {
			return "", err
		}
		switch field {
		case "items":
			err = decodeCRDItems(in, visit)
		case "metadata":
			var meta metav1.ListMeta
			err = in.Decode(&meta)
			next = meta.Continue
		default:
			var other json.RawMessage
			err = in.Decode(&other)
		}
		if err != nil {
			return "", err
		}
	}
	return next, expectDelim(in, json.Delim('}'))
}

func decodeCRDItems(in *json.Decoder, visit func(cluster.CRD)) error {
	switch begin, err := in.Token(); {
	case err != nil:
		return err
	case begin == nil: // null, as an empty list of some servers is
		return nil
	case begin != json.Delim('['):
		return unexpectedToken(begin, '[')
	}
	for in.More() {
		var c cluster.CRD
		if err := in.Decode(&c); err != nil {
			return err
		}
		visit(c)
	}
	return expectDelim(in, json.Delim(']'))
}

// expectDelim reads one sign. An answer that was cut short ends without it.
func expectDelim(in *json.Decoder, want json.Delim) error {
	found, err := in.Token()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err == nil && found != want {
		err = unexpectedToken(found, want)
	}
	return err
}

func unexpectedToken(found json.Token, want json.Delim) error {
	return fmt.Errorf("a list of definitions holds %v instead of %v", found, want)
}
