// Package recording keeps what an API server answered in a scenario folder,
// and answers from it: the same question gets the same answer, the same
// refusal, at the same time of day. So a story that was played on a real
// control plane once can be diagnosed again without one.
//
// Its law: only what the API server said has an answer, or what follows from it
// (inventory.go). Any other question is an error, not an absence.
package recording
