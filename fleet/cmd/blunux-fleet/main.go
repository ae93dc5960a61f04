// Command blunux-fleet is the server and the console of a fleet: it asks many computers, shows equal answers once, and
// signs decisions about what waits there. It runs nothing on a computer: each one's daemon decides.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/google/renameio/v2"
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/fleet"
	"github.com/nidoit/blunux-ai/fleet/console"
	"github.com/nidoit/blunux-ai/fleet/server"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
)

// version is set by the build: -ldflags "-X main.version=1.2.3".
var version = ""

// program is one run.
type program struct {
	lang i18n.Lang
	out  io.Writer
	dir  string // state of the server, and the console's key
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	p := &program{lang: i18n.CommandLineLang(os.Args[1:], os.Getenv), out: os.Stdout, dir: stateDir(os.Getenv)}
	root := p.root()
	guide := manual.Guide{Lang: p.lang, Args: os.Args[1:]}
	guide.AddHelp(root)
	cmd, err := root.ExecuteContextC(ctx)
	switch {
	case err == nil:
	case manual.IsUsageError(err):
		fmt.Fprintln(os.Stderr, ipc.Clean(guide.ExplainMistake(cmd, err)))
		os.Exit(2)
	case errors.Is(ctx.Err(), context.Canceled) && cmd.Name() != "serve":
		os.Exit(130)
	default:
		fmt.Fprintln(os.Stderr, ipc.Clean(p.explain(err)))
		os.Exit(1)
	}
}

// explain returns an error in words for people.
func (p *program) explain(err error) string {
	var reach *fleet.ReachError
	var stopped *console.StoppedError
	for known, text := range map[error]i18n.Text{
		fleet.ErrRunning: i18n.FleetErrorRuns, errNoServer: i18n.FleetErrorServer, server.ErrCode: i18n.FleetErrorCode, server.ErrTaken: i18n.FleetErrorTaken,
		server.ErrPlace: i18n.FleetErrorPlace, server.ErrNoLeaves: i18n.FleetErrorLeaves, server.ErrNoHub: i18n.FleetErrorNoHub,
		server.ErrHub:     i18n.FleetErrorHub(p.leafDir()),
		server.ErrUnknown: i18n.FleetErrorUnknown, console.ErrFull: i18n.FleetErrorFull, fleet.ErrServer: i18n.FleetErrorCertificate,
	} {
		if errors.Is(err, known) {
			return text.In(p.lang)
		}
	}
	switch {
	case errors.As(err, &reach):
		return i18n.FleetErrorReach(reach.Address, reach.Err).In(p.lang) + "\n" + i18n.FleetErrorServer.In(p.lang)
	case errors.As(err, &stopped):
		return i18n.FleetErrorStopped(stopped.Machine.String(), p.result(stopped.Reason), stopped.Left).In(p.lang)
	}
	return i18n.Cause(err, p.lang)
}

// result returns how a machine ended, in words.
func (p *program) result(code string) string {
	if text, ok := i18n.FleetResults()[code]; ok {
		return text.In(p.lang)
	}
	return ipc.VisibleLine(code)
}

// errNoServer reports that no server of this user has run.
var errNoServer = errors.New("there is no server")

// stateDir returns $BLUNUX_FLEET_DIR, else blunux-fleet in the user's state directory.
func stateDir(getenv func(string) string) string {
	if dir := getenv("BLUNUX_FLEET_DIR"); dir != "" {
		return dir
	}
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "blunux-fleet")
	}
	return filepath.Join(getenv("HOME"), ".local/state/blunux-fleet")
}

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use: "blunux-fleet", Short: i18n.CmdFleet.In(p.lang), Version: version, SilenceErrors: true, SilenceUsage: true, Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.PersistentFlags().String("lang", "", i18n.FlagLang.In(p.lang))
	root.SetOut(p.out)
	root.AddCommand(
		p.serve(),
		p.leaf(),
		p.pending(),
		p.pair(),
		p.machines(),
		p.remove(),
		p.ask(),
		p.plan(),
		p.approve(),
		p.reject(),
		p.events(),
		p.policy(),
	)
	return root
}

// addressFile names where the server listens, for the console's commands.
const addressFile = "address"

func (p *program) serve() *cobra.Command {
	cmd := &cobra.Command{Use: "serve", Short: i18n.CmdFleetServe.In(p.lang), Args: manual.NoArgs}
	listen := cmd.Flags().String("listen", "0.0.0.0:7422", i18n.FlagFleetListen.In(p.lang))
	leafListen := cmd.Flags().String("leaf-listen", "", i18n.FlagFleetLeafListen.In(p.lang))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		for _, address := range []string{*listen, cmp.Or(*leafListen, *listen)} {
			if err := p.checkListen(address); err != nil {
				return err
			}
		}
		o := server.Options{Dir: p.dir, Listen: *listen, LeafListen: *leafListen, Log: newLog(), Now: time.Now}
		s, err := server.Start(cmd.Context(), o)
		if err != nil {
			return err
		}
		defer s.Close()
		if err := renameio.WriteFile(filepath.Join(p.dir, addressFile), []byte(s.Local()), 0o600); err != nil {
			return fmt.Errorf("cannot write the server's address: %w", err)
		}
		defer p.show(cmd.Context(), s, o.Log)()
		fmt.Fprintln(p.out, i18n.FleetListens(s.Address(), s.Console()).In(p.lang))
		<-cmd.Context().Done()
		return nil
	}
	return cmd
}

// checkListen reads HOST:PORT.
func (p *program) checkListen(address string) error {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return manual.NewUsageError(i18n.FleetBadListen(address).In(p.lang))
	}
	return nil
}

func newLog() zerolog.Logger {
	return zerolog.New(zerolog.ConsoleWriter{Out: os.Stderr, NoColor: true}).With().Timestamp().Logger()
}

// open connects to the server of this user.
func (p *program) open() (*console.Console, error) {
	address, err := os.ReadFile(filepath.Join(p.dir, addressFile))
	if err != nil {
		return nil, errors.Join(errNoServer, err)
	}
	name, err := os.Hostname()
	if err != nil {
		name = "console"
	}
	return console.Open(p.dir, string(address), name)
}

// command returns a command that talks to the server.
func (p *program) command(
	use string,
	short i18n.Text,
	args cobra.PositionalArgs,
	run func(ctx context.Context, c *console.Console, args []string) error,
) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: short.In(p.lang),
		Args:  args,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := p.open()
			if err != nil {
				return err
			}
			defer c.Close()
			return run(cmd.Context(), c, args)
		},
	}
}

func (p *program) print(rows []string) error {
	if len(rows) == 0 {
		rows = []string{i18n.FleetNone.In(p.lang)}
	}
	_, err := fmt.Fprintln(p.out, ipc.Clean(strings.Join(rows, "\n")))
	return err
}

func (p *program) pending() *cobra.Command {
	return p.command(
		"pending",
		i18n.CmdFleetPending,
		manual.NoArgs,
		func(ctx context.Context, c *console.Console, _ []string) error {
			r, err := c.Call(ctx, server.CallPending, server.Call{})
			var rows []string
			for _, w := range r.Pending {
				rows = append(rows, pendingRow(w).In(p.lang))
			}
			return errors.Join(err, p.print(rows))
		},
	)
}

// machineOf reads SITE/NAME.
func (p *program) machineOf(name string) (fleet.Machine, error) {
	site, of, ok := strings.Cut(name, "/")
	if !ok || fleet.CheckName(site) != nil || fleet.CheckName(of) != nil {
		return fleet.Machine{}, manual.NewUsageError(i18n.FleetBadName(name).In(p.lang))
	}
	return fleet.Machine{Site: site, Name: of}, nil
}

// labelsOf reads KEY=VALUE.
func (p *program) labelsOf(words []string) (map[string]string, error) {
	labels := map[string]string{}
	for _, w := range words {
		k, v, ok := strings.Cut(w, "=")
		if !ok || k == "" || v == "" {
			return nil, manual.NewUsageError(i18n.FleetBadLabel(w).In(p.lang))
		}
		labels[k] = v
	}
	return labels, nil
}

func (p *program) pair() *cobra.Command {
	var labels *[]string
	cmd := p.command(
		"pair CODE SITE/NAME",
		i18n.CmdFleetPair,
		manual.TwoArgs,
		func(ctx context.Context, c *console.Console, args []string) error {
			m, err := p.memberOf(args[1])
			if err != nil {
				return err
			}
			of, err := p.labelsOf(*labels)
			if err != nil {
				return err
			}
			if _, err := c.Call(ctx, server.CallPair, server.Call{Code: strings.ToUpper(args[0]), Machine: m, Labels: of}); err != nil {
				return err
			}
			return p.print([]string{i18n.FleetPaired(m.String()).In(p.lang)})
		},
	)
	labels = cmd.Flags().StringArrayP("label", "l", nil, i18n.FlagFleetLabel.In(p.lang))
	return cmd
}

func (p *program) machines() *cobra.Command {
	var asJSON *bool
	cmd := p.command(
		"machines",
		i18n.CmdFleetMachines,
		manual.NoArgs,
		func(ctx context.Context, c *console.Console, _ []string) error {
			r, err := c.Call(ctx, server.CallMachines, server.Call{})
			if err != nil {
				return err
			}
			if *asJSON {
				return json.NewEncoder(p.out).Encode(append([]server.Member{}, r.Machines...))
			}
			var rows []string
			for _, leaf := range r.Leaves {
				rows = append(rows, i18n.FleetLeafRow(leaf.Site, p.seen(leaf)).In(p.lang))
			}
			for _, m := range r.Machines {
				var labels []string
				for k, v := range m.Labels {
					labels = append(labels, k+"="+v)
				}
				slices.Sort(labels)
				rows = append(rows, i18n.FleetMachineRow(m.String(), strings.Join(labels, " "), p.seen(m)).In(p.lang))
				if m.Twins {
					rows = append(rows, "   "+i18n.FleetTwins.In(p.lang))
				}
			}
			return p.print(rows)
		},
	)
	asJSON = cmd.Flags().Bool("json", false, i18n.FlagJsonThis.In(p.lang))
	return cmd
}

func (p *program) remove() *cobra.Command {
	return p.command(
		"remove SITE/NAME",
		i18n.CmdFleetRemove,
		manual.OneArg,
		func(ctx context.Context, c *console.Console, args []string) error {
			m, err := p.memberOf(args[0])
			if err != nil {
				return err
			}
			if _, err := c.Call(ctx, server.CallRemove, server.Call{Machine: m}); err != nil {
				return err
			}
			return p.print([]string{i18n.FleetRemoved(m.String()).In(p.lang)})
		},
	)
}

func (p *program) ask() *cobra.Command {
	var labels *[]string
	var wait *time.Duration
	var again *string
	cmd := p.command(
		"ask QUESTION",
		i18n.CmdFleetAsk,
		manual.AtMostOneArg,
		func(ctx context.Context, c *console.Console, args []string) error {
			of, err := p.labelsOf(*labels)
			if err != nil {
				return err
			}
			machines, err := c.Select(ctx, of)
			switch {
			case err != nil:
				return err
			case len(machines) == 0:
				return errors.New(i18n.FleetNoMachines.In(p.lang))
			}
			id := *again
			if id == "" {
				if len(args) == 0 {
					return manual.NewUsageError(i18n.ErrEmpty.In(p.lang))
				}
				if id, err = c.Ask(ctx, machines, args[0], string(p.lang)); err != nil {
					return err
				}
			}
			return p.answers(ctx, c, id, machines, *wait)
		},
	)
	labels = cmd.Flags().StringArrayP("label", "l", nil, i18n.FlagFleetLabel.In(p.lang))
	wait = cmd.Flags().Duration("wait", time.Minute, i18n.FlagFleetWait.In(p.lang))
	again = cmd.Flags().String("again", "", i18n.FlagFleetAgain.In(p.lang))
	return cmd
}

// answers prints what machines answer alike once, and which have not answered.
func (p *program) answers(
	ctx context.Context,
	c *console.Console,
	id string,
	machines []fleet.Machine,
	wait time.Duration,
) error {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	got, err := c.Collect(ctx, id, machines)
	if err != nil {
		return err
	}
	texts := map[fleet.Machine]string{}
	for m, a := range got {
		texts[m] = a.Text
		if a.Problem != "" {
			texts[m] = p.result(a.Problem) + "\n" + a.Text
		}
	}
	var rows []string
	for _, f := range fleet.FoldAnswers(texts) {
		rows = append(rows, i18n.FleetFold(len(f.Machines), names(f.Machines)).In(p.lang), f.Text)
	}
	missing := slices.DeleteFunc(slices.Clone(machines), func(m fleet.Machine) bool { _, ok := got[m]; return ok })
	if len(missing) > 0 {
		rows = append(rows, i18n.FleetMissing(len(missing), names(missing), "blunux-fleet ask --again "+id).In(p.lang))
	}
	return p.print(rows)
}

// names lists machines, and only how many more there are after the twelfth.
func names(all []fleet.Machine) string {
	const most = 12
	var words []string
	for _, m := range all[:min(most, len(all))] {
		words = append(words, m.String())
	}
	if len(all) > most {
		words = append(words, "+"+strconv.Itoa(len(all)-most))
	}
	return strings.Join(words, " ")
}

func (p *program) events() *cobra.Command {
	return p.command(
		"events",
		i18n.CmdFleetEvents,
		manual.NoArgs,
		func(ctx context.Context, c *console.Console, _ []string) error {
			var rows []string
			err := c.Events(
				ctx,
				func(m fleet.Machine, e fleet.Event) { rows = append(rows, p.eventRow(m, e).In(p.lang)) },
			)
			return errors.Join(err, p.print(rows))
		},
	)
}

func (p *program) eventRow(m fleet.Machine, e fleet.Event) i18n.Text {
	at := e.At.Local().Format("01-02 15:04")
	switch {
	case e.Waiting != nil:
		return i18n.FleetEventWaiting(
			at,
			m.String(),
			strings.ReplaceAll(ipc.VisibleLine(e.Waiting.Command), "\n", "; "),
		)
	case e.End != nil:
		return i18n.FleetEventEnd(at, m.String(), p.result(e.End.Result))
	case strings.HasPrefix(e.Action, "allow"):
		return i18n.FleetEventYes(at, m.String(), e.Resolved)
	}
	return i18n.FleetEventNo(at, m.String(), e.Resolved)
}

func (p *program) policy() *cobra.Command {
	return p.command(
		"policy",
		i18n.CmdFleetPolicy,
		manual.NoArgs,
		func(ctx context.Context, c *console.Console, _ []string) error {
			r, err := c.Call(ctx, server.CallMachines, server.Call{})
			var rows []string
			for _, m := range r.Machines {
				approve := strings.Join(m.Beat.Approve, " ")
				switch {
				case m.Seen.IsZero():
					approve = i18n.FleetNever.In(p.lang)
				case approve == "":
					approve = i18n.FleetApproveNothing.In(p.lang)
				}
				rows = append(rows, i18n.FleetPolicyRow(m.String(), approve, m.Beat.Quiet).In(p.lang))
			}
			return errors.Join(err, p.print(rows))
		},
	)
}
