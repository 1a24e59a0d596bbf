// Package find finds what is stuck: it discovers the types of a cluster, surveys the
// cluster or a namespace, and reads objects by their names.
//
// Its law: what could not be read is a gap of the view, and never absent.
package find
