// Package dump answers the questions of causes from a dump of a cluster: files that a tool wrote
// when it could read the cluster.
//
// Its law: only what the dump can prove is said. A type or a namespace that the dump does not
// hold is a gap, never absent: an object is absent only from a list of which the dump shows that
// it is whole (inventory.go). What tells that differs from tool to tool; each has a file here
// that says it.
//
// A dump is written by others, and may be hostile: it is read once, as a stream, within limits
// (limits.go), and nothing of it is written to disk.
package dump
