package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// maxCauses is how many causes have a numbered block, and how many costs a line, before the rest is only
// counted.
const maxCauses = 12

// blocksText names blocks by their numbers, and counts those that are not printed: "causes 1, 2 and 3 more".
func blocksText(indexes []int) string {
	var numbers []string
	for _, i := range indexes {
		if i < maxCauses {
			numbers = append(numbers, fmt.Sprint(i+1))
		}
	}
	switch more := len(indexes) - len(numbers); {
	case len(numbers) == 0:
		return stuck.Count(more, "more cause")
	case len(indexes) == 1:
		return "cause " + numbers[0]
	case more > 0:
		return fmt.Sprintf("causes %s and %d more", strings.Join(numbers, ", "), more)
	}
	return "causes " + strings.Join(numbers, ", ")
}

// sortBlocks puts what can be fixed first, which is what the reader came for, and then what is certain: a webhook
// that is down before what is merely likely of an object behind it. Where not all have a block, those come
// first that hold the most objects.
func sortBlocks(blocks []*causeBlock) {
	slices.SortStableFunc(blocks, func(a, b *causeBlock) int {
		byUrgency := cmp.Or(b.verdictRank()-a.verdictRank(), b.urgency()-a.urgency())
		if byUrgency == 0 && len(blocks) > maxCauses {
			return b.countObjects() - a.countObjects()
		}
		return byUrgency
	})
}

func (c *causeBlock) countObjects() int {
	n := 0
	for _, part := range c.parts {
		n += len(part.group)
	}
	return n
}

// foldUnexplained puts together blocks that say the same of a finalizer. Where nothing is known of many
// finalizers but their names, one block is about all of them.
func foldUnexplained(blocks []*causeBlock) []*causeBlock {
	type key struct {
		finalizers string
		known      controllerKnowledge
	}
	blocks = foldBlocks(blocks, func(c *causeBlock) (key, bool) {
		return key{stuck.ListKey(c.parts[0].finalizers), knownController(c.parts[0].controllers)}, !c.isExplained()
	})
	isUnknown := func(c *causeBlock) (controllerKnowledge, bool) {
		part := c.parts[0]
		return knownController(part.controllers), !c.isExplained() && len(part.unknown) == len(part.finalizers)
	}
	similar := map[controllerKnowledge]int{}
	for _, c := range blocks {
		if known, ok := isUnknown(c); ok {
			similar[known]++
		}
	}
	return foldBlocks(blocks, func(c *causeBlock) (controllerKnowledge, bool) {
		known, ok := isUnknown(c)
		return known, ok && similar[known] > stuck.MaxUngrouped
	})
}

// foldBlocks puts together the blocks that have a key, and the same one.
func foldBlocks[K comparable](blocks []*causeBlock, keyOf func(*causeBlock) (K, bool)) []*causeBlock {
	var out []*causeBlock
	index := map[K]*causeBlock{}
	for _, c := range blocks {
		key, ok := keyOf(c)
		if first := index[key]; ok && first != nil {
			first.parts = append(first.parts, c.parts...)
			continue
		}
		if out = append(out, c); ok {
			index[key] = c
		}
	}
	return out
}

// joinFinalizers names each of a few finalizers, and the first of many.
func joinFinalizers(names []string) string {
	if len(names) > stuck.MaxUngrouped {
		return stuck.JoinFirst(names, maxNames)
	}
	return strings.Join(names, " and ")
}

// distinct are names in their order, each once.
func distinct(names []string) []string {
	var out nameList
	for _, name := range names {
		out.add(name, 1)
	}
	return out.names
}

// nameList names the first of many things, each once.
type nameList struct {
	names []string
	seen  map[string]bool
	// unnamed is how many objects the others stand for.
	unnamed int
}

// add adds a name that stands for so many objects.
func (l *nameList) add(name string, objects int) {
	if l.seen[name] {
		return
	}
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	l.seen[name] = true
	if l.names = append(l.names, name); len(l.names) > maxNames {
		l.unnamed += objects
	}
}

func (l nameList) String() string {
	if more := len(l.names) - maxNames; more > 0 && l.unnamed > more {
		return fmt.Sprintf("%s and %d more objects", strings.Join(l.names[:maxNames], ", "), l.unnamed)
	}
	return stuck.JoinFirst(l.names, maxNames)
}
