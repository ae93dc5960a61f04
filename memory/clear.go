package memory

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
)

// Clear deletes daily/ and MEMORY.md, and nothing else (NARE TDD section 11.1), and returns the deleted files. It
// deletes links, not their targets.
func (m *Memory) Clear(ctx context.Context) ([]string, error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	gone, _ := m.dailyNames()
	if _, err := os.Lstat(m.path(dailyDir)); len(gone) == 0 && err == nil {
		gone = []string{dailyDir}
	}
	err = os.RemoveAll(m.path(dailyDir))
	faults := []error{fault("write", m.path(dailyDir), dailyDir, err)}
	gone = slices.DeleteFunc(gone, func(name string) bool {
		_, err := os.Lstat(m.path(name))
		return err == nil
	})
	switch err := os.Remove(m.path(memoryFile)); {
	case err == nil:
		gone = append([]string{memoryFile}, gone...)
	case !errors.Is(err, fs.ErrNotExist):
		faults = append(faults, fault("write", m.path(memoryFile), memoryFile, err))
	}
	return gone, errors.Join(faults...)
}
