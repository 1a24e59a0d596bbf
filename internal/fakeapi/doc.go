// Package fakeapi is an API server for tests that gives scripted answers: a 410, a
// 503, a body without an end. It stands in for no semantics.
package fakeapi
