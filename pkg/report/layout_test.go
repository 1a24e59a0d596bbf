package report

import (
	"slices"
	"strings"
	"testing"
)

// Nodes stand apart from each other, and whatever waits stands left of what it waits for,
// unless that waits for it in turn.
func TestLayout(t *testing.T) {
	for name, edges := range map[string][][2]int{
		"nothing waits": nil,
		"a chain":       {{0, 1}, {1, 2}, {2, 3}},
		"a long edge":   {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {0, 2}},
		"a fan":         {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {5, 4}},
		"a circle":      {{0, 1}, {1, 2}, {2, 0}, {3, 3}, {4, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			const width = 100
			heights := []int{40, 60, 40, 80, 40, 40}
			l := layOut(heights, width, edges)
			for i, a := range l.corners {
				if a.x < 0 || a.y < 0 || a.x+width > l.width || a.y+heights[i] > l.height {
					t.Errorf("node %d is outside of the picture: %v", i, l)
				}
				for j, b := range l.corners[:i] {
					if a.x == b.x && a.y < b.y+heights[j] && b.y < a.y+heights[i] {
						t.Errorf("nodes %d and %d overlap: %v", j, i, l.corners)
					}
				}
			}
			for i, e := range edges {
				from, to, route := l.corners[e[0]], l.corners[e[1]], l.routes[i]
				leadsBack := name == "a circle" && (e == [2]int{2, 0} || e == [2]int{3, 3})
				if from.x >= to.x != leadsBack {
					t.Errorf("edge %v leads from %v to %v", e, from, to)
				}
				if !leadsBack && (route[0] != point{from.x + width, from.y + heights[e[0]]/2} || route[len(route)-1] != point{to.x, to.y + heights[e[1]]/2}) {
					t.Errorf("edge %v leads through %v, from %v to %v", e, route, from, to)
				}
				if crossesNode(route, l, heights, width, e) {
					t.Errorf("edge %v leads through %v, where a node stands: %v", e, route, l.corners)
				}
			}
		})
	}
}

// crossesNode reports whether an edge passes a column where a node stands.
func crossesNode(route []point, l layout, heights []int, width int, e [2]int) bool {
	return slices.ContainsFunc(route, func(p point) bool {
		for i, corner := range l.corners {
			if i != e[0] && i != e[1] && p.x >= corner.x && p.x <= corner.x+width && p.y >= corner.y && p.y <= corner.y+heights[i] {
				return true
			}
		}
		return false
	})
}

func TestBreakName(t *testing.T) {
	for name, want := range map[string][]string{
		"pod/web":                          {"pod/web"},
		"widget.example.com/first -n shop": {"widget.", "example.", "com/first ", "-n shop"},
		"abcdefghijklmnopqrstuvwxyz":       {"abcdefghij", "klmnopqrst", "uvwxyz"},
		"名前名前名前":                           {"名前名前名", "前"},
	} {
		got := breakName(name, 10)
		for i := range want {
			want[i] = strings.TrimSpace(want[i])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, not %q", name, got, want)
		}
	}
}
