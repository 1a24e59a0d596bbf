package dump

import (
	"bytes"
	"compress/flate"
	"io"
	"sync"
)

// blockSize is how much content is compressed at once.
const blockSize = 256 << 10

// store keeps the objects whole, as JSON, in compressed blocks: objects of one type are much
// alike, so that ten times their number fits. That makes every kind of dump alike to read, also
// one that comes through a pipe.
type store struct {
	budget *budget
	// chunks hold the compressed blocks one behind the other: one allocation for each would waste a tenth.
	chunks  [][]byte
	blocks  [][]byte
	current bytes.Buffer
	writer  *flate.Writer
	out     bytes.Buffer

	mu sync.Mutex
	// recent are the blocks that were read last.
	recent []plainBlock
}

type plainBlock struct {
	number  int32
	content []byte
}

// location is where an object is in the store.
type location struct{ block, offset, length int32 }

func newStore(b *budget) *store {
	s := &store{budget: b}
	s.writer, _ = flate.NewWriter(&s.out, flate.DefaultCompression) // the level is a valid one
	return s
}

func (s *store) add(content []byte) (location, error) {
	at := location{int32(len(s.blocks)), int32(s.current.Len()), int32(len(content))}
	s.current.Write(content)
	if s.current.Len() < blockSize {
		return at, nil
	}
	return at, s.flush()
}

// flush compresses what was added. It is to be called once after the last object.
func (s *store) flush() error {
	s.out.Reset()
	s.writer.Reset(&s.out)
	if _, err := s.writer.Write(s.current.Bytes()); err != nil {
		return err
	}
	if err := s.writer.Close(); err != nil {
		return err
	}
	s.current.Reset()
	s.blocks = append(s.blocks, s.keep(s.out.Bytes()))
	return s.budget.takeMemory(s.out.Len())
}

// chunkSize is how much is allocated at once.
const chunkSize = 1 << 20

func (s *store) keep(block []byte) []byte {
	last := len(s.chunks) - 1
	if last < 0 || cap(s.chunks[last])-len(s.chunks[last]) < len(block) {
		s.chunks = append(s.chunks, make([]byte, 0, max(chunkSize, len(block))))
		last++
	}
	from := len(s.chunks[last])
	s.chunks[last] = append(s.chunks[last], block...)
	return s.chunks[last][from:]
}

// maxRecentBlocks are enough for as many types as are read at once.
const maxRecentBlocks = 16

func (s *store) read(at location) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.recent {
		if b.number == at.block {
			return b.content[at.offset : at.offset+at.length], nil
		}
	}
	content, err := io.ReadAll(flate.NewReader(bytes.NewReader(s.blocks[at.block])))
	if err != nil {
		return nil, err
	}
	if len(s.recent) == maxRecentBlocks {
		s.recent = append(s.recent[:0], s.recent[1:]...)
	}
	s.recent = append(s.recent, plainBlock{at.block, content})
	return content[at.offset : at.offset+at.length], nil
}
