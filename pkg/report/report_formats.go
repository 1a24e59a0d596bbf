package report

import (
	"fmt"
	"io"
)

// ReportFormats are the formats for pipelines and tickets.
var ReportFormats = []string{"junit", "github", "markdown", "openmetrics", "html"}

// WriteReport writes a report in one of the formats.
func WriteReport(out io.Writer, format string, r Report) error {
	switch format {
	case "junit":
		return JUnit(out, r)
	case "github":
		return GitHub(out, r)
	case "markdown":
		return Markdown(out, r)
	case "openmetrics":
		return OpenMetrics(out, r)
	case "html":
		return HTML(out, r)
	}
	return fmt.Errorf("there is no report format %q", format)
}
