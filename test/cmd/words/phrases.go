package main

import (
	"regexp"
	"strings"
)

// rule is a phrase that this project does not write, and what it writes instead.
type rule struct {
	phrase *regexp.Regexp
	say    string
	// unless is what the text around a match says where the phrase is right.
	unless *regexp.Regexp
}

// except returns the rule with an exception.
func (r rule) except(unless string) rule {
	r.unless = regexp.MustCompile("(?is)" + unless)
	return r
}

// avoid is the rule for a phrase: a regular expression of whole words in lower case, which also matches where a line
// breaks between them.
func avoid(phrase, say string) rule { return newRule("(?i)", phrase, say) }

func newRule(flags, phrase, say string) rule {
	phrase = strings.ReplaceAll(phrase, " ", `(?:\s+(?:(?://|#|>)\s*)?)`)
	return rule{phrase: regexp.MustCompile(flags + `(?:^|[^\w/.-])(` + phrase + `)(?:$|[^\w/-])`), say: say}
}

// rules are the glossary of this project: the words of the Kubernetes documentation on the right, and what was written
// in their place on the left.
func rules() []rule {
	return []rule{
		// Controllers and finalizers.
		avoid(`(?:tak(?:es?|en|ing)|took) (?:it |them |the \w+ )?off`, "remove"),
		avoid(`tak(?:es?|en|ing) away`, "remove"),
		avoid(`let(?:s|ting)? go`, "remove the finalizer"),
		avoid(`whose (?:it is|they are)`, "its controller; the controller that removes it"),
		avoid(`nobody(?: [\w()]+){0,5} watch(?:es|ing|ed)`, "no controller watches X"),
		avoid(`(?:nobody|who|whoever|and)(?: \w+){0,2} hears(?: of)?`, "no controller watches X; is notified of"),
		avoid(`nobody (?:is|was|would be|is there) left|nobody left`, "no controller is left; is not running"),
		avoid(`(?:is|are|was|were) dead|a dead (?:broker|cluster|controller|member|node|pod|route|server|service|subscriber|webhook)`, "is not running, was uninstalled"),
		newRule("", `Orphaned`, "ControllerGone (a verdict); orphaned (a dependent)"),
		// Webhooks, servers, admission.
		avoid(`(?:does|do|did) not answer|(?:nothing|nobody)(?: that)? answers|what answers`, "is unreachable, does not respond; has no ready endpoints").
			except(`recording|question`),
		avoid(`(?:says?|said) no`, "rejects, denies").except(`sa(?:ys?|id)\s+no\s+(?:more|such|word)`),
		avoid(`(?:does|do|did) not want`, "rejects"),
		avoid(`may not be (?:updated|changed|deleted|removed|created|written)`, "updates (deletions) are rejected by X; might not be"),
		avoid(`go(?:es)? on without (?:it|them)`, "ignore it (failurePolicy Ignore)"),
		// States.
		avoid(`(?:is|are|was|were) not there`, "does not exist"),
		avoid(`ill`, "unhealthy"),
		avoid(`(?:is|are|looks?) well`, "is healthy").except(`well (?:known|formed)`),
		avoid(`doubtful`, "warning"),
		avoid(`not fully seen`, "incomplete"),
		avoid(`whom it hurts|hurts?`, "impact, affects"),
		avoid(`not tried|not ruled out|be ruled out`, "not checked, could not be checked; not attempted"),
		avoid(`token(?: \w+)? does not fit|it fits only`, "the confirmation token is out of date"),
		avoid(`less than nothing`, "must not be negative"),
		// What is left, what is done.
		avoid(`stay(?:s|ed|ing)? behind`, "is left behind"),
		avoid(`for ever|forever`, "indefinitely"),
		avoid(`last of all`, "as a last resort"),
		avoid(`m(?:ake|akes|ade|aking) (?:\w+ )?anew`, "recreate"),
		avoid(`anew`, "again"),
		avoid(`br(?:ing|ings|inging|ought) (?:(?:it|them|the \w+|what|\w+'s \w+) )?back`, "recreate, restore"),
		avoid(`ways? out`, "what to do; steps"),
		// Objects.
		avoid(`ghosts?`, "object in a deleted namespace"),
		avoid(`(?:(?:is|are)(?: all)?|many|thousand) alike|alike objects`, "similar objects"),
		avoid(`outer(?: (?:resources?|objects?|ones?|parts?|\w+))?`, "external").except(`outer\s+(?:loop|scope|function|frame|context|quotes)`),
		avoid(`[\w.%{}<>-]+/[\w.%{}<>-]+,?(?: usually)? in namespace`, "-n NAMESPACE after the name"),
		avoid(`%[sqv](?: again)? in namespace`, "-n NAMESPACE after the name").except(`found in namespace|found\s+%\w\s+in`),
		// Spelling and people.
		avoid(`clean-ups?`, "cleanup"),
		avoid(`he|she|his|her|him`, "they, their"),
		avoid(`catalogues?`, "catalog"),
		avoid(`cancelled|cancelling`, "canceled, canceling"),
		avoid(`(?:behavi|col|hon|fav|neighb)our(?:s|ed|ing|able)?`, "the American spelling, in -or"),
		avoid(`(?:un)?(?:recogn|organ|serial|initial|normal|author|summar|minim|synchron)is(?:e|es|ed|ing|ation)`, "the American spelling, in -ize"),
		avoid(`analys(?:e|ed|ing)`, "analyze"),
	}
}
