// Package hostile has names that mean harm, for tests: what is printed of a cluster in which objects have such names
// does nothing to a terminal, nothing to what reads the output, and nothing in a shell into which a command is pasted.
package hostile
