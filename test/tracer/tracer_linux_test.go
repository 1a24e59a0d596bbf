package tracer

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// roleKey is the variable by which this test is told to be the program that is traced, and in which folder.
const roleKey = "TRACED_FOLDER"

func TestMain(m *testing.M) {
	if folder := os.Getenv(roleKey); folder != "" {
		os.Exit(changeFolder(folder))
	}
	os.Exit(m.Run())
}

// changeFolder saves a file, a part at a time, and says whether the disk was full.
func changeFolder(folder string) int {
	path := filepath.Join(folder, "file")
	file, err := os.Create(path + ".half")
	if err == nil {
		_, writeErr := file.WriteString("content")
		err = errors.Join(writeErr, file.Sync(), file.Close(), os.Rename(path+".half", path))
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, syscall.ENOSPC):
		return 7
	}
	return 1
}

// runTraced runs the program in a folder of its own.
func runTraced(t *testing.T, trace Trace) Result {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0])
	command.Env = []string{roleKey + "=" + trace.Folder}
	result, err := trace.Run(command)
	if errors.Is(err, ErrNotPermitted) && os.Getenv("TEST_TOOLS") != "all" || errors.Is(err, ErrNoFaults) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// allEffects are those of the program, in their order.
var allEffects = []string{"open /file.half", "write /file.half", "fsync /file.half", "rename /file"}

// TestKill kills a program at each of its effects: those before it have happened, and it has not.
func TestKill(t *testing.T) {
	for n := 1; n <= len(allEffects)+1; n++ {
		folder := t.TempDir()
		result := runTraced(t, Trace{Folder: folder, At: n})
		var got []string
		for _, e := range result.Effects {
			got = append(got, e.String())
		}
		if want := allEffects[:min(n, len(allEffects))]; !slices.Equal(got, want) {
			t.Errorf("killed at effect %d, it had %v, want %v", n, got, want)
		}
		half, _ := os.ReadFile(filepath.Join(folder, "file.half"))
		whole, _ := os.ReadFile(filepath.Join(folder, "file"))
		want := map[int]string{3: "content ", 4: "content ", 5: " content"}[n]
		if got := fmt.Sprintf("%s %s", half, whole); got != want && strings.TrimSpace(got+want) != "" {
			t.Errorf("killed at effect %d, the files hold %q, want %q", n, got, want)
		}
	}
}

// TestFault lets each effect fail once: the program goes on, and knows it.
func TestFault(t *testing.T) {
	for n := range allEffects {
		if result := runTraced(t, Trace{Folder: t.TempDir(), At: n + 1, Fault: syscall.ENOSPC}); result.Code != 7 {
			t.Errorf("with a full disk at %s, it ended with %d", allEffects[n], result.Code)
		}
	}
}

// TestOrder tells when effects began and ended, and what was written.
func TestOrder(t *testing.T) {
	effects := runTraced(t, Trace{Folder: t.TempDir()}).Effects
	for i, e := range effects {
		if e.Began != 2*i+1 || e.Ended != 2*i+2 {
			t.Errorf("%s began at %d and ended at %d", e, e.Began, e.Ended)
		}
	}
	if len(effects) != len(allEffects) || effects[1].Data != "content" {
		t.Errorf("the effects are %+v", effects)
	}
}

// TestUnknownCalls finds that a program uses system calls of which it is not known whether they are effects, and that it changes what is
// not in the folder.
func TestUnknownCalls(t *testing.T) {
	outside := t.TempDir()
	for want, script := range map[string]string{
		"system call": "exec mknod " + outside + "/pipe p",
		"open " + outside + "/file, which is not in the folder": ": >" + outside + "/file",
	} {
		_, err := Trace{Folder: t.TempDir()}.Run(exec.CommandContext(t.Context(), "sh", "-c", script))
		if errors.Is(err, ErrNotPermitted) && os.Getenv("TEST_TOOLS") != "all" {
			t.Skip(err)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("it says %v, not %q", err, want)
		}
	}
}
