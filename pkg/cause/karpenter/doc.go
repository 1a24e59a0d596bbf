// Package karpenter holds the causes that lie with Karpenter's own controllers: what is read
// of its objects, its finalizers, and one file for each cause.
package karpenter
