package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/editor"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/memory"
)

func (m *memoryCommand) remember() *cobra.Command {
	var note memory.Note
	var category string
	cmd := m.jsonCommand("remember TEXT...", atLeastOneArg, func(ctx context.Context, n notebook, in invocation) error {
		note.Text, note.Category = joinArgs(in.args), memory.Category(category)
		if err := n.rejectSecrets(note.Text); err != nil {
			return err
		}
		c, err := n.Remember(ctx, note)
		return n.printChange(i18n.MemoryRemember, c, in.json, err)
	})
	cmd.Flags().StringVar(&note.Key, "key", "", "")
	cmd.Flags().StringVar(&category, "category", "", "")
	return cmd
}

func (m *memoryCommand) forget() *cobra.Command {
	return m.jsonCommand("forget KEY...", atLeastOneArg, func(ctx context.Context, n notebook, in invocation) error {
		done, err := n.ForgetEverywhere(ctx, joinArgs(in.args))
		switch {
		case err != nil:
			return err
		case in.json:
			return writeJSON(n.out, done)
		}
		err = n.printChange(i18n.MemoryForgotten, done.Change, false, nil)
		if more := done.Describe(n.lang); more != "" {
			fmt.Fprintln(n.out, more)
		}
		return err
	})
}

func (m *memoryCommand) user() *cobra.Command {
	return m.jsonCommand("user TEXT...", atLeastOneArg, func(ctx context.Context, n notebook, in invocation) error {
		if err := n.rejectSecrets(joinArgs(in.args)); err != nil {
			return err
		}
		c, err := n.UpdateUser(ctx, joinArgs(in.args))
		return n.printChange(i18n.MemoryUpdated, c, in.json, err)
	})
}

func (m *memoryCommand) refresh() *cobra.Command {
	return m.jsonCommand("refresh", manual.NoArgs, func(_ context.Context, n notebook, in invocation) error {
		changed, err := n.RefreshSystem(memory.DetectSystem("/", os.Getenv))
		switch {
		case err != nil:
			return err
		case in.json:
			return writeJSON(n.out, map[string]bool{"changed": changed})
		case changed:
			fmt.Fprintln(n.out, i18n.MemoryFresh.In(n.lang))
		default:
			fmt.Fprintln(n.out, i18n.MemoryNotFresh.In(n.lang))
		}
		return nil
	})
}

func (m *memoryCommand) clear() *cobra.Command {
	var yes bool
	cmd := m.jsonCommand("clear", manual.NoArgs, func(ctx context.Context, n notebook, in invocation) error {
		days, notes, err := n.Clearable(ctx)
		switch {
		case err != nil:
			return err
		case days+notes > 0 && !yes:
			if err := n.confirm(ctx, i18n.MemoryClearAsk(days, notes).In(n.lang)); err != nil {
				return err
			}
		}
		deleted, err := n.Clear(ctx)
		switch {
		case in.json:
			err = errors.Join(writeJSON(n.out, map[string][]string{"deleted": append([]string{}, deleted...)}), err)
		case len(deleted) > 0:
			fmt.Fprintln(n.out, i18n.MemoryCleared(strings.Join(deleted, ", ")).In(n.lang))
		case err == nil:
			fmt.Fprintln(n.out, i18n.MemoryNothing.In(n.lang))
		}
		return err
	})
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "")
	return cmd
}

// exitDenied is the exit status of a command that was not confirmed.
const exitDenied = 5

// confirm asks at the terminal. Without a terminal it refuses.
func (n notebook) confirm(ctx context.Context, question string) error {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return manual.NewUsageError(i18n.MemoryNeedsYes.In(n.lang))
	}
	defer tty.Close()
	defer context.AfterFunc(ctx, func() { _ = tty.SetReadDeadline(time.Now()) })()
	fmt.Fprint(tty, question)
	line, err := bufio.NewReader(tty).ReadString('\n')
	if err == nil && i18n.ParseAnswer(line) == i18n.Yes {
		return nil
	}
	fmt.Fprintln(n.errs, i18n.MemoryNotClear.In(n.lang))
	return exitError(exitDenied)
}

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

func (m *memoryCommand) importCommand() *cobra.Command {
	return m.jsonCommand("import FILE", manual.OneArg, func(ctx context.Context, n notebook, in invocation) error {
		from, err := openInterruptible(ctx, in.args[0], os.Stdin)
		if err != nil {
			return i18n.CannotRead(in.args[0], err).WithCause(err)
		}
		defer from.Close()
		done, err := n.Import(ctx, from)
		if in.json {
			return errors.Join(writeJSON(n.out, done), err)
		}
		return errors.Join(n.printImport(done), err)
	})
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

func (m *memoryCommand) show() *cobra.Command {
	return m.jsonCommand("show [FILE]", manual.AtMostOneArg, func(ctx context.Context, n notebook, in invocation) error {
		files := n.FilesWithProblems(ctx, n.lang)
		if len(in.args) > 0 {
			var err error
			if files, err = n.selectFile(files, in.args[0]); err != nil {
				return err
			}
		}
		if in.json {
			return writeJSON(n.out, files)
		}
		return n.print(files)
	})
}

// isNamed reports whether word names the file, with or without daily/ and .md.
func isNamed(file, word string) bool {
	short := func(name string) string {
		return strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(name), "daily/"), ".md")
	}
	return short(file) == short(word)
}

func (n notebook) selectFile(files []memory.File, name string) ([]memory.File, error) {
	var names []string
	for _, f := range files {
		if isNamed(f.Name, name) {
			return []memory.File{f}, nil
		}
		names = append(names, f.Name)
	}
	return nil, manual.NewUsageError(i18n.MemoryNoFile(name, strings.Join(names, ", ")).In(n.lang))
}

// print prints files one after the other. For a file that cannot be read it prints the reason and returns an
// exit status.
func (n notebook) print(files []memory.File) error {
	if len(files) == 0 {
		fmt.Fprintln(n.errs, i18n.MemoryEmpty.In(n.lang))
	}
	for i, f := range files {
		if i > 0 {
			fmt.Fprintln(n.out)
		}
		fmt.Fprintf(n.out, "── %s ──\n", f.Name)
		if f.Problem != "" {
			fmt.Fprintln(n.out, f.Problem)
			continue
		}
		if f.Cut {
			fmt.Fprintln(n.out, i18n.MemoryCut(f.Path).In(n.lang))
		}
		if f.Text != "" {
			fmt.Fprintln(n.out, strings.TrimSuffix(ipc.Clean(f.Text), "\n"))
		}
	}
	if slices.ContainsFunc(files, func(f memory.File) bool { return f.Problem != "" }) {
		return exitError(1)
	}
	return nil
}

func (m *memoryCommand) count() *cobra.Command {
	return m.jsonCommand("count", manual.NoArgs, func(ctx context.Context, n notebook, in invocation) error {
		counted, err := n.CountWithProblems(ctx, n.lang)
		switch {
		case err != nil:
			return err
		case in.json:
			return writeJSON(n.out, counted)
		}
		return n.printCount(counted)
	})
}

// printCount prints how many notes there are. For files that cannot be counted it prints the reason and returns
// an exit status.
func (n notebook) printCount(counted memory.NoteCounts) error {
	fmt.Fprintln(n.out, i18n.MemoryCount(counted.Notes).In(n.lang))
	for _, c := range counted.Categories {
		fmt.Fprintf(n.out, "%6d  %s\n", c.Notes, ipc.VisibleLine(string(c.Category)))
	}
	for _, p := range counted.Problems {
		fmt.Fprintln(n.errs, p)
	}
	if len(counted.Problems) > 0 {
		return exitError(1)
	}
	return nil
}

func (m *memoryCommand) search() *cobra.Command {
	var q memory.Query
	var categories []string
	cmd := jsonCommand("search WORDS...", atLeastOneArg, func(in invocation) error {
		if q.Limit < 1 || q.Limit > 200 {
			return newUsageError(i18n.MistakeBetween("--limit", 1, 200))
		}
		return m.with(in.Command, func(ctx context.Context, n notebook) error {
			q.Words = joinArgs(in.args)
			hits, err := n.Search(ctx, q, categories)
			if err != nil {
				return err
			}
			if in.json {
				return writeJSON(n.out, map[string]any{"hits": hits})
			}
			if len(hits) == 0 {
				fmt.Fprintln(n.errs, i18n.MemoryNoHits.In(n.lang))
			}
			for _, h := range hits {
				fmt.Fprintln(n.out, hitLine(h))
			}
			return nil
		})
	})
	cmd.Flags().IntVar(&q.Limit, "limit", 10, "")
	cmd.Flags().StringSliceVar(&categories, "category", nil, "")
	return cmd
}

// hitLine formats a search hit on one line: time, file, text.
func hitLine(h memory.Hit) string {
	place := h.Source
	if h.Line > 0 {
		place = fmt.Sprintf("%s:%d", h.Source, h.Line)
	}
	return fmt.Sprintf("%s  %s  %s", h.Updated.Local().Format("2006-01-02"), ipc.VisibleLine(place), ipc.Clean(strings.Join(strings.Fields(h.Text), " ")))
}
