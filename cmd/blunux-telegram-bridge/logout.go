package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/bridge/program"
	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
)

// logout returns the command that deletes the files of a login.
func logout(p *program.Program) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "logout", Short: i18n.CmdTelegramLogout.In(p.Lang), Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := p.Dir()
			if err != nil {
				return err
			}
			if len(leftovers(dir)) == 0 {
				fmt.Fprintln(p.Out, i18n.TelegramNoLogin.In(p.Lang))
				return nil
			}
			lock, err := state.Lock(dir)
			if err != nil {
				return err
			}
			defer lock.Close()
			if err := p.Confirm(cmd.Context(), i18n.TelegramLogOut(dir).In(p.Lang), yes); err != nil {
				return err
			}
			return remove(p, dir)
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, i18n.FlagYes.In(p.Lang))
	return cmd
}

// remove deletes the files, the token first and the lock last. The caller holds the lock.
func remove(p *program.Program, dir string) error {
	for _, path := range leftovers(dir) {
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("cannot log out: %w", err)
		}
	}
	_ = os.Remove(dir) // fails if there are other files in it, which is fine
	fmt.Fprintln(p.Out, i18n.TelegramLoginRemoved.In(p.Lang))
	return nil
}

// leftovers returns the existing files of a login and of the bridge, in the order of deletion.
func leftovers(dir string) []string {
	var paths []string
	for _, name := range []string{"token", "offset.json", "inbox.jsonl", "sent.jsonl", "inbox", "outbox", "state.json", "lock"} {
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}
