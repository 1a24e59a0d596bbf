package cmd_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cmd"
)

// fullDisk takes nothing.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// TestLostOutput holds that whoever prints, and however, an answer that got lost is an error.
func TestLostOutput(t *testing.T) {
	emptyHome(t)
	for _, line := range []string{
		"catalog rook", "catalog rook -o yaml", "catalog rook -o json", "catalog karpenter.sh/termination", "version --client", "catalog --help", "completion bash",
	} {
		var errOut bytes.Buffer
		streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: fullDisk{}, ErrOut: &errOut}
		p := cmd.New(streams, func() time.Time { return time.Time{} })
		p.Catalog = catalogOnce
		code := p.Run(t.Context(), strings.Fields(line))
		if want := "error: printing the output, of which a part is lost: no space left on device\n"; code != 1 || errOut.String() != want {
			t.Errorf("%s ended with %d and said %q", line, code, errOut.String())
		}
		streams = genericiooptions.IOStreams{In: strings.NewReader(""), Out: io.Discard, ErrOut: fullDisk{}}
		p = cmd.New(streams, func() time.Time { return time.Time{} })
		p.Catalog = catalogOnce
		if code := p.Run(t.Context(), []string{"catalog", "no-such-thing-at-all"}); code != 1 {
			t.Errorf("without standard error, an error ended with %d", code)
		}
	}
}
