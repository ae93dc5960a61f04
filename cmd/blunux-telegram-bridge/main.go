// Command blunux-telegram-bridge is the bridge to Telegram: the bot that the user writes to, and the commands login and
// logout. It always runs, so it is kept small: it reads no configuration and links nothing for models or tools.
package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/bridge"
	"github.com/nidoit/blunux-ai/bridge/markup"
	"github.com/nidoit/blunux-ai/bridge/program"
	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/bridge/telegram"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/channel"
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
