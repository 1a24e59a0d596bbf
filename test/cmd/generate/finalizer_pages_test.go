package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
)

// Every entry has a link in the index, and an anchor of its own on the page of its area.
func TestCatalogDocuments(t *testing.T) {
	places := map[string]bool{}
	known, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	pages := catalogDocuments(known)
	for _, page := range pages[1:] {
		for _, line := range strings.Split(string(page.content), "\n") {
			id, found := strings.CutPrefix(line, `<a id="`)
			if !found {
				continue
			}
			place := page.name + "#" + strings.TrimSuffix(id, `"></a>`)
			if places[place] {
				t.Errorf("the anchor %s is there twice", place)
			}
			places[place] = true
		}
		// GitHub shows no Markdown beyond half a megabyte.
		if len(page.content) > 400_000 {
			t.Errorf("%s has %d bytes: part the area", page.name, len(page.content))
		}
	}
	first := string(pages[0].content)
	for _, want := range []string{"# Known finalizers", "## Kubernetes itself", "- [`service.k8s.aws/resources`](finalizers/cloud-aws.md#service-k8s-aws-resources)"} {
		if !strings.Contains("\n"+first, "\n"+want+"\n") {
			t.Errorf("the index lacks %s", want)
		}
	}
	links := regexp.MustCompile(`\((finalizers/[^)]*#[^)]*)\)`).FindAllStringSubmatch(first, -1)
	for _, link := range links {
		if !places[link[1]] {
			t.Errorf("the index leads to %s, which does not exist", link[1])
		}
	}
	if entries := len(known.Entries()); len(links) != entries || len(places) != entries {
		t.Errorf("there are %d links and %d anchors for %d entries", len(links), len(places), entries)
	}
}
