package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/remote"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/internal/term"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/systemd"
	"github.com/nidoit/blunux-ai/ui/doctor"
)

// newFormerStatus returns the hidden former spelling of doctor --brief. The daemon's status is that of blunux-aictl.
func newFormerStatus() *cobra.Command {
	o := doctorOptions{brief: true}
	cmd := &cobra.Command{
		Use: "status", Hidden: true, Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			fmt.Fprintln(cmd.ErrOrStderr(), i18n.CommandRenamed("blunux-ai doctor --brief").In(commandLineLang()))
			return o.run(cmd, args)
		},
	}
	jsonFlag(cmd, &o.json)
	return cmd
}

// printOverview prints the state of the files, the units and a running daemon. It checks nothing.
func (c *checkup) printOverview(ctx context.Context, asJSON bool, w io.Writer) error {
	o := c.overview(ctx)
	if asJSON {
		return writeJSON(w, o)
	}
	return board{
		lang: c.machine.Lang, columns: c.machine.Columns, now: time.Now(),
		coloured: c.machine.Columns > 0 && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb",
	}.write(w, o)
}

// The states of an overview in addition to those of [ipc.Status].
const (
	stateResting      = "resting" // the service manager listens and starts the daemon on demand
	stateFailed       = "failed"
	stateUnresponsive = "mute" // runs but does not answer
)

// overview is the state of the assistant, with or without a running daemon.
type overview struct {
	State       string     `json:"state"`
	Version     string     `json:"version"` // of this program
	Provider    string     `json:"provider,omitempty"`
	Model       string     `json:"model,omitempty"`
	Why         string     `json:"why,omitempty"`
	Problem     string     `json:"problem,omitempty"` // why it cannot answer
	Lang        string     `json:"lang"`
	Home        string     `json:"home"`
	ConfigFiles []string   `json:"config_files"`
	ConfigError string     `json:"config_error,omitempty"`
	Memory      memorySize `json:"memory"`
	Automations int        `json:"automations"`
	// Bridges lists the messenger bridges that are set up.
	Bridges []ipc.BridgeStatus `json:"bridges"`
	Service unitOverview       `json:"service"`
	Socket  unitOverview       `json:"socket"`
	Daemon  *ipc.Status        `json:"daemon,omitempty"` // status of a running daemon
	error   error              // why a running daemon cannot be asked
	manager error              // why the units are unknown
}

type memorySize struct {
	Bytes int64 `json:"bytes"`
	Files int   `json:"files"`
}

// unitOverview is the state of a unit. Load is "" if the service manager cannot be asked.
type unitOverview struct {
	Load    string `json:"load,omitempty"`
	Active  string `json:"active,omitempty"`
	Enabled string `json:"enabled,omitempty"`
	PID     int    `json:"pid,omitempty"`
	Path    string `json:"path,omitempty"` // of the socket
}

func overviewOf(u systemd.UnitState) unitOverview {
	return unitOverview{Load: u.Load, Active: u.Active, Enabled: u.Enabled, PID: u.PID}
}

// overview reads the files, the units and the status of a running daemon.
func (c *checkup) overview(ctx context.Context) overview {
	p := c.machine
	o := overview{Version: p.Version, Lang: string(p.Lang), Home: p.Paths.Home, ConfigFiles: []string{}, Memory: notesSize(p.Paths.Memory()), Automations: c.rules().On, Bridges: remote.BridgesOf(p.Paths.Home)}
	visit := doctor.FindDaemon(ctx, p)
	o.Daemon, o.error = visit.Status, visit.Err()
	switch {
	case visit.Status != nil:
		o.State = visit.Status.State
	case o.error != nil:
		o.State = stateUnresponsive
	case visit.Failed:
		o.State = stateFailed
	case visit.Asleep:
		o.State = stateResting
	default:
		o.State = ipc.StateNotRunning
	}
	o.fillSettings(c)
	o.fillUnits(ctx, p)
	return o
}

// fillSettings fills in the running daemon's settings, or else those that the next one would have.
func (o *overview) fillSettings(c *checkup) {
	cfg, err := config.Load(c.builder.Source)
	if err != nil {
		o.ConfigError = i18n.ErrorText(err, c.machine.Lang)
	}
	o.ConfigFiles = append(o.ConfigFiles, cfg.Files...)
	if o.Daemon != nil {
		o.Provider, o.Model, o.ConfigFiles = o.Daemon.Provider, o.Daemon.Model, o.Daemon.ConfigFiles
		return
	}
	if err != nil {
		return
	}
	a := c.builder.ActiveModel(cfg)
	o.Provider, o.Model, o.Why = a.Provider, a.Model, string(a.Why)
	if a.Problem != nil {
		o.Problem = i18n.ErrorText(a.Problem, c.machine.Lang)
	}
}

func (o *overview) fillUnits(ctx context.Context, p doctor.Machine) {
	o.Socket.Path, _ = p.Dialer.Path()
	service, err := p.Manager.Unit(ctx, ipc.ServiceUnit)
	if err != nil {
		o.manager = err
		return
	}
	o.Service = overviewOf(service)
	if socket, err := p.Manager.Unit(ctx, ipc.SocketUnit); err == nil {
		path := o.Socket.Path
		o.Socket = overviewOf(socket)
		o.Socket.Path = path
	}
}

// notesSize adds up the files of notes.
func notesSize(dir string) memorySize {
	var m memorySize
	_ = filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || !strings.HasSuffix(path, ".md") {
			return nil
		}
		if fi, err := e.Info(); err == nil {
			m.Bytes, m.Files = m.Bytes+fi.Size(), m.Files+1
		}
		return nil
	})
	return m
}

// board writes an overview in the style of systemctl status.
type board struct {
	lang     i18n.Lang
	columns  int // of the terminal; 0 without one: lines are not wrapped
	coloured bool
	now      time.Time
}

func (b board) write(w io.Writer, o overview) error {
	var text strings.Builder
	text.WriteString(term.HangingIndent(b.dot(o)+" ", "blunux-ai "+o.Version+": "+b.state(o), b.columns))
	names := i18n.Column(b.lang, term.LeastNames, i18n.OverviewNames...)
	for _, r := range b.rows(o) {
		term.Sheet{Out: &text, Columns: b.columns, Names: names}.Row(b.t(r.name), r.value)
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
		text += " — " + i18n.ChoiceReasons.In(o.Why, b.lang)
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
