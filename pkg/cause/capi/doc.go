// Package capi holds the causes that lie with Cluster API's own controllers: what is read
// of its objects, its finalizers, and one file for each cause.
package capi
