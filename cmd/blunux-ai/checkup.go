package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/remote"
	"github.com/nidoit/blunux-ai/daemon/rules"
	"github.com/nidoit/blunux-ai/daemon/wire"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/desktop"
	"github.com/nidoit/blunux-ai/internal/term"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers/transport"
	"github.com/nidoit/blunux-ai/systemd"
	"github.com/nidoit/blunux-ai/tools/elevation"
	"github.com/nidoit/blunux-ai/tools/executor"
	"github.com/nidoit/blunux-ai/ui/doctor"
)

// checkup inspects the installation with the parts of a daemon.
type checkup struct {
	machine doctor.Machine
	builder wire.Builder
	close   func()
}

// newCheckup prepares a checkup; the caller closes it. lang is the value of --lang.
func newCheckup(lang, distribution string) (*checkup, error) {
	paths, err := config.FindPaths(os.Getenv)
	if err != nil {
		return nil, err
	}
	source := wire.NewSource(paths, distribution)
	dialer := ipc.NewDialer()
	dialer.NoStart = true
	socket, _ := dialer.Path() // a failure is reported by the check of the socket
	claude := wire.NewClaude(paths, socket, os.Getenv)
	c := &checkup{close: claude.Close}
	c.builder = wire.Builder{
		Sources: wire.Sources{Paths: paths, Source: source, Getenv: os.Getenv},
		Process: wire.Process{Claude: claude, HTTPClient: transport.NewHTTPClient()},
	}
	units := wire.NewUnits(paths, os.Getenv)
	x := executor.New(executor.Options{Getenv: os.Getenv, Units: units})
	c.machine = doctor.Machine{
		Lang: configuredLang(lang, source), Version: buildVersion(), Paths: paths, Source: source, Getenv: os.Getenv,
		Groups: groupNames(), Columns: term.Columns(os.Stdout),
		Sandbox: trySandbox, Units: units.Available, Awake: systemd.Inhibitor{}, Manager: systemd.NewUserManager(os.Getenv), Dialer: dialer,
		Ladder: func(setting string) *elevation.Ladder { return wire.NewLadder(setting, x) },
		Answer: c.answer, Rules: c.rules, Admission: c.admission, Desktop: desktopServer, Clock: systemd.Clock{}.Synchronised, Now: time.Now,
	}
	if u, err := user.Current(); err == nil {
		c.machine.User = u.Username
	}
	return c, nil
}

// configuredLang returns the language of commands that work without a daemon. It follows the daemon's settings.
func configuredLang(flag string, source config.Source) i18n.Lang {
	cfg, _ := config.Load(source) // a mistake in the configuration does not matter here
	return chooseLang(flag, cfg)
}

// chooseLang returns the language of --lang, the environment or the settings, in this order.
func chooseLang(flag string, cfg config.Config) i18n.Lang {
	return i18n.Choose(flag, os.Getenv("BLUNUX_AI_LANG"), cfg.Agent.Language, i18n.FromLocales(cfg.Locales),
		os.Getenv("LC_ALL"), os.Getenv("LC_MESSAGES"), os.Getenv("LANG"))
}

// answer determines which model would answer.
func (c *checkup) answer(cfg config.Config) doctor.Answer {
	a := c.builder.ActiveModel(cfg)
	return doctor.Answer{
		Name: strings.TrimSpace(a.Provider + " " + a.Model), Why: string(a.Why), Problem: a.Problem, Server: a.Server, Reach: a.Ping,
	}
}

// admission counts who may send messages through a messenger.
func (c *checkup) admission(cfg config.Config, channel string) doctor.Admission {
	admitted, waiting := remote.AdmittedOf(c.builder.Paths.Home, cfg, channel)
	off := cfg.Agent.WhatsAppEnabled
	return doctor.Admission{Admitted: admitted, Waiting: waiting, Off: channel == "whatsapp" && off != nil && !*off}
}

func (c *checkup) rules() doctor.Rules {
	cfg, err := config.Load(c.builder.Source)
	if err != nil || !cfg.AutomationsEnabled() {
		return doctor.Rules{}
	}
	set, problems := automation.Load(rules.AutomationFiles(c.builder.Paths))
	var r doctor.Rules
	for _, rule := range set.Rules {
		if !rule.Enabled {
			continue
		}
		r.On++
		if name := rules.WithoutLogin(c.builder.Paths.Home, rule); name != "" && r.Messenger == "" {
			r.WithoutLogin, r.Messenger = rule.Name, name
		}
	}
	for _, p := range problems {
		r.Problems = append(r.Problems, fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text(c.machine.Lang)))
	}
	return r
}

// desktopServer asks which program shows notifications.
func desktopServer(ctx context.Context) (string, error) {
	n := desktop.New(desktop.Options{Addresses: systemd.NewUserManager(os.Getenv).Addresses, App: "blunux-ai"})
	defer n.Close()
	can, err := n.Capabilities(ctx)
	return strings.TrimSpace(can.Server + " " + can.Version), err
}

// groupNames returns the groups of this process. A group added after the login is not among them.
func groupNames() []string {
	ids, _ := os.Getgroups()
	var names []string
	for _, id := range append(ids, os.Getegid()) {
		if g, err := user.LookupGroupId(strconv.Itoa(id)); err == nil {
			names = append(names, g.Name)
		}
	}
	return names
}

// printFindings prints the findings. If something is broken, the exit status is 1.
func (c *checkup) printFindings(found []doctor.Finding, asJSON bool, w io.Writer) (err error) {
	if asJSON {
		err = writeJSON(w, map[string]any{"ok": doctor.IsHealthy(found), "version": c.machine.Version, "checks": found})
	} else {
		_, err = io.WriteString(w, formatFindings(found, c.machine.Lang))
	}
	if err == nil && !doctor.IsHealthy(found) {
		err = exitError(1)
	}
	return err
}

// trySandbox sets up a separate sandbox, because the daemon's may be in use.
func trySandbox() (string, error) {
	dir := os.Getenv("XDG_RUNTIME_DIR")
	if !filepath.IsAbs(dir) {
		dir = os.TempDir()
	}
	own, err := os.MkdirTemp(dir, "blunux-ai-doctor-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(own)
	s, release := wire.NewSandbox(filepath.Join(own, "x.sock"), os.Getenv)
	defer release()
	level, err := s.Level()
	return level.String(), err
}

// formatFindings formats the findings, one per line, each followed by the command that helps.
func formatFindings(found []doctor.Finding, lang i18n.Lang) string {
	marks := map[doctor.State]string{doctor.OK: "ok    ", doctor.Warn: "warn  ", doctor.Broken: "BROKEN"}
	names := 8
	for _, f := range found {
		names = max(names, len(f.Check))
	}
	var b strings.Builder
	for _, f := range found {
		fmt.Fprintf(&b, "%s  %-*s %s\n", marks[f.State], names, f.Check, ipc.VisibleLine(strings.ReplaceAll(f.Text, "\n", " ")))
		if f.Help != "" && f.State != doctor.OK {
			fmt.Fprintf(&b, "%s %s\n", strings.Repeat(" ", len("BROKEN  ")+names), i18n.DoctorTry(ipc.VisibleLine(f.Help)).In(lang))
		}
	}
	end := i18n.DoctorHealthy
	if !doctor.IsHealthy(found) {
		end = i18n.DoctorUnhealthy
	}
	fmt.Fprintln(&b, end.In(lang))
	return b.String()
}
