package dump

import (
	"encoding/json"
	"fmt"
	"path"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Our own snapshot has the layout of crust-gather, and a file more: it says what each list held, so
// that what is absent is known to be, and what the API server answered to questions that are not
// about objects.

func ownRoots(l *loader) []string {
	var roots []string
	for folder := range l.documentsNamed(path.Base(SnapshotFile)) {
		if path.Base(folder) == OwnFolder {
			root := path.Dir(folder)
			if root == "." {
				root = ""
			}
			roots = append(roots, root)
		}
	}
	return roots
}

func readOwn(l *loader, d dumpFiles) (content, error) {
	root := d.roots[0]
	var s Snapshot
	if err := json.Unmarshal(l.documents[path.Join(root, SnapshotFile)], &s); err != nil {
		return content{}, fmt.Errorf("%s: %w", SnapshotFile, err)
	}
	if s.Kind != SnapshotKind {
		return content{}, fmt.Errorf("%s is of kind %q: it is not from kubectl finalizers snapshot", SnapshotFile, s.Kind)
	}
	for _, f := range l.files {
		if f.err != nil && !f.outside { // it then lacks an object that its lists held
			return content{}, fmt.Errorf("%q: %w: the snapshot is damaged, ask for it again", f.path, f.err)
		}
	}
	c := content{name: "a snapshot", time: s.Time, types: s.Types, answers: newAnswers(s.Answers)}
	c.clockSpread, c.clockSkew = time.Duration(s.ClockSpreadSeconds)*time.Second, time.Duration(s.ClockSkewSeconds)*time.Second
	c.version, c.versionError = gitVersion(l.documents[path.Join(root, "version.yaml")]), s.VersionError
	c.inventory = c.answers.inventory()
	for _, g := range s.DiscoveryGaps {
		c.discoveryGaps = append(c.discoveryGaps, stuck.Gap{Source: g.Source, Error: g.Error, GroupVersion: schema.GroupVersion{Group: g.Group, Version: g.Version}})
	}
	return c, nil
}
