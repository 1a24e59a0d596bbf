package report_test

import (
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// maliciousDiagnosis has names and words that a graph could take for its own.
func maliciousDiagnosis() *stuck.Diagnosis {
	d := stuckWidget(`w"]; n0 -> n0 [label="`)
	d.Findings[0].Message = "its webhook says \"no\\n\" <script>alert(1)</script> #quot; &amp;\n  n1 --> n0"
	d.WaitsFor = []*stuck.Diagnosis{stuckWidget("w2", d)}
	return d
}

func TestDotQuotesWhatAClusterSays(t *testing.T) {
	want := `digraph stuck {
  rankdir=LR
  node [shape=box]
  n0 [label="widget.example.com/w\"]; n0 -> n0 [label=\"\nBlocked\nits webhook says \"no\\n\" <script>alert(1)</script> #quot; &amp;\n  n1 --> n0"]
  n1 [label="widget.example.com/w2\nBlocked\nits controller is down"]
  n0 -> n1
  n1 -> n0
}
`
	got := output(t, func(out io.Writer) error { return report.Dot(out, maliciousDiagnosis()) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("dot (-want +got):\n%s", diff)
	}
}

func TestMermaidQuotesWhatAClusterSays(t *testing.T) {
	want := `graph LR
  n0["widget.example.com/w#quot;]; n0 -#gt; n0 [label=#quot;<br>Blocked<br>its webhook says #quot;no\n#quot; #lt;script#gt;alert(1)#lt;/script#gt; #35;quot; #amp;amp;<br>  n1 --#gt; n0"]
  n1["widget.example.com/w2<br>Blocked<br>its controller is down"]
  n0 --> n1
  n1 --> n0
`
	got := output(t, func(out io.Writer) error { return report.Mermaid(out, maliciousDiagnosis()) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mermaid (-want +got):\n%s", diff)
	}
}

// Similar objects are one node, and what each of them waits for is one edge.
func TestGraphFoldsSimilarObjects(t *testing.T) {
	end := stuckWidget("end")
	end.Object.Finalizers = nil
	many := stuckWidgets(20)
	for _, d := range many {
		d.WaitsFor = []*stuck.Diagnosis{end}
	}
	want := `digraph stuck {
  rankdir=LR
  node [shape=box]
  n0 [label="namespace/shop\nBlocked\nit still holds objects"]
  n1 [label="20 widgets.example.com\nBlocked\nits controller is down"]
  n2 [label="widget.example.com/end\nBlocked\nits controller is down"]
  n0 -> n1
  n1 -> n2
}
`
	got := output(t, func(out io.Writer) error { return report.Dot(out, terminatingNamespace(many...)) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("dot (-want +got):\n%s", diff)
	}
}
