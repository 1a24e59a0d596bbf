// Package cluster holds every read of the API server: discovery, the scan for
// what is being deleted, and the evidence that causes ask for.
//
// Its law: it returns values and gaps. What could not be read is never
// mistaken for absent, and the contents of a Secret are never read.
package cluster
