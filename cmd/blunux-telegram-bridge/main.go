// Command blunux-telegram-bridge is the bridge to Telegram: the bot that the user writes to, and the commands login and
// logout. It always runs, so it is kept small: it reads no configuration and links nothing for models or tools.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/bridge"
	"github.com/nidoit/blunux-ai/bridge/account"
	"github.com/nidoit/blunux-ai/bridge/markup"
	"github.com/nidoit/blunux-ai/bridge/program"
	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/bridge/telegram"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/channel"
	"github.com/nidoit/blunux-ai/internal/manual"
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
	token, err := account.ReadToken(dir, telegram.TokenForm)
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
	case errors.Is(err, account.ErrNoToken):
		phase, detail = state.NotLoggedIn, ""
	case errors.Is(err, account.ErrOpenToken):
		return errors.Join(err, &bridge.Halt{State: state.State{Phase: phase, Detail: detail}})
	}
	return &bridge.Halt{State: state.State{Phase: phase, Detail: detail}}
}

// problem returns what is wrong with the stored token, and the command that helps.
func problem(dir string) (detail, do string) {
	switch _, err := account.ReadToken(dir, telegram.TokenForm); {
	case err == nil || errors.Is(err, account.ErrNoToken):
		return "", ""
	case errors.Is(err, account.ErrOpenToken):
		return err.Error(), "chmod 600 " + account.TokenPath(dir)
	default:
		return err.Error(), "blunux-telegram-bridge login"
	}
}

// explain translates errors about the token.
func explain(p *program.Program, err error) (code int, text string, ok bool) {
	switch {
	case errors.Is(err, account.ErrOpenToken):
		dir, _ := p.Dir() // the token was found in it
		return program.Failure, i18n.BotOpenToken(account.TokenPath(dir), account.TokenPath(dir)).In(p.Lang), true
	case telegram.Unknown(err):
		return program.NotConfigured, i18n.TelegramUnknown.In(p.Lang), true
	case errors.Is(err, account.ErrToken):
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
			token, err := p.ReadToken(cmd.Context(), file, prompt())
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

// prompt is how a person enters the token from BotFather.
func prompt() program.TokenPrompt {
	return program.TokenPrompt{Form: telegram.TokenForm, How: i18n.TelegramHow, Ask: i18n.BotAsk, NoTerminal: i18n.BotNoTerminal}
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
	if err := account.WriteToken(dir, token, telegram.TokenForm); err != nil {
		return err
	}
	fmt.Fprintln(p.Out, i18n.TelegramLoggedIn(name, p.StartCommand(dir), name).In(p.Lang))
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

// logout returns the command that deletes the files of a login.
func logout(p *program.Program) *cobra.Command {
	return p.LogoutCommand(program.LogoutTexts{
		Short: i18n.CmdTelegramLogout, NoLogin: i18n.BotNoLogin, Removed: i18n.TelegramLoginRemoved,
		Ask: func(dir string) i18n.Text { return i18n.BotLogOut(dir) },
	}, "offset.json")
}
