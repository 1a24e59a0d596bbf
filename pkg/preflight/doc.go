// Package preflight predicts what would get stuck if objects were deleted now.
//
// Its law: it asks the causes that explain ask, on a cluster in which the deletion has been
// requested and has gone as far as nothing holds it. It changes nothing, and what it could not
// read it does not predict.
package preflight
