package wire

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/failover"
	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"
)

// editable is a daemon whose configuration is set by a test.
type editable struct {
	*house
	log     bytes.Buffer
	err     error
	exit    time.Duration
	builds  atomic.Int64
	content byte
}

func newEditable(t *testing.T, change ...func(*Options)) *editable {
	e := &editable{exit: 10 * time.Minute}
	e.house = open(t, doer, append(change, func(o *Options) {
		build := o.Build
		o.Log = zerolog.New(zerolog.SyncWriter(&e.log))
		o.Build = func(own OwnTools) (*settings.Runtime, error) {
			e.builds.Add(1)
			if e.err != nil {
				return nil, e.err
			}
			rt, err := build(own)
			rt.Limits.Idle = e.exit
			return rt, err
		}
	})...)
	return e
}

func (e *editable) fingerprint() [sha256.Size]byte { return [sha256.Size]byte{e.content} }

func TestAChangedFileIsReadOnceItIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEditable(t)
		changes := make(chan struct{}, 1)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); e.settings.ReloadOnChange(ctx, changes, e.fingerprint, e.fingerprint()) }()
		after := func(d time.Duration, want int) {
			t.Helper()
			time.Sleep(d) // the bubble's own clock
			synctest.Wait()
			require.EqualValues(t, want, e.builds.Load())
		}
		changes <- struct{}{}
		after(time.Second, 1) // an irrelevant file
		e.content++
		changes <- struct{}{}
		after(150*time.Millisecond, 1)
		changes <- struct{}{}
		after(150*time.Millisecond, 1) // an editor that writes in steps
		after(100*time.Millisecond, 2)
		e.content++
		for range 30 { // the wait for a quiet moment is bounded
			changes <- struct{}{}
			time.Sleep(100 * time.Millisecond)
		}
		synctest.Wait()
		require.EqualValues(t, 3, e.builds.Load())
		after(time.Minute, 3)
		cancel()
		<-done
	})
}

func TestAMistakeIsToldOnceWithItsPlaceAndTheLastGoodOneStays(t *testing.T) {
	e := newEditable(t)
	good := e.settings.Current()
	ch, drop := e.post.Events.Subscribe([]string{post.TopicConfig})
	defer drop()
	e.err = &config.Error{File: "/home/blu/config.toml", Line: 3, Col: 7, Problem: "unknown key x"}
	for range 3 {
		require.Error(t, e.settings.Reload())
	}
	require.Equal(t, 1, bytes.Count(e.log.Bytes(), []byte("cannot use the configuration")))
	require.Contains(t, e.log.String(), `"file":"/home/blu/config.toml","line":3,"column":7`)
	require.Same(t, good, e.settings.Current())
	require.Equal(t, &ipc.ConfigProblem{File: "/home/blu/config.toml", Line: 3, Column: 7, Problem: "unknown key x"}, e.settings.ConfigProblem(e.settings.LastConfigError()))
	e.err = errors.New("another")
	require.Error(t, e.settings.Reload())
	require.Equal(t, 2, bytes.Count(e.log.Bytes(), []byte("cannot use the configuration")))
	e.err = nil
	require.NoError(t, e.settings.Reload())
	require.Contains(t, e.log.String(), "valid again")
	var told []bool
	for range 5 {
		var ev struct{ What ipc.ConfigReport }
		require.NoError(t, (<-ch).Decode(&ev))
		require.Equal(t, ev.What.OK, ev.What.Problem == nil)
		told = append(told, ev.What.OK)
	}
	require.Equal(t, []bool{false, false, false, false, true}, told)
}

func TestAReloadTakesTheIdleTimeToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEditable(t, func(o *Options) { o.Life.IdleConfigured = true })
		require.Equal(t, 10*time.Minute, e.life.Idle.Limit())
		time.Sleep(3 * time.Minute)
		e.exit = 5 * time.Minute
		require.NoError(t, e.settings.Reload())
		time.Sleep(119 * time.Second) // 4 min 59 s after the last client
		synctest.Wait()
		select {
		case <-e.life.Quit:
			t.Fatal("left too early")
		default:
		}
		time.Sleep(time.Second)
		synctest.Wait()
		<-e.life.Quit
	})
}

func TestU19AReloadEndsThePausesOfProvidersWhichChangedFilesLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		circuits := failover.NewCircuits(time.Now)
		e := newEditable(t, func(o *Options) {
			build := o.Build
			o.Build = func(own OwnTools) (*settings.Runtime, error) {
				rt, err := build(own)
				if rt != nil {
					rt.Models.Circuits = circuits
				}
				return rt, err
			}
		})
		pause := func() {
			circuits.RecordFailure("deepseek", &providers.Error{Kind: providers.KindRateLimit, Status: 429, RetryAfter: time.Hour})
			require.Len(t, circuits.List(), 1)
		}
		pause()
		changes := make(chan struct{}, 1)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		before, builds := e.fingerprint(), e.builds.Load()
		go func() { defer close(done); e.settings.ReloadOnChange(ctx, changes, e.fingerprint, before) }()
		e.content++
		changes <- struct{}{}
		time.Sleep(time.Second) // the bubble's own clock
		synctest.Wait()
		require.Greater(t, e.builds.Load(), builds)
		require.Len(t, circuits.List(), 1, "a file changed that says nothing about models")
		e.err = errors.New("broken")
		require.Error(t, e.settings.Reload())
		require.Len(t, circuits.List(), 1, "nothing new is in force")
		e.err = nil
		require.NoError(t, e.settings.Reload())
		require.Empty(t, circuits.List())
		cancel()
		<-done
	})
}

func TestTheFlagForTheIdleTimeWinsOverTheConfiguration(t *testing.T) {
	e := newEditable(t, func(o *Options) { o.Life.IdleExit = time.Hour })
	require.NoError(t, e.settings.Reload())
	require.Equal(t, time.Hour, e.life.Idle.Limit())
}

func TestTheFingerprintFollowsWhatIsRead(t *testing.T) {
	home := t.TempDir()
	w := Sources{Paths: config.Paths{Home: home}, Source: config.Source{
		Distribution: filepath.Join(home, "d.toml"), System: filepath.Join(home, "s.toml"), Paths: config.Paths{Home: home},
	}}
	seen := map[[sha256.Size]byte]string{}
	changed := func(what string, do func() error) {
		t.Helper()
		require.NoError(t, do())
		now := w.Fingerprint()
		require.Empty(t, seen[now], what)
		seen[now] = what
		require.Equal(t, now, w.Fingerprint())
	}
	write := func(name, text string) func() error {
		return func() error {
			path := filepath.Join(home, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				return err
			}
			return os.WriteFile(path, []byte(text), 0o600)
		}
	}
	changed("nothing", func() error { return nil })
	for _, name := range []string{"d.toml", "s.toml", "config.toml", "config.d/50-setup.toml", "credentials/claude", "offline/names.tsv"} {
		changed(name, write(name, "a"))
		changed(name+" edited", write(name, "b"))
		changed(name+" empty", write(name, ""))
	}
	changed("a mode", func() error { return os.Chmod(filepath.Join(home, "credentials/claude"), 0o644) })
	changed("a link", func() error {
		return errors.Join(os.Remove(filepath.Join(home, "config.toml")), os.Symlink("d.toml", filepath.Join(home, "config.toml")))
	})
	before := w.Fingerprint()
	require.NoError(t, write("logs/commands.log", "x")())
	require.NoError(t, write("config.d/note.txt", "x")())
	require.Equal(t, before, w.Fingerprint())
	require.Len(t, w.WatchDirs(), 6)
}
