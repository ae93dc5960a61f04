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

// memorySize is the size of the notes.
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
	o.Daemon, o.error = visit.Status, visit.Err
	switch {
	case visit.Status != nil:
		o.State = visit.Status.State
	case visit.Err != nil:
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
