// Package finalizers says what is stuck in Terminating, and why, for programs: an end-to-end
// test of a controller whose cleanup hangs, an operator, a dashboard. List and Explain return
// what "kubectl finalizers list -o json" and "kubectl finalizers explain -o json" print.
//
// They only read, and send dry runs of the patches that would remove finalizers, where the user may
// patch the objects. They never read the data of a Secret. What could not be read is in the Gaps
// of a document: without it, that nothing was found does not mean that nothing is stuck.
// Messages and evidence may quote what users of the cluster wrote: escape them before a terminal
// prints them.
//
// # Stability
//
// This package and the fields of its documents follow the version of the module. Before v1, a minor
// version may change them, and CHANGELOG.md says so; the ids of causes and the verdicts never change.
// The documents have the apiVersion kubectl-finalizers/v1alpha1 and a JSON Schema each, in docs/schema.
// Messages, evidence and the texts of steps are for people, and change in any version. The other
// packages of this module are not meant for other programs.
package finalizers
