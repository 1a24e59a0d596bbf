package report

import (
	"cmp"
	"slices"
)

// point is a place in a picture, from its upper left corner.
type point struct{ x, y int }

// layout says where the nodes of a graph stand, in columns: what waits stands left of what it
// waits for.
type layout struct {
	// corners are the upper left corners of the nodes, and routes what each edge leads through.
	corners       []point
	routes        [][]point
	width, height int
}

// The distances between columns, between the nodes of a column, and around all.
const (
	columnDistance = 56
	nodeDistance   = 18
	pictureMargin  = 8
)

// place is where a node stands in its column, or where a long edge passes through a column.
type place struct {
	node          int // -1 for an edge
	column        int
	y, height     int
	before, after []*place
}

func (p *place) middle() int { return p.y + p.height/2 }

// layOut places nodes of one width.
func layOut(heights []int, width int, edges [][2]int) layout {
	l := layouter{heights: heights, width: width, edges: edges, forward: forward(len(heights), edges)}
	l.assignColumns()
	l.connect()
	l.order()
	l.assignHeights()
	return l.layout()
}

type layouter struct {
	heights []int
	width   int
	edges   [][2]int
	// forward are the edges, turned round where they lead back, and without those that lead
	// from a node to itself.
	forward [][2]int
	column  []int
	places  []*place // by node
	columns [][]*place
	routes  [][]*place // by edge
}

// forward turns round each edge that closes a circle.
func forward(nodes int, edges [][2]int) [][2]int {
	const open, done = 1, 2
	state := make([]int, nodes)
	out := make([][2]int, len(edges))
	var visit func(n int)
	visit = func(n int) {
		state[n] = open
		for i, e := range edges {
			if e[0] != n {
				continue
			}
			out[i] = e
			switch state[e[1]] {
			case 0:
				visit(e[1])
			case open:
				out[i] = [2]int{e[1], e[0]}
			}
		}
		state[n] = done
	}
	for n := range nodes {
		if state[n] == 0 {
			visit(n)
		}
	}
	return out
}

// assignColumns puts each node right of all that wait for it.
func (l *layouter) assignColumns() {
	l.column = make([]int, len(l.heights))
	for moved := true; moved; {
		moved = false
		for _, e := range l.forward {
			if e[0] != e[1] && l.column[e[1]] <= l.column[e[0]] {
				l.column[e[1]], moved = l.column[e[0]]+1, true
			}
		}
	}
}

// connect makes the places of the nodes, and those of the edges in the columns between.
func (l *layouter) connect() {
	for n, height := range l.heights {
		l.places = append(l.places, l.add(&place{node: n, column: l.column[n], height: height}))
	}
	for _, e := range l.forward {
		route := []*place{l.places[e[0]]}
		for column := l.column[e[0]] + 1; column < l.column[e[1]]; column++ {
			route = append(route, l.add(&place{node: -1, column: column}))
		}
		route = append(route, l.places[e[1]])
		if e[0] != e[1] {
			for i, p := range route[1:] {
				route[i].after, p.before = append(route[i].after, p), append(p.before, route[i])
			}
		}
		l.routes = append(l.routes, route)
	}
}

func (l *layouter) add(p *place) *place {
	for len(l.columns) <= p.column {
		l.columns = append(l.columns, nil)
	}
	l.columns[p.column] = append(l.columns[p.column], p)
	return p
}

// order sorts each column by where its neighbors stand, so that few edges cross.
func (l *layouter) order() {
	const sweeps = 4
	for range sweeps {
		for _, column := range l.columns {
			sortByNeighbors(column, func(p *place) []*place { return p.before })
		}
		for _, column := range slices.Backward(l.columns) {
			sortByNeighbors(column, func(p *place) []*place { return p.after })
		}
	}
	for _, column := range l.columns {
		sortByNeighbors(column, func(p *place) []*place { return p.before })
	}
}

// sortByNeighbors uses y as the number of a place in its column.
func sortByNeighbors(column []*place, neighbors func(*place) []*place) {
	number := map[*place]int{}
	for i, p := range column {
		number[p] = i * 2
		if near := neighbors(p); len(near) > 0 {
			number[p] = 0
			for _, n := range near {
				number[p] += n.y * 2
			}
			number[p] /= len(near)
		}
	}
	slices.SortStableFunc(column, func(a, b *place) int { return cmp.Compare(number[a], number[b]) })
	for i, p := range column {
		p.y = i
	}
}

// assignHeights puts each place beside its neighbors, and apart from those in its column.
func (l *layouter) assignHeights() {
	for _, column := range l.columns {
		spread(column, func(*place) []*place { return nil })
	}
	for _, column := range slices.Backward(l.columns) {
		spread(column, func(p *place) []*place { return p.after })
	}
	for _, column := range l.columns {
		spread(column, func(p *place) []*place { return p.before })
	}
}

// spread moves places to the middle of their neighbors, as far as those above them allow.
func spread(column []*place, neighbors func(*place) []*place) {
	next := 0
	for _, p := range column {
		wanted := 0
		if near := neighbors(p); len(near) > 0 {
			for _, n := range near {
				wanted += n.middle()
			}
			wanted = wanted/len(near) - p.height/2
		}
		p.y = max(next, wanted)
		next = p.y + p.height + nodeDistance
	}
}

// layout is the result, moved into its margin.
func (l *layouter) layout() layout {
	out := layout{corners: make([]point, len(l.places))}
	left := func(p *place) int { return pictureMargin + p.column*(l.width+columnDistance) }
	all := slices.Concat(l.columns...)
	top := pictureMargin
	if len(all) > 0 {
		top -= slices.MinFunc(all, func(a, b *place) int { return a.y - b.y }).y
	}
	for _, p := range all {
		if p.node >= 0 {
			out.corners[p.node] = point{left(p), p.y + top}
		}
		out.width = max(out.width, left(p)+l.width+pictureMargin)
		out.height = max(out.height, p.y+top+p.height+pictureMargin)
	}
	for i, route := range l.routes {
		var points []point
		for j, p := range route {
			if j > 0 {
				points = append(points, point{left(p), p.middle() + top})
			}
			if j < len(route)-1 {
				points = append(points, point{left(p) + l.width, p.middle() + top})
			}
		}
		if l.forward[i] != l.edges[i] {
			slices.Reverse(points)
		}
		out.routes = append(out.routes, points)
	}
	return out
}
