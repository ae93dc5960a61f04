package main

import (
	"context"
	"errors"
	"math"
	"net"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon"
	"github.com/nidoit/blunux-ai/daemon/notes"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers/failover"
	"github.com/nidoit/blunux-ai/providers/transport"
	"github.com/nidoit/blunux-ai/providers/written"
	"github.com/nidoit/blunux-ai/systemd"
	"github.com/nidoit/blunux-ai/tools/commandlog"
)

type daemonOptions struct {
	provider string
	lang     string
	idleExit time.Duration
	config   string
}

func newDaemon() *cobra.Command {
	var o daemonOptions
	cmd := &cobra.Command{
		Use:  "daemon",
		Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.config, _ = cmd.Flags().GetString("blunux-config")
			if !cmd.Flags().Changed("idle-exit") {
				o.idleExit = -1
			}
			return runDaemon(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVar(&o.provider, "provider", "", "")
	cmd.Flags().StringVar(&o.lang, "lang", "", "")
	cmd.Flags().DurationVar(&o.idleExit, "idle-exit", 0, "")
	return cmd
}

// runDaemon serves until it is stopped or has been idle long enough.
func runDaemon(ctx context.Context, o daemonOptions) error {
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
	listener, activated := ears.main, ears.activated
	holder, err := lockHome(ctx, paths.Home, log)
	if err != nil {
		daemon.Refuse(listener, os.Getuid(), err, language(o))
		return err
	}
	defer holder.Release()
	confined, end := daemon.NewSandbox(listener.Addr().String(), os.Getenv)
	defer end()
	go confined.Prove()
	claude := daemon.NewClaude(paths, listener.Addr().String(), os.Getenv)
	defer claude.Close()
	foreign := daemon.NewServers(buildVersion(), log)
	defer foreign.Close()
	ledger := daemon.NewLedger(paths)
	finder := notes.NewFinder(paths, os.Getenv, func(err error) { log.Warn().Str("error", err.Error()).Msg("note index degraded") })
	defer finder.Close()
	spare, timetable, courier := &commandlog.Journald{}, &daemon.Timetable{}, &daemon.FileSender{}
	wiring := daemon.Wiring{
		Spare: spare, Timetable: timetable, FileSender: courier,
		Claude: claude, Finder: finder, MCPServers: foreign, Ledger: ledger, Sandbox: confined, Units: daemon.NewUnits(paths, os.Getenv), Inhibitor: systemd.Inhibitor{},
		Paths: paths, Source: daemon.NewSource(paths, o.config), Getenv: os.Getenv,
		Provider: o.provider, Lang: o.lang, HTTPClient: transport.NewHTTPClient(), Circuits: failover.NewCircuits(time.Now), Written: written.NewMemory(),
		OnKeys: events.AddSecrets, Observer: daemon.NewObserver(log),
		WarnSession: func(err error) { log.Warn().Str("error", err.Error()).Msg("conversation damaged") },
		Warn:        func(err error) { log.Warn().Str("error", err.Error()).Msg("file only partly used") },
	}
	notifier := systemd.Notifier{}
	files := watchFiles(wiring, log) // before they are read, so that no change is missed
	d := daemon.New(daemon.Options{
		SpareReady: spare.Ready, OnShutdown: holder.MarkLeaving,
		Build: wiring.Build, Turns: claude, Ledger: ledger, Sandbox: confined, Home: paths.Home, Version: buildVersion(), Log: log, LogPlace: events.Place,
		IdleExit: idleExit(o.idleExit, activated), IdleConfigured: o.idleExit < 0 && activated, ReleaseMemory: debug.FreeOSMemory,
		Automations: newAutomations(paths, timetable, log), FileSender: courier, WakeBridge: func(channel string) { ipc.WakeBridge(listener.Addr().String(), channel) },
		OnReload: func(err error) { notifier.Status(reloadStatus(err)) },
		Lang:     language(o),
	})
	defer files.reload(ctx, d)()
	defer reloadOnHangup(d, notifier)()
	defer watchOwnProgram(ctx, d, program, log)()
	defer feedWatchdog(notifier)()
	context.AfterFunc(ctx, notifier.Stopping)
	notifier.Ready("serving " + listener.Addr().String())
	log.Info().Str("socket", listener.Addr().String()).Bool("activated", activated).Str("version", buildVersion()).Msg("ready")
	err = d.Serve(ctx, listener, os.Getuid(), ears.bridges...)
	notifier.Stopping()
	log.Info().Msg("stopped")
	return err
}

// language returns the language for messages outside of a conversation.
func language(o daemonOptions) i18n.Lang {
	return i18n.Choose(o.lang, os.Getenv("BLUNUX_AI_LANG"), os.Getenv("LANG"))
}

// lockHome locks the home directory for this daemon. It logs if it has to wait for another daemon.
func lockHome(ctx context.Context, home string, log zerolog.Logger) (*daemon.HomeLock, error) {
	return daemon.LockHome(ctx, home, func(pid string) {
		log.Info().Str("pid", pid).Str("home", home).Msg("waiting for another daemon to exit")
	})
}

// sockets holds the sockets that the daemon listens on.
type sockets struct {
	main      net.Listener
	bridges   []daemon.Bridge
	activated bool
}

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
	for _, channel := range ipc.Bridged {
		if slices.ContainsFunc(e.bridges, func(b daemon.Bridge) bool { return b.Channel == channel }) {
			continue
		}
		l, err := locator.ListenBridge(e.main.Addr().String(), channel)
		if err != nil {
			log.Warn().Err(err).Str("channel", channel).Msg("cannot create bridge socket")
			continue
		}
		e.bridges = append(e.bridges, daemon.Bridge{Channel: channel, Listener: l})
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
			e.bridges = append(e.bridges, daemon.Bridge{Channel: channel, Listener: l})
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
