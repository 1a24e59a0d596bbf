// Package rancher holds the causes that lie with Rancher's own controllers: what is read
// of its objects, its finalizers, and one file for each cause.
package rancher
