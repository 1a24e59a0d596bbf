package hostile

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"

	"sigs.k8s.io/yaml"
)

// CheckOutput finds what would do harm in an output of a format: to a terminal, or to what reads the format. It is empty
// for a screen.
func CheckOutput(format, out string) error {
	if i := strings.IndexFunc(out, IsHarmful); i >= 0 {
		return fmt.Errorf("it prints %q", out[max(0, i-40):min(len(out), i+20)])
	}
	var document any
	switch format, _, _ = strings.Cut(format, "="); format {
	case "", "wide", "name", "custom-columns":
		return eachLine(out, startsLine)
	case "json":
		return json.Unmarshal([]byte(out), &document)
	case "yaml", "kyaml":
		return yaml.Unmarshal([]byte(out), &document)
	case "junit":
		return wellFormed(out)
	case "dot", "openmetrics":
		return eachLine(regexp.MustCompile(`"(?:[^"\\]|\\.)*"`).ReplaceAllString(out, ""), leavesQuotes)
	case "mermaid":
		return eachLine(regexp.MustCompile(`"[^"]*"`).ReplaceAllString(out, ""), leavesQuotes)
	case "github":
		return eachLine(out, noWorkflowCommand)
	}
	return nil
}

// IsHarmful reports whether a character does something to a terminal, or hides there.
func IsHarmful(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp))
}

// eachLine fails for the first line with a problem.
func eachLine(out string, problem func(line string) string) error {
	for line := range strings.Lines(out) {
		if p := problem(line); p != "" {
			return fmt.Errorf("%s: %.200q", p, line)
		}
	}
	return nil
}

func startsLine(line string) string {
	if strings.HasPrefix(line, "::error::") || strings.HasPrefix(line, "\t") {
		return "a name makes a line of its own"
	}
	return ""
}

func leavesQuotes(line string) string {
	if strings.Contains(line, mark) || strings.Contains(line, `"`) {
		return "a name leaves its quotes"
	}
	return ""
}

func noWorkflowCommand(line string) string {
	for _, command := range []string{"::error title=", "::warning title=", "::notice"} {
		if strings.HasPrefix(line, command) {
			return ""
		}
	}
	return "GitHub Actions reads another command"
}

// wellFormed reads XML to its end.
func wellFormed(text string) error {
	decoder := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}
