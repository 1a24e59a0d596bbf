package kit

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// SpecReference is an object that a field of a spec names, by the form of the field.
type SpecReference struct {
	Field  string
	Target stuck.Object
}

// MaxSpecReferences is how many references of one spec are looked up, each with a request.
const MaxSpecReferences = 10

// maxSpecDepth is how deep a spec is searched.
const maxSpecDepth = 6

// SpecReferences are the objects that the spec of an object names in fields of the usual
// form, such as secretRef or issuerRefs, sorted by field. A reference whose type cannot be
// told is left out, and so is one that need not exist.
func SpecReferences(view *cluster.View, o stuck.Object, content map[string]any) []SpecReference {
	spec, _ := content["spec"].(map[string]any)
	var out []SpecReference
	eachReference(spec, "spec", maxSpecDepth, func(field, key string, ref map[string]any) {
		text := func(name string) string { s, _ := ref[name].(string); return s }
		optional, _ := ref["optional"].(bool)
		t, known := referencedType(view, o, cmp.Or(text("kind"), kindOfKey(key)), cmp.Or(text("apiGroup"), text("group")), text("apiVersion"))
		if !known || optional || !IsValidName(text("name")) {
			return
		}
		target := stuck.Object{Type: t, Name: text("name")}
		if t.Namespaced {
			target.Namespace = cmp.Or(text("namespace"), o.Namespace)
			if !IsValidName(target.Namespace) {
				return
			}
		}
		if !slices.ContainsFunc(out, func(r SpecReference) bool { return r.Target.Key() == target.Key() }) {
			out = append(out, SpecReference{Field: field, Target: target})
		}
	})
	return out
}

// eachReference visits the maps of a spec that have a name, and that a key of the usual
// form holds. The parts of a spec that describe pods are left out: what they name matters
// to the pods.
func eachReference(spec map[string]any, path string, depth int, visit func(field, key string, ref map[string]any)) {
	for _, key := range slices.Sorted(maps.Keys(spec)) {
		field := path + "." + key
		switch value := spec[key].(type) {
		case map[string]any:
			if singular, ok := referenceKey(key); ok {
				visit(field, singular, value)
			} else if depth > 0 && !strings.HasSuffix(strings.ToLower(key), "template") {
				eachReference(value, field, depth-1, visit)
			}
		case []any:
			singular, ok := referenceKey(key)
			for _, entry := range value {
				if ref, isMap := entry.(map[string]any); ok && isMap {
					visit(field+"[]", singular, ref)
				}
			}
		}
	}
}

// referenceKey is what a key of the usual form refers to: secret of secretRef, secretRefs
// and secretReference.
func referenceKey(key string) (string, bool) {
	for _, suffix := range []string{"Ref", "Refs", "Reference", "References", "KeyRef"} {
		if before, ok := strings.CutSuffix(key, suffix); ok && before != "" {
			return strings.TrimSuffix(before, "Key"), true
		}
	}
	return "", false
}

// kindOfKey is the kind that a key names without a field for it: Secret of
// apiTokenSecretRef, Issuer of issuerRef.
func kindOfKey(key string) string {
	for _, kind := range []string{"Secret", "ConfigMap"} {
		if strings.EqualFold(key, kind) || strings.HasSuffix(key, kind) {
			return kind
		}
	}
	return strings.ToUpper(key[:1]) + key[1:]
}

// referencedType is the type of a kind that a reference names: in the group that it names;
// otherwise that of Secrets and ConfigMaps, or one in the group of the object.
func referencedType(view *cluster.View, o stuck.Object, kind, group, apiVersion string) (stuck.Type, bool) {
	switch {
	case group != "":
	case apiVersion != "":
		group = schema.FromAPIVersionAndKind(apiVersion, kind).Group
	case kind != "Secret" && kind != "ConfigMap":
		group = o.Type.Group
	}
	return view.TypeForKind(schema.GroupKind{Group: group, Kind: kind})
}
