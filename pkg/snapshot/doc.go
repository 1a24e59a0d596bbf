// Package snapshot keeps what an API server answers while a command runs, and writes it as a dump
// that pkg/cluster/dump reads: the same command then prints the same.
package snapshot
