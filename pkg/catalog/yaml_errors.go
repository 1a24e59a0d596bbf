package catalog

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

var linePrefix = regexp.MustCompile(`^line ([0-9]+): `)

// withPosition says what the decoder found wrong as every other error is said: the file, the line, and what is wrong there.
func withPosition(file string, err error) error {
	var types *yaml.TypeError
	if !errors.As(err, &types) {
		return lineError(file, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	var all []error
	for _, text := range types.Errors {
		all = append(all, lineError(file, text))
	}
	return errors.Join(all...)
}

// faultsAt says of each fault of an entry, which is a line of the error, where the entry is.
func faultsAt(file string, line int, err error) error {
	position := fmt.Sprintf("%s:%d: ", file, line)
	return errors.New(position + strings.ReplaceAll(err.Error(), "\n", "\n"+position))
}

// lineError moves the line of a decoder's message to the front. The decoder names none when it is the first, and
// counts from zero where a block breaks off.
func lineError(file, text string) error {
	line := 1
	if match := linePrefix.FindStringSubmatch(text); match != nil {
		line, _ = strconv.Atoi(match[1])
		text = strings.TrimPrefix(text, match[0])
		if slices.Contains(blockEndErrors(), text) {
			line++
		}
	}
	return fmt.Errorf("%s:%d: %s", file, line, text)
}

// blockEndErrors are the messages of the decoder's parser, as parserc.go of go.yaml.in/yaml/v3 has them.
func blockEndErrors() []string {
	return []string{
		"did not find expected node content", "did not find expected '-' indicator", "did not find expected key",
		"did not find expected ',' or ']'", "did not find expected ',' or '}'",
	}
}
