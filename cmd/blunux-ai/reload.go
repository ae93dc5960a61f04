package main

import (
	"context"
	"crypto/sha256"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/rs/zerolog"

	"github.com/nidoit/blunux-ai/daemon"
	"github.com/nidoit/blunux-ai/internal/watch"
	"github.com/nidoit/blunux-ai/systemd"

	"github.com/nidoit/blunux-ai/i18n"
)

// reloadStatus returns the text that systemctl status shows after a reload.
func reloadStatus(err error) string {
	if err != nil {
		return i18n.ConfigUnchanged(i18n.ErrorText(err, commandLineLang())).In(commandLineLang())
	}
	return i18n.ConfigReadAgain.In(commandLineLang())
}

// reloadOnHangup reloads the configuration on every SIGHUP until stop is called.
func reloadOnHangup(d *daemon.Daemon, n systemd.Notifier) (stop func()) {
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
			n.Ready(reloadStatus(d.Settings().Reload()))
		}
	}()
	return func() { signal.Stop(hangup); close(done) }
}

// watchedFiles holds the configuration files as they were before they were first read.
type watchedFiles struct {
	wiring  daemon.Wiring
	watcher *watch.Watcher // nil if the kernel has none left
	before  [sha256.Size]byte
}

// watchFiles starts watching. If that fails, the user has to request reloads.
func watchFiles(w daemon.Wiring, log zerolog.Logger) watchedFiles {
	warn := func(err error) {
		log.Warn().Err(err).Msg("cannot watch configuration; to apply a change run: systemctl --user reload blunux-ai-agent")
	}
	watcher, err := watch.New(warn, w.WatchDirs()...)
	if err != nil {
		warn(err)
	}
	return watchedFiles{w, watcher, w.Fingerprint()}
}

// reload lets the daemon reload changed files until stop is called.
func (f watchedFiles) reload(ctx context.Context, d *daemon.Daemon) (stop func()) {
	if f.watcher == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { d.Settings().ReloadOnChange(ctx, f.watcher.Changes(), f.wiring.Fingerprint, f.before) })
	return func() {
		cancel()
		running.Wait()
		f.watcher.Close()
	}
}
