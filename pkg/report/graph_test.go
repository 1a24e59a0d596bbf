package report_test

import (
	"fmt"
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
  n0 [label="widget.example.com/w\"]; n0 -> n0 [label=\"\nBlocked\nits webhook says \"no\\n\" <script>alert(1)</script> #quot; &amp;amp;\\u000a  n1 --> n0"]
  n1 [label="widget.example.com/w2\nBlocked\nits controller is down"]
  n2 [label="deployment/widget-operator -n operators\ncontroller-down", shape=octagon, penwidth=2, color="#cf222e"]
  n0 -> n1
  n0 -> n2
  n1 -> n0
  n1 -> n2
}
`
	got := output(t, func(out io.Writer) error { return report.Dot(out, []*stuck.Diagnosis{maliciousDiagnosis()}) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("dot (-want +got):\n%s", diff)
	}
}

func TestMermaidQuotesWhatAClusterSays(t *testing.T) {
	want := `graph LR
  n0["widget.example.com/w#quot;]; n0 -#gt; n0 [label=#quot;<br>Blocked<br>its webhook says #quot;no\n#quot; #lt;script#gt;alert(1)#lt;/script#gt; #35;quot; #amp;amp;\u000a  n1 --#gt; n0"]
  n1["widget.example.com/w2<br>Blocked<br>its controller is down"]
  n2{{"deployment/widget-operator -n operators<br>controller-down"}}
  style n2 stroke:#cf222e,stroke-width:3px
  n0 --> n1
  n0 --> n2
  n1 --> n0
  n1 --> n2
`
	got := output(t, func(out io.Writer) error { return report.Mermaid(out, []*stuck.Diagnosis{maliciousDiagnosis()}) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mermaid (-want +got):\n%s", diff)
	}
}

// Similar objects are one node, and what each of them waits for is one edge.
func TestGraphFoldsSimilarObjects(t *testing.T) {
	end := stuckWidget("end")
	end.Verdict = stuck.Unknown
	many := stuckWidgets(20)
	for _, d := range many {
		d.WaitsFor = []*stuck.Diagnosis{end}
	}
	want := `digraph stuck {
  rankdir=LR
  node [shape=box]
  n0 [label="namespace/shop\nBlocked\nit still holds objects"]
  n1 [label="20 widgets.example.com\nBlocked\nits controller is down"]
  n2 [label="widget.example.com/end\nUnknown\nits controller is down"]
  n3 [label="deployment/widget-operator -n operators\ncontroller-down", shape=octagon, penwidth=2, color="#cf222e"]
  n0 -> n1
  n1 -> n2
  n1 -> n3
  n2 -> n3
}
`
	got := output(t, func(out io.Writer) error { return report.Dot(out, []*stuck.Diagnosis{terminatingNamespace(many...)}) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("dot (-want +got):\n%s", diff)
	}
}

// Objects with one cause are one node, in whatever namespaces they are and whatever holds each of them.
func TestGraphFoldsObjectsWithOneCause(t *testing.T) {
	var all []*stuck.Diagnosis
	for i := range 20 {
		held, free := stuckWidget(fmt.Sprintf("held-%d", i)), terminatingNamespace()
		held.Object.Namespace = fmt.Sprintf("preview-%d", i)
		held.Findings[0].Message = fmt.Sprintf("pod-%d uses it", i)
		held.Findings[0].BlockedBy = stuck.Culprit{Kind: "Pod", Namespace: held.Object.Namespace, Name: fmt.Sprintf("pod-%d", i)}
		free.Object.Name, free.WaitsFor = held.Object.Namespace, []*stuck.Diagnosis{held}
		all = append(all, free, held)
	}
	want := `digraph stuck {
  rankdir=LR
  node [shape=box]
  n0 [label="20 namespaces\nBlocked\nit still holds objects"]
  n1 [label="20 widgets.example.com in 20 namespaces\nBlocked\ncontroller-down"]
  n2 [label="20 objects of kind Pod\ncontroller-down", shape=octagon, penwidth=2, color="#cf222e"]
  n0 -> n1
  n1 -> n2
}
`
	got := output(t, func(out io.Writer) error { return report.Dot(out, all) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("dot (-want +got):\n%s", diff)
	}
}

// A culprit that is an object of the graph is marked there.
func TestGraphMarksCulprits(t *testing.T) {
	culprit, held := stuckWidget("culprit"), stuckWidget("held")
	culprit.Findings[0].BlockedBy, culprit.Findings[0].Verdict, culprit.Verdict = culprit.Object.Culprit(), stuck.Progressing, stuck.Progressing
	held.Findings[0].BlockedBy = stuck.Culprit{Kind: "Widget", Namespace: "shop", Name: "culprit"}
	want := `digraph stuck {
  rankdir=LR
  node [shape=box]
  n0 [label="widget.example.com/held\nBlocked\nits controller is down"]
  n1 [label="widget.example.com/culprit\nProgressing\nits controller is down", penwidth=2, color="#1a7f37"]
  n0 -> n1
}
`
	got := output(t, func(out io.Writer) error { return report.Dot(out, []*stuck.Diagnosis{held, culprit}) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("dot (-want +got):\n%s", diff)
	}
}
