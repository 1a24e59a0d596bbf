package plane

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// What etcd's JSON gateway can be made to hold instead of an object.
const (
	// garbageValue begins as objects in protobuf do, and goes on as none does.
	garbageValue = "k8s\x00\x0f\xff\xff"
	// undecryptableValue is an object that was encrypted with a key which the API server does not have.
	undecryptableValue = "k8s:enc:secretbox:v1:lost-key:nobody can read this"
)

// WriteGarbage puts bytes that are no object in the place of an object, by its key in etcd.
func (p *Plane) WriteGarbage(ctx context.Context, key string) error {
	return p.put(ctx, key, garbageValue)
}

// WriteUndecryptable puts an object that nobody can decrypt in the place of an object, by its key in etcd.
func (p *Plane) WriteUndecryptable(ctx context.Context, key string) error {
	return p.put(ctx, key, undecryptableValue)
}

// Fill makes etcd refuse all writes, as it does when it has no space left.
func (p *Plane) Fill(ctx context.Context) error {
	return p.etcdGateway(ctx, "/v3/maintenance/alarm", map[string]any{"action": "ACTIVATE", "alarm": "NOSPACE"})
}

func (p *Plane) put(ctx context.Context, key, value string) error {
	return p.etcdGateway(ctx, "/v3/kv/put", map[string]any{"key": []byte(key), "value": []byte(value)})
}

// etcdGateway asks etcd something through its JSON gateway.
func (p *Plane) etcdGateway(ctx context.Context, path string, what map[string]any) error {
	body, err := json.Marshal(what)
	if err != nil {
		return fmt.Errorf("asking etcd: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.etcdAddress()+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("asking etcd: %w", err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("asking etcd: %w", err)
	}
	defer func() { _ = answer.Body.Close() }() // it was only read
	if answer.StatusCode != http.StatusOK {
		said, err := io.ReadAll(answer.Body)
		return fmt.Errorf("etcd answers %s: %s (%w)", answer.Status, said, err)
	}
	return nil
}
