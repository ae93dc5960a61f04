package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"strings"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon"
	"github.com/nidoit/blunux-ai/doctor"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/systemd"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/elevation"
)

// checkUp looks everything over as the daemon would have it.
func checkUp(ctx context.Context, lang, distribution string, asJSON bool, w io.Writer) error {
	paths, err := config.FindPaths(os.Getenv)
	if err != nil {
		return err
	}
	p := doctor.Patient{
		Lang:  i18n.Choose(lang, os.Getenv("BLUNUX_AI_LANG"), os.Getenv("LC_ALL"), os.Getenv("LC_MESSAGES"), os.Getenv("LANG")),
		Paths: paths, Source: daemon.NewSource(paths, distribution), Getenv: os.Getenv,
		Sandbox: trySandbox, Awake: systemd.Inhibitor{}, Manager: systemd.NewUserManager(os.Getenv), Dialer: ipc.NewDialer(),
	}
	p.Dialer.NoStart = true
	if u, err := user.Current(); err == nil {
		p.User = u.Username
	}
	units := daemon.NewUnits(paths, os.Getenv)
	p.Units = units.Available
	x := tools.NewExecutor(tools.ExecutorOptions{Getenv: os.Getenv, Units: units})
	p.Ladder = func(setting string) *elevation.Ladder { return daemon.NewLadder(setting, x) }
	found := doctor.Look(ctx, p)
	if asJSON {
		err = writeJSON(w, map[string]any{"ok": doctor.Sound(found), "checks": found})
	} else {
		_, err = io.WriteString(w, findings(found, p.Lang))
	}
	if err == nil && !doctor.Sound(found) {
		err = exitError(1)
	}
	return err
}

// trySandbox makes a sandbox beside the daemon's, which may be running.
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
	s, release := daemon.NewSandbox(filepath.Join(own, "x.sock"), os.Getenv)
	defer release()
	level, err := s.Level()
	return level.String(), err
}

// findings tells what was found, one line each, with the command that helps
// below it.
func findings(found []doctor.Finding, lang i18n.Lang) string {
	marks := map[doctor.State]string{doctor.OK: "ok    ", doctor.Warn: "warn  ", doctor.Broken: "BROKEN"}
	var b strings.Builder
	for _, f := range found {
		fmt.Fprintf(&b, "%s  %-8s %s\n", marks[f.State], f.Check, ipc.VisibleLine(strings.ReplaceAll(f.Text, "\n", " ")))
		if f.Help != "" && f.State != doctor.OK {
			fmt.Fprintf(&b, "                  %s\n", i18n.DoctorTry.In(lang, f.Help))
		}
	}
	end := i18n.DoctorSound
	if !doctor.Sound(found) {
		end = i18n.DoctorUnsound
	}
	fmt.Fprintln(&b, end.In(lang))
	return b.String()
}
