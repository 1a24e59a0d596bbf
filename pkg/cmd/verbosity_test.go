package cmd_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/klog/v2"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cmd"
)

// As with kubectl, -v=6 logs each request to standard error.
func TestVerbosity(t *testing.T) {
	emptyHome(t)
	defer klog.ClearLogger()
	defer func() {
		var level klog.Level
		_ = level.Set("0")
	}()
	for _, test := range []struct {
		flag   string
		logged bool
	}{{"-v=0", false}, {"-v=6", true}} {
		var out, errOut bytes.Buffer
		streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &errOut}
		code := cmd.New(streams, func() time.Time { return time.Time{} }).Run(t.Context(), []string{"version", test.flag, "--server=http://127.0.0.1:1"})
		if code != 1 || strings.Contains(errOut.String(), `url="http://127.0.0.1:1/version`) != test.logged {
			t.Errorf("%s: ended with %d: %s", test.flag, code, errOut.String())
		}
	}
}
