package cmd

import (
	"strings"
	"testing"
)

func TestTypesLike(t *testing.T) {
	types := extendedTypes(t)
	for word, want := range map[string]string{
		"podz":                "(did you mean pods or pods.d.example.com?)",
		"deploymnet":          "(did you mean deployments.apps or pods.d.example.com?)",
		"pods.example.com":    "(did you mean pods or pods.d.example.com?)",
		"widgts":              "(did you mean widgets.b.example.com or widgets.c.example.com?)",
		"persistentvolumclam": "(did you mean persistentvolumeclaims?)",
		"gizmos":              "",
		"":                    "",
		"xy":                  "",
	} {
		_, err := types.resolve(word)
		if err == nil || !strings.Contains(err.Error(), "have a resource type") || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "did you mean") != (want != "") {
			t.Errorf("%q: %v", word, err)
		}
	}
}
