package cmd

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// TestChooseRun lists several runs and changes nothing where nobody can be asked; a single run needs no choice.
func TestChooseRun(t *testing.T) {
	root := t.TempDir()
	for _, run := range []string{"prod/20261120T071128Z", "prod/20261121T071128Z", "stage/20261119T071128Z"} {
		dir := filepath.Join(root, run)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "a.yaml"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	newest := filepath.Join(root, "prod", "20261121T071128Z")
	for name, test := range map[string]struct {
		path, want string
		err        error
		says       []string
	}{
		"all runs": {root, "", exitRefused, []string{
			"\nNUMBER  TIME                  AGE", "\n1       2026-11-21T07:11:28Z  24h  prod     1       " + newest + "\n",
			" holds 3 runs, so nothing was changed: name one; to restore the newest:\n  kubectl finalizers restore " + newest + "\n",
		}},
		"one run":       {filepath.Join(root, "stage"), filepath.Join(root, "stage", "20261119T071128Z"), nil, nil},
		"a run":         {newest, newest, nil, nil},
		"a copy":        {filepath.Join(newest, "a.yaml"), filepath.Join(newest, "a.yaml"), nil, nil},
		"nothing there": {filepath.Join(root, "none"), filepath.Join(root, "none"), nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			streams, in, _, errOut := genericiooptions.NewTestIOStreams()
			in.WriteString("1\n")
			p := Program{Streams: streams, Clock: func() time.Time { return time.Date(2026, 11, 22, 7, 11, 28, 0, time.UTC) }}
			got, err := p.chooseRun(t.Context(), test.path, "kubectl finalizers restore")
			if got != test.want || !errors.Is(err, test.err) {
				t.Errorf("it chooses %q (%v), want %q (%v)", got, err, test.want, test.err)
			}
			for _, text := range test.says {
				if !strings.Contains(errOut.String(), text) {
					t.Errorf("it does not say %q:\n%s", text, errOut)
				}
			}
		})
	}
}
