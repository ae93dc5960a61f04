// Command blunux-fleet-bridge connects this computer's daemon with its fleet. Without a command it runs until it is
// stopped.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	sd "github.com/coreos/go-systemd/v22/daemon"
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/fleet"
	"github.com/nidoit/blunux-ai/fleet/bridge"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
)

// version is set by the build: -ldflags "-X main.version=1.2.3".
var version = ""

// exitPerson keeps the unit from starting the bridge again: the person has to join a fleet first.
const exitPerson = 78

// program is one run.
type program struct {
	lang i18n.Lang
	in   io.Reader
	out  io.Writer
	dir  string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	p := &program{lang: i18n.CommandLineLang(os.Args[1:], os.Getenv), in: os.Stdin, out: os.Stdout}
	root := p.root()
	guide := manual.Guide{Lang: p.lang, Args: os.Args[1:]}
	guide.AddHelp(root)
	paths, err := config.FindPaths(os.Getenv)
	var cmd *cobra.Command
	if err == nil {
		p.dir = filepath.Join(paths.Home, ipc.FleetChannel)
		cmd, err = root.ExecuteContextC(ctx)
	}
	switch {
	case err == nil:
	case errors.Is(err, bridge.ErrNoFleet):
		fmt.Fprintln(os.Stderr, i18n.FleetOutside.In(p.lang))
		os.Exit(exitPerson)
	case manual.IsUsageError(err):
		fmt.Fprintln(os.Stderr, ipc.Clean(guide.ExplainMistake(cmd, err)))
		os.Exit(2)
	case ctx.Err() != nil:
		os.Exit(130)
	default:
		fmt.Fprintln(os.Stderr, ipc.Clean(p.explain(err)))
		os.Exit(1)
	}
}

// explain returns an error in words for people.
func (p *program) explain(err error) string {
	var reach *fleet.ReachError
	var unusable *config.PolicyError
	switch {
	case errors.Is(err, fleet.ErrRunning):
		return i18n.FleetErrorRuns.In(p.lang)
	case errors.Is(err, bridge.ErrMember):
		return i18n.FleetErrorMember.In(p.lang)
	case errors.Is(err, fleet.ErrServer):
		return i18n.FleetErrorCertificate.In(p.lang)
	case errors.As(err, &reach):
		return i18n.FleetErrorReach(reach.Address, reach.Err).In(p.lang)
	case errors.As(err, &unusable):
		return i18n.FleetErrorPolicy(unusable.Err).In(p.lang)
	}
	return i18n.Cause(err, p.lang)
}

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use: "blunux-fleet-bridge", Short: i18n.CmdFleetBridge.In(p.lang), Version: version, SilenceErrors: true, SilenceUsage: true,
		Args: manual.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return p.run(cmd.Context()) },
	}
	root.PersistentFlags().String("lang", "", i18n.FlagLang.In(p.lang))
	root.SetOut(p.out)
	command := func(use string, short i18n.Text, args cobra.PositionalArgs, run func(ctx context.Context, args []string) error) {
		root.AddCommand(
			&cobra.Command{
				Use:   use,
				Short: short.In(p.lang),
				Args:  args,
				RunE: func(cmd *cobra.Command, args []string) error {
					return run(cmd.Context(), args)
				},
			},
		)
	}
	command("join HOST:PORT", i18n.CmdFleetBridgeJoin, manual.OneArg, p.join)
	command("status", i18n.CmdFleetBridgeStatus, manual.NoArgs, p.status)
	command("not-now DURATION", i18n.CmdFleetBridgeNotNow, manual.OneArg, p.notNow)
	command("leave", i18n.CmdFleetBridgeLeave, manual.NoArgs, p.leave)
	return root
}

func (p *program) run(ctx context.Context) error {
	dialer := ipc.NewDialer()
	dialer.Channel = ipc.FleetChannel
	link := ipc.NewLink(dialer, ipc.Hello{
		Client: "blunux-fleet-bridge/" + version, Channel: ipc.FleetChannel, Caps: []string{ipc.CapAsk}, Locale: string(p.lang),
	})
	link.IdleTimeout = -1 // its connection keeps no daemon running
	_, _ = sd.SdNotify(false, sd.SdNotifyReady)
	return bridge.Run(ctx, bridge.Options{
		Dir: p.dir, Link: link, Policy: config.PolicyPath(os.Getenv), Version: version, Now: time.Now,
		Log: zerolog.New(zerolog.ConsoleWriter{Out: os.Stderr, NoColor: true}).With().Timestamp().Logger(),
	})
}

func (p *program) join(ctx context.Context, args []string) error {
	pairing, err := bridge.Pair(ctx, p.dir, args[0], bridge.Host())
	if err != nil {
		return err
	}
	defer pairing.Close()
	fmt.Fprintln(p.out, i18n.FleetCode(pairing.Code).In(p.lang))
	m, err := pairing.Wait(ctx)
	if err != nil {
		return err
	}
	fmt.Fprint(p.out, i18n.FleetSameCode(pairing.Code, m.String()).In(p.lang))
	line, _ := bufio.NewReader(p.in).ReadString('\n') // the end of the input is no yes
	if i18n.ParseAnswer(line) != i18n.Yes {
		fmt.Fprintln(p.out, i18n.FleetNotJoined.In(p.lang))
		return nil
	}
	if err := pairing.Join(time.Now()); err != nil {
		return err
	}
	fmt.Fprintln(p.out, i18n.FleetJoined(m.String()).In(p.lang))
	return nil
}

func (p *program) status(context.Context, []string) error {
	m, err := bridge.ReadMembership(p.dir)
	if err != nil {
		return err
	}
	allowed, err := config.ReadPolicy(config.PolicyPath(os.Getenv), config.Root)
	if err != nil {
		return err
	}
	approve := strings.Join(allowed.Approve, " ")
	if approve == "" {
		approve = i18n.FleetApproveNothing.In(p.lang)
	}
	fmt.Fprintln(
		p.out,
		i18n.FleetStatus(m.Machine.String(), m.Address, m.Joined.Local().Format(time.DateTime), approve).In(p.lang),
	)
	if time.Now().Before(m.NotBefore) {
		fmt.Fprintln(p.out, i18n.FleetPostponed(m.NotBefore.Local().Format("15:04")).In(p.lang))
	}
	return nil
}

func (p *program) notNow(_ context.Context, args []string) error {
	var until time.Time
	text := i18n.FleetOpen
	if args[0] != "off" {
		d, err := time.ParseDuration(args[0])
		if err != nil || d <= 0 || d > 7*24*time.Hour {
			return manual.NewUsageError(i18n.CmdFleetBridgeNotNow.In(p.lang))
		}
		until = time.Now().Add(d)
		text = i18n.FleetPostponed(until.Format("15:04"))
	}
	if err := bridge.NotNow(p.dir, until); err != nil {
		return err
	}
	fmt.Fprintln(p.out, text.In(p.lang))
	return nil
}

func (p *program) leave(context.Context, []string) error {
	if err := bridge.Leave(p.dir); err != nil {
		return err
	}
	fmt.Fprintln(p.out, i18n.FleetLeft.In(p.lang))
	return nil
}
