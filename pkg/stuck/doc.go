// Package stuck is the vocabulary of the product: what an object that is being
// deleted looks like, why it is still there, and what may be done about it.
//
// Its law: no I/O, and nothing from outside the standard library but
// apimachinery. Everything here is a value.
package stuck
