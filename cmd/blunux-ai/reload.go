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
	"github.com/nidoit/blunux-ai/systemd"
	"github.com/nidoit/blunux-ai/watch"

	"github.com/nidoit/blunux-ai/i18n"
)

// reloadStatus is what systemctl status shows after the configuration was read
// again.
func reloadStatus(err error) string {
	if err != nil {
		return i18n.ConfigUnchanged.In(spoken(), i18n.Tell(err, spoken()))
	}
	return i18n.ConfigReadAgain.In(spoken())
}

// reloadOnHangup reads the configuration again at every SIGHUP, until the
// function it returns is called.
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
			n.Ready(reloadStatus(d.Reload()))
		}
	}()
	return func() { signal.Stop(hangup); close(done) }
}

// watchedFiles are the files the configuration is made of, as they were before
// it was first read.
type watchedFiles struct {
	wiring  daemon.Wiring
	watcher *watch.Watcher // nil when the kernel gives none
	before  [sha256.Size]byte
}

// watchFiles begins to watch. Where that is not possible a reload must be
// asked for.
func watchFiles(w daemon.Wiring, log zerolog.Logger) watchedFiles {
	warn := func(err error) {
		log.Warn().Err(err).Msg("changed files count after: systemctl --user reload blunux-ai-agent (or a SIGHUP)")
	}
	watcher, err := watch.New(warn, w.Watched()...)
	if err != nil {
		warn(err)
	}
	return watchedFiles{w, watcher, w.Fingerprint()}
}

// reload lets the daemon follow the files, until the function it returns is
// called.
func (f watchedFiles) reload(ctx context.Context, d *daemon.Daemon) (stop func()) {
	if f.watcher == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { d.ReloadOnChange(ctx, f.watcher.Changes(), f.wiring.Fingerprint, f.before) })
	return func() {
		cancel()
		running.Wait()
		f.watcher.Close()
	}
}
