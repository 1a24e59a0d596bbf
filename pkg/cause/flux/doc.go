// Package flux holds the causes that lie with Flux's own controllers: what is read
// of its objects, its finalizers, and one file for each cause.
package flux
