// Package sweep decides what a cleanup deletes, and in which order.
//
// Its law: an object is deleted because a selector or an annotation of the object itself says so. What is
// of the system, has not expired, or says something that cannot be read, is kept.
package sweep
