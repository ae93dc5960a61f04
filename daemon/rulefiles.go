package daemon

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/daemon/life"
	"github.com/nidoit/blunux-ai/internal/watch"
)

// followFiles reads the rules again when their files change, and starts the rules that watch changed files, until
// the daemon stops.
func (a *automations) followFiles() {
	for {
		files := a.watchedFiles()
		watcher, err := watch.New(func(err error) { a.warnOfFiles(err) }, a.watchDirs(files)...)
		if err != nil {
			a.warnOfFiles(err)
			return
		}
		a.checkFiles() // changes before the watch began
		same := true
		for same {
			select {
			case <-a.life.RunCtx.Done():
				watcher.Close()
				return
			case <-watcher.Changes():
				if !a.waitQuiet(watcher.Changes()) {
					watcher.Close()
					return
				}
				a.reloadRules()
				a.checkFiles()
				same = slices.Equal(files, a.watchedFiles())
			}
		}
		watcher.Close()
	}
}

func (a *automations) warnOfFiles(err error) {
	a.log.Warn().Err(err).Msg("cannot watch automation files; reload with: systemctl --user reload blunux-ai-agent")
}

// waitQuiet waits until nothing has changed for a moment. It returns false if the daemon stops first.
func (a *automations) waitQuiet(changes <-chan struct{}) bool {
	timer := time.NewTimer(life.QuietTime)
	defer timer.Stop()
	for {
		select {
		case <-a.life.RunCtx.Done():
			return false
		case <-changes:
			timer.Reset(life.QuietTime)
		case <-timer.C:
			return true
		}
	}
}

// watchDirs returns the directories of the rule files and of the files that rules watch.
func (a *automations) watchDirs(files []string) []watch.Dir {
	main, managed := a.o.Paths.Automations(), a.o.Paths.ManagedAutomations()
	dirs := []watch.Dir{
		{Path: filepath.Dir(main), Match: func(name string) bool { return name == filepath.Base(main) }},
		{Path: filepath.Dir(managed), Match: func(name string) bool { return strings.HasSuffix(name, ".toml") }},
	}
	for _, f := range files {
		dirs = append(dirs, watch.Dir{Path: filepath.Dir(f), Match: func(name string) bool { return name == filepath.Base(f) }})
	}
	return dirs
}

// reloadRules reads the rules again and updates the service manager's timer.
func (a *automations) reloadRules() {
	a.loadRules()
	a.arrangeWake()
}
