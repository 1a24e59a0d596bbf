package stuck

// Verdict is what is to be made of a stuck object.
type Verdict string

const (
	// Progressing means: wait, it is being worked on.
	Progressing Verdict = "Progressing"
	// Blocked means that something that has a name must be fixed.
	Blocked Verdict = "Blocked"
	// Orphaned means that nobody is left to finish the deletion.
	Orphaned Verdict = "Orphaned"
	// Unknown means that too little is known for a conclusion.
	Unknown Verdict = "Unknown"
)

// caution orders verdicts by how much stands against forcing the object: what
// can be fixed comes first, what is not known second, and Orphaned, which
// alone permits a removal, last. So Orphaned holds only where everything is.
var caution = map[Verdict]int{Blocked: 3, Unknown: 2, Progressing: 1, Orphaned: 0}

// Worse is the more cautious of two verdicts.
func Worse(a, b Verdict) Verdict {
	if caution[b] > caution[a] {
		return b
	}
	return a
}
