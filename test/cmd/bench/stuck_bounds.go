package main

import "strconv"

// bound is the most that a command may take: a part that is always there, and what rightly grows with the load.
type bound struct{ base, perObject, perType, perIdle float64 }

func (b bound) of(l stuckLoad) float64 {
	return b.base + b.perObject*float64(l.Objects) + b.perType*float64(l.CRDs) + b.perIdle*float64(l.Idle)
}

// bounded is a command with its bounds.
type bounded struct {
	name string
	argv []string
	// lines is how many lines it prints at least, which shows that it has found what is stuck.
	lines int
	// memory is the peak in MiB, requests are those to the API server, and listed is what it answers to lists, in MiB.
	memory, requests, listed bound
}

// bounded are the commands that are measured. Their bounds are about 1.3 times what was measured with 2,000 and with 20,000
// objects. Time is not bounded: it depends on the machine. Nothing but the bytes of lists may grow with what is not stuck.
func (s *stuckBench) bounded() []bounded {
	l := s.load
	return append(s.boundedInNamespaces(),
		bounded{
			// For each type a scan, and for each that is stuck a list of metadata, the definition and one dry run.
			name: "list -A", argv: []string{"list", "-A"}, lines: 2,
			memory:   bound{base: 72, perObject: 0.0145},
			requests: bound{base: 110, perType: 6},
			listed:   bound{base: 2, perObject: 0.0027, perIdle: 0.004},
		},
		bounded{
			name: "list -A -o name", argv: []string{"list", "-A", "-o", "name"}, lines: l.Objects + 1,
			memory:   bound{base: 64, perObject: 0.0035},
			requests: bound{base: 86, perType: 1.3},
			listed:   bound{base: 2, perObject: 0.0014, perIdle: 0.003},
		},
		bounded{
			// For each type an informer and a watch, beside what tells who watches it.
			name: "health --for 3s", argv: []string{"health", "--for", "3s"}, lines: 2,
			memory:   bound{base: 84, perType: 0.5},
			requests: bound{base: 465, perType: 10.7},
			listed:   bound{base: 2, perObject: 0.0015, perIdle: 0.006},
		},
	)
}

// boundedInNamespaces are those about one object or one namespace, which take no more memory where more is stuck elsewhere.
func (s *stuckBench) boundedInNamespaces() []bounded {
	l, deleted, other := s.load, heldNamespace(deletedNamespace), heldNamespace(otherNamespace)
	object := customType(otherNamespace%l.Types).GroupResource().String() + "/" + heldName(otherNamespace)
	flat, few := bound{base: 74}, bound{base: 3}
	return []bounded{
		{
			name: "explain one object", argv: []string{"explain", object, "-n", other}, lines: 2,
			memory: flat, requests: bound{base: 30}, listed: few,
		},
		{
			name: "explain a namespace", argv: []string{"explain", "ns/" + deleted}, lines: 2,
			memory: flat, requests: bound{base: 238, perType: 1.9}, listed: few,
		},
		{
			// Of the objects of one namespace; they are not spread quite evenly.
			name: "list -n one -o json", argv: []string{"list", "-n", other, "-o", "json"}, lines: l.Objects / l.Namespaces / 2,
			memory: flat, requests: bound{base: 235, perType: 1.9}, listed: few,
		},
		{
			name:  "force-remove of a finalizer in a namespace",
			argv:  []string{"force-remove", "ns/" + deleted, "--finalizer", heldFinalizer(0), "--accept-leaks", "--override-verdict", "--dry-run=server"},
			lines: 2, memory: flat, requests: bound{base: 300, perType: 1.7}, listed: few,
		},
	}
}

// number is a measured value, or a bound.
func number(f float64) string { return strconv.FormatFloat(f, 'f', 0, 64) }
