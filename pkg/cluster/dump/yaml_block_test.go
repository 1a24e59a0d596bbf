package dump

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

// blockSeeds are what programs write, and what comes near it.
var blockSeeds = map[string]string{
	"object":               "apiVersion: v1\nkind: Pod\nmetadata:\n  labels: {}\n  name: web\nspec:\n  args: []\n",
	"sequence in its key":  "a:\n- b: 1\n  c:\n  - d\n  - e\nf: g\n",
	"indented sequence":    "a:\n  - b: 1\n    c:\n      - d\n  -  e: f\n",
	"sequence in sequence": "a:\n- - b\n  - c\n- - d: e\n    f: g\n",
	"field names":          "f:metadata:\n  f:labels:\n    .: {}\n    k:{\"uid\":\"1:2\"}:\n      v:\"x\": {}\n",
	"scalars":              "a: true\nb: null\nc: 12\nd: 007\ne: 1.50\nf: 2026-08-20T09:00:00Z\ng: yes\nh: ~\ni: 0x1f\nk: -1\nl: 1e3\nm: True\nn: 10.0.0.1\no: 123456789012345678901\np: =\n",
	"no value":             "a:\nb:\n  c:\n  d: e\nf:\n- g:\n- h\n",
	"quotes":               "a: 'it''s: #1'\nb: \"x\\n\\\"y\\\" \\\\ <&>\"\n'c d': e\n\"f\": 'g'\nh: ''\ni: \"\"\n",
	"escapes":              "a: \"\\u00e9\\x41\\e\\N\"\n",
	"folded quotes":        "a: 'one\n  two''s\n  three'\nb: \"one\\n\n  two\n  three \\\"x\\\"\"\nc: d\n",
	"folded line end":      "a: \"one\\\n  \\ two\"\n",
	"folded text":          "a:\n  b: one\n    two - x\n    three\n  c: d\n",
	"literal":              "a: |\n  one\n\n    two: #3\n  thr\tee\nb: |-\n  x\n\n\nc:\n- |\n  y\n- z: |\n    w\n",
	"literal, tab":         "a: |\n \t\n",
	"literal, kept":        "a: |+\n  one\n\nb: c\n",
	"literal, indented":    "a: |2\n    one\n",
	"folded block":         "a: >-\n  one\n  two\n",
	"comment":              "a: b # c\n# d\ne: f\n",
	"anchor":               "a: &x b\nc: *x\n",
	"tag":                  "a: !!str 1\n",
	"flow":                 "a: {b: c}\nd: [e, f]\n",
	"key twice":            "a: 1\na: 2\n",
	"key is no text":       "? a\n: b\n",
	"tab":                  "a:\tb\n\tc: d\n",
	"line separators":      "a: b\u2028c\u0085d\ufeff\n",
	"letters":              "a: grüße\nb: 'schön'\nc: |\n  日本\n",
	"mapping in a text":    "a: b: c\n",
	"wrong indentation":    "a:\n  b: 1\n c: 2\n",
	"dash behind a key":    "a: - b\n",
	"text below":           "a:\n  b\n",
	"cut":                  "a:\n  b: |\n    c",
	"blank lines":          "a: b\n\nc: d\n\n\n",
	"a text":               "The connection was refused\n",
	"colon at the end":     "a: b:\n",
	"infinite":             "a: .inf\n",
	"marker":               "--- a:\n... b:\n",
	"merge":                "<<: a\n",
	"space before colon":   "a : b\n",
}

// compareBlocks reports whether the parser of blocks knew a text, and fails unless it read what the
// library reads.
func compareBlocks(t *testing.T, text string) bool {
	t.Helper()
	var out bytes.Buffer
	if !blockToJSON(&out, []byte(text)) {
		return false
	}
	want, err := parsedToJSON([]byte(text))
	if err != nil {
		t.Fatalf("%q is refused by the library, and read as %s: %v", text, out.Bytes(), err)
	}
	var a, b any
	if err := json.Unmarshal(out.Bytes(), &a); err != nil {
		t.Fatalf("%q is read as %s: %v", text, out.Bytes(), err)
	}
	if err := json.Unmarshal(want, &b); err != nil || !reflect.DeepEqual(a, b) {
		t.Fatalf("%q is read as\n%s, want\n%s", text, out.Bytes(), want)
	}
	return true
}

// TestBlocks holds that what programs write is read without the library, and read alike.
func TestBlocks(t *testing.T) {
	written := []string{
		"object", "sequence in its key", "indented sequence", "sequence in sequence", "field names", "scalars", "no value", "quotes",
		"folded quotes", "folded text", "literal", "letters",
	}
	known := map[string]bool{}
	for name, text := range blockSeeds {
		known[name] = compareBlocks(t, text)
	}
	for _, name := range written {
		if !known[name] {
			t.Errorf("%s is left to the library", name)
		}
	}
}

// FuzzBlocks holds that a text is read as the library reads it, or left to it.
func FuzzBlocks(f *testing.F) {
	for _, text := range blockSeeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { compareBlocks(t, text) })
}
