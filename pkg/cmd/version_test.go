package cmd

import (
	"encoding/json"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
)

func TestVersionDocuments(t *testing.T) {
	build := &debug.BuildInfo{
		Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-11-20T07:33:14Z"}, {Key: "vcs.modified", Value: "true"}},
		Deps:     []*debug.Module{{Path: "k8s.io/api", Version: "v0.1.0"}, {Path: "k8s.io/client-go", Version: "v0.2.0"}},
	}
	want := report.ClientVersion{
		Version: version, Commit: "abc", Date: "2026-11-20T07:33:14Z", Modified: true,
		GoVersion: runtime.Version(), ClientGoVersion: "v0.2.0", Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	if got := clientVersion(build); got != want {
		t.Errorf("the build is %+v, not %+v", got, want)
	}
	build.Deps[1].Replace = &debug.Module{Path: "example.com/client-go", Version: "v0.3.0"}
	if got := clientVersion(build); got.ClientGoVersion != "v0.3.0" {
		t.Errorf("client-go is %s, not the version that replaces it", got.ClientGoVersion)
	}
	if got := clientVersion(nil); got.Version != version || got.Commit != "" {
		t.Errorf("a build without modules is %+v", got)
	}
}

func TestVersionFormats(t *testing.T) {
	for format, decode := range map[string]func([]byte, any) error{"json": json.Unmarshal, "yaml": func(text []byte, into any) error { return yaml.UnmarshalStrict(text, into) }} {
		for _, args := range [][]string{{"--client"}, nil} {
			var v report.Version
			code, out, errOut := run(t, "apiservice-without-a-server", nil, append([]string{"version", "-o", format}, args...)...)
			if err := decode([]byte(out), &v); err != nil || code != 0 || v.Kind != "Version" || v.Client.Version != version || v.Client.GoVersion != runtime.Version() {
				t.Errorf("-o %s %v ended with %d and printed %+v: %v %s", format, args, code, v, err, errOut)
			}
			if (v.Server == "") != (len(args) > 0) {
				t.Errorf("-o %s %v: the version of the server is %q", format, args, v.Server)
			}
		}
	}
}

// The version of the plugin is printed even when that of the API server cannot be read.
func TestVersionWithoutServer(t *testing.T) {
	hide := func(question string) bool { return strings.HasPrefix(question, "version") }
	code, out, errOut := run(t, "apiservice-without-a-server", hide, "version", "-o", "json")
	if code != 1 || !strings.Contains(out, `"clientVersion"`) || strings.Contains(out, "serverVersion") || !strings.HasPrefix(errOut, "error: ") {
		t.Errorf("ended with %d and printed:\n%s%s", code, out, errOut)
	}
}
