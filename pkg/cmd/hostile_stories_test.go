package cmd_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/hostile"
	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cmd"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
)

// hostileCommands are the commands that print what is in a cluster, each with its formats.
var hostileCommands = map[string][]string{
	"explain": {"", "yaml", "kyaml", "dot", "mermaid", "junit", "github", "markdown", "openmetrics", "html", "jsonpath={.target.diagnosis}", "go-template={{.target.metadata.name}}"},
	"list": {
		"", "wide", "name", "json", "yaml", "kyaml", "junit", "github", "markdown", "openmetrics", "html", "jsonpath={.items[*].metadata.name}",
		"custom-columns=NAME:.metadata.name,WHY:.diagnosis.causes[*].message", "go-template={{range .items}}{{.metadata.name}}{{end}}",
	},
	"list --by=cause":               {"", "wide"},
	"preflight":                     {"", "json", "yaml", "kyaml", "junit", "github", "markdown", "openmetrics", "html"},
	"force-remove --dry-run=client": {"", "json", "yaml", "name"},
	"force-remove --dry-run=client --override-verdict --accept-leaks --accept-data-loss --strand-content": {"", "json", "yaml", "name"},
}

// hostileLine is a command line without its objects.
type hostileLine struct{ command, format string }

func hostileLines() []hostileLine {
	var all []hostileLine
	for _, command := range slices.Sorted(maps.Keys(hostileCommands)) {
		for _, format := range hostileCommands[command] {
			all = append(all, hostileLine{command, format})
		}
	}
	return all
}

// TestHostileStories plays each story in clusters in which everything has a hostile name. The causes are found all the
// same, no output does harm to a terminal or to what reads it, and no command does harm in a shell.
func TestHostileStories(t *testing.T) {
	emptyHome(t)
	stories, err := recording.AllScenarios("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	lines, kinds := hostileLines(), hostile.Kinds()
	names := slices.Sorted(maps.Keys(kinds))
	found := causeTally{found: map[string]int{}, plays: map[string]int{}, causes: map[string]bool{}}
	var printed hostile.Commands
	t.Run("stories", func(t *testing.T) {
		for i, story := range stories {
			t.Run(filepath.Base(filepath.Dir(story.Dir))+"/"+story.Name, func(t *testing.T) {
				t.Parallel()
				source, err := story.Source()
				if err != nil {
					t.Fatal(err)
				}
				for k, kind := range names {
					number := i*len(names) + k
					p := newHostilePlay(t, story, source, kinds[kind], number%3)
					out := p.run(hostileLine{"explain", "json"})
					printed.AddDocument(kinds[kind], out)
					found.add(kind, story.Causes, out)
					if number%2 == 0 { // which brings each line together with each kind
						printed.AddDocument(kinds[kind], p.run(lines[number/2%len(lines)]))
					}
				}
			})
		}
	})
	found.check(t)
	printed.Paste(t, 500)
}

// hostilePlay is a story in one of these clusters.
type hostilePlay struct {
	t              *testing.T
	story          recording.Scenario
	kind           hostile.Affixes
	named, renamed *recording.Source
	names          map[string]string
	manifest       string
}

// newHostilePlay renames what is in a recording: all objects, or namespaces too, or only the target of the story. Other
// objects are named in a spec, where a name that no object can have is taken for none.
func newHostilePlay(t *testing.T, story recording.Scenario, source *recording.Source, kind hostile.Affixes, mode int) hostilePlay {
	t.Helper()
	p, target := hostilePlay{t: t, story: story, kind: kind}, targetOf(t, story)
	all := recording.Renaming{Name: kind.Name, Text: kind.Text()}
	switch mode {
	case 1:
		withNamespaces := all
		withNamespaces.Namespaces = true
		var names map[string]string
		p.renamed, names = source.Renamed(withNamespaces)
		p.manifest = target.manifest(t, names)
	case 2:
		all.Only = target.Name
	}
	p.named, p.names = source.Renamed(all)
	// Who may not read it can remove finalizers all the same.
	p.named.Hide = func(question string) bool { return question == "metadata of namespaces/kube-system" }
	return p
}

// storyTarget is the object that a story explains.
type storyTarget struct{ APIVersion, Kind, Namespace, Name string }

func targetOf(t *testing.T, story recording.Scenario) storyTarget {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(story.Dir, "explain.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden struct{ Target storyTarget }
	if err := json.Unmarshal(content, &golden); err != nil {
		t.Fatal(err)
	}
	return golden.Target
}

// manifest names the target in a namespace of any name, which no flag takes.
func (o storyTarget) manifest(t *testing.T, names map[string]string) string {
	t.Helper()
	content, err := json.Marshal(map[string]any{"apiVersion": o.APIVersion, "kind": o.Kind, "metadata": map[string]string{
		"name": cmp.Or(names[o.Name], o.Name), "namespace": cmp.Or(names[o.Namespace], o.Namespace),
	}})
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// run runs a command line, checks what it prints, and returns it.
func (p hostilePlay) run(line hostileLine) string {
	source, args, in := p.named, strings.Fields(line.command), ""
	switch {
	case args[0] == "list":
		args = append(args, p.renameArgs(p.story.List)...)
	case p.manifest != "" && args[0] != "force-remove":
		source, args, in = p.renamed, append(args, "-f", "-"), p.manifest
	default:
		args = append(args, p.renameArgs(p.story.Explain)...)
	}
	if line.format != "" {
		args = append(args, "-o", line.format)
	}
	var out, errOut bytes.Buffer
	program := program(source, &out, &errOut)
	program.Streams.In = strings.NewReader(in)
	program.Remote = func(*genericclioptions.ConfigFlags) (cmd.Remote, error) {
		self, err := live.NewCurrentUser(&rest.Config{Host: "http://127.0.0.1:1"})
		return cmd.Remote{Self: self, Cluster: removal.Cluster{Server: "https://" + p.kind.Name("server")}}, err
	}
	code := program.Run(p.t.Context(), args)
	if code == 1 || out.Len()+errOut.Len() == 0 {
		p.t.Errorf("%q ended with %d: %.500s", args, code, errOut.String())
	}
	if err := hostile.CheckOutput(line.format, out.String()); err != nil {
		p.t.Errorf("%q: %v", args, err)
	}
	if err := hostile.CheckOutput("", errOut.String()); err != nil {
		p.t.Errorf("%q, standard error: %v", args, err)
	}
	return out.String()
}

// renameArgs renames the objects among arguments. A flag for a namespace takes none of these names.
func (p hostilePlay) renameArgs(args []string) []string {
	out := slices.Clone(args)
	for i, arg := range args {
		if of, name, ok := strings.Cut(arg, "/"); ok && p.names[name] != "" {
			out[i] = of + "/" + p.names[name]
		}
	}
	return out
}

// causeTally counts in how many plays all causes of a story are found, by the kind of hostile names.
type causeTally struct {
	mu           sync.Mutex
	found, plays map[string]int
	causes       map[string]bool
}

func (c *causeTally) add(kind string, causes []string, out string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := true
	for _, id := range causes {
		has := strings.Contains(out, fmt.Sprintf(`"id": %q`, id))
		c.causes[id] = c.causes[id] || has
		all = all && has
	}
	c.plays[kind]++
	if all {
		c.found[kind]++
	}
}

// foundByLabels are causes that look for the name of an object in labels or in the keys of an inventory, where no such
// name can be.
var foundByLabels = []string{"capi-parts-remain", "flux-account-forbidden", "olm-roles-remain"}

// check fails where hostile names hide too many causes: then nothing is printed that could do harm.
func (c *causeTally) check(t *testing.T) {
	t.Helper()
	for kind, plays := range c.plays {
		if c.found[kind]*3 < plays*2 {
			t.Errorf("%s: of %d stories only %d have their causes", kind, plays, c.found[kind])
		}
	}
	for id, has := range c.causes {
		if !has && !slices.Contains(foundByLabels, id) {
			t.Errorf("%s is found in no cluster with hostile names", id)
		}
	}
}

// isHarmful reports whether a character does something to a terminal, or hides there.
func isHarmful(r rune) bool { return hostile.IsHarmful(r) }
