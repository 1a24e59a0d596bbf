package dump

import (
	"strings"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// crust-gather (src/gather): a file for each object, the discovery as the API server answered it,
// and when the collection began. It notes neither which namespaces, kinds or names it was to leave
// out, nor whether it was over before its time ended, 60 seconds by default, after which it keeps
// what it has. So nothing is known to be absent from it.

func crustGatherRoots(l *loader) []string {
	apis := l.documentsNamed("apis.json")
	var roots []string
	for root := range l.documentsNamed("collected.timestamp") {
		if len(apis[root]) > 0 {
			roots = append(roots, root)
		}
	}
	return roots
}

func readCrustGather(l *loader, d dumpFiles) (content, error) {
	c := content{name: "a crust-gather dump", inventory: newInventory(), discoveryGaps: l.fileGaps(nil)}
	c.addCrustDocuments(l, d.roots[0])
	return c, nil
}

// addCrustDocuments reads the files that crust-gather and our own snapshot have.
func (c *content) addCrustDocuments(l *loader, root string) {
	types, gaps, err := aggregatedTypes(l.documentsNamed("api.json")[root], l.documentsNamed("apis.json")[root])
	if err != nil {
		gaps = append(gaps, stuck.Gap{Source: "the discovery in the dump", Error: err.Error()})
	}
	c.types, c.discoveryGaps = types, append(c.discoveryGaps, gaps...)
	c.version = gitVersion(l.documentsNamed("version.yaml")[root])
	stamp := strings.Trim(strings.TrimSpace(string(l.documentsNamed("collected.timestamp")[root])), `"`)
	for _, form := range []string{"2006-01-02 15:04:05.999999999 MST", time.RFC3339Nano} {
		if t, err := time.Parse(form, stamp); err == nil {
			c.time = t
		}
	}
}
