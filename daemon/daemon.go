// Package daemon is the long-running program: it serves connections, queues messages, runs turns, asks people for
// approval, and exits when it is idle.
//
// [Daemon.ServeConn] reads a message and makes it a task, which is queued for its channel and session. The queue's
// worker runs the agent's turn, and frames go back to the client. Lower packages return reason codes, which this
// package translates into sentences.
//
// The package also composes the program ([Wiring]). Only it knows configuration, models, tools and files together.
package daemon

import (
	"context"
	"net"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"

	"github.com/nidoit/blunux-ai/agent/usage"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/life"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/pairing"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools/sandbox"
)

// Options makes a [Daemon].
type Options struct {
	// Build reads the configuration and creates a runtime.
	Build   func() (*settings.Runtime, error)
	Home    string // the state directory
	Version string
	// IdleExit is how long the daemon may be idle before Serve returns. 0 means forever.
	IdleExit time.Duration
	// IdleConfigured makes limits.idle_exit override IdleExit, also after a reload.
	IdleConfigured bool
	// ReleaseMemory is called once when no task has run for a short while, to release memory. It may be nil.
	ReleaseMemory func()
	// Stop bounds an orderly shutdown. The default is 10 s.
	Stop time.Duration
	// SpareReady reports whether commands that only read can be recorded elsewhere while the disk takes no records. If
	// it is nil, nothing runs then.
	SpareReady func() error
	// OnShutdown is called when the daemon begins to shut down. It may be nil.
	OnShutdown func()
	// Turns are the turns in which peers may call tools. It may be nil.
	Turns Callers
	// Sandbox is reported by status. It may be nil.
	Sandbox *sandbox.Sandbox
	// Ledger records requests to models. nil means the one below Home.
	Ledger *usage.Ledger
	Log    zerolog.Logger
	Lang   i18n.Lang // until a configuration was read
	// LogPlace reports where Log goes. It may be nil.
	LogPlace func() ipc.LogTarget
	// Automations are the dependencies of automations. nil disables them.
	Automations *AutomationOptions
	// FileSender is connected to the daemon's file sending. It may be nil.
	FileSender *FileSender
	// WakeBridge wakes a channel's bridge. It may be nil.
	WakeBridge func(channel string)
	// OnReload is called after every later reading of the configuration, with its error. It may be nil.
	OnReload func(error)
}

// Daemon is the running program, made of its parts.
type Daemon struct {
	o        Options
	life     *life.Life
	settings *settings.Settings
	post     *post.Post
	turns    *Turns
	stored   *Stored
	recovery *Recovery
	files    *Files
	pairings *Pairings
	remote   *Remote
	rules    *automations // nil if disabled
	server   *Server
}

// New returns a daemon. It starts even if the configuration cannot be used: every message is then answered with
// the error until it is fixed.
func New(o Options) *Daemon {
	if o.Stop == 0 {
		o.Stop = 10 * time.Second
	}
	if o.Ledger == nil {
		o.Ledger = NewLedger(config.Paths{Home: o.Home})
	}
	d := &Daemon{o: o}
	d.life = life.New(life.Options{
		IdleExit: o.IdleExit, IdleConfigured: o.IdleConfigured, StartedByRules: o.Automations != nil, ReleaseMemory: o.ReleaseMemory, Log: o.Log,
	})
	d.settings = &settings.Settings{Build: o.Build, Home: o.Home, Fallback: o.Lang, Log: o.Log, Life: d.life, Applied: d.applySettings, Reported: d.reportSettings}
	d.post = &post.Post{Outbox: outbox.New(filepath.Join(o.Home, "outbox/notifications.jsonl"), time.Now), Events: post.NewEvents(), Log: o.Log, Wake: o.WakeBridge}
	d.files = &Files{home: o.Home, log: o.Log, post: d.post}
	d.turns = &Turns{
		settings: d.settings, life: d.life, post: d.post, files: d.files, log: o.Log, spareReady: o.SpareReady,
		tasks:     task.New(filepath.Join(o.Home, "tasks/tasks.jsonl"), time.Now),
		approvals: approval.New(filepath.Join(o.Home, "approvals"), time.Now),
		queues:    newQueues(), jobs: newJobs(), ledger: o.Ledger,
	}
	d.files.tasks = d.turns.tasks
	d.turns.tasks.SetRedactor(d.settings.Redactor)
	d.turns.approvals.SetRedactor(d.settings.Redactor)
	d.stored = &Stored{ts: d.turns}
	d.turns.stored = d.stored
	d.pairings = &Pairings{pairings: pairing.New(filepath.Join(o.Home, "pairing.json"), time.Now), settings: d.settings, post: d.post, log: o.Log}
	d.remote = newRemote(d)
	d.recovery = &Recovery{ts: d.turns, stored: d.stored, remote: d.remote}
	d.stored.recovery = d.recovery
	left := d.recovery.loadState()
	if o.Automations != nil {
		d.rules = newAutomations(d, *o.Automations)
		d.turns.rules, d.remote.rules = d.rules, d.rules
		d.post.Delay, d.post.Show = d.rules.scheduleDelivery, d.rules.showOnDesktop
	}
	d.server = newServer(d)
	_ = d.settings.BuildRuntime() // status and every answer report the error
	if d.rules != nil {
		d.rules.loadRules()
	}
	if o.FileSender != nil {
		o.FileSender.d.Store(d.files)
	}
	d.recovery.leftTasks = left
	d.recovery.resumeTasks()
	return d
}

// applySettings applies a newly read configuration.
func (d *Daemon) applySettings() {
	if d.rules != nil {
		d.rules.loadRules()
	}
	d.recovery.resumeTasks() // possible now if there was no configuration before
}

// reportSettings reports how a reading of the configuration ended.
func (d *Daemon) reportSettings(r ipc.ConfigReport, err error) {
	d.post.Events.Publish(post.TopicConfig, r)
	if d.o.OnReload != nil {
		d.o.OnReload(err)
	}
}

// Settings are the daemon's settings, for those who watch the configuration's files.
func (d *Daemon) Settings() *settings.Settings { return d.settings }

// Life is the daemon's life cycle, for those who watch its program.
func (d *Daemon) Life() *life.Life { return d.life }

// Serve accepts connections until ctx ends or the daemon is idle, then shuts down in order. Only processes of the
// user are served.
func (d *Daemon) Serve(ctx context.Context, l net.Listener, uid int, bridges ...Bridge) error {
	stop := context.AfterFunc(ctx, d.life.RequestStop)
	defer stop()
	defer d.server.serveBridges(ctx, bridges, uid)()
	if d.rules != nil {
		d.rules.run()
	}
	accepting := make(chan error, 1)
	go func() { accepting <- d.server.accept(ctx, l, uid, listenerLimits{maxConns: maxConns()}) }()
	var err error
	select {
	case <-d.life.Quit:
		if d.o.OnShutdown != nil {
			d.o.OnShutdown()
		}
		l.Close()
		<-accepting
	case err = <-accepting:
		l.Close()
	}
	d.Shutdown()
	return err
}

// Shutdown ends everything that still runs. Waiting messages and open questions are left to the next daemon.
// Running turns get half of the time to finish before they are left too. It returns when everything has ended or
// time is up.
func (d *Daemon) Shutdown() {
	d.life.StartStop()
	d.stored.stop()
	if d.rules != nil {
		d.rules.prepareExit()
	}
	d.life.CancelRunning(settings.ErrStopping)
	d.life.StopTimers()
	for _, j := range d.turns.jobs.all() {
		if j.currentState() != task.Running {
			d.turns.abort(j, settings.ErrStopping)
		}
	}
	if !waitAtMost(d.o.Stop/2, d.turns.queues.wait) {
		for _, j := range d.turns.jobs.all() {
			d.turns.abort(j, settings.ErrStopping)
		}
		waitAtMost(d.o.Stop/4, d.turns.queues.wait)
	}
	d.server.closeConns()
	waitAtMost(d.o.Stop/4, d.life.Serving.Wait)
	d.turns.tasks.Close()
	d.turns.approvals.Close()
	d.post.Outbox.Close()
	if d.rules != nil {
		d.rules.ledger.Close()
	}
	if err := d.turns.ledger.Close(); err != nil {
		d.o.Log.Warn().Err(err).Msg("cannot save usage ledger")
	}
}

// waitAtMost reports whether wait returned in time.
func waitAtMost(limit time.Duration, wait func()) bool {
	done := make(chan struct{})
	go func() { wait(); close(done) }()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}
