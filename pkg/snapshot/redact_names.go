package snapshot

import (
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/dump"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// names collects the words of the names in a snapshot.
type names struct {
	words   map[string]bool
	phrases []string
	// namespaces are all of them, drivers those that fields name, and domains those of the finalizers in the catalog.
	namespaces, drivers, domains map[string]bool
}

// NewRedaction prepares pseudonyms for the names in the snapshot. What a cause is recognized by stays: names of
// Kubernetes itself, of the projects in the catalog, of types and API groups, and finalizers.
func (r *Recorder) NewRedaction(known *catalog.Catalog) (*Redaction, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := names{words: map[string]bool{}, phrases: slices.Concat(keptNames, keptControllers, keptTexts), namespaces: map[string]bool{}, drivers: map[string]bool{}, domains: map[string]bool{}}
	n.addTypes(r.types)
	n.addCatalog(known)
	for key, o := range r.objects {
		u := unstructured.Unstructured{Object: o.content}
		n.addNamespace(key.namespace)
		n.addObject(o.typ, u)
		n.addFields("", o.content)
		n.addKeys(u.GetLabels())
		n.addKeys(u.GetAnnotations())
		for _, finalizer := range u.GetFinalizers() {
			n.addFinalizer(known.Lookup(finalizer, catalog.Subject{Kind: o.typ.Kind, Group: o.typ.Group, Resource: o.typ.Resource}))
		}
		specFinalizers, _, _ := unstructured.NestedStringSlice(o.content, "spec", "finalizers")
		n.keep(specFinalizers...)
	}
	for _, answer := range r.answers {
		n.addQuestion(answer.Question, r.objects)
		n.addAccounts(answer.Failure)
		if answer.Error != nil {
			n.addAccounts(answer.Error.Message)
		}
	}
	n.addDrivers()
	return newRedaction(n.words, n.phrases)
}

func (n *names) keep(phrases ...string) { n.phrases = append(n.phrases, phrases...) }

// addTypes keeps the names of types and API groups, and of the built-in types the words by which people name them.
func (n *names) addTypes(types []stuck.Type) {
	for _, t := range types {
		n.keep(t.String(), t.Kind)
		if t.Group != "" {
			n.keep(t.Group, t.Version+"."+t.Group, t.SingularName+"."+t.Group, "Resource="+t.Resource, `resource "`+t.Resource+`"`)
		}
		if stuck.IsBuiltInGroup(t.Group) {
			n.keep(append([]string{t.Resource, t.SingularName}, t.ShortNames...)...)
		}
	}
}

// addCatalog keeps the names by which the controllers in the catalog are recognized.
func (n *names) addCatalog(known *catalog.Catalog) {
	for _, entry := range known.Entries() {
		if domain, _, _ := strings.Cut(entry.Name(), "/"); strings.Contains(domain, ".") && !strings.Contains(domain, "<") {
			n.domains[domain] = true
		}
		n.keep(entry.Component.Namespaces...)
		n.keep(entry.Component.Managers...)
		n.keep(entry.Component.Containers...)
		for _, workload := range entry.Component.Workloads {
			_, name, _ := strings.Cut(workload, "/")
			n.keep(name)
		}
		for _, label := range entry.Component.Labels {
			key, value, _ := strings.Cut(label, "=")
			n.keep(key, value)
		}
	}
}

// addFinalizer keeps a finalizer, unless it holds the name of an object.
func (n *names) addFinalizer(match catalog.Match) {
	for _, entry := range match.Entries {
		if len(entry.Names) > 0 {
			domain, _, _ := strings.Cut(match.Finalizer, "/")
			n.keep(domain)
			return
		}
	}
	n.keep(match.Finalizer)
}

// addNamespace adds a namespace, or keeps one of the system.
func (n *names) addNamespace(name string) {
	n.namespaces[name] = true
	if name == "openshift" || strings.HasPrefix(name, "kube-") || strings.HasPrefix(name, "openshift-") {
		n.keep(name)
		return
	}
	n.addName(name)
}

// addDrivers keeps the names of drivers, but for the namespace with which those of Rook begin.
func (n *names) addDrivers() {
	for driver := range n.drivers {
		if first, rest, ok := strings.Cut(driver, "."); ok && n.namespaces[first] {
			driver = rest
		}
		n.keep(driver)
	}
}

// keptTypes are the types whose objects are named after types, drivers and the API server's own.
var keptTypes = []string{
	"customresourcedefinitions.apiextensions.k8s.io", "apiservices.apiregistration.k8s.io", "csidrivers.storage.k8s.io", "componentstatuses",
}

// addObject adds the name of an object. The random end of a name that was generated stays, by which a Pod is known for
// that of its controller.
func (n *names) addObject(t stuck.Type, u unstructured.Unstructured) {
	name := u.GetName()
	switch {
	case slices.Contains(keptTypes, t.String()), strings.HasPrefix(name, "system:"):
		n.keep(name)
		return
	case t.String() == "namespaces":
		n.addNamespace(name)
		return
	}
	for _, owner := range u.GetOwnerReferences() {
		n.addName(owner.Name)
		if rest, ok := strings.CutPrefix(name, owner.Name+"-"); ok && generatedEnd.MatchString(rest) {
			return
		}
	}
	if rest, ok := strings.CutPrefix(name, u.GetGenerateName()); ok && u.GetGenerateName() != "" && generatedEnd.MatchString(rest) {
		name = u.GetGenerateName()
	}
	n.addName(name)
}

// nameParents are fields in which a name is that of an object, and notNames are fields that hold none although they are
// called so.
var (
	nameParents = []string{"configMap", "secret", "imagePullSecrets", "service", "subjects", "involvedObject", "regarding", "related"}
	notNames    = []string{"schedulerName", "signerName", "pluginName"}
	// keyParents are lists whose entries have a key of labels or taints.
	keyParents = []string{"taints", "tolerations", "matchExpressions"}
	// driverFields hold the names of drivers, which the makers of storage and devices give.
	driverFields = []string{"driver", "driverName", "provisioner", "attacher"}
)

// addFields adds the names to which the fields of an object refer.
func (n *names) addFields(parent string, content map[string]any) {
	for field, value := range content {
		switch value := value.(type) {
		case string:
			switch {
			case field == "key" && slices.Contains(keyParents, parent):
				n.addKey(value)
			case slices.Contains(driverFields, field):
				n.drivers[value] = true
			case slices.Contains(notNames, field):
			case field == "namespace", strings.HasSuffix(field, "Namespace"):
				n.addNamespace(value)
			case strings.HasSuffix(field, "Name"), field == "name" && isReference(parent):
				n.addName(value)
			}
		case map[string]any:
			n.addFields(field, value)
		case []any:
			for _, each := range value {
				if each, ok := each.(map[string]any); ok {
					n.addFields(field, each)
				}
			}
		}
	}
}

// isReference reports whether a field refers to an object.
func isReference(field string) bool {
	field = strings.TrimSuffix(field, "s")
	return strings.HasSuffix(field, "Ref") || strings.HasSuffix(field, "Reference") || slices.Contains(nameParents, field) || slices.Contains(nameParents, field+"s")
}

// addQuestion adds the names in a question, which may be those of objects that do not exist.
func (n *names) addQuestion(question string, objects map[objectKey]object) {
	words := strings.Split(question, " ")
	if len(words) < 3 || dump.Kind(words[0]) == dump.KindServes {
		return
	}
	namespace, name, _ := strings.Cut(words[2], "/")
	n.addNamespace(namespace)
	if slices.Contains(keptTypes, words[1]) {
		n.keep(name)
		return
	}
	if _, exists := objects[objectKey{words[1], namespace, name}]; !exists {
		n.addName(name)
	}
	for _, word := range words[3:] {
		what, value, _ := strings.Cut(word, "=")
		switch what {
		case "name":
			n.addName(value)
		case "labels":
			if parsed, err := labels.ConvertSelectorToLabelsMap(value); err == nil {
				n.addKeys(parsed)
			}
		}
	}
}

var (
	// generatedEnd is what the API server and controllers add to a name, in the alphabet of k8s.io/apimachinery/pkg/util/rand.
	generatedEnd = regexp.MustCompile(`^([bcdfghjklmnpqrstvwxz2456789]{1,10}-)?[bcdfghjklmnpqrstvwxz2456789]{5}$`)
	// generatedHash is the end of the name of a ReplicaSet, or of one of its Pods: a word with a digit.
	generatedHash = regexp.MustCompile(`-[bcdfghjklmnpqrstvwxz2456789]*[2456789][bcdfghjklmnpqrstvwxz2456789]*(-[bcdfghjklmnpqrstvwxz2456789]{5})?$`)
	uid           = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	// plainWord is a number, a quantity or a version, which says nothing.
	plainWord = regexp.MustCompile(`^([0-9]+[a-zA-Z]{0,2}|v[0-9]+((alpha|beta)[0-9]+)?)$`)
)

// minHash is how long a hash is at least, with the hyphen before it, that is no word.
const minHash = 8

// addName adds the words of a name.
func (n *names) addName(name string) {
	if strings.HasPrefix(name, "system:") && !strings.HasPrefix(name, "system:serviceaccount") && !strings.HasPrefix(name, "system:node:") {
		n.keep(name)
		return
	}
	name = uid.ReplaceAllString(name, "-")
	if end := generatedHash.FindString(name); len(end) > minHash {
		name = strings.TrimSuffix(name, end)
	}
	for rest := name; ; {
		_, word, after, ok := nextWord(rest)
		if !ok {
			return
		}
		if !plainWord.MatchString(word) && !slices.Contains(keptWords, word) {
			n.words[word] = true
		}
		rest = after
	}
}
