// Package knative holds the causes that lie with Knative's own controllers: what is read
// of its objects, its finalizers, and one file for each cause.
package knative
