package apitext

import (
	"regexp"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// NamespaceDeletion is what a namespace's conditions say of its deletion, in words that
// have changed little since Kubernetes 1.16
// (kubernetes/pkg/controller/namespace/deletion/status_condition_utils.go).
// It is no proof: the controller writes it when it happens to pass by, counts
// nothing behind a Pod or an unreadable object, and takes nothing back while
// it cannot write. Whoever uses it has to look too.
type NamespaceDeletion struct {
	// DiscoveryFailure is what the controller could not discover, in its own words.
	DiscoveryFailure string
	// ContentFailures are what it was told when it deleted the content, one by one.
	ContentFailures []string
	// Remaining counts the objects that were left, by their type.
	Remaining map[schema.GroupResource]int
	// Finalizers counts the objects that were left, by their finalizers.
	Finalizers map[string]int
	// AllRemoved says that the controller found nothing left.
	AllRemoved bool
}

// ParseNamespaceConditions reads the conditions of a namespace. It relies on their types, never
// by their reasons: those were renamed (SomeFinalizerRemain became
// SomeFinalizersRemain).
func ParseNamespaceConditions(conditions []corev1.NamespaceCondition) NamespaceDeletion {
	deletion := NamespaceDeletion{Remaining: map[schema.GroupResource]int{}, Finalizers: map[string]int{}}
	for _, c := range conditions {
		if c.Status != corev1.ConditionTrue {
			deletion.AllRemoved = deletion.AllRemoved || c.Type == corev1.NamespaceContentRemaining
			continue
		}
		switch c.Type {
		case corev1.NamespaceDeletionDiscoveryFailure:
			deletion.DiscoveryFailure = OneLine(c.Message)
		case corev1.NamespaceDeletionContentFailure:
			deletion.ContentFailures = splitFailures(c.Message)
		case corev1.NamespaceContentRemaining:
			deletion.parseRemaining(c.Message)
		case corev1.NamespaceFinalizersRemaining:
			deletion.parseFinalizers(c.Message)
		}
	}
	return deletion
}

// remainingPattern is "pods. has 1 resource instances": the core group has no name, but
// its dot is there.
var remainingPattern = regexp.MustCompile(`([a-z0-9-]+)\.([a-z0-9.-]*) has (\d+) resource instances`)

func (r *NamespaceDeletion) parseRemaining(message string) {
	for _, m := range remainingPattern.FindAllStringSubmatch(message, -1) {
		if n, err := strconv.Atoi(m[3]); err == nil {
			r.Remaining[schema.GroupResource{Group: m[2], Resource: m[1]}] += n
		}
	}
}

// finalizerPattern is "example.com/cleanup in 3 resource instances".
var finalizerPattern = regexp.MustCompile(`([^\s,]+) in (\d+) resource instances`)

func (r *NamespaceDeletion) parseFinalizers(message string) {
	for _, m := range finalizerPattern.FindAllStringSubmatch(message, -1) {
		if n, err := strconv.Atoi(m[2]); err == nil {
			r.Finalizers[m[1]] += n
		}
	}
}

// failuresPrefix introduces the failures. Before Kubernetes 1.16 there was none.
var failuresPrefix = regexp.MustCompile(`^Failed to delete all resource types, \d+ remaining: `)

// failureSeparator is where, in errors that are joined by commas and hold commas
// themselves, another begins.
var failureSeparator = regexp.MustCompile(`, (Internal error occurred: |admission webhook "|unexpected items still remain|failed to read one or more |` +
	`conversion webhook for |unable to |[a-z0-9.-]+ "[^"]*" is |storage is \(re\)initializing|proto: |etcdserver: |the server )`)

func splitFailures(message string) []string {
	rest := failuresPrefix.ReplaceAllString(OneLine(message), "")
	var out []string
	for rest != "" {
		at := failureSeparator.FindStringSubmatchIndex(rest)
		if at == nil {
			return append(out, rest)
		}
		if at[0] > 0 {
			out = append(out, rest[:at[0]])
		}
		rest = rest[at[2]:]
	}
	return out
}

// unexpectedItemsPattern is the controller's word for objects that have no finalizer, were
// deleted, and are there (namespaced_resources_deleter.go).
var unexpectedItemsPattern = regexp.MustCompile(`unexpected items still remain in namespace: \S+ for gvr: ([^/\s]*)/[^,\s]+, Resource=(\S+)`)

// ParseUnexpectedItems is the type of which a failure says that its objects were
// deleted and are there all the same.
func ParseUnexpectedItems(failure string) (schema.GroupResource, bool) {
	m := unexpectedItemsPattern.FindStringSubmatch(failure)
	if m == nil {
		return schema.GroupResource{}, false
	}
	return schema.GroupResource{Group: m[1], Resource: m[2]}, true
}
