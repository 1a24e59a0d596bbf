// Package crossplane holds the causes that lie with Crossplane's own controllers: what is read
// of its objects, its finalizers, and one file for each cause.
package crossplane
