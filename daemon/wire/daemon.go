// Package wire composes the daemon: only it knows all parts, and the configuration, models, tools and files that they
// are made of. [Run] is the program, [New] the daemon in it, [Builder] builds what depends on the configuration.
package wire

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/nidoit/blunux-ai/agent/usage"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/figures"
	"github.com/nidoit/blunux-ai/daemon/files"
	"github.com/nidoit/blunux-ai/daemon/life"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/past"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/remote"
	"github.com/nidoit/blunux-ai/daemon/rules"
	"github.com/nidoit/blunux-ai/daemon/serve"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/daemon/turns"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers/claudecli"
	"github.com/rs/zerolog"
)

// Options make a [Daemon].
type Options struct {
	// Build reads the configuration and creates a runtime.
	Build   func(OwnTools) (*settings.Runtime, error)
	Home    string // the state directory
	Version string
	Lang    i18n.Lang // until a configuration was read
	Log     zerolog.Logger
	// Life says how long the daemon may be idle. New sets its other fields.
	Life life.Options
	// Stop bounds an orderly shutdown. The default is 10 s.
	Stop    time.Duration
	Process Process
	// Machine has the interfaces of the machine for automations.
	Machine rules.Machine
	Hooks   Hooks
}

// Hooks are called by the daemon. Each may be nil.
type Hooks struct {
	LogPlace   func() ipc.LogTarget // returns where the log goes
	WakeBridge func(channel string) // wakes a channel's bridge
	OnReload   func(error)          // after every later reading of the configuration, with its error
	OnShutdown func()               // when the daemon begins to shut down
}

// Daemon is the running program, made of its parts.
type Daemon struct {
	past      *past.Past
	o         Options
	life      *life.Life
	settings  *settings.Settings
	post      *post.Post
	tasks     *task.Store
	approvals *approval.Approvals
	turns     *turns.Turns
	remote    *remote.Remote
	rules     *rules.Automations
	server    *serve.Server
}

// New returns a daemon. It starts even if the configuration cannot be used: every message is then answered with
// the error until it is fixed.
func New(o Options) *Daemon {
	if o.Stop == 0 {
		o.Stop = 10 * time.Second
	}
	paths := config.Paths{Home: o.Home}
	if o.Process.Ledger == nil {
		o.Process.Ledger = NewLedger(paths)
	}
	d := &Daemon{o: o}
	o.Life.StartedByRules, o.Life.Log = o.Machine.Wake != nil, o.Log
	d.life = life.New(o.Life)
	d.post = &post.Post{Outbox: outbox.New(filepath.Join(o.Home, "outbox/notifications.jsonl"), time.Now), Events: post.NewEvents(), Log: o.Log, Wake: o.Hooks.WakeBridge}
	d.tasks = task.New(filepath.Join(o.Home, "tasks/tasks.jsonl"), time.Now)
	d.approvals = approval.New(filepath.Join(o.Home, "approvals"), time.Now)
	files := &files.Files{Home: o.Home, Log: o.Log, Post: d.post, Tasks: d.tasks}
	d.settings = &settings.Settings{
		Build: func() (*settings.Runtime, error) { return o.Build(OwnTools{d.rules, files, d.past}) },
		Home:  o.Home, Fallback: o.Lang, Log: o.Log, Life: d.life, Applied: d.applySettings, Reported: d.reportSettings,
	}
	d.past = past.New(past.Options{Path: paths.FileList(), Home: os.Getenv("HOME"), Settings: d.settings, Now: time.Now, Log: o.Log})
	d.turns = turns.New(turns.Options{
		Settings: d.settings, Life: d.life, Post: d.post, Files: files, Tasks: d.tasks, Approvals: d.approvals, Ledger: o.Process.Ledger, Log: o.Log,
		SpareReady: spareReady(o.Process.Spare),
	})
	d.rules = rules.New(rules.Options{
		Settings: d.settings, Life: d.life, Post: d.post, Turns: d.turns, Paths: paths, Machine: o.Machine, Log: o.Log,
	})
	d.post.Delay, d.post.Show, d.post.Wait = d.rules.ScheduleDelivery, d.rules.ShowOnDesktop, d.rules.ShowIcon
	d.remote = remote.New(remote.Options{
		Settings: d.settings, Life: d.life, Post: d.post, Turns: d.turns, Approvals: d.approvals, Files: files, Rules: d.rules, Log: o.Log,
	})
	d.turns.Connect(d.rules, d.remote)
	d.server = serve.New(serve.Options{
		Past: d.past,
		Figures: figures.New(figures.Options{
			Path: paths.Figures(), Home: os.Getenv("HOME"), Settings: d.settings, Now: time.Now, Log: o.Log,
		}),
		Life: d.life, Settings: d.settings, Post: d.post, Turns: d.turns, Approvals: d.approvals, Files: files, Remote: d.remote, Rules: d.rules,
		About: serve.About{
			Version: o.Version, Started: time.Now(), Sandbox: o.Process.Sandbox, LogPlace: o.Hooks.LogPlace, Callers: callers(o.Process.Claude),
		},
		Policy: config.PolicyPath(os.Getenv), Log: o.Log,
	})
	_ = d.settings.BuildRuntime() // status and every answer report the error
	d.applySettings()
	return d
}

// spareReady returns whether the spare recorder is ready, or nil without one.
func spareReady(s Spare) func() error {
	if s == nil {
		return nil
	}
	return s.Ready
}

// callers returns the turns of the installed claude, which call tools over a connection.
func callers(claude *claudecli.Program) serve.Callers {
	if claude == nil {
		return nil
	}
	return claude
}

// applySettings applies a newly read configuration.
func (d *Daemon) applySettings() {
	d.rules.LoadRules()
	d.turns.Recovery.Resume() // possible now if there was no configuration before
}

// reportSettings reports how a reading of the configuration ended.
func (d *Daemon) reportSettings(r ipc.ConfigReport, err error) {
	d.post.Events.Publish(post.TopicConfig, r)
	if err == nil {
		for _, channel := range ipc.Bridged { // the rooms may have changed, and an idle bridge is not subscribed
			d.post.WakeBridge(channel)
		}
	}
	if d.o.Hooks.OnReload != nil {
		d.o.Hooks.OnReload(err)
	}
}

// Settings are the daemon's settings, for those who watch the configuration's files.
func (d *Daemon) Settings() *settings.Settings { return d.settings }

// Life is the daemon's life cycle, for those who watch its program.
func (d *Daemon) Life() *life.Life { return d.life }

// Serve accepts connections until ctx ends or the daemon is idle, then shuts down in order. Only processes of the
// user are served.
func (d *Daemon) Serve(ctx context.Context, l net.Listener, uid int, bridges ...serve.Bridge) error {
	stop := context.AfterFunc(ctx, d.life.RequestStop)
	defer stop()
	defer d.server.ServeBridges(ctx, bridges, uid)()
	d.rules.Run()
	accepting := make(chan error, 1)
	go func() { accepting <- d.server.AcceptClients(ctx, l, uid) }()
	var err error
	select {
	case <-d.life.Quit:
		if d.o.Hooks.OnShutdown != nil {
			d.o.Hooks.OnShutdown()
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
	d.turns.Stored.Stop()
	d.rules.PrepareExit()
	d.life.CancelRunning(settings.ErrStopping)
	d.life.StopTimers()
	d.turns.Leave(false)
	if !waitAtMost(d.o.Stop/2, d.turns.Wait) {
		d.turns.Leave(true)
		waitAtMost(d.o.Stop/4, d.turns.Wait)
	}
	d.server.CloseConns()
	d.past.Record()
	waitAtMost(d.o.Stop/4, d.life.Serving.Wait)
	err := d.turns.Close()
	d.post.Outbox.Close()
	d.rules.Close()
	if err != nil {
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

// NewLedger returns the ledger of requests to models and their cost.
func NewLedger(paths config.Paths) *usage.Ledger { return usage.New(paths.Usage(), time.Now) }
