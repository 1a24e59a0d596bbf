package stuck

// Verdict is what is to be made of a stuck object.
type Verdict string

const (
	// Progressing means that a controller works on it: wait.
	Progressing Verdict = "Progressing"
	// Blocked means that something that has a name must be fixed.
	Blocked Verdict = "Blocked"
	// ControllerGone means that no controller is left that could finish the deletion.
	ControllerGone Verdict = "ControllerGone"
	// Unknown means that too little is known for a conclusion.
	Unknown Verdict = "Unknown"
)

// verdictRank orders verdicts by how much stands against forcing the object: what
// can be fixed comes first, what is not known second, and ControllerGone, which
// alone permits a removal, last. So ControllerGone holds only where everything is.
var verdictRank = map[Verdict]int{Blocked: 3, Unknown: 2, Progressing: 1, ControllerGone: 0}

// MoreCautious is the more cautious of two verdicts.
func MoreCautious(a, b Verdict) Verdict {
	if verdictRank[b] > verdictRank[a] {
		return b
	}
	return a
}
