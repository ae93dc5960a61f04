package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/internal/logfile"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
)

type place struct{ name, path string }

// filesOf returns the program's own files, existing or not.
func filesOf(p config.Paths) []place {
	return []place{
		{"home", p.Home},
		{"config", p.Config()},
		{"setup", p.Setup()},
		{"credentials", p.Credentials()},
		{"memory", p.Memory()},
		{"recall", p.Recall()},
		{"sessions", p.Sessions()},
		{"history", p.ChatHistory()},
		{"approvals", p.Approvals()},
		{"receipts", p.Receipts()},
		{"outbox", p.Outbox()},
		{"usage", p.Usage()},
		{"runs", p.Runs()},
		{"automations", p.Automations()},
		{"managed_automations", p.ManagedAutomations()},
		{"automation_state", p.AutomationState()},
		{"offline", p.Offline()},
		{"logs", p.Logs()},
		{"daemon_log", logfile.New(logfile.Options{Dir: p.Logs()}).Path()},
		{"command_log", p.CommandLog()},
	}
}

// unitFiles returns the installed unit files that the service manager uses, and the directory for the user's
// own, systemd.unit(5).
func unitFiles(getenv func(string) string) []place {
	own := getenv("XDG_CONFIG_HOME")
	if own == "" {
		own = filepath.Join(getenv("HOME"), ".config")
	}
	dirs := []string{
		filepath.Join(own, "systemd/user"), "/etc/systemd/user", filepath.Join(getenv("HOME"), ".local/share/systemd/user"),
		"/usr/local/lib/systemd/user", "/usr/lib/systemd/user",
	}
	rows := []place{{"units", dirs[0]}}
	for _, kind := range []string{"service", "socket", "timer", "path"} {
		for _, dir := range dirs {
			file := filepath.Join(dir, "blunux-ai-agent."+kind)
			if _, err := os.Stat(file); err == nil {
				rows = append(rows, place{kind + "_unit", file})
				break
			}
		}
	}
	return rows
}

func newPaths() *cobra.Command {
	return jsonCommand("paths", manual.NoArgs, func(in invocation) error {
		p, err := config.FindPaths(os.Getenv)
		if err != nil {
			return err
		}
		if cfg, err := config.Load(config.NewSource(p, os.Getenv)); err == nil {
			p = cfg.Storage.PathsFor(p, config.HomeDir(os.Getenv))
		}
		socket, err := ipc.NewLocator().Path()
		if err != nil {
			return err
		}
		rows := append(filesOf(p), place{"socket", socket})
		rows = append(rows, unitFiles(os.Getenv)...)
		if in.json {
			all := map[string]string{}
			for _, r := range rows {
				all[r.name] = r.path
			}
			return writeJSON(in.OutOrStdout(), all)
		}
		for _, r := range rows {
			fmt.Fprintf(in.OutOrStdout(), "%-19s %s\n", r.name, ipc.VisibleLine(r.path))
		}
		return nil
	})
}
