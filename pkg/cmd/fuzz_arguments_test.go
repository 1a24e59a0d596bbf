package cmd

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// FuzzTargets holds that arguments name what stands in them, that a target is found again by its full name, and that an error is
// one line.
func FuzzTargets(f *testing.F) {
	for _, args := range []string{"pods", "pod/web svc/db", "pods,services", "pod web db", "all", "ours", "crd/widgets.b.example.com", "pod/..", "/", "pods,", "deploy.v1.apps/a", "ns \x1b"} {
		f.Add(args)
	}
	served := extendedTypes(f)
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, " ")
		targets, err := parseTargets(served, args)
		if err != nil {
			if len(targets) > 0 || strings.ContainsAny(err.Error(), "\r\n\x1b") {
				t.Errorf("%q are %v; %q", args, targets, err)
			}
			return
		}
		for _, target := range targets {
			named := target.Name == "" || slices.ContainsFunc(args, func(arg string) bool { return arg == target.Name || strings.HasSuffix(arg, "/"+target.Name) })
			if !named || target.Name == "" && !target.Type.Listable || strings.ContainsAny(target.Name, "/%") || target.Name == ".." || target.Name == "." {
				t.Errorf("%q are %+v", args, target)
			}
			for _, typ := range target.types() {
				full := typ.Resource + "." + typ.Version + "." + typ.Group
				if again, err := served.resolve(full); err != nil || again.GVR() != typ.GVR() {
					t.Errorf("%q is %s, but %q is %s: %v", args, typ, full, again, err)
				}
			}
		}
	})
}

// FuzzFinalizer holds that --finalizer selects the name that it is, with all that a glob gives a meaning written plainly, and that
// a similar name is one of those that there are.
func FuzzFinalizer(f *testing.F) {
	for _, pattern := range []string{"example.com/*", "*", "[a-z]*/x", "\\", "[", "kubernetes.io/pvc-protecton", "spec:kubernetes", "日本/*"} {
		f.Add(pattern, "example.com/hold")
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		plain := strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(name)
		for each, want := range map[string]bool{"*": true, plain + "*": true, "*" + plain: true, plain: true, plain + "?": false} {
			if got, err := glob(each, name); utf8.ValidString(name) && (got != want || err != nil) {
				t.Errorf("%q matches %q: %t, %v", each, name, got, err)
			}
		}
		// A pattern that is none was refused before any name was seen.
		if _, err := glob(pattern, ""); err == nil {
			if _, err := glob(pattern, name); err != nil {
				t.Errorf("%q is a glob, but not for %q: %v", pattern, name, err)
			}
		}
		names := []string{name, "kubernetes.io/pvc-protection", "example.com/hold"}
		for _, near := range nearFinalizers(pattern, names) {
			if !slices.Contains(names, near) {
				t.Errorf("%q is similar to %q", pattern, near)
			}
		}
	})
}

// FuzzFields holds that --field-selector selects the same however it is written, and knows no field but two.
func FuzzFields(f *testing.F) {
	for _, text := range []string{"", "metadata.name=a", "metadata.name!=a,metadata.namespace==b", `metadata.name=a\,b`, "status.phase=x", "metadata.name", "\x1b=\n"} {
		f.Add(text, "a", "b")
	}
	f.Fuzz(func(t *testing.T, text, name, namespace string) {
		selector, err := parseFieldSelector(text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "reading --field-selector: ") {
				t.Errorf("the error does not name the flag: %v", err)
			}
			return
		}
		again, err := parseFieldSelector(selector.String())
		if err != nil {
			t.Fatalf("%q is written as %q: %v", text, selector, err)
		}
		for _, o := range []stuck.Object{{Name: name, Namespace: namespace}, {Name: "a", Namespace: "b"}} {
			a, b := &listOptions{fields: selector}, &listOptions{fields: again}
			if a.matchesFields(o) != b.matchesFields(o) {
				t.Errorf("%q and %q select different objects: %q in %q", text, selector, o.Name, o.Namespace)
			}
		}
	})
}

// FuzzAge holds that --older-than is read again as it is printed.
func FuzzAge(f *testing.F) {
	for _, text := range []string{"10m", "7d", "1d12h", "0", "-1h", "106750d24h", "106751d24h", "1e3s", "d", "1dd"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var a, again age
		if err := a.Set(text); err != nil || a < 0 { // which the commands refuse
			return
		}
		if err := again.Set(a.String()); err != nil || a != again {
			t.Errorf("%q is printed as %s, which is %d, not %d: %v", text, &a, again, a, err)
		}
	})
}

// FuzzColumns holds that no path of a column ends the program, and that columns hold no control characters.
func FuzzColumns(f *testing.F) {
	for _, path := range []string{".metadata.name", "{.items[*].name}", "..name", "[0:2:0]", `[?(@.a=="b")]`, ".finalizers[-1:]", "['a','b']", "\x1b", "a.b[", "range"} {
		f.Add(path, "A")
	}
	object := &unstructured.Unstructured{Object: map[string]any{
		"a": map[string]any{"b": "\x1b[2J", "c": nil}, "metadata": map[string]any{"name": "x\ny"}, "finalizers": []any{"x", "\u202e"}, "n": int64(1), "f": 1.5, "t": true,
	}}
	f.Fuzz(func(t *testing.T, path, header string) {
		printer, err := columnsPrinter(columnsFormat, header+":"+path, true)
		if err != nil {
			return
		}
		var out strings.Builder
		if err := printer.PrintObj(object, &out); err == nil && strings.ContainsFunc(out.String(), stuck.IsUnsafe) || strings.Count(out.String(), "\n") > 1 {
			t.Errorf("%q prints %q", path, out.String())
		}
	})
}
