package pages

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// recipe has what the systems of pipelines run, each in the place where its YAML has it.
type recipe struct {
	Kind string
	Jobs map[string]struct {
		Steps []struct{ Run string }
	}
	Collectors []struct{ Command string }
	Spec       struct {
		Steps []struct {
			Script string
			Catch  []struct {
				Script struct{ Content string }
			}
		}
	}
}

// gitLabJob is a job of GitLab.
type gitLabJob struct{ Script []string }

// The shells that run scripts: GitHub's (https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idstepsshell),
// GitLab's (gitlab-runner/shells/bash.go), and sh for what is run by chainsaw and kuttl, and for a block that is a script itself.
const (
	gitHubShell = "#!/usr/bin/env -S bash -e\n"
	gitLabShell = "#!/usr/bin/env -S bash -eo pipefail\n"
	plainShell  = "#!/bin/sh\n"
)

// scriptOf is what a code block runs, word for word.
func scriptOf(t *testing.T, block string) string {
	t.Helper()
	var found []string
	add := func(shell, script string) {
		if script != "" {
			found = append(found, shell+script)
		}
	}
	var r recipe
	var jobs map[string]gitLabJob
	if err := yaml.Unmarshal([]byte(block), &r); err == nil {
		for _, job := range r.Jobs {
			for _, step := range job.Steps {
				add(gitHubShell, step.Run)
			}
		}
		for _, step := range r.Spec.Steps {
			add("", step.Script) // Tekton runs it as a file
			for _, operation := range step.Catch {
				add(plainShell, operation.Script.Content)
			}
		}
		for _, collector := range r.Collectors {
			add(plainShell, collector.Command)
		}
		if err := yaml.Unmarshal([]byte(block), &jobs); err == nil {
			for _, job := range jobs {
				add(gitLabShell, strings.Join(job.Script, "\n"))
			}
		}
	}
	switch {
	case len(found) > 1:
		t.Fatalf("it runs %d scripts:\n%s", len(found), block)
	case len(found) == 1:
		return found[0]
	case strings.HasPrefix(block, "#!"):
		return block
	}
	return plainShell + block
}
