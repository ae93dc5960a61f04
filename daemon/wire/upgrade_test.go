package wire

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nidoit/blunux-ai/daemon/life"
	"github.com/stretchr/testify/require"
)

// put installs a program as a package manager does: a new file replaces the old one.
func put(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path+".new", []byte(text), 0o755))
	require.NoError(t, os.Rename(path+".new", path))
}

func TestAProgramIsReplacedByAnotherFileOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "blunux-ai")
	require.False(t, life.NewProgram(path).Replaced(), "there was none")
	put(t, path, "1")
	p := life.NewProgram(path)
	require.False(t, p.Replaced())
	require.NoError(t, os.Chtimes(path, time.Time{}, time.Now()))
	require.False(t, p.Replaced(), "touched")
	put(t, path, "2")
	require.True(t, p.Replaced())
	require.NoError(t, os.Chmod(path, 0o644))
	require.False(t, p.Replaced(), "not to be run")
	require.NoError(t, os.Remove(path))
	require.False(t, p.Replaced(), "removed: nobody could come after")
}

// replacedDaemon returns a daemon whose program was replaced after it had been idle for long.
func replacedDaemon(t *testing.T, o func(*Options)) (e *editable, changes chan struct{}) {
	path := filepath.Join(t.TempDir(), "blunux-ai")
	put(t, path, "1")
	program := life.NewProgram(path)
	e, changes = newEditable(t, o), make(chan struct{})
	done := make(chan struct{})
	ctx := t.Context()
	go func() { e.life.ExitWhenReplaced(ctx, changes, program); close(done) }()
	t.Cleanup(func() { <-done })
	time.Sleep(time.Minute)
	put(t, path, "2")
	changes <- struct{}{}
	return e, changes
}

func left(e *editable) bool {
	synctest.Wait()
	select {
	case <-e.life.Quit:
		return true
	default:
		return false
	}
}

func TestAReplacedDaemonLeavesWhenNothingIsAtWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := replacedDaemon(t, func(o *Options) { o.Life.IdleConfigured = true })
		leave := e.life.Idle.Begin(life.ActivityTask)
		time.Sleep(time.Hour)
		require.False(t, left(e), "a task runs")
		require.NoError(t, e.settings.Reload()) // the configured limit no longer counts
		leave()
		time.Sleep(life.ReplacedExitDelay - time.Second)
		require.False(t, left(e), "what is unpacked may not be all there")
		time.Sleep(time.Second)
		require.True(t, left(e))
	})
}

func TestAReplacedDaemonThatNeverWasToLeaveDoesWhereASocketStartsTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := replacedDaemon(t, func(o *Options) { o.Life.IdleConfigured = true })
		e.exit = 0
		require.NoError(t, e.settings.Reload())
		time.Sleep(time.Minute)
		require.True(t, left(e))
	})
}

func TestAReplacedDaemonThatAPersonRunsStaysAndTellsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := replacedDaemon(t, func(*Options) {})
		time.Sleep(24 * time.Hour)
		require.False(t, left(e))
		require.True(t, e.life.Exit.Replaced.Load())
	})
}
