package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/channel"
	"github.com/nidoit/blunux-ai/internal/term"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/ui/doctor"
)

// report packs the findings into a file for another person to look at, or writes them to w for "-". It never
// overwrites a file.
func (c *checkup) report(ctx context.Context, file string, w, errs io.Writer) (err error) {
	now := time.Now()
	dir := "blunux-ai-report-" + now.Format(time.DateOnly)
	file = cmp.Or(file, dir+".tar.gz")
	r := doctor.Report{Patient: c.machine, Found: doctor.RunChecks(ctx, c.machine), Scrub: c.scrub(), Now: now}
	pieces := r.Pieces(ctx)
	if file == "-" {
		err = doctor.Write(w, dir, pieces, now)
	} else {
		err = writeReport(file, dir, pieces, now)
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(errs, i18n.ReportWritten(ipc.VisibleLine(file)).In(c.machine.Lang))
	fmt.Fprintln(errs, i18n.ReportHolds.In(c.machine.Lang))
	for _, p := range pieces {
		fmt.Fprintf(errs, "  %s  %s\n", term.Pad(p.Name, 14), i18n.Size(int64(len(p.Text))))
	}
	fmt.Fprintln(errs, i18n.ReportNowhere(ipc.VisibleLine(file)).In(c.machine.Lang))
	return nil
}

func writeReport(file, dir string, pieces []doctor.Piece, now time.Time) (err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return i18n.CannotReport(err).WithCause(err)
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			os.Remove(file)
		}
	}()
	return doctor.Write(f, dir, pieces, now)
}

// scrub removes keys first, because they can contain a name, and then names.
func (c *checkup) scrub() func(string) string {
	cfg, _ := config.Load(c.builder.Source)
	redactor, names := c.builder.Redactor(cfg), c.names(cfg)
	return func(text string) string { return names.Scrub(redactor.Redact(text)) }
}

// names returns the words that identify the machine or its user.
func (c *checkup) names(cfg config.Config) doctor.Names {
	n := doctor.Names{Home: os.Getenv("HOME"), Files: c.machine.Paths.Home, Users: []string{os.Getenv("USER"), os.Getenv("LOGNAME"), c.machine.User}}
	for _, ch := range channel.All() {
		if !ch.Phones { // telephone numbers are recognized by their form
			n.IDs = append(n.IDs, *cfg.Senders(ch.Name)...)
		}
	}
	if u, err := user.Current(); err == nil {
		full, _, _ := strings.Cut(u.Name, ",")
		n.People = append(n.People, full)
		n.Users = append(n.Users, filepath.Base(u.HomeDir))
	}
	if n.Home != "" && filepath.Base(n.Home) != "home" {
		n.Users = append(n.Users, filepath.Base(n.Home))
	}
	servers := []string{cfg.Memory.Embeddings.BaseURL}
	for _, p := range cfg.Providers {
		servers = append(servers, p.BaseURL)
	}
	for _, m := range cfg.MCP {
		servers = append(servers, m.URL)
	}
	n.Hosts = append(n.Hosts, doctor.Servers(servers...)...)
	host, _ := os.Hostname()
	n.Hosts = append(n.Hosts, host, os.Getenv("HOSTNAME"))
	if text, err := os.ReadFile("/etc/hostname"); err == nil {
		n.Hosts = append(n.Hosts, string(text))
	}
	return n
}
