package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// screens are the places in a page that hold the screen of a story: all of it, or
// one command's part.
var screens = regexp.MustCompile(`(?s)<!-- screen: ([a-z0-9-]+)(?:, ([a-z-]+))? -->\n.*?<!-- end -->`)

// fillScreens rewrites a page with the current screens of its stories, so that it
// shows nothing that the program does not print.
func fillScreens(root, name string) func(*bytes.Buffer) error {
	return func(b *bytes.Buffer) error {
		old, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return err
		}
		var failed error
		b.WriteString(screens.ReplaceAllStringFunc(string(old), func(place string) string {
			match := screens.FindStringSubmatch(place)
			screen, err := screenOf(root, match[1], match[2])
			if err != nil {
				failed = err
				return place
			}
			head, _, _ := strings.Cut(place, "\n")
			return fmt.Sprintf("%s\n```\n%s\n```\n<!-- end -->", head, strings.TrimSpace(screen))
		}))
		return failed
	}
}

func screenOf(root, story, command string) (string, error) {
	content, err := os.ReadFile(filepath.Join(root, "testdata", "scenarios", story, "screen.txt"))
	if err != nil || command == "" {
		return string(content), err
	}
	for _, part := range strings.Split(string(content), "$ kubectl finalizers ") {
		if strings.HasPrefix(part, command+" ") {
			return "$ kubectl finalizers " + part, nil
		}
	}
	return "", fmt.Errorf("story %s has no screen of %s", story, command)
}
