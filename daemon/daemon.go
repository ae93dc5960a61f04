// Package daemon is the program that stays: it serves connections, queues
// messages, runs turns, asks people, and leaves when nobody needs it.
//
// One message's way: [Daemon.ServeConn] reads it, a task is made and queued
// for its channel and session, the queue's worker runs the agent's turn, and
// frames go back to the client that asked. Packages below speak in reason
// codes; here they become sentences.
//
// The package also composes the program ([Wire]): it is the only place that
// knows configuration, models, tools and files at once.
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
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/pairing"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/mcp/use"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/providers/failover"
	"github.com/nidoit/blunux-ai/secret"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/sandbox"
	"github.com/nidoit/blunux-ai/usage"
)

// Runtime is what the configuration decides. A reload makes a new one; turns
// that run keep theirs.
type Runtime struct {
	Agent      *agent.Agent
	Gate       Gate
	Circuits   *failover.Circuits // which providers are left alone for now; may be nil
	Sessions   *session.Store
	Foreign    *use.Servers // other servers' tools; may be nil
	CommandLog *commandlog.Log
	Notes      *Notes
	Lang       i18n.Lang
	// LangChosen says that somebody chose Lang; else it is what the daemon's own
	// surroundings speak, and a client's may be better.
	LangChosen  bool
	Home        string
	ConfigFiles []string
	// Off is the file in which the assistant can be switched on; "" while it is on.
	Off             string
	ApprovalTimeout time.Duration
	// Privilege names how commands get root's rights; nil for nothing to tell.
	Privilege      func(context.Context) string
	SessionTimeout time.Duration    // after which a conversation starts anew
	Redactor       *secret.Redactor // takes keys out of errors; nil for none
	// Automations reports whether rules are followed.
	Automations bool
	// Owners are the person's addresses in channels, Afar the rules for what comes
	// over bridges.
	Owners map[string][]string
	Afar   Afar
	// CredentialHint is where the provider's key belongs.
	CredentialHint string
	// IdleExit is limits.idle_exit.
	IdleExit time.Duration
	// Tariff is what requests cost, Budget what holds them to a limit; nil for
	// none. Shelf is what else could be chosen.
	Tariff catalog.Tariff
	Budget *usage.Budget
	Shelf  Shelf
}

// Gate is what the daemon needs of [tools.Gate] for calls and plans that no
// turn waits for.
type Gate interface {
	Definitions() []providers.ToolDefinition
	// Deliveries are the tools for who can be sent files.
	Deliveries() []providers.ToolDefinition
	Prepare(call tools.Call, session, dir string) (tools.Judged, *tools.Outcome)
	Run(ctx context.Context, j tools.Judged, approver tools.Approver, observe func(tools.Event)) tools.Outcome
	Judge(j tools.Judged) tools.Judged
	JudgeEdit(j tools.Judged, command string) (e tools.Judged, refusal string)
	RunApproved(ctx context.Context, j tools.Judged, digest string, observe func(tools.Event)) tools.Outcome
	Cancel(j tools.Judged, reason string) error
	// Left returns the confirmed commands a former daemon left, Settled lets go
	// of what is kept of a task's.
	Left(ctx context.Context) ([]tools.LeftRun, error)
	Settled(task string) error
}

// redact takes keys out of text, once there is a runtime that knows them.
func (rt *Runtime) redact(text string) string {
	if rt == nil || rt.Redactor == nil {
		return text
	}
	return rt.Redactor.Redact(text)
}

// Options makes a [Daemon].
type Options struct {
	// Build reads the configuration and makes a runtime of it.
	Build   func() (*Runtime, error)
	Home    string // for approvals and the outbox
	Version string
	// IdleExit ends Serve when nobody needed the daemon for so long; 0 never.
	IdleExit time.Duration
	// IdleConfigured lets limits.idle_exit decide instead, also after a reload.
	IdleConfigured bool
	// Rest is called once when no task has run for a little while, to give
	// memory back; nil for nothing.
	Rest func()
	// Stop bounds an orderly shutdown, default 10 s.
	Stop time.Duration
	// Spare reports whether records of reading commands can be kept elsewhere while the
	// disk takes none; nil means that nothing runs then.
	Spare func() error
	// Leaving is called when the daemon begins to end; nil for nothing.
	Leaving func()
	// Turns are the turns that peers may call tools in; nil for none.
	Turns Turns
	// Sandbox is told of by status; nil for none.
	Sandbox *sandbox.Sandbox
	// Ledger is of what models were asked; nil means the one below Home.
	Ledger *usage.Ledger
	Log    zerolog.Logger
	Lang   i18n.Lang // before a configuration could be read
	// LogPlace tells where Log goes; nil for nothing to tell.
	LogPlace func() ipc.LogPlace
	// Automations are what automations need of their surroundings; nil for none.
	Automations *AutomationOptions
	// Courier is given the daemon's own way to send files; nil for none.
	Courier *Courier
	// Bell has a bridge know that something waits for its channel; nil for none.
	Bell func(channel string)
	// Reloaded is told of every reading of the configuration after the first,
	// and why it is not in use; may be nil.
	Reloaded func(error)
}

// Daemon serves connections.
type Daemon struct {
	o         Options
	runtime   atomic.Pointer[Runtime]
	started   time.Time
	queues    *queues
	jobs      *jobs
	tasks     *task.Store
	approvals *approval.Approvals
	outbox    *outbox.Box
	pairings  *pairing.Store
	events    *events
	idle      *idle
	rest      *idle // the same watch, on tasks only and shorter
	usage     tally
	ledger    *usage.Ledger
	lines     *ipc.Budget // of what peers have begun to say
	pace      *pace
	posting   map[string]*sync.Mutex // a channel's messages are taken one by one

	automations *automations // nil for none
	visited     atomic.Bool  // somebody has connected
	replaced    atomic.Bool  // another file lies in the place of the program

	connections connections
	reloading   sync.Mutex

	mu        sync.Mutex
	configErr error
	stopping  bool
	conns     map[*ipc.Conn]struct{}
	asked     map[address]asked // what waits for who writes from afar
	expiry    *time.Timer       // until the next kept approval expires
	damage    damageList        // what cannot be read of our files
	left      []task.Record     // what a former daemon did not end
	recovered sync.Once
	// living ends when the daemon stops, with errStopping as its cause.
	living   context.Context
	die      context.CancelCauseFunc
	serving  sync.WaitGroup
	quit     chan struct{}
	quitOnce sync.Once
}

// maxUnfinished bounds the lines that all peers together have begun and not
// ended, in bytes: sixteen of the longest.
const maxUnfinished = 16 * ipc.MaxLine

// acceptPause is how long nobody is accepted when there are no more files.
const acceptPause = 100 * time.Millisecond

// restAfter is how long after the last task memory is given back.
const restAfter = 2 * time.Second

// shapes is the redactor while there is no runtime that knows keys.
var shapes = sync.OnceValue(func() *secret.Redactor { return secret.NewRedactor(nil) })

// redactor takes secrets out of what is kept.
func (d *Daemon) redactor() *secret.Redactor {
	if rt := d.runtime.Load(); rt != nil && rt.Redactor != nil {
		return rt.Redactor
	}
	return shapes()
}

// New returns a daemon. A configuration that cannot be used does not keep it
// from starting: every message is answered with what is wrong until it is
// mended.
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
		events:    newEvents(), conns: map[*ipc.Conn]struct{}{}, asked: map[address]asked{}, pace: newPace(time.Now), posting: map[string]*sync.Mutex{}, quit: make(chan struct{}),
		lines: ipc.NewBudget(maxUnfinished), ledger: o.Ledger,
	}
	d.tasks.Redact(d.redactor)
	d.approvals.Redact(d.redactor)
	for _, channel := range ipc.Bridged {
		d.posting[channel] = &sync.Mutex{}
	}
	if d.ledger == nil {
		d.ledger = NewLedger(config.Paths{Home: o.Home})
	}
	d.living, d.die = context.WithCancelCause(context.Background())
	d.idle = newIdle(o.IdleExit, d.leave)
	if o.Rest == nil {
		o.Rest = func() {}
	}
	d.rest = newIdle(restAfter, o.Rest)
	left := d.load()
	if o.Automations != nil {
		d.automations = newAutomations(d, *o.Automations)
	}
	_ = d.read() // status and every answer tell what is wrong
	if d.automations != nil {
		d.automations.read()
	}
	if o.Courier != nil {
		o.Courier.d.Store(d)
	}
	d.left = left
	d.recover()
	return d
}

// lang is the daemon's own language.
func (d *Daemon) lang() i18n.Lang {
	if rt := d.runtime.Load(); rt != nil {
		return rt.Lang
	}
	return d.o.Lang
}

// leave makes Serve return.
func (d *Daemon) leave() { d.quitOnce.Do(func() { close(d.quit) }) }

// Serve accepts connections until ctx ends or the daemon is idle, then shuts
// down in order. Only the user's own processes are served.
func (d *Daemon) Serve(ctx context.Context, l net.Listener, uid int, bridges ...Bridge) error {
	stop := context.AfterFunc(ctx, d.leave)
	defer stop()
	defer d.serveBridges(ctx, bridges, uid)()
	if d.automations != nil {
		d.automations.run()
	}
	accepting := make(chan error, 1)
	go func() { accepting <- d.accept(ctx, l, uid, door{seats: maxConns()}) }()
	var err error
	select {
	case <-d.quit:
		if d.o.Leaving != nil {
			d.o.Leaving()
		}
		l.Close()
		<-accepting
	case err = <-accepting:
		l.Close()
	}
	d.Shutdown()
	return err
}

// door is what a listener's connections have in common: how many there may be at
// a time, and whose bridge alone may come in, "" for anybody.
type door struct {
	seats   int
	channel string
}

func (d *Daemon) accept(ctx context.Context, l net.Listener, uid int, door door) error {
	seats := make(chan struct{}, door.seats)
	for waiting := false; ; {
		if !d.seat(seats) {
			return nil
		}
		c, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if short(err) {
			if !waiting {
				d.o.Log.Warn().Err(err).Msg(noSeat)
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

const noSeat = "nobody can be accepted for now"

// seat waits until one more may connect, and reports false when the daemon
// stops before that.
func (d *Daemon) seat(seats chan struct{}) bool {
	select {
	case seats <- struct{}{}:
		return true
	default:
	}
	d.o.Log.Warn().Int("connections", cap(seats)).Msg(noSeat)
	select {
	case seats <- struct{}{}:
		return true
	case <-d.quit:
		return false
	}
}

// workFiles are the files a daemon keeps for its own work, whoever connects.
const workFiles = 256

// maxConns is how many connections there may be at a time, by how many files
// this process may have open. Whoever comes then waits in the listener's queue.
func maxConns() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 2 * workFiles
	}
	return int(min(limit.Cur-min(limit.Cur/2, workFiles), 1<<16))
}

// short reports whether accepting failed for something that comes back once
// others let go of it, accept(2).
func short(err error) bool {
	return slices.ContainsFunc([]error{
		syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED,
	}, func(e error) bool { return errors.Is(err, e) })
}

// Shutdown ends what still lives: messages that wait, and questions that nobody
// has answered, are left to the next daemon; running turns get half of the time
// to finish before they are left too. It returns when everything has ended or
// time is up.
func (d *Daemon) Shutdown() {
	d.mu.Lock()
	d.stopping = true
	if d.expiry != nil {
		d.expiry.Stop()
	}
	d.mu.Unlock()
	if d.automations != nil {
		d.automations.leaving()
	}
	d.die(errStopping)
	d.idle.stop()
	d.rest.stop()
	for _, j := range d.jobs.all() {
		if j.at() != task.Running {
			d.abort(j, errStopping)
		}
	}
	if !within(d.o.Stop/2, d.queues.wait) {
		for _, j := range d.jobs.all() {
			d.abort(j, errStopping)
		}
		within(d.o.Stop/4, d.queues.wait)
	}
	d.mu.Lock()
	for c := range d.conns {
		c.Close()
	}
	d.mu.Unlock()
	within(d.o.Stop/4, d.serving.Wait)
	d.tasks.Close()
	d.approvals.Close()
	d.outbox.Close()
	if d.automations != nil {
		d.automations.ledger.Close()
	}
	if err := d.ledger.Close(); err != nil {
		d.o.Log.Warn().Err(err).Msg("what models cost is not on the disk")
	}
}

// within reports whether wait returned in time.
func within(limit time.Duration, wait func()) bool {
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
