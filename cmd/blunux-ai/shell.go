package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/errand"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/ui/setup"
	"github.com/nidoit/blunux-ai/ui/shell"
)

// newShell returns the command that prints, installs and removes the integration of a shell.
func newShell() *cobra.Command {
	var install, remove bool
	cmd := &cobra.Command{
		Use: "shell [bash | zsh | fish | record]", Args: manual.AtMostOneArg,
		ValidArgs: append(shell.Names(), "record"),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := filepath.Base(os.Getenv("SHELL"))
			if len(args) > 0 {
				name = args[0]
			}
			switch {
			case install && remove:
				return newUsageError(i18n.MistakeBoth("--install", "--remove"))
			case name == "record":
				return recordShell()
			case !slices.Contains(shell.Names(), name):
				return newUsageError(i18n.ShellUnknown(name))
			case install:
				file, err := shellPlace(os.Getenv).Install(name)
				if err == nil {
					_, err = fmt.Fprintln(cmd.OutOrStdout(), i18n.SetupShellDone(ipc.VisibleLine(file)).In(commandLineLang()))
				}
				return err
			case remove:
				file, err := shellPlace(os.Getenv).Remove(name)
				if err == nil {
					_, err = fmt.Fprintln(cmd.OutOrStdout(), i18n.ShellRemoved(ipc.VisibleLine(file)).In(commandLineLang()))
				}
				return err
			}
			script, err := shell.Script(name)
			if err == nil {
				_, err = cmd.OutOrStdout().Write(script)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&install, "install", false, "")
	cmd.Flags().BoolVar(&remove, "remove", false, "")
	return cmd
}

// shellPlace says where the integrations of this person's shells are. The package's scripts are next to its programs.
func shellPlace(getenv func(string) string) shell.Place {
	home := config.HomeDir(getenv)
	p := shell.Place{
		Home: home, ZshDir: getenv("ZDOTDIR"),
		ConfigHome: cmp.Or(getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config")),
		DataHome:   cmp.Or(getenv("XDG_DATA_HOME"), filepath.Join(home, ".local", "share")),
	}
	if program, err := os.Executable(); err == nil {
		p.Shared = filepath.Join(filepath.Dir(filepath.Dir(program)), "share", "blunux-ai", "shell")
	}
	return p
}

// usualShell returns the person's shell for the setup, nil if it has no integration.
func usualShell(getenv func(string) string) *setup.Shell {
	name := filepath.Base(getenv("SHELL"))
	if !slices.Contains(shell.Names(), name) {
		return nil
	}
	place := shellPlace(getenv)
	return &setup.Shell{Name: name, Installed: place.IsInstalled(name), Install: func() (string, error) { return place.Install(name) }}
}

// recordShell becomes a shell whose output is kept for why, in a file that only the person can read, until it ends.
func recordShell() error {
	dir := os.Getenv("XDG_RUNTIME_DIR")
	if info, err := os.Stat(dir); dir == "" || err != nil || !info.IsDir() {
		return i18n.ShellNoRuntime.WithCause(cmp.Or(err, error(fs.ErrNotExist)))
	}
	f, err := os.CreateTemp(dir, "blunux-ai-typescript-")
	if err != nil {
		return fmt.Errorf("cannot keep the output: %w", err)
	}
	f.Close()
	defer os.Remove(f.Name())
	if err := os.Setenv("BLUNUX_AI_TYPESCRIPT", f.Name()); err != nil {
		return err
	}
	if err := errand.Shell("script", "-q", "-f", "-a", f.Name()); err != nil {
		return i18n.ShellNoScript.WithCause(err)
	}
	return nil
}
