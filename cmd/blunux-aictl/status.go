package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/internal/term"
	"github.com/nidoit/blunux-ai/ipc"
)

func (a *app) status() *cobra.Command {
	var noStart bool
	cmd := a.jsonCommand("status", i18n.CmdStatus, manual.NoArgs, func(in invocation) error {
		return a.showStatus(in, noStart)
	})
	cmd.Flags().BoolVar(&noStart, "no-start", false, i18n.FlagNoStart.In(a.lang))
	return cmd
}

// showStatus prints the daemon's status. With noStart it does not start a daemon.
func (a *app) showStatus(in invocation, noStart bool) error {
	reply, err := a.askStatus(in.Context(), noStart)
	var none *ipc.UnreachableError
	if noStart && errors.As(err, &none) {
		return a.notRunning(in.json)
	}
	if err != nil {
		return err
	}
	if in.json {
		fmt.Fprintf(a.out, "%s\n", reply.Data)
		return nil
	}
	var s ipc.Status
	if err := reply.Decode(&s); err != nil {
		return err
	}
	newSheet(a.out, a.lang, term.Columns(os.Stdout)).status(s, time.Now())
	return nil
}

// askStatus requests the daemon's status. With noStart it does not start a daemon.
func (a *app) askStatus(ctx context.Context, noStart bool) (ipc.Message, error) {
	d := a.dialer()
	d.NoStart = noStart
	c, err := a.connectWith(ctx, d, ipc.Hello{})
	if err != nil {
		return ipc.Message{}, err
	}
	defer c.Close()
	return c.Request(ctx, ipc.Message{Type: ipc.TypeQuery}.WithData(ipc.Query{What: "status"}), nil)
}

// notRunning prints that no daemon runs and returns the exit status for an unreachable daemon.
func (a *app) notRunning(asJSON bool) error {
	if asJSON {
		if err := printJSON(a.out, map[string]string{"state": ipc.StateNotRunning}); err != nil {
			return err
		}
		return quietExit(exitUnreachable)
	}
	fmt.Fprintf(a.out, "○ blunux-ai: %s\n", i18n.StatusNotRunning.In(a.lang))
	return quietExit(exitUnreachable)
}

// status prints in the style of systemctl status.
func (s sheet) status(st ipc.Status, now time.Time) {
	state := i18n.StatusRunning
	if st.State == ipc.StateStopping {
		state = i18n.StatusStopping
	}
	s.Line(0, fmt.Sprintf("● blunux-ai %s: %s, %s (%s, pid %d)", st.Version, s.t(state),
		s.t(i18n.StatusSince(st.Started.Local().Format("2006-01-02 15:04:05"))), span(now.Sub(st.Started)), st.PID))
	if st.Replaced {
		s.Line(4, "! "+s.t(i18n.StatusReplaced("systemctl --user restart blunux-ai-agent")))
	}
	s.row(i18n.StatusProvider, strings.TrimSpace(st.Provider+" "+st.Model))
	for _, r := range st.PausedProviders {
		s.Extra("! " + s.t(i18n.StatusPaused(r.Provider, r.Until.Local().Format("15:04:05"), i18n.PlainCause(r.Message, s.lang))))
	}
	s.row(i18n.StatusLanguage, st.Lang)
	s.row(i18n.StatusFiles, st.Home)
	s.config(st)
	s.row(i18n.StatusTasks, s.t(i18n.StatusNTasks(st.Running, st.Waiting)))
	s.row(i18n.StatusApprovals, fmt.Sprint(st.Approvals))
	s.row(i18n.StatusNotifications, s.t(i18n.StatusNNotifications(st.Notifications, st.Dropped)))
	s.row(i18n.StatusAutomations, fmt.Sprint(st.Automations))
	s.bridges(st.Bridges, now)
	s.guards(st)
	s.row(i18n.StatusUsage, s.t(i18n.StatusTokens(st.TokensIn, st.TokensOut, st.Turns)))
	s.spending(st)
	s.row(i18n.StatusMemory, size(st.Process.RSS))
	s.row(i18n.StatusIdle, s.idle(st.Idle))
	s.log(st.Log)
	for _, p := range st.Problems {
		s.row(i18n.StatusProblem, "! "+i18n.PlainCause(p, s.lang))
	}
	s.section(i18n.StatusConnections, len(st.Connections))
	for _, c := range st.Connections {
		s.Line(4, s.connection(c, now))
	}
	s.section(i18n.StatusLiveTasks, len(st.Tasks))
	for _, t := range st.Tasks {
		s.Line(4, fmt.Sprintf("%s %s %s  %s", t.ID, t.State, span(time.Duration(t.Age)*time.Second),
			s.t(i18n.StatusTask(t.Rounds, t.TokensIn, t.TokensOut, t.Commands))))
	}
	s.lines(i18n.StatusWarnings, st.LastLog)
	s.lines(i18n.StatusLog, st.LastCommands)
}

// bridges prints the state of each messenger bridge, and what to do if it waits for the user.
func (s sheet) bridges(all []ipc.BridgeStatus, now time.Time) {
	first := true
	for _, b := range all {
		for _, line := range bridgeText(b, s.lang).Lines(s.lang, now) {
			if first {
				s.row(i18n.StatusBridges, line)
			} else {
				s.Extra(line)
			}
			first = false
		}
	}
}

// bridgeText returns a bridge's state for a text.
func bridgeText(b ipc.BridgeStatus, lang i18n.Lang) i18n.Bridge {
	return i18n.Bridge{
		Channel: b.Channel, Phase: b.Phase, Account: b.Account, Since: b.Since, Until: b.Until,
		Unsent: b.Unsent, Untaken: b.Undelivered, Do: b.Remedy, Problem: i18n.PlainCause(b.Problem, lang),
	}
}

func (s sheet) config(st ipc.Status) {
	files := strings.Join(st.ConfigFiles, ", ")
	if files == "" {
		files = s.t(i18n.StatusDefaults)
	}
	s.row(i18n.StatusConfig, files)
	if st.ConfigError != "" {
		s.Extra("! " + st.ConfigError)
	}
}

// spending prints what today's model requests cost, and the budget.
func (s sheet) spending(st ipc.Status) {
	s.row(i18n.StatusToday, s.t(i18n.StatusNToday(i18n.Count(st.Today.Requests), i18n.Count(st.Today.In), i18n.Count(st.Today.Out),
		i18n.Cost(st.Today.CostUSD, st.Today.Requests, st.Today.Unpriced))))
	if st.Budget != nil {
		limit, used := budgetAmounts(*st.Budget, s.lang)
		s.row(i18n.StatusBudget, s.t(i18n.BudgetShort(limit, used, int(st.Budget.Share*100))))
	}
}

// guards prints the protections of the machine: the sandbox and how commands get root rights.
func (s sheet) guards(st ipc.Status) {
	sandbox := st.Sandbox
	if sandbox == "none" {
		sandbox = s.t(i18n.StatusNoSandbox)
	}
	s.row(i18n.StatusSandbox, sandbox)
	if st.Privilege != "" {
		s.row(i18n.StatusPrivilege, st.Privilege)
	}
}

func (s sheet) idle(i ipc.Idle) string {
	if i.ExitsIn == 0 {
		return s.t(i18n.StatusNever)
	}
	text := s.t(i18n.StatusAfter(span(time.Duration(i.ExitsIn) * time.Second)))
	var holds []string
	for _, h := range i.Activities {
		holds = append(holds, i18n.IdleBlocker(h, s.lang))
	}
	if len(holds) > 0 {
		text += " (" + s.t(i18n.StatusIdleBlockers(strings.Join(holds, ", "))) + ")"
	}
	return text
}

func (s sheet) log(l ipc.LogTarget) {
	if l.To == "" {
		return
	}
	s.row(i18n.StatusLogTo, fmt.Sprintf("%s (%s)", l.To, l.Level))
	if l.File != "" {
		s.Extra(fmt.Sprintf("%s (%s)", l.File, l.FileLevel))
	}
	if l.Problem != "" {
		s.Extra("! " + i18n.PlainCause(l.Problem, s.lang))
	}
}

func (s sheet) connection(c ipc.ConnectionUsage, now time.Time) string {
	client := cmp.Or(c.Client, "?")
	text := fmt.Sprintf("%s %s pid %d %s  %s", client, c.Channel, c.PID, span(now.Sub(c.Since)),
		s.t(i18n.StatusTraffic(c.Requests, size(c.BytesIn), size(c.BytesOut))))
	if c.Self {
		text += " " + s.t(i18n.StatusSelf)
	}
	return text
}
