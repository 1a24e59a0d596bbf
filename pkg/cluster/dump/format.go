package dump

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// OwnFolder is the folder of our own snapshot in which it keeps what crust-gather does not, in the
// file SnapshotFile.
const (
	OwnFolder    = "kubectl-finalizers"
	SnapshotFile = OwnFolder + "/snapshot.json"
)

// SnapshotKind is the kind of the document in SnapshotFile.
const SnapshotKind = "Snapshot"

// Snapshot is what our own snapshot keeps beside the objects: which of them each list held, and
// the answers of the API server that are no objects.
type Snapshot struct {
	metav1.TypeMeta `json:",inline"`
	// Time is when the snapshot began. Ages are those at this time.
	Time time.Time `json:"time"`
	// ClockSpreadSeconds is how far the times in the server's answers differ from each other.
	ClockSpreadSeconds int64 `json:"clockSpreadSeconds,omitempty"`
	// ClockSkewSeconds is how far the server's clock is ahead of that of the machine that wrote the snapshot.
	ClockSkewSeconds int64 `json:"clockSkewSeconds,omitempty"`
	// Redacted says that the names of namespaces and objects are pseudonyms.
	Redacted bool `json:"redacted,omitempty"`
	// Types are what discovery named, in the preferred versions.
	Types         []stuck.Type   `json:"types"`
	DiscoveryGaps []DiscoveryGap `json:"discoveryGaps,omitempty"`
	// VersionError is why the version could not be read.
	VersionError string   `json:"versionError,omitempty"`
	Answers      []Answer `json:"answers"`
}

// DiscoveryGap is a group version that could not be discovered.
type DiscoveryGap struct {
	Source  string `json:"source"`
	Error   string `json:"error"`
	Group   string `json:"group,omitempty"`
	Version string `json:"version,omitempty"`
}

// Answer is the answer to one question: objects, of which the files have the content, or a value,
// or an error.
type Answer struct {
	// Question is "KIND TYPE NAMESPACE/NAME", or for several objects "KIND TYPE NAMESPACE/", followed by the selectors:
	// "get pods shop/web-0", "list events shop/ fields=involvedObject.uid=1".
	Question string `json:"question"`
	// Error is what the API server answered, and Failure any other error.
	Error   *metav1.Status `json:"error,omitempty"`
	Failure string         `json:"failure,omitempty"`
	// Objects are NAMESPACE/NAME, or /NAME without a namespace.
	Objects []string `json:"objects,omitempty"`
	// Yes is the answer to a question that is answered by yes or no.
	Yes bool `json:"yes,omitempty"`
	// Took is how long a list took, such as "4.2s".
	Took string `json:"took,omitempty"`
	// Watches are the watches that are open at the API server.
	Watches []cluster.WatchCount `json:"watches,omitempty"`
}

// Failed reports whether the answer is an error.
func (a Answer) Failed() bool { return a.Error != nil || a.Failure != "" }

// Kind is the kind of a question, as it begins.
type Kind string

// The kinds of questions.
const (
	KindGet      Kind = "get"
	KindMetadata Kind = "metadata"
	KindList     Kind = "list"
	KindScan     Kind = "scan"
	KindWatches  Kind = "watches"
	KindMayPatch Kind = "patch"
	KindServes   Kind = "serves"
	KindProbe    Kind = "probe"
	KindListTime Kind = "listtime"
)

// ObjectQuestion asks about one object.
func ObjectQuestion(kind Kind, t stuck.Type, namespace, name string) string {
	if !t.Namespaced {
		namespace = ""
	}
	return string(kind) + " " + t.String() + " " + namespace + "/" + name
}

// SelectionQuestion asks about the objects that are selected.
func SelectionQuestion(kind Kind, t stuck.Type, sel cluster.Selection) string {
	if !t.Namespaced {
		sel.Namespace = ""
	}
	words := []string{string(kind), t.String(), sel.Namespace + "/"}
	for _, selector := range [][2]string{{"name", sel.Name}, {"labels", sel.Labels}, {"fields", sel.Fields}} {
		if selector[1] != "" {
			words = append(words, selector[0]+"="+selector[1])
		}
	}
	if w := sel.Window; w.Limit > 0 {
		words = append(words, fmt.Sprintf("%s%q limit=%d", windowBegin, w.Start, w.Limit))
	}
	return strings.Join(words, " ")
}

// windowBegin begins the words of a question about a few objects in a row.
const windowBegin = "from="

// HasWindow reports whether a question is about a few objects in a row, from a part of a name on.
func HasWindow(question string) bool { return strings.Contains(question, " "+windowBegin) }

// ServesQuestion asks whether discovery names a type.
func ServesQuestion(t stuck.Type) string { return string(KindServes) + " " + t.String() }

// MayPatchQuestion asks about one object, or with an empty name about all of a type.
func MayPatchQuestion(t stuck.Type, namespace, name string) string {
	return ObjectQuestion(KindMayPatch, t, namespace, name)
}
