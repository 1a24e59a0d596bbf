// Package backend says what stands behind a Service, a webhook or an APIService:
// endpoints, workloads, rules and selectors, certificates. Causes and health ask
// it alike.
//
// Its law: it reads through the view alone, and says nothing of what could not be
// read.
package backend
