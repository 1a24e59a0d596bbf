package hostile

import "strings"

// mark is in every hostile text, and in no other.
const mark = "PWNED"

// Affixes make a name hostile: they stand before it and behind it. A name of Kubernetes has neither a slash nor a
// percent sign.
type Affixes struct{ before, behind string }

// Kinds are the kinds of hostile names.
func Kinds() map[string]Affixes {
	return map[string]Affixes{
		"control characters": {"\x1b[31m\x1b]0;", mark + "\x07\u009b2J\b\x7f"},
		"line breaks":        {"", "\r\n::error::" + mark + "\n\t\u2028touch x"},
		"quotes":             {"'\"`touch " + mark + "`'", "\"\\'\"`id`"},
		"shell syntax":       {"$(touch " + mark + ")", "; rm -rf * #${IFS}|id>x&&!~{a,b}<y"},
		"dashes":             {"--all=-" + mark, "-"},
		"directions":         {"\u202e\u2066", "\u200f\u200b\ufeff" + mark + "\u2069\u202c"},
		"length":             {"", strings.Repeat("x", 200) + mark}, // a name has at most 253 characters
	}
}

// Name is the hostile name for a name.
func (a Affixes) Name(name string) string { return a.before + name + a.behind }

// Text is what somebody says who means harm.
func (a Affixes) Text() string {
	return " " + a.before + a.behind + strings.Repeat(" x", 200) + " \x1b]0;\x07\x00\u009b2J\u0085\u202e\r\n::error::" + mark
}
