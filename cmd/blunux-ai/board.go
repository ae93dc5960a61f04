package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/term"
	"github.com/nidoit/blunux-ai/ipc"
)

// board writes an overview in the style of systemctl status.
type board struct {
	lang     i18n.Lang
	columns  int // of the terminal; 0 without one: lines are not wrapped
	coloured bool
	now      time.Time
}

// leastNames is the minimum width of the name column. On terminals up to narrowBoard cells wide, values go
// below their names.
const (
	leastNames  = 11
	narrowBoard = 40
)

func (b board) write(w io.Writer, o overview) error {
	names := i18n.Column(b.lang, leastNames, i18n.OverviewNames...)
	var text strings.Builder
	text.WriteString(term.HangingIndent(b.dot(o)+" ", "blunux-ai "+o.Version+": "+b.state(o), b.columns))
	for _, r := range b.rows(o) {
		name := b.t(r.name)
		if b.columns > 0 && b.columns < narrowBoard {
			text.WriteString("  " + name + "\n" + term.HangingIndent("    ", r.value, b.columns))
			continue
		}
		text.WriteString(term.HangingIndent("  "+term.Pad(name, names)+" ", r.value, b.columns))
	}
	_, err := io.WriteString(w, text.String())
	return err
}

func (b board) t(text i18n.Text) string { return text.In(b.lang) }

// dot is filled if a daemon runs. Its colours are those of systemctl.
func (b board) dot(o overview) string {
	dot, colour := "○", ""
	switch o.State {
	case ipc.StateRunning, ipc.StateStopping:
		dot, colour = "●", "32"
	case stateFailed, stateUnresponsive:
		dot, colour = "●", "31"
	}
	if !b.coloured || colour == "" {
		return dot
	}
	return "\x1b[" + colour + "m" + dot + "\x1b[0m"
}

func (b board) state(o overview) string {
	switch o.State {
	case stateResting:
		return b.t(i18n.OverviewOnDemand)
	case stateFailed:
		return b.t(i18n.OverviewFailed)
	case stateUnresponsive:
		return b.t(i18n.OverviewUnresponsive)
	case ipc.StateNotRunning:
		return b.t(i18n.StatusNotRunning)
	}
	s, state := o.Daemon, i18n.StatusRunning
	if o.State == ipc.StateStopping {
		state = i18n.StatusStopping
	}
	text := fmt.Sprintf("%s, %s (%s, pid %d)", b.t(state), b.t(i18n.StatusSince(s.Started.Local().Format("2006-01-02 15:04:05"))), i18n.Span(b.now.Sub(s.Started)), s.PID)
	if s.Version != o.Version {
		text += " ! " + s.Version
	}
	return text
}

// boardRow is a name with its value.
type boardRow struct {
	name  i18n.Text
	value string
}

func (b board) rows(o overview) []boardRow {
	rows := []boardRow{
		{i18n.StatusProvider, b.model(o)},
		{i18n.OverviewNotes, b.t(i18n.OverviewNNotes(i18n.Size(o.Memory.Bytes), o.Memory.Files))},
		{i18n.OverviewService, b.unit(o, ipc.ServiceUnit, o.Service)},
		{i18n.OverviewSocket, strings.TrimSpace(o.Socket.Path + "  " + b.unit(o, "", o.Socket))},
		{i18n.StatusAutomations, fmt.Sprint(o.Automations)},
	}
	rows = append(rows, b.bridges(o.Bridges)...)
	if s := o.Daemon; s != nil {
		rows = append(rows, boardRow{i18n.StatusTasks, b.t(i18n.StatusNTasks(s.Running, s.Waiting))}, boardRow{i18n.StatusApprovals, fmt.Sprint(s.Approvals)},
			boardRow{i18n.StatusNotifications, b.t(i18n.StatusNNotifications(s.Notifications, s.Dropped))})
	}
	files := strings.Join(o.ConfigFiles, ", ")
	if files == "" {
		files = b.t(i18n.StatusDefaults)
	}
	rows = append(rows, boardRow{i18n.StatusConfig, files}, boardRow{i18n.StatusLanguage, o.Lang}, boardRow{i18n.StatusFiles, o.Home})
	for _, p := range b.problems(o) {
		rows = append(rows, boardRow{i18n.StatusProblem, "! " + p})
	}
	return rows
}

// bridges returns a row for each messenger, and another if the user has to do something.
func (b board) bridges(all []ipc.BridgeStatus) (rows []boardRow) {
	for _, s := range all {
		for _, line := range (i18n.Bridge{
			Channel: s.Channel, Phase: s.Phase, Account: s.Account, Since: s.Since, Until: s.Until, Unsent: s.Unsent, Untaken: s.Undelivered, Do: s.Remedy, Problem: s.Problem,
		}).Lines(b.lang, b.now) {
			rows = append(rows, boardRow{i18n.StatusBridges, line})
		}
	}
	return rows
}

func (b board) model(o overview) string {
	text := strings.TrimSpace(o.Provider + " " + o.Model)
	if o.Why != "" {
		text += " — " + i18n.ChoiceReason(o.Why, b.lang)
	}
	return text
}

func (b board) unit(o overview, name string, u unitOverview) string {
	if o.manager != nil {
		if name == "" {
			return ""
		}
		return b.t(i18n.OverviewNoUnits)
	}
	parts := []string{u.Load, u.Enabled, u.Active}
	if u.Load != "loaded" {
		parts = parts[:1]
	}
	text := strings.Join(strings.FieldsFunc(strings.Join(parts, ","), func(r rune) bool { return r == ',' }), ", ")
	return strings.TrimSpace(name + " " + "(" + text + ")")
}

// problems lists what prevents normal answers.
func (b board) problems(o overview) []string {
	var all []string
	if o.Problem != "" {
		all = append(all, b.t(i18n.OverviewNoAnswer(o.Problem)))
	}
	if o.ConfigError != "" {
		all = append(all, o.ConfigError)
	}
	if o.error != nil {
		all = append(all, o.error.Error())
	}
	if o.Daemon != nil {
		all = append(all, o.Daemon.Problems...)
	}
	return all
}
