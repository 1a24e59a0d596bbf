// Package cause holds the causes of Kubernetes itself: one file for each reason
// why an object stays in Terminating, named by its subject. The causes of a
// project's own controllers are in a folder of the project's name. Listing this
// folder is listing what the product understands.
//
// Its law: a cause is a function of what the view shows. It fetches nothing
// itself, prints nothing, and draws no conclusion from what could not be read. No cause uses what another one's file declares: what
// they share is in the folder kit.
package cause
