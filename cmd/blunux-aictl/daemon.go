package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
)

// activationUnits are the user units that start the daemon's service.
var activationUnits = []string{ipc.SocketUnit, ipc.BridgesUnit, ipc.TimerUnit, ipc.PathUnit}

// daemon returns the commands that turn the daemon on and off.
func (a *app) daemon() *cobra.Command {
	cmd := &cobra.Command{
		Use: "daemon", Short: i18n.CmdDaemon.In(a.lang), Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		a.jsonCommand("start", i18n.CmdDaemonStart, manual.NoArgs, func(in invocation) error {
			if err := a.startDaemon(in.Context()); err != nil {
				return err
			}
			return a.reportDaemon(in, "started", i18n.DaemonStarted)
		}),
		a.jsonCommand("stop", i18n.CmdDaemonStop, manual.NoArgs, func(in invocation) error {
			if err := a.stopDaemon(in.Context()); err != nil {
				return err
			}
			return a.reportDaemon(in, "stopped", i18n.DaemonStopped)
		}),
		a.jsonCommand("restart", i18n.CmdDaemonRestart, manual.NoArgs, func(in invocation) error {
			if err := a.restartDaemon(in.Context()); err != nil {
				return err
			}
			return a.reportDaemon(in, "started", i18n.DaemonStarted)
		}),
		a.jsonCommand("status", i18n.CmdDaemonStatus, manual.NoArgs, func(in invocation) error {
			return a.showStatus(in, true)
		}),
	)
	return cmd
}

func (a *app) reportDaemon(in invocation, state string, text i18n.Text) error {
	if in.json {
		return printJSON(a.out, map[string]string{"state": state})
	}
	fmt.Fprintln(a.out, text.In(a.lang))
	return nil
}

// startDaemon makes the service manager start the daemon whenever it is needed, and starts it. Without units it starts
// the daemon's process.
func (a *app) startDaemon(ctx context.Context) error {
	d := ipc.NewDialer()
	if d.UsesUnits() {
		if err := a.runErrand(ctx, append([]string{"systemctl", "--user", "--quiet", "enable", "--now"}, activationUnits...)); err != nil {
			return err
		}
	}
	_, err := a.askStatus(ctx, false)
	return err
}

// stopDaemon stops the daemon and the units that would start it again. The service manager lets it finish what cannot
// be interrupted; what waits is on the disk.
func (a *app) stopDaemon(ctx context.Context) error {
	if !ipc.NewDialer().UsesUnits() {
		return a.stopProcess(ctx)
	}
	if err := a.runErrand(ctx, append([]string{"systemctl", "--user", "--quiet", "disable", "--now"}, activationUnits...)); err != nil {
		return err
	}
	if err := a.runErrand(ctx, []string{"systemctl", "--user", "stop", ipc.ServiceUnit}); err != nil {
		return err
	}
	return a.stopProcess(ctx) // one that was started without the units
}

// restartDaemon replaces a running daemon, or starts one.
func (a *app) restartDaemon(ctx context.Context) error {
	if !ipc.NewDialer().UsesUnits() {
		if err := a.stopProcess(ctx); err != nil {
			return err
		}
		return a.startDaemon(ctx)
	}
	return a.runErrand(ctx, []string{"systemctl", "--user", "restart", ipc.ServiceUnit})
}

// stopProcess asks a running daemon to stop and waits for its end.
func (a *app) stopProcess(ctx context.Context) error {
	d := ipc.NewDialer()
	d.NoStart = true
	c, err := a.connectWith(ctx, d, ipc.Hello{})
	var none *ipc.UnreachableError
	if errors.As(err, &none) {
		return nil
	}
	if err != nil {
		return err
	}
	defer c.Close()
	var s ipc.Status
	if err := c.Query(ctx, ipc.Query{What: "status"}, &s); err != nil {
		return err
	}
	process, err := unix.PidfdOpen(s.PID, 0)
	if err != nil {
		return fmt.Errorf("cannot watch the background service: %w", err)
	}
	defer unix.Close(process)
	if _, err := c.Request(ctx, ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionStop}, nil); err != nil {
		return err
	}
	return awaitEnd(ctx, process)
}

// stopTimeout is longer than the daemon takes to stop (20 s in its unit).
const stopTimeout = 30 * time.Second

// awaitEnd waits until a process has ended.
func awaitEnd(ctx context.Context, process int) error {
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	for ctx.Err() == nil {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(process), Events: unix.POLLIN}}, 100)
		if n > 0 {
			return nil
		}
		if err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("cannot wait for the background service: %w", err)
		}
	}
	return ctx.Err()
}
