// Package pages runs what the pages of docs tell their readers to run.
package pages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cmd"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// The environment of a snippet: the program that this one is, and what it finds in the cluster.
const (
	programVariable = "PAGES_PROGRAM"
	stateVariable   = "PAGES_STATE"
)

// What a snippet may find.
const (
	nothingStuck = "nothing"    // for ten minutes, that is
	someStuck    = "stuck"      // for an hour, without a controller
	someBlocked  = "blocked"    // for an hour, by what can be fixed
	incomplete   = "incomplete" // and nothing is stuck in what can be read
)

// TestMain makes this program the kubectl and the jq that snippets run.
func TestMain(m *testing.M) {
	switch os.Getenv(programVariable) {
	case "jq":
		os.Exit(jq(os.Args[1:]))
	case "kubectl":
		os.Exit(kubectl(os.Getenv(stateVariable), os.Args[1:]))
	}
	os.Exit(m.Run())
}

// stories are those of a namespace with the name shop. It is blocked in one, and has no controller in the other.
var stories = map[bool]string{true: "challenge-lost-its-secret", false: "carts-hold-a-namespace"}

// kubectl runs the plugin on the story of a namespace that is stuck. To wait for its deletion ends with a timeout.
func kubectl(state string, args []string) int {
	if args[0] == "delete" && slices.Contains(args, "--wait=false") {
		return 0
	}
	if args[0] != "finalizers" {
		fmt.Fprintln(os.Stderr, "error: timed out waiting for the condition on namespaces/shop")
		return 1
	}
	p := cmd.New(genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}, fastClock())
	p.Connect = func(*genericclioptions.ConfigFlags) (cluster.Source, error) {
		all, err := recording.Scenarios("../../testdata/scenarios")
		if err != nil {
			return nil, err
		}
		for _, story := range all {
			if story.Name == stories[state == someBlocked] {
				source, err := story.Source()
				return &wholeCluster{source, state}, err
			}
		}
		return nil, errors.New("the story is missing")
	}
	return p.Run(context.Background(), args[1:])
}

// fastClock makes a minute of a second: what waits for minutes need not do so here.
func fastClock() func() time.Time {
	begun := time.Now()
	return func() time.Time { return begun.Add(60 * time.Since(begun)) }
}

// wholeCluster is a cluster that holds the namespace of the story and nothing else.
type wholeCluster struct {
	*recording.Source
	state string
}

func (c *wholeCluster) Scan(ctx context.Context, t stuck.Type, sel cluster.Selection, visit func(stuck.Object)) error {
	if c.state != nothingStuck {
		visit = deletedEarlier(visit)
	}
	switch {
	case c.state == incomplete && t.Namespaced:
		return errors.New("the server is too busy")
	case c.state == incomplete, t.Resource != "namespaces" && !t.Namespaced:
		return nil
	case t.Resource == "namespaces":
		m, err := c.Metadata(ctx, t, "", "shop")
		if err == nil {
			visit(stuck.ObjectOf(t, m.ObjectMeta))
		}
		return err
	}
	sel.Namespace = "shop"
	return c.Source.Scan(ctx, t, sel, visit)
}

// deletedEarlier lets objects be stuck for an hour longer. What the story shows of controllers is as old as it was.
func deletedEarlier(visit func(stuck.Object)) func(stuck.Object) {
	return func(o stuck.Object) {
		if o.Deleting() {
			o.DeletionTime = o.DeletionTime.Add(-time.Hour)
		}
		visit(o)
	}
}

// snippets are the code blocks of docs/ci.md, by a part of each, with the state of the cluster, the exit code and some lines that
// must be in the output.
var snippets = []struct {
	part, state string
	code        int
	want        []string
}{
	{"--older-than 10m --exit-code\n", nothingStuck, 0, nil},
	{"--older-than 10m --exit-code\n", someStuck, 2, []string{`(?m)^- +ns/shop `}},
	{"--older-than 10m --exit-code\n", incomplete, 4, nil},
	{"case $code in", nothingStuck, 0, []string{`(?m)^nothing is stuck$`}},
	{"case $code in", someStuck, 2, []string{`(?m)^\w+\tNamespace\t-\tshop\t\S`, `(?m)^ControllerGone\tCart\tshop\tcart-1\t\S`}},
	{"case $code in", incomplete, 4, []string{`(?m)^could not read .*pods.*: .*too busy`}},
	{"set -euo pipefail", someStuck, 2, []string{`(?m)^namespace/shop is stuck`, `shop\.example\.com/checkout`}},
	{"jobs:", someStuck, 2, []string{`(?m)^::error title=controller-gone%2C likely::`}},
	{"stop-review:", someStuck, 2, []string{`nothing has moved for 2m0s on namespaces/shop`}},
	{"kind: Task", someStuck, 2, []string{`(?m)^namespace/shop is stuck`}},
	{"kind: Test\n", someStuck, 2, []string{`(?m)^namespace/shop is stuck`}},
	{"kind: TestAssert", someStuck, 2, []string{`(?m)^namespace/shop is stuck`}},
	// Their arguments are accepted. To select, they need an API server.
	{"kubectl finalizers sweep\n", someStuck, 1, []string{`no kubeconfig`}},
	{"kubectl finalizers sweep -l", someStuck, 1, []string{`no kubeconfig`}},
	{`--timeout=5m; then`, nothingStuck, 1, []string{`timed out`, `namespace/shop`, `shop\.example\.com/checkout`}},
	{"kubectl finalizers wait \"namespace/$NAME\" --timeout=10m\n", someStuck, 2, []string{`nothing has moved for 1m0s on namespaces/shop`, `(?m)^namespace/shop is stuck`, `shop\.example\.com/checkout`}},
	{"--exit-code -o junit > stuck.xml", someStuck, 2, nil},
	{"--exit-code -o junit > stuck.xml", nothingStuck, 0, nil},
	{"--exit-code -o github", someStuck, 2, []string{`(?m)^::error title=controller-gone%2C likely::no controller is left for shop\.example\.com/checkout; affects 13 objects: `}},
	{"--exit-code -o github", incomplete, 4, []string{`(?m)^::warning title=could not be read::.*too busy`}},
	{"-o markdown > ticket.md", someStuck, 0, nil},
	{"-o openmetrics --output-file", someStuck, 0, nil},
	// Its arguments are accepted. To measure, it needs an API server.
	{"kubectl finalizers health", someStuck, 1, []string{`no kubeconfig`}},
	{"-o custom-columns=", someStuck, 0, []string{`(?m)^NAMESPACE +NAME +VERDICT$`, `(?m)^shop +cart-1 +ControllerGone$`, `(?m)^<none> +shop +\w+$`}},
	{".causes[]", someStuck, 0, []string{`(?m)^13 controller-gone -/-$`}},
	{`select(.diagnosis.verdict == "Blocked")`, someBlocked, 0, []string{`(?m)^-/shop$`}},
	{".items[].metadata.finalizers[]", someStuck, 0, []string{`(?m)^ *12 shop\.example\.com/checkout$`}},
	{".steps // empty", someBlocked, 0, []string{`(?m)^(check|change|delete|force): kubectl `}},
}

func TestContinuousIntegrationPage(t *testing.T) {
	blocks := readBlocks(t, "../../docs/ci.md")
	ran := map[string]bool{}
	for i, s := range snippets {
		t.Run(fmt.Sprintf("%d %s", i, s.state), func(t *testing.T) {
			for _, block := range blocks {
				if strings.Contains(block, s.part) {
					ran[block] = true
					out, code := runSnippet(t, block, s.state)
					if code != s.code {
						t.Errorf("it ended with %d, not %d:\n%s", code, s.code, out)
					}
					for _, want := range s.want {
						if !regexp.MustCompile(want).MatchString(out) {
							t.Errorf("%q is not in:\n%s", want, out)
						}
					}
					return
				}
			}
			t.Error("no block of the page has it")
		})
	}
	for _, block := range blocks {
		if !ran[block] {
			t.Errorf("nothing runs\n%s", block)
		}
	}
}

// readBlocks are the code blocks of a page.
func readBlocks(t *testing.T, page string) []string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for i, part := range strings.Split("\n"+string(text), "\n```") {
		if i%2 == 1 {
			blocks = append(blocks, strings.TrimPrefix(part, "\n")+"\n")
		}
	}
	return blocks
}

// runSnippet has a shell run a code block as it is.
func runSnippet(t *testing.T, block, state string) (output string, code int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin, page := t.TempDir(), t.TempDir()
	for _, name := range []string{"kubectl", "jq"} {
		script := fmt.Sprintf("#!/bin/sh\ncd %q || exit\n%s=%s exec %q \"$@\"\n", workingFolder(t, name, page), programVariable, name, self)
		if err := os.WriteFile(filepath.Join(bin, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	script := filepath.Join(bin, "script")
	if err := os.WriteFile(script, []byte(scriptOf(t, block)), 0o755); err != nil {
		t.Fatal(err)
	}
	shell := exec.CommandContext(t.Context(), script)
	shell.Dir = page
	shell.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+page, "NAME=shop", "TEXTFILES="+page, stateVariable+"="+state)
	var out bytes.Buffer
	shell.Stdout, shell.Stderr = &out, &out
	if err := shell.Run(); shell.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), shell.ProcessState.ExitCode()
}

// workingFolder is where a program of a snippet runs: kubectl beside the stories, any other where the snippet does.
func workingFolder(t *testing.T, program, page string) string {
	t.Helper()
	if program != "kubectl" {
		return page
	}
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return folder
}
