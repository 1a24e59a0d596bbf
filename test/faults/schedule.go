package faults

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
)

// Kind is a way to answer wrongly.
type Kind string

// The kinds. Each is something that API servers, load balancers and proxies were seen to do, or that a hostile one can.
const (
	Late         Kind = "late"          // the answer takes a second
	Silent       Kind = "silent"        // no answer, and no end
	SilentBody   Kind = "silent-body"   // half an answer, and no end
	Closed       Kind = "closed"        // the connection is closed without an answer
	Cut          Kind = "cut"           // the connection ends in the middle of the answer
	CutClean     Kind = "cut-clean"     // half an answer, which says that it is whole
	Garbled      Kind = "garbled"       // the second half of the answer is noise
	Empty        Kind = "empty"         // 200 without a body
	Page         Kind = "page"          // 200 with a page to log in
	Endless      Kind = "endless"       // an answer that does not end
	Bomb         Kind = "bomb"          // the same, compressed
	EndlessPages Kind = "endless-pages" // a list whose pages are empty, and do not end
	WrongDate    Kind = "wrong-date"    // the Date header is a day ahead
	Redirected   Kind = "redirected"    // to another host
	NotFound     Kind = "404"
	NotAllowed   Kind = "405"
	Gone         Kind = "410"
	TooMany      Kind = "429"
	Internal     Kind = "500"
	NotReady     Kind = "503"
	TimedOut     Kind = "504"
)

// Kinds are all of them.
func Kinds() []Kind {
	return []Kind{
		Late, Silent, SilentBody, Closed, Cut, CutClean, Garbled, Empty, Page, Endless, Bomb, EndlessPages, WrongDate, Redirected,
		NotFound, NotAllowed, Gone, TooMany, Internal, NotReady, TimedOut,
	}
}

// Schedule says which requests of a command are answered wrongly.
type Schedule struct {
	Kind Kind
	// Command is the number of the command that meets the fault.
	Command uint64
	Seed    uint64
	// OneIn is how many paths there are to one that is answered wrongly: 1 means all.
	OneIn uint64
	// Once is whether only the first request for such a path is, so that who asks again gets the answer.
	Once bool
	// HTTP2 is whether the proxy speaks it, as API servers do, and not HTTP/1.1, as many proxies do.
	HTTP2 bool
}

// String is how a schedule is named in a test's output.
func (s Schedule) String() string {
	return fmt.Sprintf("%s,1 in %d,once=%t,http2=%t,seed=%d", s.Kind, s.OneIn, s.Once, s.HTTP2, s.Seed)
}

// Random is the schedule of a seed, for one of so many commands. As many seeds in a row as there are pairs of a kind and a command
// give each pair once, if the number of commands has no divisor in common with the number of kinds plus one.
func Random(seed, commands uint64) Schedule {
	kinds := Kinds()
	count := uint64(len(kinds))
	return Schedule{
		Kind: kinds[seed%count], Command: (seed + seed/count) % commands, Seed: seed,
		OneIn: []uint64{1, 3, 10, 40}[hash(seed, "one in")%4], Once: hash(seed, "once")%3 == 0, HTTP2: hash(seed, "http2")%2 == 0,
	}
}

func hash(seed uint64, text string) uint64 {
	h := fnv.New64a()
	_ = binary.Write(h, binary.LittleEndian, seed)
	_, _ = io.WriteString(h, text)
	return h.Sum64()
}
