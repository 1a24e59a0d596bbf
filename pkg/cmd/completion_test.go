package cmd

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// complete is what the shell is offered for a command line.
func complete(t *testing.T, args ...string) string {
	t.Helper()
	var out, errOut bytes.Buffer
	streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &errOut}
	if code := New(streams, func() time.Time { return now }).Run(t.Context(), append([]string{"__complete"}, args...)); code != 0 {
		t.Errorf("%q ended with %d: %s", args, code, errOut.String())
	}
	return out.String()
}

// Who has no cluster yet, or mistypes, gets no words rather than a stack trace.
func TestCompletionWithoutACluster(t *testing.T) {
	t.Setenv("KUBECONFIG", t.TempDir()+"/none")
	t.Setenv("HOME", t.TempDir())
	for name, args := range map[string][]string{
		"types": {"list", ""}, "names": {"list", "pods", ""}, "an object": {"explain", "pod/"}, "a second type": {"list", "pods,"},
		"namespaces": {"list", "-n", ""}, "contexts": {"--context", ""}, "clusters": {"--cluster", ""}, "users": {"--user", ""},
		"too many slashes": {"explain", "a/b/c"}, "no command": {"no-such-command", ""}, "no flag": {"list", "--no-such-flag", ""},
	} {
		t.Run(name, func(t *testing.T) {
			// A port that nobody listens on.
			got := complete(t, append([]string{"--server=http://127.0.0.1:1"}, args...)...)
			if !strings.HasPrefix(lastLine(got), ":") {
				t.Errorf("the shell cannot read %q", got)
			}
		})
	}
}

// The catalog knows finalizers without a cluster.
func TestCompletionOfFinalizersWithoutACluster(t *testing.T) {
	t.Setenv("KUBECONFIG", t.TempDir()+"/none")
	t.Setenv("HOME", t.TempDir())
	if got := complete(t, "--server=http://127.0.0.1:1", "list", "--finalizer", "karpenter.sh/t"); got != "karpenter.sh/termination\n:4\n" {
		t.Errorf("offered are %q", got)
	}
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

func TestCompletionOffersFormats(t *testing.T) {
	t.Setenv("KUBECONFIG", t.TempDir()+"/none")
	tests := map[string]struct {
		args []string
		want string
	}{
		"of list":          {[]string{"list", "-o", ""}, "wide\nname\njson\nyaml\nkyaml\njsonpath=\ngo-template=\ncustom-columns=\njunit\ngithub\nmarkdown\nopenmetrics\nhtml\n"},
		"of list, begun":   {[]string{"list", "-o", "j"}, "json\njsonpath=\njunit\n"},
		"of explain":       {[]string{"explain", "-o", ""}, "json\nyaml\nkyaml\ndot\nmermaid\njunit\ngithub\nmarkdown\nopenmetrics\nhtml\njsonpath\njsonpath-as-json\njsonpath-file\ngo-template\ngo-template-file\n"},
		"of which none is": {[]string{"explain", "-o", "x"}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, _, _ := strings.Cut(complete(t, test.args...), ":")
			if got != test.want {
				t.Errorf("offered are %q, not %q", got, test.want)
			}
		})
	}
}
