package cmd_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// commandNames are the commands that the program's help lists.
func commandNames(t *testing.T) []string {
	t.Helper()
	help, _, _ := runOffline(t, "--help")
	var names []string
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z-]+) {3,}[A-Z]`).FindAllStringSubmatch(help, -1) {
		names = append(names, m[1])
	}
	return names
}

func TestHelpGroupsCommands(t *testing.T) {
	emptyHome(t)
	want := []string{"list", "explain", "preflight", "wait", "health", "snapshot", "catalog", "sweep", "force-remove", "restore", "completion", "version", "options"}
	if got := commandNames(t); !slices.Equal(got, want) {
		t.Errorf("help lists %q", got)
	}
	bare, _, code := runOffline(t)
	if help, _, _ := runOffline(t, "help"); code != 0 || help != bare || !strings.Contains(bare, "Diagnose:\n  list ") {
		t.Errorf("without a command it ended with %d:\n%s", code, bare)
	}
}

// Help is as kubectl's: what a command does, examples, its own flags, and 80 columns wide; commands are never broken.
func TestHelpOfCommands(t *testing.T) {
	emptyHome(t)
	for _, name := range commandNames(t) {
		t.Run(name, func(t *testing.T) {
			help, errOut, code := runOffline(t, name, "--help")
			if code != 0 || errOut != "" {
				t.Fatalf("it ended with %d: %s", code, errOut)
			}
			if again, _, _ := runOffline(t, "help", name); again != help {
				t.Errorf("help %s says:\n%s", name, again)
			}
			examples, rest, found := strings.Cut(help, "\nOptions:\n")
			if found && !strings.Contains(examples, "\nExamples:\n") {
				t.Errorf("examples do not come before flags:\n%s", help)
			}
			if strings.Contains(rest, "--kubeconfig=") && name != "options" {
				t.Errorf("it lists the flags of all commands:\n%s", help)
			}
			for line := range strings.Lines(help) {
				if len(line) > 81 && !strings.HasPrefix(line, "  kubectl ") {
					t.Errorf("%d columns: %s", len(line)-1, line)
				}
			}
			if !strings.HasSuffix(help, "\n") || strings.Contains(help, "\t") {
				t.Errorf("%q", help)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	emptyHome(t)
	options, _, _ := runOffline(t, "options")
	for _, flag := range []string{"    --color='auto':\n        Color ", "    --kubeconfig='':\n", "    -n, --namespace='':\n", "    -v, --v=0:\n"} {
		if !strings.Contains(options, flag) {
			t.Errorf("%q is not in\n%s", flag, options)
		}
	}
}

// What is misspelled is an error in one line, which names what may have been meant.
func TestMisspelled(t *testing.T) {
	emptyHome(t)
	for args, want := range map[string]string{
		"lsit":                   `unknown command "lsit" for "kubectl finalizers" (did you mean list or wait?); see kubectl finalizers --help`,
		"nope":                   `unknown command "nope" for "kubectl finalizers"; see kubectl finalizers --help`,
		"help nope":              `unknown help topic "nope"; see kubectl finalizers --help`,
		"help explian":           `unknown help topic "explian" (did you mean explain?); see kubectl finalizers --help`,
		"help list pods":         `unknown help topic "list pods"; see kubectl finalizers --help`,
		"list --older-then 5m":   `unknown flag: --older-then (did you mean --older-than?); see kubectl finalizers list --help`,
		"list --kubeconfg x":     `unknown flag: --kubeconfg (did you mean --kubeconfig?); see kubectl finalizers list --help`,
		"list --zzzzzz":          `unknown flag: --zzzzzz; see kubectl finalizers list --help`,
		"list -Z":                `unknown shorthand flag: 'Z' in -Z; see kubectl finalizers list --help`,
		"completion":             `completion takes one of: bash, fish, kubectl, powershell, zsh`,
		"completion csh":         `unknown shell "csh" (did you mean zsh?); completion takes one of: bash, fish, kubectl, powershell, zsh`,
		"completion nope":        `unknown shell "nope"; completion takes one of: bash, fish, kubectl, powershell, zsh`,
		"catalog rook --color=x": `reading --color: "x" is none of: auto, always, never`,
	} {
		if out, errOut, code := runOffline(t, strings.Fields(args)...); code != 1 || out != "" || errOut != "error: "+want+"\n" {
			t.Errorf("%s ended with %d and printed %q, %q", args, code, out, errOut)
		}
	}
}

func TestCompletionCode(t *testing.T) {
	emptyHome(t)
	for shell, want := range map[string]string{"bash": "complete -o default", "fish": "complete -c kubectl-finalizers", "powershell": "Register-ArgumentCompleter", "zsh": "#compdef kubectl-finalizers"} {
		if out, errOut, code := runOffline(t, "completion", shell); code != 0 || errOut != "" || !strings.Contains(out, want) {
			t.Errorf("%s: ended with %d: %s", shell, code, errOut)
		}
	}
	if out, _, _ := runOffline(t, "__complete", "completion", ""); out != "bash\nfish\nkubectl\npowershell\nzsh\n:4\n" {
		t.Errorf("the shell is offered %q", out)
	}
	if out, _, _ := runOffline(t, "__complete", "help", "li"); out != "list\n:4\n" {
		t.Errorf("the shell is offered %q", out)
	}
}
