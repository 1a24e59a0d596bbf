package snapshot

import "regexp"

var serviceAccount = regexp.MustCompile(`system:serviceaccounts?:([^\s":]+)(?::([^\s":]+))?`)

// addAccounts adds the names of ServiceAccounts that an error names, which may be in a namespace that is not read.
func (n *names) addAccounts(text string) {
	for _, match := range serviceAccount.FindAllStringSubmatch(text, -1) {
		n.addNamespace(match[1])
		n.addName(match[2])
	}
}
