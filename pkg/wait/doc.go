// Package wait follows the deletion of objects to its end.
//
// Its law: an object is deleted when the API server says that its uid no longer
// exists. A watch that ends, fails or is silent says nothing.
package wait
