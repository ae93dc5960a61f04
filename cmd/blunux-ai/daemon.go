package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers/failover"
	"github.com/nidoit/blunux-ai/providers/transport"
	"github.com/nidoit/blunux-ai/providers/written"
	"github.com/nidoit/blunux-ai/systemd"
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
		Use:   "daemon",
		Short: "Serve the clients, in the foreground or socket-activated",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.config, _ = cmd.Flags().GetString("blunux-config")
			if !cmd.Flags().Changed("idle-exit") {
				o.idleExit = -1
			}
			return runDaemon(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVar(&o.provider, "provider", "", "the model to use, whatever the configuration says; scripted:FILE follows a script")
	cmd.Flags().StringVar(&o.lang, "lang", "", "language: ko, en, zh")
	cmd.Flags().DurationVar(&o.idleExit, "idle-exit", 0, "exit after so long without a client or a task; 0 never (default: never in the foreground, limits.idle_exit when socket-activated)")
	return cmd
}

// runDaemon serves until it is told to stop or nobody needs it.
func runDaemon(ctx context.Context, o daemonOptions) error {
	refuseNewCode()
	// No file this process was given may reach the commands it starts.
	if err := unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("cannot let go of inherited files: %w", err)
	}
	paths, err := config.FindPaths(os.Getenv)
	if err != nil {
		return err
	}
	events := newEventLog(paths.Logs(), os.Getenv, os.Stderr)
	defer events.Close()
	log := events.Logger
	if err := paths.Ensure(); err != nil {
		log.Warn().Err(err).Msg("nothing can be kept, so no command will run")
	}
	listener, activated, err := listen()
	if err != nil {
		return err
	}
	defer listener.Close()
	release, err := daemon.Hold(ctx, paths.Home)
	if err != nil {
		return err
	}
	defer release()
	confined, end := daemon.NewSandbox(listener.Addr().String(), os.Getenv)
	defer end()
	go confined.Prove()
	claude := daemon.NewClaude(paths, listener.Addr().String(), os.Getenv)
	defer claude.Close()
	foreign := daemon.NewServers(buildVersion(), log)
	defer foreign.Close()
	ledger := daemon.NewLedger(paths)
	finder := daemon.NewFinder(paths, os.Getenv, func(err error) { log.Warn().Str("error", err.Error()).Msg("finding notes") })
	defer finder.Close()
	wiring := daemon.Wiring{
		Claude: claude, Finder: finder, Foreign: foreign, Ledger: ledger, Sandbox: confined, Units: daemon.NewUnits(paths, os.Getenv), Inhibitor: systemd.Inhibitor{},
		Paths: paths, Source: daemon.NewSource(paths, o.config), Getenv: os.Getenv,
		Provider: o.provider, Lang: o.lang, HTTPClient: transport.NewHTTPClient(), Circuits: failover.NewCircuits(time.Now), Written: written.NewMemory(),
		Known: events.Know, Observer: daemon.NewObserver(log),
		WarnSession: func(err error) { log.Warn().Str("error", err.Error()).Msg("a conversation is damaged") },
		Warn:        func(err error) { log.Warn().Str("error", err.Error()).Msg("a file is not used in full") },
	}
	timetable := &daemon.Timetable{}
	wiring.Timetable = timetable
	notifier := systemd.Notifier{}
	files := watchFiles(wiring, log) // before they are read: no change may be missed
	d := daemon.New(daemon.Options{
		Build: wiring.Build, Turns: claude, Ledger: ledger, Sandbox: confined, Home: paths.Home, Version: buildVersion(), Log: log, LogPlace: events.Place,
		IdleExit: idleExit(o.idleExit, activated), IdleConfigured: o.idleExit < 0 && activated, Rest: debug.FreeOSMemory,
		Automations: newAutomations(paths, timetable, log),
		Reloaded:    func(err error) { notifier.Status(reloadStatus(err)) },
		Lang:        i18n.Choose(o.lang, os.Getenv("BLUNUX_AI_LANG"), os.Getenv("LANG")),
	})
	defer files.reload(ctx, d)()
	defer reloadOnHangup(d, notifier)()
	defer keepWatch(notifier)()
	context.AfterFunc(ctx, notifier.Stopping)
	notifier.Ready("serving " + listener.Addr().String())
	log.Info().Str("socket", listener.Addr().String()).Bool("activated", activated).Str("version", buildVersion()).Msg("ready")
	err = d.Serve(ctx, listener, os.Getuid())
	notifier.Stopping()
	log.Info().Msg("stopped")
	return err
}

// listen takes the service manager's socket, or makes one by the same rule
// the clients look for it.
func listen() (l net.Listener, activated bool, err error) {
	given, err := systemd.Listener()
	if err == nil {
		return given, true, nil
	}
	if !errors.Is(err, systemd.ErrNotActivated) {
		return nil, false, err
	}
	locator := ipc.NewLocator()
	path, err := locator.Path()
	if err != nil {
		return nil, false, err
	}
	made, err := locator.Listen(path)
	if errors.Is(err, ipc.ErrInUse) {
		return nil, false, fmt.Errorf("cannot listen on %s: %w; see: blunux-aictl status", path, err)
	}
	if err != nil {
		return nil, false, err
	}
	return made, false, nil
}

// idleExit is when an idle daemon leaves: as the flag says, else never in the
// foreground, else as configured, since the socket unit will start it again;
// until there is a configuration after its usual time.
func idleExit(flag time.Duration, activated bool) time.Duration {
	switch {
	case flag >= 0:
		return flag
	case activated:
		return 10 * time.Minute
	}
	return 0
}

// keepWatch feeds the service manager's watchdog until the function it
// returns is called.
func keepWatch(n systemd.Notifier) (stop func()) {
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
