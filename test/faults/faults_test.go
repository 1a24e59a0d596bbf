package faults_test

import (
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/faults"
)

// Every command meets every kind of fault, in as few seeds as can be.
func TestEveryPairComesOnce(t *testing.T) {
	type pair struct {
		kind    faults.Kind
		command uint64
	}
	const commands = 13
	pairs := map[pair]bool{}
	for seed := range uint64(len(faults.Kinds()) * commands) {
		s := faults.Random(1000+seed, commands)
		if pairs[pair{s.Kind, s.Command}] {
			t.Fatalf("%s and command %d come a second time with seed %d", s.Kind, s.Command, s.Seed)
		}
		pairs[pair{s.Kind, s.Command}] = true
	}
}
