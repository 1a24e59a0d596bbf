// Package rook holds the causes that lie with Rook's own controllers: what is read
// of its objects, its finalizers, and one file for each cause.
package rook
