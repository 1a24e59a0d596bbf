package plane

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

// balancer is the one address of several API servers, as a load balancer is that of a cluster: each connection goes to
// another, and to one that accepts it.
type balancer struct {
	listener net.Listener
	servers  []string
	closing  context.CancelFunc

	mu          sync.Mutex // guards what follows
	next        int
	connections sync.WaitGroup
}

// startBalancer listens at an address until it is closed.
func startBalancer(ctx context.Context, address string, servers []string) (*balancer, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listening for the API servers: %w", err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	b := &balancer{listener: listener, servers: servers, closing: cancel}
	b.connections.Go(func() { b.serve(ctx) })
	return b, nil
}

func (b *balancer) serve(ctx context.Context) {
	for {
		client, err := b.listener.Accept()
		if err != nil {
			return // it was closed
		}
		b.connections.Go(func() { b.connect(ctx, client) })
	}
}

// connect joins a connection to an API server until one of them ends it.
func (b *balancer) connect(ctx context.Context, client net.Conn) {
	server, err := b.dial(ctx)
	if err != nil {
		_ = client.Close() // which is all that it is told
		return
	}
	hangUp := sync.OnceFunc(func() { _, _ = client.Close(), server.Close() })
	defer hangUp()
	defer context.AfterFunc(ctx, hangUp)()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer hangUp()
		_, _ = io.Copy(server, client)
	}()
	_, _ = io.Copy(client, server)
	hangUp()
	<-done
}

// dial connects to the next server, or to one behind it.
func (b *balancer) dial(ctx context.Context) (conn net.Conn, err error) {
	b.mu.Lock()
	first := b.next
	b.next++
	b.mu.Unlock()
	for i := range b.servers {
		var dialer net.Dialer
		conn, failed := dialer.DialContext(ctx, "tcp", b.servers[(first+i)%len(b.servers)])
		if failed == nil {
			return conn, nil
		}
		err = errors.Join(err, failed)
	}
	return nil, err
}

func (b *balancer) close() error {
	b.closing()
	err := b.listener.Close()
	b.connections.Wait()
	return err
}
