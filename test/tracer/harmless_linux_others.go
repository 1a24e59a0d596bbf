//go:build linux && !amd64

package tracer

var harmlessHere []uint64
