package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// GitHub writes a workflow command of GitHub Actions for each root cause or problem, and for
// what could not be read. GitHub shows ten errors and ten warnings of a step: the gravest
// come first.
func GitHub(out io.Writer, r Report) error {
	var b strings.Builder
	for _, i := range r.Issues {
		command := "error"
		if i.Warning {
			command = "warning"
		}
		message := i.Message
		if affected := i.Affected(); affected != "" {
			message += "; " + affected
		}
		b.WriteString(workflowCommand(command, i.Heading(), message))
	}
	for _, line := range GapLines(r.Gaps) {
		b.WriteString(workflowCommand("warning", "could not be read", line))
	}
	if len(r.Issues) == 0 {
		b.WriteString(workflowCommand("notice", r.title(), r.Headline))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// The escapes of workflow commands
// (https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts).
var (
	workflowMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	workflowProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func workflowCommand(command, title, message string) string {
	return fmt.Sprintf("::%s title=%s::%s\n", command, workflowProperty.Replace(stuck.EscapeLine(title)), workflowMessage.Replace(stuck.EscapeLine(message)))
}
