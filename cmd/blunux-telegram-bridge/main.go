// Command blunux-telegram-bridge is the bridge to Telegram: the bot that the user writes to, and the commands login and
// logout. It always runs, so it is kept small: it reads no configuration and links nothing for models or tools.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/bridge"
	"github.com/nidoit/blunux-ai/bridge/markup"
	"github.com/nidoit/blunux-ai/bridge/program"
	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/bridge/telegram"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/channel"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/internal/term"
	"github.com/nidoit/blunux-ai/ipc"
)

// version is set by the build: -ldflags "-X main.version=1.2.3".
var version = ""

func main() { program.Main(kind()) }

func kind() program.Kind {
	own, _ := channel.ByName("telegram")
	return program.Kind{
		Channel: own, Version: version, Short: i18n.CmdTelegram, Status: i18n.CmdTelegramStatus,
		PhaseHelp: map[state.Phase]i18n.Text{
			state.NotLoggedIn: i18n.TelegramNotLoggedIn, state.LoggedOut: i18n.TelegramLoggedOut, state.Replaced: i18n.TelegramReplaced,
			state.Banned: i18n.TelegramBanned, state.Broken: i18n.TelegramToken,
		},
		Open: open, Explain: explain, Problem: problem,
		Commands: func(p *program.Program) []*cobra.Command { return []*cobra.Command{login(p), logout(p)} },
		Flags: func(p *program.Program, root *cobra.Command) {
			root.PersistentFlags().String("server", p.Getenv("BLUNUX_AI_TELEGRAM_SERVER"), i18n.FlagTelegramServer.In(p.Lang))
			root.PersistentFlags().Lookup("server").DefValue = ""
		},
	}
}

// open returns the bot for the stored token.
func open(p *program.Program, cmd *cobra.Command, dir string) (bridge.Messenger, error) {
	token, err := telegram.ReadToken(dir)
	if err != nil {
		return nil, haltError(err)
	}
	p.Secret = token
	return telegram.New(telegram.Options{
		Token: token, Server: serverFlag(cmd), Dir: dir, Log: p.Log(), Render: markup.Telegram, Literal: markup.TelegramLiteral, Idle: p.ReportIdle,
	})
}

// haltError wraps an error that only the user can solve, so that the bridge halts and reports it.
func haltError(err error) error {
	phase, detail := state.Broken, err.Error()
	switch {
	case errors.Is(err, telegram.ErrNoToken):
		phase, detail = state.NotLoggedIn, ""
	case errors.Is(err, telegram.ErrOpenToken):
		return errors.Join(err, &bridge.Halt{State: state.State{Phase: phase, Detail: detail}})
	}
	return &bridge.Halt{State: state.State{Phase: phase, Detail: detail}}
}

// problem returns what is wrong with the stored token, and the command that helps.
func problem(dir string) (detail, do string) {
	switch _, err := telegram.ReadToken(dir); {
	case err == nil || errors.Is(err, telegram.ErrNoToken):
		return "", ""
	case errors.Is(err, telegram.ErrOpenToken):
		return err.Error(), "chmod 600 " + telegram.TokenPath(dir)
	default:
		return err.Error(), "blunux-telegram-bridge login"
	}
}

// explain translates errors about the token.
func explain(p *program.Program, err error) (code int, text string, ok bool) {
	switch {
	case errors.Is(err, telegram.ErrOpenToken):
		dir, _ := p.Dir() // the token was found in it
		return program.Failure, i18n.TelegramOpenToken(telegram.TokenPath(dir), telegram.TokenPath(dir)).In(p.Lang), true
	case telegram.Unknown(err):
		return program.NotConfigured, i18n.TelegramUnknown.In(p.Lang), true
	case errors.Is(err, telegram.ErrToken):
		return program.Failure, i18n.TelegramNoToken.In(p.Lang), true
	}
	return 0, "", false
}

// serverFlag returns the address of the Bot API server, or "" for Telegram's own.
func serverFlag(cmd *cobra.Command) string {
	s, _ := cmd.Flags().GetString("server")
	return s
}

// login returns the command that stores a bot's token.
func login(p *program.Program) *cobra.Command {
	var file string
	var yes bool
	cmd := &cobra.Command{
		Use: "login", Short: i18n.CmdTelegramLogin.In(p.Lang), Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := p.Dir()
			if err != nil {
				return err
			}
			token, err := readToken(cmd.Context(), p, file)
			if err != nil {
				return err
			}
			return logIn(cmd.Context(), p, dir, serverFlag(cmd), token, yes)
		},
	}
	cmd.Flags().StringVar(&file, "token-file", "", i18n.FlagTokenFile.In(p.Lang))
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, i18n.FlagYes.In(p.Lang))
	return cmd
}

// readToken reads the bot's token from a file, from standard input, or from the terminal.
func readToken(ctx context.Context, p *program.Program, file string) (string, error) {
	switch {
	case file == "-":
		return telegram.ParseToken(p.In)
	case file != "":
		f, err := os.Open(file)
		if err != nil {
			return "", fmt.Errorf("cannot read the bot's token: %w", err)
		}
		defer f.Close()
		return telegram.ParseToken(f)
	case !term.IsTerminal(p.In):
		return "", manual.NewUsageError(i18n.TelegramNoTerminal.In(p.Lang))
	}
	fmt.Fprint(p.Err, i18n.TelegramHow.In(p.Lang)+"\n\n"+i18n.TelegramAsk.In(p.Lang)+" ")
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
	return telegram.ParseToken(strings.NewReader(line))
}

// logIn asks Telegram for the bot of the token, and stores the token.
func logIn(ctx context.Context, p *program.Program, dir, server, token string, yes bool) error {
	c, err := telegram.New(telegram.Options{Token: token, Server: server})
	if err != nil {
		return err
	}
	name, err := c.Me(ctx)
	switch {
	case telegram.Unknown(err):
		return err
	case err != nil:
		return i18n.TelegramNoAnswer(err).WithCause(err)
	}
	if err := removeWebhook(ctx, p, c, name, yes); err != nil {
		return err
	}
	if err := telegram.WriteToken(dir, token); err != nil {
		return err
	}
	printNextSteps(p, dir, name)
	return p.ClearHalt(dir)
}

// removeWebhook removes a webhook that receives the bot's messages elsewhere, after confirmation.
func removeWebhook(ctx context.Context, p *program.Program, c *telegram.Client, name string, yes bool) error {
	hook, err := c.Webhook(ctx)
	if err != nil {
		return i18n.TelegramNoAnswer(err).WithCause(err)
	}
	if hook == "" {
		return nil
	}
	host := hook
	if u, err := url.Parse(hook); err == nil {
		host = u.Host
	}
	if err := p.Confirm(ctx, i18n.TelegramHook(name, ipc.VisibleLine(host)).In(p.Lang), yes); err != nil {
		return err
	}
	return c.DropWebhook(ctx)
}

func printNextSteps(p *program.Program, dir, name string) {
	start := "systemctl --user enable --now " + p.Kind.Channel.Unit
	if s, err := state.Read(dir); err == nil && s.Running {
		start = "systemctl --user restart " + p.Kind.Channel.Unit
	}
	fmt.Fprintln(p.Out, i18n.TelegramLoggedIn(name, start, name).In(p.Lang))
}

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
