package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/memory"
)

func (m *memoryCommand) remember() *cobra.Command {
	var note memory.Note
	var category string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "remember TEXT...", Args: atLeastOneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			return m.with(cmd, func(ctx context.Context, n notebook) error {
				note.Text, note.Category = joinArgs(args), memory.Category(category)
				if err := n.rejectSecrets(note.Text); err != nil {
					return err
				}
				c, err := n.Remember(ctx, note)
				return n.printChange(i18n.MemoryRemember, c, asJSON, err)
			})
		},
	}
	cmd.Flags().StringVar(&note.Key, "key", "", "")
	cmd.Flags().StringVar(&category, "category", "", "")
	jsonFlag(cmd, &asJSON)
	return cmd
}

func (m *memoryCommand) forget() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "forget KEY...", Args: atLeastOneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			return m.with(cmd, func(ctx context.Context, n notebook) error {
				done, err := n.ForgetEverywhere(ctx, joinArgs(args))
				switch {
				case err != nil:
					return err
				case asJSON:
					return writeJSON(n.out, done)
				}
				err = n.printChange(i18n.MemoryForgotten, done.Change, false, nil)
				if more := done.Describe(n.lang); more != "" {
					fmt.Fprintln(n.out, more)
				}
				return err
			})
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

func (m *memoryCommand) user() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "user TEXT...", Args: atLeastOneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			return m.with(cmd, func(ctx context.Context, n notebook) error {
				if err := n.rejectSecrets(joinArgs(args)); err != nil {
					return err
				}
				c, err := n.UpdateUser(ctx, joinArgs(args))
				return n.printChange(i18n.MemoryUpdated, c, asJSON, err)
			})
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

func (m *memoryCommand) refresh() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "refresh", Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return m.with(cmd, func(_ context.Context, n notebook) error {
				changed, err := n.RefreshSystem(memory.DetectSystem("/", os.Getenv))
				switch {
				case err != nil:
					return err
				case asJSON:
					return writeJSON(n.out, map[string]bool{"changed": changed})
				case changed:
					fmt.Fprintln(n.out, i18n.MemoryFresh.In(n.lang))
				default:
					fmt.Fprintln(n.out, i18n.MemoryNotFresh.In(n.lang))
				}
				return nil
			})
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

func (m *memoryCommand) clear() *cobra.Command {
	var yes, asJSON bool
	cmd := &cobra.Command{
		Use: "clear", Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return m.with(cmd, func(ctx context.Context, n notebook) error {
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
				case asJSON:
					err = errors.Join(writeJSON(n.out, map[string][]string{"deleted": append([]string{}, deleted...)}), err)
				case len(deleted) > 0:
					fmt.Fprintln(n.out, i18n.MemoryCleared(strings.Join(deleted, ", ")).In(n.lang))
				case err == nil:
					fmt.Fprintln(n.out, i18n.MemoryNothing.In(n.lang))
				}
				return err
			})
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "")
	jsonFlag(cmd, &asJSON)
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
