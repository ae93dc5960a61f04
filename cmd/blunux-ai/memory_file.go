package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/editor"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/memory"
)

func (m *memoryCommand) edit() *cobra.Command {
	return &cobra.Command{
		Use:  "edit [FILE]",
		Args: manual.AtMostOneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			return m.with(cmd, func(ctx context.Context, n notebook) error {
				name := "MEMORY.md"
				if len(args) > 0 {
					name = args[0]
				}
				file, err := n.editablePath(ctx, name)
				if err != nil {
					return err
				}
				return n.execEditor(file)
			})
		},
	}
}

// editablePath returns the path of a file of notes. MEMORY.md and USER.md do not have to exist yet.
func (n notebook) editablePath(ctx context.Context, name string) (string, error) {
	files, _ := n.Files(ctx)
	for _, own := range []string{"USER.md", "MEMORY.md"} {
		if isNamed(own, name) {
			return n.EnsureFile(own)
		}
	}
	one, err := n.selectFile(files, name)
	if err != nil {
		return "", err
	}
	return one[0].Path, nil
}

// execEditor replaces this process with the user's editor.
func (n notebook) execEditor(file string) error {
	err := editor.Exec(file, os.Getenv)
	if errors.Is(err, editor.ErrNone) {
		return manual.NewUsageError(i18n.MemoryNoEditor(file).In(n.lang))
	}
	return err
}

func (m *memoryCommand) export() *cobra.Command {
	return &cobra.Command{
		Use:  "export [FILE]",
		Args: manual.AtMostOneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			return m.with(cmd, func(ctx context.Context, n notebook) error {
				if len(args) == 0 || args[0] == "-" {
					return n.Export(ctx, n.out)
				}
				f, err := os.OpenFile(args[0], os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
				if err != nil {
					return errors.New(i18n.CannotWrite(args[0], err).In(n.lang))
				}
				return errors.Join(n.Export(ctx, f), f.Sync(), f.Close())
			})
		},
	}
}

// importCommand returns the command import.
func (m *memoryCommand) importCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:  "import FILE",
		Args: manual.OneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			return m.with(cmd, func(ctx context.Context, n notebook) error {
				from, err := openInterruptible(ctx, args[0], os.Stdin)
				if err != nil {
					return i18n.CannotRead(args[0], err).WithCause(err)
				}
				defer from.Close()
				done, err := n.Import(ctx, from)
				if asJSON {
					return errors.Join(writeJSON(n.out, done), err)
				}
				return errors.Join(n.printImport(done), err)
			})
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

// printImport prints the result of an import. If lines were rejected, the exit status is 1.
func (n notebook) printImport(done memory.ImportResult) error {
	fmt.Fprintln(n.out, i18n.MemoryImported(done.Added, done.Replaced, done.Same).In(n.lang))
	for _, r := range done.Refused {
		fmt.Fprintln(n.errs, i18n.MemoryRefused(r.Line, r.Why).In(n.lang))
	}
	if len(done.Refused) > 0 {
		return exitError(1)
	}
	return nil
}
