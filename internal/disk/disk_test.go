package disk_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/internal/disk"
)

func open(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

func TestOneHolderExcludesOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, second := open(t, path), open(t, path)
	require.NoError(t, disk.Lock(first, disk.Exclusive))
	require.ErrorIs(t, disk.TryLock(second, disk.Exclusive), disk.ErrLocked)
	require.ErrorIs(t, disk.TryLock(second, disk.Shared), disk.ErrLocked)
	require.NoError(t, disk.Unlock(first))
	require.NoError(t, disk.TryLock(second, disk.Shared))
	require.NoError(t, disk.TryLock(first, disk.Shared))
	require.ErrorIs(t, disk.TryLock(first, disk.Exclusive), disk.ErrLocked)
}

func TestClosingTheFileReleasesItsLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, second := open(t, path), open(t, path)
	require.NoError(t, disk.Lock(first, disk.Exclusive))
	done := make(chan error)
	go func() { done <- disk.WaitLock(t.Context(), second, time.Millisecond) }()
	require.NoError(t, first.Close())
	require.NoError(t, <-done)
}

func TestWaitingForALockEndsWithTheContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, second := open(t, path), open(t, path)
	require.NoError(t, disk.Lock(first, disk.Exclusive))
	late := errors.New("too late")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Millisecond, late)
	defer cancel()
	require.ErrorIs(t, disk.WaitLock(ctx, second, time.Millisecond), late)
}

func TestAClosedFileCannotBeLocked(t *testing.T) {
	f := open(t, filepath.Join(t.TempDir(), "lock"))
	require.NoError(t, f.Close())
	require.Error(t, disk.Lock(f, disk.Exclusive))
	require.NotErrorIs(t, disk.TryLock(f, disk.Exclusive), disk.ErrLocked)
}

func TestADirectoryThatIsNotThereCannotBeSynced(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, disk.SyncDir(dir))
	require.ErrorIs(t, disk.SyncDir(filepath.Join(dir, "missing")), fs.ErrNotExist)
}
