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
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/agent/usage"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/pairing"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/providers/failover"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/mcpclient"
	"github.com/nidoit/blunux-ai/tools/sandbox"
)

// Runtime holds everything that depends on the configuration. A reload creates a new one. Running turns keep
// theirs.
type Runtime struct {
	Agent      *agent.Agent
	Gate       Gate
	Circuits   *failover.Circuits // paused providers, may be nil
	Sessions   *session.Store
	MCPServers *mcpclient.Servers // other servers' tools; may be nil
	CommandLog *commandlog.Log
	Notes      *Notes
	Lang       i18n.Lang
	// LangChosen reports that Lang was configured. Otherwise it is the daemon's locale, and a client's locale
	// takes precedence.
	LangChosen  bool
	Home        string
	ConfigFiles []string
	// DisabledIn is the file in which the assistant can be switched on, "" while it is on.
	DisabledIn      string
	ApprovalTimeout time.Duration
	// Privilege describes how commands get root rights. It may be nil.
	Privilege      func(context.Context) string
	SessionTimeout time.Duration    // idle time after which a new conversation starts
	Redactor       *secret.Redactor // removes keys from errors, may be nil
	// Automations reports whether automations are enabled.
	Automations bool
	// Owners holds the owner's addresses by channel, Remote the rules for messages over bridges.
	Owners map[string][]string
	Remote RemotePolicy
	// CredentialHint is the file for the provider's key.
	CredentialHint string
	// IdleExit is limits.idle_exit.
	IdleExit time.Duration
	// Tariff holds the prices of requests, Budget their limit (nil for none), Shelf the models that can be chosen.
	Tariff catalog.Tariff
	Budget *usage.Budget
	Models ModelRegistry
}

// Gate is the part of [tools.Gate] that the daemon uses for calls and plans outside a turn.
type Gate interface {
	Definitions() []providers.ToolDefinition
	// SendTools returns the tools for senders who can receive files.
	SendTools() []providers.ToolDefinition
	Prepare(call tools.Call, session, dir string) (tools.JudgedPlan, *tools.Outcome)
	Run(ctx context.Context, j tools.JudgedPlan, approver tools.Approver, observe func(tools.Event)) tools.Outcome
	Judge(j tools.JudgedPlan) tools.JudgedPlan
	JudgeEdit(j tools.JudgedPlan, command string) (e tools.JudgedPlan, refusal string)
	RunApproved(ctx context.Context, j tools.JudgedPlan, digest string, observe func(tools.Event)) tools.Outcome
	Cancel(j tools.JudgedPlan, reason string) error
	// UnfinishedRuns returns the confirmed commands that an earlier daemon started. ReleaseRuns deletes the spooled output of a
	// task's commands.
	UnfinishedRuns(ctx context.Context) ([]tools.UnfinishedRun, error)
	ReleaseRuns(task string) error
}

// redact removes keys from text, if the runtime has a redactor.
func (rt *Runtime) redact(text string) string {
	if rt == nil || rt.Redactor == nil {
		return text
	}
	return rt.Redactor.Redact(text)
}

// Options makes a [Daemon].
type Options struct {
	// Build reads the configuration and creates a runtime.
	Build   func() (*Runtime, error)
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
	Turns Turns
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

// Daemon serves connections.
type Daemon struct {
	o            Options
	runtime      atomic.Pointer[Runtime]
	started      time.Time
	queues       *queues
	jobs         *jobs
	tasks        *task.Store
	approvals    *approval.Approvals
	outbox       *outbox.Box
	pairings     *pairing.Store
	events       *events
	idle         *idleTimer
	releaseTimer *idleTimer // like idle, for tasks only and with a shorter limit
	usage        tokenCounter
	ledger       *usage.Ledger
	lineBudget   *ipc.Budget // for incomplete lines of all peers
	limiter      *rateLimiter
	channelLocks map[string]*sync.Mutex // serializes the messages of each channel

	automations *automations // nil if disabled
	visited     atomic.Bool  // a client has connected
	replaced    atomic.Bool  // the program's file was replaced

	connections connections
	reloading   sync.Mutex

	mu            sync.Mutex
	configErr     error
	stopping      bool
	conns         map[*ipc.Conn]struct{}
	openQuestions map[address]pendingQuestion // open questions by remote sender
	expiry        *time.Timer                 // fires when the next stored approval expires
	damage        damageList                  // damage found in state files
	leftTasks     []task.Record               // unfinished tasks of earlier daemons
	recovered     sync.Once
	// runCtx ends when the daemon stops, with errStopping as its cause.
	runCtx        context.Context
	cancelRunning context.CancelCauseFunc
	serving       sync.WaitGroup
	quit          chan struct{}
	quitOnce      sync.Once
}

// maxUnfinished bounds the incomplete lines of all peers together, in bytes: sixteen of the longest.
const maxUnfinished = 16 * ipc.MaxLine

// acceptPause is how long accepting pauses when file descriptors run out.
const acceptPause = 100 * time.Millisecond

// releaseAfter is how long after the last task memory is released.
const releaseAfter = 2 * time.Second

// defaultRedactor is the redactor without known keys, for the time before there is a runtime.
var defaultRedactor = sync.OnceValue(func() *secret.Redactor { return secret.NewRedactor(nil) })

// redactor returns the redactor for stored text.
func (d *Daemon) redactor() *secret.Redactor {
	if rt := d.runtime.Load(); rt != nil && rt.Redactor != nil {
		return rt.Redactor
	}
	return defaultRedactor()
}

// New returns a daemon. It starts even if the configuration cannot be used: every message is then answered with
// the error until it is fixed.
func New(o Options) *Daemon {
	if o.Stop == 0 {
		o.Stop = 10 * time.Second
	}
	d := &Daemon{
		o: o, started: time.Now(),
		queues: newQueues(), jobs: newJobs(), tasks: task.New(joinHome(o.Home, "tasks/tasks.jsonl"), time.Now),
		approvals: approval.New(joinHome(o.Home, "approvals"), time.Now),
		pairings:  pairing.New(joinHome(o.Home, "pairing.json"), time.Now),
		outbox:    outbox.New(joinHome(o.Home, "outbox/notifications.jsonl"), time.Now),
		events:    newEvents(), conns: map[*ipc.Conn]struct{}{}, openQuestions: map[address]pendingQuestion{}, limiter: newRateLimiter(time.Now), channelLocks: map[string]*sync.Mutex{}, quit: make(chan struct{}),
		lineBudget: ipc.NewBudget(maxUnfinished), ledger: o.Ledger,
	}
	d.tasks.SetRedactor(d.redactor)
	d.approvals.SetRedactor(d.redactor)
	for _, channel := range ipc.Bridged {
		d.channelLocks[channel] = &sync.Mutex{}
	}
	if d.ledger == nil {
		d.ledger = NewLedger(config.Paths{Home: o.Home})
	}
	d.runCtx, d.cancelRunning = context.WithCancelCause(context.Background())
	d.idle = newIdleTimer(o.IdleExit, d.requestStop)
	if o.ReleaseMemory == nil {
		o.ReleaseMemory = func() {}
	}
	d.releaseTimer = newIdleTimer(releaseAfter, o.ReleaseMemory)
	left := d.loadState()
	if o.Automations != nil {
		d.automations = newAutomations(d, *o.Automations)
	}
	_ = d.buildRuntime() // status and every answer report the error
	if d.automations != nil {
		d.automations.loadRules()
	}
	if o.FileSender != nil {
		o.FileSender.d.Store(d)
	}
	d.leftTasks = left
	d.resumeTasks()
	return d
}

// lang returns the daemon's own language.
func (d *Daemon) lang() i18n.Lang {
	if rt := d.runtime.Load(); rt != nil {
		return rt.Lang
	}
	return d.o.Lang
}

// requestStop makes Serve return.
func (d *Daemon) requestStop() { d.quitOnce.Do(func() { close(d.quit) }) }

// Serve accepts connections until ctx ends or the daemon is idle, then shuts down in order. Only processes of the
// user are served.
func (d *Daemon) Serve(ctx context.Context, l net.Listener, uid int, bridges ...Bridge) error {
	stop := context.AfterFunc(ctx, d.requestStop)
	defer stop()
	defer d.serveBridges(ctx, bridges, uid)()
	if d.automations != nil {
		d.automations.run()
	}
	accepting := make(chan error, 1)
	go func() { accepting <- d.accept(ctx, l, uid, listenerLimits{maxConns: maxConns()}) }()
	var err error
	select {
	case <-d.quit:
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

// listenerLimits describes a listener: the maximum number of its connections, and the channel of its bridge (""
// for any client).
type listenerLimits struct {
	maxConns int
	channel  string
}

func (d *Daemon) accept(ctx context.Context, l net.Listener, uid int, door listenerLimits) error {
	seats := make(chan struct{}, door.maxConns)
	for waiting := false; ; {
		if !d.acquireSlot(seats) {
			return nil
		}
		c, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if isTemporary(err) {
			if !waiting {
				d.o.Log.Warn().Err(err).Msg(msgNoSlots)
			}
			waiting = true
			time.Sleep(acceptPause)
			<-seats
			continue
		}
		waiting = false
		if err != nil {
			return fmt.Errorf("cannot accept connections: %w", err)
		}
		uc, ok := c.(*net.UnixConn)
		if !ok {
			c.Close()
			<-seats
			continue
		}
		peer, err := ipc.PeerOf(uc)
		if err != nil || peer.UID != uid {
			d.o.Log.Warn().Err(err).Int("uid", peer.UID).Msg("connection of another user refused")
			uc.Close()
			<-seats
			continue
		}
		d.serving.Go(func() {
			defer func() { <-seats }()
			d.serve(context.WithoutCancel(ctx), uc, peer, door.channel)
		})
	}
}

const msgNoSlots = "no free connections"

// acquireSlot waits for a free connection slot. It reports false if the daemon stops first.
func (d *Daemon) acquireSlot(seats chan struct{}) bool {
	select {
	case seats <- struct{}{}:
		return true
	default:
	}
	d.o.Log.Warn().Int("connections", cap(seats)).Msg(msgNoSlots)
	select {
	case seats <- struct{}{}:
		return true
	case <-d.quit:
		return false
	}
}

// workFiles is how many file descriptors are reserved for the daemon itself.
const workFiles = 256

// maxConns returns the maximum number of connections, by this process's limit of open files. Further clients wait
// in the listener's backlog.
func maxConns() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 2 * workFiles
	}
	return int(min(limit.Cur-min(limit.Cur/2, workFiles), 1<<16))
}

// isTemporary reports whether accepting failed because of a temporary lack of resources, accept(2).
func isTemporary(err error) bool {
	return slices.ContainsFunc([]error{
		syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED,
	}, func(e error) bool { return errors.Is(err, e) })
}

// Shutdown ends everything that still runs. Waiting messages and open questions are left to the next daemon.
// Running turns get half of the time to finish before they are left too. It returns when everything has ended or
// time is up.
func (d *Daemon) Shutdown() {
	d.mu.Lock()
	d.stopping = true
	if d.expiry != nil {
		d.expiry.Stop()
	}
	d.mu.Unlock()
	if d.automations != nil {
		d.automations.prepareExit()
	}
	d.cancelRunning(errStopping)
	d.idle.stop()
	d.releaseTimer.stop()
	for _, j := range d.jobs.all() {
		if j.currentState() != task.Running {
			d.abort(j, errStopping)
		}
	}
	if !waitAtMost(d.o.Stop/2, d.queues.wait) {
		for _, j := range d.jobs.all() {
			d.abort(j, errStopping)
		}
		waitAtMost(d.o.Stop/4, d.queues.wait)
	}
	d.mu.Lock()
	for c := range d.conns {
		c.Close()
	}
	d.mu.Unlock()
	waitAtMost(d.o.Stop/4, d.serving.Wait)
	d.tasks.Close()
	d.approvals.Close()
	d.outbox.Close()
	if d.automations != nil {
		d.automations.ledger.Close()
	}
	if err := d.ledger.Close(); err != nil {
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
