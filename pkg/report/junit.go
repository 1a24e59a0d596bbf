package report

import (
	"encoding/xml"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// The elements of JUnit XML that GitLab, Jenkins and GitHub actions read
// (https://github.com/testmoapp/junitxml).
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Skipped  int          `xml:"skipped,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Group   string       `xml:"classname,attr"`
		Name    string       `xml:"name,attr"`
		Failure *junitResult `xml:"failure"`
		Error   *junitResult `xml:"error"`
		Skipped *junitResult `xml:"skipped"`
	}
	junitResult struct {
		Type    string `xml:"type,attr,omitempty"`
		Message string `xml:"message,attr"`
		Text    string `xml:",cdata"`
	}
)

// JUnit writes a test case for each object or check: one that is stuck fails, with the id of
// its cause as the type. What could not be read is an error, and a warning a skipped case. Each of
// several clusters has a suite.
func JUnit(out io.Writer, r Report) error {
	all := junitSuites{Name: r.title()}
	for _, part := range r.Clusters {
		all.add(newJUnitSuite(part.Report, xmlText(part.Cluster)))
	}
	if len(r.Clusters) == 0 {
		all.add(newJUnitSuite(r, r.title()))
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, xml.Header+string(text)+"\n")
	return err
}

func (s *junitSuites) add(suite junitSuite) {
	s.Suites = append(s.Suites, suite)
	s.Tests, s.Failures, s.Errors, s.Skipped = s.Tests+suite.Tests, s.Failures+suite.Failures, s.Errors+suite.Errors, s.Skipped+suite.Skipped
}

func newJUnitSuite(r Report, name string) junitSuite {
	suite := junitSuite{Name: name}
	for _, c := range r.Cases {
		suite.add(c)
	}
	for _, gap := range newGaps(r.Gaps) {
		message := gap.Source + ": " + gap.Message
		suite.Cases = append(suite.Cases, junitCase{
			Group: "gaps", Name: xmlText(gap.Source), Error: &junitResult{Type: string(gap.Reason), Message: xmlText(message)},
		})
		suite.Errors++
	}
	if len(suite.Cases) == 0 { // a report without a test case is taken for a failed one
		suite.Cases = []junitCase{{Group: r.Command, Name: r.Headline}}
	}
	suite.Tests = len(suite.Cases)
	return suite
}

func (s *junitSuite) add(c Case) {
	group := c.Group
	if group == "" {
		group = "cluster"
	}
	out := junitCase{Group: xmlText(group), Name: xmlText(c.Name)}
	var details []string
	for _, line := range c.Details {
		details = append(details, xmlText(line))
	}
	result := &junitResult{Type: xmlText(c.ID), Message: xmlText(c.Message), Text: strings.Join(details, "\n")}
	switch c.Result {
	case CaseFailed:
		out.Failure = result
		s.Failures++
	case CaseWarned:
		out.Skipped = &junitResult{Message: xmlText(c.ID + ": " + c.Message)}
		s.Skipped++
	}
	s.Cases = append(s.Cases, out)
}

// xmlText is a line of text of characters that XML allows. The others are written out by number.
func xmlText(text string) string {
	return strings.Map(func(r rune) rune {
		if r == 0xFFFE || r == 0xFFFF {
			return utf8.RuneError
		}
		return r
	}, stuck.EscapeLine(text))
}
