package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/fleet"
	"github.com/nidoit/blunux-ai/fleet/console"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
)

// folds returns what waits, folded, the oldest first.
func folds(ctx context.Context, c *console.Console) ([]console.Fold, error) {
	waits, err := c.Waits(ctx)
	return console.FoldWaits(waits), err
}

func machinesOf(f console.Fold) (all []fleet.Machine) {
	for _, w := range f.Waits {
		all = append(all, w.Machine)
	}
	return all
}

func (p *program) plan() *cobra.Command {
	return p.command(
		"plan [CODE]",
		i18n.CmdFleetPlan,
		manual.AtMostOneArg,
		func(ctx context.Context, c *console.Console, args []string) error {
			if len(args) == 1 {
				return p.showPlan(ctx, c, args[0])
			}
			all, err := folds(ctx, c)
			var rows []string
			for _, f := range all {
				command := strings.ReplaceAll(ipc.VisibleLine(f.Command), "\n", "; ")
				rows = append(rows, i18n.FleetPlanRow(f.Code(), len(f.Waits), command, names(machinesOf(f))).In(p.lang))
			}
			return errors.Join(err, p.print(rows))
		},
	)
}

// showPlan prints a plan whole: its commands, and for each machine its code, its digest and until when it waits.
func (p *program) showPlan(ctx context.Context, c *console.Console, code string) error {
	f, err := p.named(ctx, c, code)
	if err != nil {
		return err
	}
	rows := strings.Split(ipc.Visible(f.Command), "\n")
	for i := range rows {
		rows[i] = "    " + rows[i]
	}
	for _, w := range f.Waits {
		digest := ipc.VisibleLine(strings.TrimPrefix(w.Digest, "sha256:"))
		rows = append(rows, i18n.FleetPlanMachine(
			w.Machine.String(),
			ipc.VisibleLine(w.Code),
			w.Expires.Local().Format("15:04"),
			digest[:min(16, len(digest))],
		).In(p.lang))
	}
	rows = append(rows, i18n.FleetPlanNext(f.Code()).In(p.lang))
	return p.print(rows)
}

// named returns the only fold with a code.
func (p *program) named(ctx context.Context, c *console.Console, code string) (console.Fold, error) {
	all, err := folds(ctx, c)
	if err != nil {
		return console.Fold{}, err
	}
	all = slices.DeleteFunc(all, func(f console.Fold) bool { return !strings.EqualFold(f.Code(), code) })
	if len(all) != 1 {
		return console.Fold{}, manual.NewUsageError(i18n.FleetNoPlan(code).In(p.lang))
	}
	return all[0], nil
}

func (p *program) approve() *cobra.Command {
	var wait *time.Duration
	cmd := p.command(
		"approve CODE",
		i18n.CmdFleetApprove,
		manual.OneArg,
		func(ctx context.Context, c *console.Console, args []string) error {
			f, err := p.named(ctx, c, args[0])
			if err != nil {
				return err
			}
			return c.RollOut(
				ctx,
				f,
				*wait,
				func(m fleet.Machine, result string) { _ = p.print([]string{m.String() + ": " + p.result(result)}) },
			)
		},
	)
	wait = cmd.Flags().Duration("wait", 10*time.Minute, i18n.FlagFleetWait.In(p.lang))
	return cmd
}

func (p *program) reject() *cobra.Command {
	return p.command(
		"reject CODE",
		i18n.CmdFleetReject,
		manual.OneArg,
		func(ctx context.Context, c *console.Console, args []string) error {
			f, err := p.named(ctx, c, args[0])
			for _, w := range f.Waits {
				if err == nil {
					_, err = c.Decide(ctx, w, false)
				}
			}
			return err
		},
	)
}
