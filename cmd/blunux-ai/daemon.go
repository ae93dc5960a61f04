package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/rs/zerolog"
	"github.com/rs/zerolog/journald"
	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers/transport"
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
	log := newLog()
	if err := paths.Ensure(); err != nil {
		log.Warn().Err(err).Msg("nothing can be kept, so no command will run")
	}
	listener, activated, err := listen()
	if err != nil {
		return err
	}
	confined, release := daemon.NewSandbox(listener.Addr().String(), os.Getenv)
	defer release()
	go confined.Prove()
	wiring := daemon.Wiring{
		Sandbox: confined, Units: daemon.NewUnits(paths, os.Getenv), Inhibitor: systemd.Inhibitor{},
		Paths: paths, Source: daemon.NewSource(paths, o.config), Getenv: os.Getenv,
		Provider: o.provider, Lang: o.lang, HTTPClient: transport.NewHTTPClient(),
		Warn: func(err error) {
			log.Warn().Str("error", err.Error()).Msg("a line of the offline engine's own words cannot be used; blunux-ai doctor --offline lists all")
		},
	}
	d := daemon.New(daemon.Options{
		Build: wiring.Build, Sandbox: confined, Home: paths.Home, Version: buildVersion(), Log: log,
		IdleExit: idleExit(o.idleExit, activated, wiring), Rest: debug.FreeOSMemory,
		Lang: i18n.Choose(o.lang, os.Getenv("BLUNUX_AI_LANG"), os.Getenv("LANG")),
	})
	notifier := systemd.Notifier{}
	defer reloadOnHangup(d, notifier, log)()
	defer keepWatch(notifier)()
	context.AfterFunc(ctx, notifier.Stopping)
	notifier.Ready("serving " + listener.Addr().String())
	log.Info().Str("socket", listener.Addr().String()).Bool("activated", activated).Msg("ready")
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

// idleExit decides when an idle daemon leaves: as the flag says, else never
// in the foreground, else as configured, since the socket unit will start it
// again.
func idleExit(flag time.Duration, activated bool, w daemon.Wiring) time.Duration {
	if flag >= 0 {
		return flag
	}
	if !activated {
		return 0
	}
	cfg, err := config.Load(w.Source)
	if err != nil {
		return 10 * time.Minute
	}
	return cfg.Limits.IdleExitDuration()
}

// newLog writes to the journal with fields under systemd, else warnings to
// standard error. BLUNUX_AI_LOG sets the level.
func newLog() zerolog.Logger {
	level := zerolog.WarnLevel
	var w io.Writer = zerolog.ConsoleWriter{Out: os.Stderr, NoColor: true, TimeFormat: time.RFC3339}
	if os.Getenv("JOURNAL_STREAM") != "" {
		level, w = zerolog.InfoLevel, journald.NewJournalDWriter()
	}
	if l, err := zerolog.ParseLevel(os.Getenv("BLUNUX_AI_LOG")); err == nil && os.Getenv("BLUNUX_AI_LOG") != "" {
		level = l
	}
	return zerolog.New(w).Level(level).With().Timestamp().Logger()
}

// reloadOnHangup reads the configuration again at every SIGHUP, until the
// function it returns is called.
func reloadOnHangup(d *daemon.Daemon, n systemd.Notifier, log zerolog.Logger) (stop func()) {
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
			status := "configuration read again"
			if err := d.Reload(); err != nil {
				log.Error().Err(err).Msg("the last good configuration stays")
				status = "configuration not changed: " + err.Error()
			}
			n.Ready(status)
		}
	}()
	return func() { signal.Stop(hangup); close(done) }
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
