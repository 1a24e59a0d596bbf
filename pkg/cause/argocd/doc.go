// Package argocd holds the causes that lie with Argo CD's own controllers: what is read
// of its objects, its finalizers, and one file for each cause.
package argocd
