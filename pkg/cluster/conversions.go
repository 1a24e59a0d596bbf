package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// crdPage is how many CRDs are asked for at once: they can run to a megabyte
// each.
const crdPage = 25

// Conversions reads which CRDs have a conversion webhook. Of each CRD, one at a
// time, it decodes no more than it needs.
func (s *Server) Conversions(ctx context.Context) ([]CRD, error) {
	var out []CRD
	keep := func(c CRD) {
		if c.Spec.Conversion.Strategy == "Webhook" {
			c.ObjectMeta = metav1.ObjectMeta{Name: c.Name}
			out = append(out, c)
		}
	}
	for next, more := "", true; more; more = next != "" {
		page, err := turn(ctx, s, func(ctx context.Context) (string, error) {
			request := s.discovery.RESTClient().Get().AbsPath("/apis", crds.Group, crds.Version, crds.Resource).SetHeader("Accept", "application/json")
			body, err := request.Param("limit", strconv.Itoa(crdPage)).Param("continue", next).Stream(ctx)
			if err != nil {
				return "", err
			}
			defer body.Close()
			return readCRDs(body, keep)
		})
		if err != nil {
			return nil, err
		}
		next = page
	}
	return out, nil
}

// readCRDs visits the items of a list as they come, and gives where the next
// page begins.
func readCRDs(body io.Reader, visit func(CRD)) (next string, err error) {
	in := json.NewDecoder(body)
	if err := expect(in, json.Delim('{')); err != nil {
		return "", err
	}
	for in.More() {
		field, err := in.Token()
		if err != nil {
			return "", err
		}
		switch field {
		case "items":
			err = readItems(in, visit)
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
	return next, expect(in, json.Delim('}'))
}

func readItems(in *json.Decoder, visit func(CRD)) error {
	if err := expect(in, json.Delim('[')); err != nil {
		return err
	}
	for in.More() {
		var c CRD
		if err := in.Decode(&c); err != nil {
			return err
		}
		visit(c)
	}
	return expect(in, json.Delim(']'))
}

// expect reads one sign. An answer that was cut short ends without it.
func expect(in *json.Decoder, sign json.Delim) error {
	found, err := in.Token()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err == nil && found != sign {
		err = fmt.Errorf("a list of definitions holds %v instead of %v", found, sign)
	}
	return err
}
