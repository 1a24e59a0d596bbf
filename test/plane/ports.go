package plane

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
)

// Ports are taken below the range from which the kernel serves outgoing connections, so that none of those can sit on a
// port while its part is stopped.
const (
	firstPort = 20000
	lastPort  = 30000
)

// ports are held by locked files, which tell other planes, of other processes too, to look elsewhere. The kernel
// unlocks them when the process ends, however it ends.
type ports struct {
	numbers []int
	locks   []*os.File
}

// takePorts takes so many free ports of the loopback address.
func takePorts(ctx context.Context, count int) (*ports, error) {
	cache, err := cacheDir()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(cache, "ports")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making a place to lock ports: %w", err)
	}
	taken := &ports{}
	for range lastPort - firstPort {
		number := firstPort + rand.IntN(lastPort-firstPort)
		if err := taken.take(ctx, dir, number); err != nil {
			continue
		}
		if len(taken.numbers) == count {
			return taken, nil
		}
	}
	return nil, errors.Join(fmt.Errorf("finding %d free ports between %d and %d", count, firstPort, lastPort), taken.release())
}

func (p *ports) take(ctx context.Context, dir string, number int) error {
	lock, err := tryLock(filepath.Join(dir, strconv.Itoa(number)))
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(number)))
	if err != nil {
		return errors.Join(err, lock.Close())
	}
	p.numbers = append(p.numbers, number)
	p.locks = append(p.locks, lock)
	return listener.Close()
}

// release lets others have the ports.
func (p *ports) release() error {
	var failures []error
	for _, lock := range p.locks {
		failures = append(failures, lock.Close())
	}
	p.locks = nil
	return errors.Join(failures...)
}
