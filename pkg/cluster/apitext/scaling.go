package apitext

import "strings"

// IsScaledToZero reports whether the message of an Event says that a workload was scaled
// to zero: "Scaled down replica set web-5d6 from 1 to 0", and in other versions "to 0
// from 1" (kubernetes/pkg/controller/deployment/sync.go).
func IsScaledToZero(message string) bool {
	return strings.HasSuffix(message, " to 0") || strings.Contains(message, " to 0 from ")
}
