// Package apitext reads what API servers say in words: refusals, objects that they
// cannot decode, the conditions of a namespace.
//
// Its law: each wording names the file of Kubernetes that writes it, and a text
// that does not fit is not understood rather than guessed.
package apitext
