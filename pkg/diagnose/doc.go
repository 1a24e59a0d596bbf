// Package diagnose goes from objects to diagnoses: it looks for every cause in every
// object, links the objects to those that they wait for, and draws the verdict.
package diagnose
