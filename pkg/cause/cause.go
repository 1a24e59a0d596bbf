// Package cause says why an object is stuck: one file per root cause. Listing
// this folder is listing what the product understands.
//
// Its law: a cause is a function of what the view shows. It fetches nothing
// itself, prints nothing, and draws no conclusion from what could not be read.
package cause
