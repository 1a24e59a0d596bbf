package plane

import (
	"fmt"
	"os"
	"syscall"
)

// lock waits until this process alone holds the file; closing the file releases it.
func lock(path string) (*os.File, error) { return flock(path, syscall.LOCK_EX) }

// tryLock is lock without the waiting.
func tryLock(path string) (*os.File, error) { return flock(path, syscall.LOCK_EX|syscall.LOCK_NB) }

func flock(path string, how int) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening a lock: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), how); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	return file, nil
}
