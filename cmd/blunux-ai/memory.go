package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/notes"
	"github.com/nidoit/blunux-ai/daemon/wire"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/memory"
)

// newMemory returns the commands for notes. They work on the files directly, without a daemon. A running daemon
// sees the changes immediately.
func newMemory() *cobra.Command {
	m := &memoryCommand{}
	cmd := &cobra.Command{
		Use:  "memory",
		Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if _, known := i18n.Parse(m.language); m.language != "" && !known {
				return newUsageError(i18n.MistakeLang(m.language))
			}
			return nil
		},
	}
	cmd.PersistentFlags().StringVar(&m.language, "lang", "", "")
	cmd.AddCommand(
		m.show(), m.count(), m.search(), m.remember(), m.forget(), m.user(), m.refresh(), m.clear(), m.edit(), m.export(), m.importCommand(),
	)
	return cmd
}

// memoryCommand holds what the commands for notes share.
type memoryCommand struct {
	language string
}

// notebook is the user's opened notes.
type notebook struct {
	*notes.Notes
	lang i18n.Lang
	out  io.Writer
	errs io.Writer
}

// with opens the notes, calls use, and closes them.
func (m *memoryCommand) with(cmd *cobra.Command, use func(context.Context, notebook) error) error {
	paths, err := config.FindPaths(os.Getenv)
	if err != nil {
		return err
	}
	distribution, _ := cmd.Flags().GetString("blunux-config")
	cfg, cfgErr := config.Load(wire.NewSource(paths, distribution)) // notes stay accessible despite a mistake in the configuration
	lang := chooseLang(m.language, cfg)
	n := notebook{lang: lang, out: cmd.OutOrStdout(), errs: cmd.ErrOrStderr()}
	if cfgErr != nil {
		fmt.Fprintf(n.errs, "blunux-ai: %v\n", cfgErr)
	}
	warn := func(err error) { fmt.Fprintln(n.errs, i18n.MemoryBroken(notes.NoteErrorText(err, lang)).In(lang)) }
	n.Notes = wire.Sources{Paths: paths, Getenv: os.Getenv}.OpenNotes(cfg, warn)
	return errors.Join(n.explain(use(cmd.Context(), n)), n.Close(cmd.Context()))
}

// explain translates errors that the user can correct.
func (n notebook) explain(err error) error {
	var exit exitError
	if err == nil || errors.As(err, &exit) || manual.IsUsageError(err) || errors.Is(err, context.Canceled) {
		return err
	}
	return errors.New(notes.NoteErrorHelp(err, n.lang))
}

// jsonCommand returns a command on the notes with the flag --json.
func (m *memoryCommand) jsonCommand(
	use string, args cobra.PositionalArgs, run func(context.Context, notebook, invocation) error,
) *cobra.Command {
	return jsonCommand(use, args, func(in invocation) error {
		return m.with(in.Command, func(ctx context.Context, n notebook) error { return run(ctx, n, in) })
	})
}

// invocation is a command as it was called.
type invocation struct {
	*cobra.Command
	args []string
	json bool
}

// jsonCommand returns a command with the flag --json.
func jsonCommand(use string, args cobra.PositionalArgs, run func(invocation) error) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: use, Args: args,
		RunE: func(cmd *cobra.Command, args []string) error { return run(invocation{cmd, args, asJSON}) },
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

func jsonFlag(cmd *cobra.Command, asJSON *bool) {
	cmd.Flags().BoolVar(asJSON, "json", false, "")
}

func (n notebook) printChange(done func(file string) i18n.Text, c memory.Change, asJSON bool, err error) error {
	switch {
	case err != nil:
		return err
	case asJSON:
		return writeJSON(n.out, c)
	case len(c.Added)+len(c.Removed) == 0:
		fmt.Fprintln(n.out, i18n.MemorySame.In(n.lang))
		return nil
	}
	fmt.Fprintln(n.out, done(c.File).In(n.lang))
	for _, line := range c.Removed {
		fmt.Fprintln(n.out, i18n.MemoryRemoved(ipc.Clean(line)).In(n.lang))
	}
	for _, line := range c.Added {
		fmt.Fprintln(n.out, i18n.MemoryAdded(ipc.Clean(line)).In(n.lang))
	}
	return nil
}

// rejectSecrets rejects text that looks like it contains a key, because models read the notes.
func (n notebook) rejectSecrets(text string) error {
	if n.Redactor.RedactStrict(text) != text {
		return errors.New(i18n.MemorySecret.In(n.lang))
	}
	return nil
}

// joinArgs joins a command's arguments.
func joinArgs(args []string) string { return strings.Join(args, " ") }

// atLeastOneArg requires at least one argument.
func atLeastOneArg(cmd *cobra.Command, args []string) error {
	if err := manual.AtLeastOneArg(cmd, args); err != nil {
		return err
	}
	if strings.TrimSpace(joinArgs(args)) == "" {
		return newUsageError(i18n.MistakeNoWords(cmd.CommandPath()))
	}
	return nil
}
