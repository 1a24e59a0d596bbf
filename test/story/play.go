package story

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// Play does the steps of the story on a control plane, as its admin and with its kubectl. Stories that need no plane of
// their own can be played at the same time. The servers of a story that asks for them answer until the context
// ends, which is to be when the plane is looked at no more. Its steps find more variables in their environment, as NAME=VALUE.
func (s Story) Play(ctx context.Context, p *plane.Plane, more ...string) error {
	servers, err := s.serve(ctx)
	if err != nil {
		return err
	}
	environment := slices.Concat(p.Env(plane.Admin), servers, more)
	for i, step := range s.Steps {
		output, err := s.play(ctx, p, environment, step)
		if err != nil {
			return fmt.Errorf("playing %s, step %d of %d: %s: %w\n%s", s.Name(), i+1, len(s.Steps), step, err, output)
		}
	}
	return nil
}

// serve starts the servers that the story asks for, and gives the environment in which its steps find them.
func (s Story) serve(ctx context.Context) (environment []string, err error) {
	if s.Extension || s.ExtensionAPI != "" {
		port, err := serveExtension(ctx, s.ExtensionAPI, s.ExtensionListTime.Duration)
		if err != nil {
			return nil, fmt.Errorf("serving the extension of %s: %w", s.Name(), err)
		}
		environment = append(environment, "EXTENSION_PORT="+port)
	}
	handle := reviewAdmission(s.Denies, s.Patches)
	if s.RefusesConversion != "" {
		handle = reviewConversion(s.RefusesConversion)
	}
	if s.hasWebhook() {
		address, err := serveWebhook(ctx, handle, s.Expired)
		if err != nil {
			return nil, fmt.Errorf("serving the webhook of %s: %w", s.Name(), err)
		}
		environment = append(environment, address...)
	}
	return environment, nil
}

func (s Story) play(ctx context.Context, p *plane.Plane, environment []string, step string) (output string, err error) {
	if resource, ok := strings.CutPrefix(step, followStep); ok {
		return "", s.follow(ctx, environment, resource)
	}
	verb, what, ok := parseComponentStep(step)
	for !ok {
		if output, err = s.shell(ctx, environment, step); err == nil || ctx.Err() != nil || !isWaitTooEarly(step, output) {
			return output, err
		}
	}
	switch verb {
	case "stop":
		return "", p.Stop(what)
	case "garble":
		return "", p.WriteGarbage(ctx, what)
	case "seal":
		return "", p.WriteUndecryptable(ctx, what)
	case "fill":
		return "", p.Fill(ctx)
	default:
		return "", p.Start(ctx, what)
	}
}

// isWaitTooEarly reports whether kubectl waited for a condition of an object that had no conditions yet, which it takes for an error
// (ConditionalWait in k8s.io/kubectl/pkg/cmd/wait/condition.go).
func isWaitTooEarly(step, output string) bool {
	return strings.HasPrefix(step, "kubectl wait ") && strings.Contains(output, ".status.conditions accessor error: <nil>")
}

// shell runs a step in a process group of its own, so that nothing it started outlives a canceled story.
func (s Story) shell(ctx context.Context, environment []string, step string) (string, error) {
	command := exec.CommandContext(ctx, "sh", "-ec", step)
	command.Dir, command.Env = s.Dir, environment
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = 10 * time.Second // on a busy machine the last output is late
	output, err := command.CombinedOutput()
	if ctx.Err() != nil {
		err = errors.Join(ctx.Err(), err)
	}
	return strings.TrimSpace(string(output)), err
}

// followStep begins a step that follows a type, as somebody does who looks at it in another terminal.
const followStep = "follow "

// follow has kubectl watch all objects of a type until the context ends.
func (s Story) follow(ctx context.Context, environment []string, resource string) error {
	command := exec.CommandContext(ctx, "sh", "-ec", `exec kubectl get "$1" -A -w`, "sh", resource)
	command.Dir, command.Env = s.Dir, environment
	if err := command.Start(); err != nil {
		return err
	}
	go func() { _ = command.Wait() }() // it is killed, which is no failure
	return nil
}

// PlayAll plays stories at the same time, as many as atOnce, and tells each one's end as it comes. The error joins
// those of all that failed.
func PlayAll(ctx context.Context, p *plane.Plane, stories []Story, atOnce int, ended func(Story, error)) error {
	var (
		group    sync.WaitGroup
		telling  sync.Mutex
		failures []error
		free     = make(chan struct{}, atOnce)
	)
	for _, story := range stories {
		free <- struct{}{}
		group.Go(func() {
			defer func() { <-free }()
			err := story.Play(ctx, p)
			telling.Lock()
			defer telling.Unlock()
			failures = append(failures, err)
			ended(story, err)
		})
	}
	group.Wait()
	return errors.Join(failures...)
}
