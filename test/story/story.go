// Package story plays the stories of testdata/scenarios: folders that say, step by step, how a cluster comes to hold
// something that is stuck.
package story

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/version"
	"sigs.k8s.io/yaml"
)

// storyFile is what a story's folder must hold.
const storyFile = "story.yaml"

// Story is one scenario.
type Story struct {
	// Title says in a sentence what is stuck, and why.
	Title string `json:"title"`
	// Causes are the ids of the causes that the story proves.
	Causes []string `json:"causes"`
	// OwnPlane asks for a control plane that no other story uses.
	OwnPlane bool `json:"own"`
	// Extension asks for a server that answers all that an API server asks of an extension with something else than API
	// types. Steps find its port in EXTENSION_PORT.
	Extension bool `json:"extension"`
	// ExtensionAPI asks for a server of the API GROUP/VERSION/RESOURCE[,RESOURCE...] that answers discovery, and everything
	// else with an error. Steps find its port in EXTENSION_PORT.
	ExtensionAPI string `json:"extensionAPI"`
	// ExtensionListTime lets that server answer instead as one that has no objects: a list after so long, a deletion after five
	// times as long.
	ExtensionListTime metav1.Duration `json:"extensionListTime"`
	// Denies asks for an admission webhook that denies everything in these words. Steps find its address in WEBHOOK_URL,
	// and what its certificate is signed by, as a caBundle, in WEBHOOK_CA.
	Denies string `json:"denies"`
	// Patches asks for an admission webhook that allows everything and answers with this JSON patch.
	Patches string `json:"patches"`
	// RefusesConversion asks for a conversion webhook that refuses, in these words, to convert objects with the annotation
	// conversion.example.com/refuse.
	RefusesConversion string `json:"refusesConversion"`
	// Expired lets the certificate of that webhook be out of date.
	Expired bool `json:"expired"`
	// Controllers is the --controllers flag of the controller manager, which only a plane of its own can have.
	Controllers string `json:"controllers"`
	// StaticPolicies is a file of the story with admission policies that the API server reads at its start, which only a
	// plane of its own can have.
	StaticPolicies string `json:"staticPolicies"`
	// EndpointRouting lets the API server go to the endpoints of a Service by itself, on a plane of its own.
	EndpointRouting bool `json:"endpointRouting"`
	// DisabledAdmission is the --disable-admission-plugins flag of the API server, which only a plane of its own can have.
	DisabledAdmission string `json:"disabledAdmission"`
	// Since is the Kubernetes version, such as v1.36, before which the story cannot be played. Empty means any.
	Since string `json:"since"`
	// Steps are lines for a shell, "follow TYPE", or "stop PART" and "start PART". "garble KEY" and "seal KEY" put something in the place
	// of an object in etcd that is none, or that nobody can decrypt; "fill etcd" lets it take no more writes.
	Steps []string `json:"steps"`
	// Demo has make demo play the story.
	Demo bool `json:"demo"`
	// Explain are the arguments of the explain command whose output is kept as golden.
	Explain []string `json:"explain"`
	// List are the arguments of the list command whose output is kept as golden.
	List []string `json:"list"`

	// Dir is the story's folder.
	Dir string `json:"-"`
}

// Name is the name of the story's folder.
func (s Story) Name() string { return filepath.Base(s.Dir) }

// NeedsOwnPlane tells whether the story would disturb others on the same control plane, or they it.
func (s Story) NeedsOwnPlane() bool {
	return s.OwnPlane || s.Controllers != "" || s.StaticPolicies != "" || s.EndpointRouting || s.DisabledAdmission != ""
}

// Playable reports whether the story can be played on a Kubernetes version.
func (s Story) Playable(kubernetes string) bool {
	return s.Since == "" || version.MustParseGeneric(kubernetes).AtLeast(version.MustParseGeneric(s.Since))
}

// Load reads the story of a folder.
func Load(dir string) (Story, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Story{}, fmt.Errorf("finding the story: %w", err)
	}
	content, err := os.ReadFile(filepath.Join(dir, storyFile))
	if err != nil {
		return Story{}, fmt.Errorf("reading the story: %w", err)
	}
	story := Story{Dir: dir}
	if err := yaml.UnmarshalStrict(content, &story); err != nil {
		return Story{}, fmt.Errorf("reading the story %s: %w", story.Name(), err)
	}
	if err := story.check(); err != nil {
		return Story{}, fmt.Errorf("checking the story %s: %w", story.Name(), err)
	}
	return story, nil
}

// hasWebhook reports whether the story asks for a webhook that answers.
func (s Story) hasWebhook() bool {
	return s.Denies != "" || s.Patches != "" || s.RefusesConversion != ""
}

func (s Story) check() error {
	if s.Title == "" || len(s.Steps) == 0 {
		return errors.New("it needs a title and steps")
	}
	if (s.Extension || s.ExtensionAPI != "") && !s.OwnPlane {
		return errors.New("it may make an API undiscoverable only on a plane of its own: say own: true")
	}
	if s.hasWebhook() && !s.OwnPlane {
		return errors.New("its webhook ends with it, which others are to see only as it was: say own: true")
	}
	if s.Demo && s.NeedsOwnPlane() {
		return errors.New("all stories of the demo share a plane: leave out demo or own")
	}
	if _, err := version.ParseGeneric(s.Since); s.Since != "" && err != nil {
		return fmt.Errorf("since: %w", err)
	}
	for _, step := range s.Steps {
		if verb, part, ok := parseComponentStep(step); ok && !s.NeedsOwnPlane() {
			return fmt.Errorf("it may %s %s only on a plane of its own: say own: true", verb, part)
		}
	}
	return nil
}

// All reads every story below a folder, sorted by name.
func All(root string) ([]Story, error) {
	files, err := filepath.Glob(filepath.Join(root, "*", storyFile))
	if err != nil {
		return nil, fmt.Errorf("finding the stories: %w", err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("there is no %s in any folder of %s", storyFile, root)
	}
	slices.Sort(files)
	stories := make([]Story, 0, len(files))
	for _, each := range files {
		story, err := Load(filepath.Dir(each))
		if err != nil {
			return nil, err
		}
		stories = append(stories, story)
	}
	return stories, nil
}

// parseComponentStep takes a step apart that does something to a part of the control plane, or to what it stores.
func parseComponentStep(step string) (verb, what string, ok bool) {
	words := strings.Fields(step)
	if len(words) != 2 || !slices.Contains([]string{"stop", "start", "garble", "seal", "fill"}, words[0]) {
		return "", "", false
	}
	return words[0], words[1], true
}
