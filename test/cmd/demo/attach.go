package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/story"
)

// attach gives the control plane of an earlier demo, if it still holds what the stories as they are now would put there.
// Only then does it save the user from starting and waiting once more.
func (d demo) attach(ctx context.Context, stories []story.Story) (*plane.Plane, error) {
	sum, err := d.sum(stories)
	if err != nil {
		return nil, err
	}
	if noted, err := os.ReadFile(d.sumFile()); err != nil || string(noted) != sum {
		return nil, errors.Join(errors.New("the stories were not played, or other ones"), err)
	}
	p, err := plane.Attach(ctx, d.dir)
	if err != nil {
		return nil, err
	}
	for _, each := range stories {
		if err := checkStory(ctx, p, each); err != nil {
			return nil, err
		}
	}
	fmt.Fprintf(d.out, "Using the control plane (%s) that an earlier demo left running.\n", plane.Version())
	return p, nil
}

// checkStory asks for what the story got stuck: the user may have freed it.
func checkStory(ctx context.Context, p *plane.Plane, s story.Story) error {
	if len(s.Explain) == 0 {
		return nil
	}
	command := exec.CommandContext(ctx, filepath.Join(p.Bin(), "kubectl"), append([]string{"get"}, s.Explain...)...)
	command.Env = p.Env(plane.Admin)
	if err := command.Run(); err != nil {
		return fmt.Errorf("getting what %s is about: %w", s.Name(), err)
	}
	return nil
}

func (d demo) sumFile() string { return filepath.Join(d.dir, "stories.sum") }

// sum is a hash of all that decides what the demo's cluster holds: the Kubernetes version and the stories' files.
func (d demo) sum(stories []story.Story) (string, error) {
	hash := sha256.New()
	fmt.Fprintln(hash, plane.Version())
	for _, each := range stories {
		err := filepath.WalkDir(each.Dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			content, err := os.ReadFile(path)
			fmt.Fprintf(hash, "%s %d\n%s", path, len(content), content)
			return err
		})
		if err != nil {
			return "", fmt.Errorf("reading the files of %s: %w", each.Name(), err)
		}
	}
	return fmt.Sprintf("%x", hash.Sum(nil)), nil
}
