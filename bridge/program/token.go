package program

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/bridge/account"
	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/internal/term"
)

// TokenPrompt is how a person enters a bot's token, which matches Form.
type TokenPrompt struct {
	Form *regexp.Regexp
	// How says where to get the token, Ask asks for it, NoTerminal says what to do without a terminal.
	How, Ask, NoTerminal i18n.Text
}

// ReadToken reads a bot's token from a file, from standard input ("-"), or without echo from the terminal ("").
func (p *Program) ReadToken(ctx context.Context, file string, prompt TokenPrompt) (string, error) {
	switch {
	case file == "-":
		return account.ParseToken(p.In, prompt.Form)
	case file != "":
		f, err := os.Open(file)
		if err != nil {
			return "", fmt.Errorf("cannot read the bot's token: %w", err)
		}
		defer f.Close()
		return account.ParseToken(f, prompt.Form)
	case !term.IsTerminal(p.In):
		return "", manual.NewUsageError(prompt.NoTerminal.In(p.Lang))
	}
	fmt.Fprint(p.Err, prompt.How.In(p.Lang)+"\n\n"+prompt.Ask.In(p.Lang)+" ")
	show, err := term.HideInput(p.In)
	if err != nil {
		return "", fmt.Errorf("cannot turn off terminal echo: %w", err)
	}
	line, err := p.ReadLine(ctx)
	show()
	fmt.Fprintln(p.Err)
	if err != nil {
		return "", err
	}
	return account.ParseToken(strings.NewReader(line), prompt.Form)
}

// StartCommand returns the command that starts the bridge, or restarts a running one.
func (p *Program) StartCommand(dir string) string {
	if s, err := state.Read(dir); err == nil && s.Running {
		return "systemctl --user restart " + p.Kind.Channel.Unit
	}
	return "systemctl --user enable --now " + p.Kind.Channel.Unit
}

// LogoutTexts are the texts of a logout: there is no login, the question, and the report.
type LogoutTexts struct {
	Short, NoLogin i18n.Text
	Ask            func(dir string) i18n.Text
	Removed        i18n.Text
}

// LogoutCommand returns the command that deletes the files of a login, own in addition to those of all bridges.
func (p *Program) LogoutCommand(texts LogoutTexts, own ...string) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "logout", Short: texts.Short.In(p.Lang), Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := p.Dir()
			if err != nil {
				return err
			}
			if len(leftovers(dir, own)) == 0 {
				fmt.Fprintln(p.Out, texts.NoLogin.In(p.Lang))
				return nil
			}
			lock, err := state.Lock(dir)
			if err != nil {
				return err
			}
			defer lock.Close()
			if err := p.Confirm(cmd.Context(), texts.Ask(dir).In(p.Lang), yes); err != nil {
				return err
			}
			for _, path := range leftovers(dir, own) {
				if err := os.RemoveAll(path); err != nil {
					return fmt.Errorf("cannot log out: %w", err)
				}
			}
			_ = os.Remove(dir) // fails if there are other files in it, which is fine
			fmt.Fprintln(p.Out, texts.Removed.In(p.Lang))
			return nil
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, i18n.FlagYes.In(p.Lang))
	return cmd
}

// leftovers returns the existing files of a login and of the bridge in the order of deletion: the token first and the
// lock last.
func leftovers(dir string, own []string) []string {
	names := append([]string{filepath.Base(account.TokenPath(dir))}, own...)
	var paths []string
	for _, name := range append(names, "inbox.jsonl", "sent.jsonl", "inbox", "outbox", "state.json", "lock") {
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}
