package main

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"github.com/rs/zerolog"

	"github.com/nidoit/blunux-ai/daemon"
	"github.com/nidoit/blunux-ai/daemon/life"
	"github.com/nidoit/blunux-ai/internal/watch"
)

// ownProgram returns this process's program file in its present state.
func ownProgram() (p life.Program) {
	if self, err := os.Executable(); err == nil {
		p = life.NewProgram(self)
	}
	return p
}

// watchOwnProgram watches the program file, so that the daemon makes way for a new version, until stop is called.
func watchOwnProgram(ctx context.Context, d *daemon.Daemon, program life.Program, log zerolog.Logger) (stop func()) {
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
	running.Go(func() { d.Life().ExitWhenReplaced(ctx, watcher.Changes(), program) })
	return func() {
		cancel()
		running.Wait()
		watcher.Close()
	}
}
