// Package olm holds the causes that lie with the Operator Lifecycle Manager's own controllers: what is read
// of its objects, its finalizers, and one file for each cause.
package olm
