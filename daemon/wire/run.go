package wire

import (
	"context"
	"errors"
	"math"
	"net"
	"os"
	"slices"
	"time"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/life"
	"github.com/nidoit/blunux-ai/daemon/notes"
	"github.com/nidoit/blunux-ai/daemon/serve"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers/failover"
	"github.com/nidoit/blunux-ai/providers/transport"
	"github.com/nidoit/blunux-ai/providers/written"
	"github.com/nidoit/blunux-ai/systemd"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"
)

// Flags are the daemon's command line.
type Flags struct {
	Version      string
	Provider     string // overrides every file
	Lang         string
	Distribution string // the file of --blunux-config, "" for the default
	// IdleExit is how long the daemon may be idle. It is negative if the flag is not set.
	IdleExit time.Duration
}

// language returns the language for messages outside of a conversation.
func (f Flags) language() i18n.Lang {
	return i18n.Choose(f.Lang, os.Getenv("BLUNUX_AI_LANG"), os.Getenv("LANG"))
}

// Run serves until ctx ends or the daemon has been idle long enough.
func Run(ctx context.Context, f Flags) error {
	refuseNewCode()
	program := ownProgram()
	// Do not pass inherited file descriptors to commands.
	if err := unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return i18n.DaemonInherits(err).WithCause(err)
	}
	paths, err := config.FindPaths(os.Getenv)
	if err != nil {
		return err
	}
	events := newEventLog(paths.Logs(), os.Getenv, os.Stderr)
	defer events.Close()
	log := events.Logger
	if err := paths.Ensure(); err != nil {
		log.Warn().Err(err).Msg("state directory not writable; commands disabled")
	}
	ears, err := listen(log)
	if err != nil {
		return err
	}
	defer ears.close()
	holder, err := lockHome(ctx, paths.Home, log)
	if err != nil {
		serve.Refuse(ears.main, os.Getuid(), err, f.language())
		return err
	}
	defer holder.Release()
	process, end := newProcess(paths, ears.path(), f.Version, log)
	defer end()
	sources := NewSources(paths, f.Distribution)
	sources.Provider, sources.Lang = f.Provider, f.Lang
	files := watchFiles(sources, log) // before they are read, so that no change is missed
	notifier := systemd.Notifier{}
	d := New(Options{
		Build: Builder{
			Sources: sources, Process: process, OnKeys: events.AddSecrets,
			WarnSession: func(err error) { log.Warn().Str("error", err.Error()).Msg("conversation damaged") },
			Warn:        func(err error) { log.Warn().Str("error", err.Error()).Msg("file only partly used") },
		}.Build,
		Home: paths.Home, Version: f.Version, Lang: f.language(), Log: log, Process: process, Machine: newMachine(log),
		Life: life.Options{
			IdleExit: idleExit(f.IdleExit, ears.activated), IdleConfigured: f.IdleExit < 0 && ears.activated, ReleaseMemory: func() { releaseMemory(log) },
		},
		Hooks: Hooks{
			LogPlace: events.Place, OnShutdown: holder.MarkLeaving,
			WakeBridge: func(channel string) { ipc.WakeBridge(ears.path(), channel) },
			OnReload:   func(err error) { notifier.Status(reloadStatus(err, f.language())) },
		},
	})
	defer files.reload(ctx, d)()
	defer d.reloadOnHangup(notifier, f.language())()
	defer watchOwnProgram(ctx, d, program, log)()
	defer feedWatchdog(notifier)()
	context.AfterFunc(ctx, notifier.Stopping)
	notifier.Ready("serving " + ears.path())
	log.Info().Str("socket", ears.path()).Bool("activated", ears.activated).Str("version", f.Version).Msg("ready")
	err = d.Serve(ctx, ears.main, os.Getuid(), ears.bridges...)
	notifier.Stopping()
	log.Info().Msg("stopped")
	return err
}

// newProcess makes the parts of a daemon that serves a socket, and returns a function that ends them.
func newProcess(paths config.Paths, socket, version string, log zerolog.Logger) (p Process, end func()) {
	confined, endSandbox := NewSandbox(socket, os.Getenv)
	go confined.Prove()
	servers, endServers := newServers(version, log)
	fetcher, pages := newFetcher(version, log), newBrowser(os.Getenv, log)
	p = Process{
		HTTPClient: transport.NewHTTPClient(), Claude: NewClaude(paths, socket, os.Getenv), Spare: &commandlog.Journald{}, Sandbox: confined,
		Units: NewUnits(paths, os.Getenv), MCPServers: servers, Web: fetcher, Browser: pages, Inhibitor: systemd.Inhibitor{},
		Finder: newFinder(paths, log),
		Ledger: NewLedger(paths), Observer: newObserver(log), Circuits: failover.NewCircuits(time.Now), Written: written.NewMemory(),
	}
	return p, func() {
		p.Finder.Close()
		endServers()
		fetcher.Close()
		pages.Close()
		p.Claude.Close()
		endSandbox()
	}
}

// newFinder returns the daemon's search of notes.
func newFinder(paths config.Paths, log zerolog.Logger) *notes.Finder {
	return notes.NewFinder(notes.FinderOptions{
		Paths: paths, Getenv: os.Getenv,
		Warn: func(err error) { log.Warn().Str("error", err.Error()).Msg("note index degraded") },
		Log:  func(line string) { log.Warn().Str("line", line).Msg("message of the index program") },
	})
}

// lockHome locks the home directory for this daemon. It logs if it has to wait for another daemon.
func lockHome(ctx context.Context, home string, log zerolog.Logger) (*HomeLock, error) {
	return LockHome(ctx, home, func(pid string) {
		log.Info().Str("pid", pid).Str("home", home).Msg("waiting for another daemon to exit")
	})
}

// sockets holds the sockets that the daemon listens on.
type sockets struct {
	main      net.Listener
	bridges   []serve.Bridge
	activated bool
}

// path returns the path of the main socket.
func (e sockets) path() string { return e.main.Addr().String() }

func (e sockets) close() {
	if e.main != nil {
		e.main.Close()
	}
	for _, b := range e.bridges {
		b.Listener.Close()
	}
}

// listen takes the service manager's sockets, or creates them where clients look for them. The bridges' sockets
// are in the same directory. If one of those cannot be created, the daemon still serves the others.
func listen(log zerolog.Logger) (sockets, error) {
	e, err := activatedSockets(log)
	if err != nil {
		e.close()
		return e, err
	}
	locator := ipc.NewLocator()
	if e.main == nil {
		if e.main, err = ownSocket(locator); err != nil {
			e.close()
			return e, err
		}
	}
	for _, channel := range ipc.Restricted {
		if slices.ContainsFunc(e.bridges, func(b serve.Bridge) bool { return b.Channel == channel }) {
			continue
		}
		l, err := locator.ListenBridge(e.main.Addr().String(), channel)
		if err != nil {
			log.Warn().Err(err).Str("channel", channel).Msg("cannot create bridge socket")
			continue
		}
		e.bridges = append(e.bridges, serve.Bridge{Channel: channel, Listener: l})
	}
	return e, nil
}

// activatedSockets sorts the service manager's sockets by their paths.
func activatedSockets(log zerolog.Logger) (e sockets, err error) {
	all, err := systemd.Listeners()
	if errors.Is(err, systemd.ErrNotActivated) {
		return e, nil
	}
	if err != nil {
		return e, err
	}
	e.activated = true
	for _, l := range all {
		path := l.Addr().String()
		channel, ok := ipc.BridgeOf(path)
		switch {
		case ok:
			e.bridges = append(e.bridges, serve.Bridge{Channel: channel, Listener: l})
		case e.main == nil:
			e.main = l
		default:
			l.Close()
			log.Warn().Str("socket", path).Msg("unknown unit socket ignored")
		}
	}
	return e, nil
}

// ownSocket creates the daemon's socket.
func ownSocket(locator ipc.Locator) (net.Listener, error) {
	path, err := locator.Path()
	if err != nil {
		return nil, err
	}
	made, err := locator.Listen(path)
	if errors.Is(err, ipc.ErrInUse) {
		return nil, i18n.DaemonInUse(path).WithCause(err)
	}
	if err != nil {
		return nil, i18n.DaemonCannotListen(path, err).WithCause(err)
	}
	return made, nil
}

// idleExit returns how long the daemon may be idle before it exits: the flag's value; else 0 (never) in the
// foreground; else the usual 10 minutes until the configuration is read, because the socket unit starts it
// again.
func idleExit(flag time.Duration, activated bool) time.Duration {
	switch {
	case flag >= 0:
		return flag
	case activated:
		return 10 * time.Minute
	}
	return 0
}

// feedWatchdog feeds the service manager's watchdog until stop is called.
func feedWatchdog(n systemd.Notifier) (stop func()) {
	every := n.WatchdogInterval()
	if every == 0 {
		return func() {}
	}
	ticker := time.NewTicker(every)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-ticker.C:
				n.Watchdog()
			case <-done:
				return
			}
		}
	}()
	return func() { ticker.Stop(); close(done) }
}
