// Package report turns values into bytes: tables, explanations, documents and
// graphs.
//
// Its law: it decides nothing and reads nothing. Text that came from a cluster
// passes through the escaper before it reaches a screen.
package report

// APIVersion is that of every document.
const APIVersion = "kubectl-finalizers/v1alpha1"
