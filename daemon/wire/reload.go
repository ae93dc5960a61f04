package wire

import (
	"context"
	"crypto/sha256"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/nidoit/blunux-ai/daemon/life"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/watch"
	"github.com/nidoit/blunux-ai/systemd"
	"github.com/rs/zerolog"
)

// reloadStatus returns the text that systemctl status shows after a reload.
func reloadStatus(err error, lang i18n.Lang) string {
	if err != nil {
		return i18n.ConfigUnchanged(i18n.ErrorText(err, lang)).In(lang)
	}
	return i18n.ConfigReadAgain.In(lang)
}

// reloadOnHangup reloads the configuration on every SIGHUP until stop is called.
func (d *Daemon) reloadOnHangup(n systemd.Notifier, lang i18n.Lang) (stop func()) {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-hangup:
			}
			n.Reloading()
			n.Ready(reloadStatus(d.settings.Reload(), lang))
		}
	}()
	return func() { signal.Stop(hangup); close(done) }
}

// watchedFiles holds the configuration files as they were before they were first read.
type watchedFiles struct {
	sources Sources
	watcher *watch.Watcher // nil if the kernel has none left
	before  [sha256.Size]byte
}

// watchFiles starts watching. If that fails, the user has to request reloads.
func watchFiles(s Sources, log zerolog.Logger) watchedFiles {
	warn := func(err error) {
		log.Warn().Err(err).Msg("cannot watch configuration; to apply a change run: systemctl --user reload blunux-ai-agent")
	}
	watcher, err := watch.New(warn, s.WatchDirs()...)
	if err != nil {
		warn(err)
	}
	return watchedFiles{s, watcher, s.Fingerprint()}
}

// reload lets the daemon reload changed files until stop is called.
func (f watchedFiles) reload(ctx context.Context, d *Daemon) (stop func()) {
	if f.watcher == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { d.settings.ReloadOnChange(ctx, f.watcher.Changes(), f.sources.Fingerprint, f.before) })
	return func() {
		cancel()
		running.Wait()
		f.watcher.Close()
	}
}

// ownProgram returns this process's program file in its present state.
func ownProgram() (p life.Program) {
	if self, err := os.Executable(); err == nil {
		p = life.NewProgram(self)
	}
	return p
}

// watchOwnProgram watches the program file, so that the daemon makes way for a new version, until stop is called.
func watchOwnProgram(ctx context.Context, d *Daemon, program life.Program, log zerolog.Logger) (stop func()) {
	warn := func(err error) {
		log.Warn().Err(err).Msg("cannot watch own program; after an update run: systemctl --user restart blunux-ai-agent")
	}
	dir, name := filepath.Split(program.Path())
	if name == "" {
		return func() {}
	}
	watcher, err := watch.New(warn, watch.Dir{Path: dir, Match: func(n string) bool { return n == name }})
	if err != nil {
		warn(err)
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { d.life.ExitWhenReplaced(ctx, watcher.Changes(), program) })
	return func() {
		cancel()
		running.Wait()
		watcher.Close()
	}
}
