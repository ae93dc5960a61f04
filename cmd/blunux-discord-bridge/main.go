// Command blunux-discord-bridge is the bridge to Discord: the bot that the user writes to, and the commands login and
// logout. It always runs, so it is kept small: it reads no configuration and links nothing for models or tools.
package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/bridge"
	"github.com/nidoit/blunux-ai/bridge/account"
	"github.com/nidoit/blunux-ai/bridge/discord"
	"github.com/nidoit/blunux-ai/bridge/markup"
	"github.com/nidoit/blunux-ai/bridge/program"
	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/channel"
	"github.com/nidoit/blunux-ai/internal/manual"
)

// version is set by the build: -ldflags "-X main.version=1.2.3".
var version = ""

func main() { program.Main(kind()) }

func kind() program.Kind {
	own, _ := channel.ByName("discord")
	return program.Kind{
		Channel: own, Version: version, Short: i18n.CmdDiscord, Status: i18n.CmdDiscordStatus,
		PhaseHelp: map[state.Phase]i18n.Text{
			state.NotLoggedIn: i18n.DiscordNotLoggedIn, state.LoggedOut: i18n.DiscordLoggedOut, state.Outdated: i18n.DiscordRefused,
			state.Banned: i18n.DiscordBanned, state.Broken: i18n.DiscordToken,
		},
		Open: open, Explain: explain, Problem: problem,
		Commands: func(p *program.Program) []*cobra.Command { return []*cobra.Command{login(p), logout(p)} },
		Flags: func(p *program.Program, root *cobra.Command) {
			root.PersistentFlags().String("server", p.Getenv("BLUNUX_AI_DISCORD_SERVER"), i18n.FlagDiscordServer.In(p.Lang))
			root.PersistentFlags().Lookup("server").DefValue = ""
		},
	}
}

// open returns the bot for the stored token.
func open(p *program.Program, cmd *cobra.Command, dir string) (bridge.Messenger, error) {
	token, err := account.ReadToken(dir, discord.TokenForm)
	if err != nil {
		return nil, haltError(err)
	}
	p.Secret = token
	return discord.New(discord.Options{
		Token: token, Server: serverFlag(cmd), Version: version, Dir: dir, Log: p.Log(), Render: markup.Discord, Literal: markup.DiscordLiteral,
		Idle: p.ReportIdle, Denied: i18n.BridgePressDenied.In(p.Lang),
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
	switch _, err := account.ReadToken(dir, discord.TokenForm); {
	case err == nil || errors.Is(err, account.ErrNoToken):
		return "", ""
	case errors.Is(err, account.ErrOpenToken):
		return err.Error(), "chmod 600 " + account.TokenPath(dir)
	default:
		return err.Error(), "blunux-discord-bridge login"
	}
}

// explain translates errors about the token.
func explain(p *program.Program, err error) (code int, text string, ok bool) {
	switch {
	case errors.Is(err, account.ErrOpenToken):
		dir, _ := p.Dir() // the token was found in it
		return program.Failure, i18n.BotOpenToken(account.TokenPath(dir), account.TokenPath(dir)).In(p.Lang), true
	case discord.Unknown(err):
		return program.NotConfigured, i18n.DiscordUnknown.In(p.Lang), true
	case errors.Is(err, account.ErrToken):
		return program.Failure, i18n.DiscordNoToken.In(p.Lang), true
	}
	return 0, "", false
}

// serverFlag returns the address of the server, or "" for Discord's own.
func serverFlag(cmd *cobra.Command) string {
	s, _ := cmd.Flags().GetString("server")
	return s
}

// login returns the command that stores a bot's token.
func login(p *program.Program) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use: "login", Short: i18n.CmdDiscordLogin.In(p.Lang), Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := p.Dir()
			if err != nil {
				return err
			}
			token, err := readToken(cmd.Context(), p, file)
			if err != nil {
				return err
			}
			return logIn(cmd.Context(), p, dir, serverFlag(cmd), token)
		},
	}
	cmd.Flags().StringVar(&file, "token-file", "", i18n.FlagTokenFile.In(p.Lang))
	return cmd
}

// tokenVariable is the variable in which Moonbot has its token. It is read by the login only.
const tokenVariable = "MOONBOT_DISCORD_TOKEN"

// readToken reads the bot's token from a file, from the variable of Moonbot, or from the terminal.
func readToken(ctx context.Context, p *program.Program, file string) (string, error) {
	if token := p.Getenv(tokenVariable); token != "" && file == "" {
		p.Say(i18n.DiscordFromVariable(tokenVariable))
		return account.ParseToken(strings.NewReader(token), discord.TokenForm)
	}
	return p.ReadToken(ctx, file, program.TokenPrompt{
		Form: discord.TokenForm, How: i18n.DiscordHow, Ask: i18n.BotAsk, NoTerminal: i18n.BotNoTerminal,
	})
}

// logIn asks Discord for the bot of the token, and stores the token.
func logIn(ctx context.Context, p *program.Program, dir, server, token string) error {
	c, err := discord.New(discord.Options{Token: token, Server: server, Version: version})
	if err != nil {
		return err
	}
	me, err := c.Me(ctx)
	switch {
	case discord.Unknown(err):
		return err
	case err != nil:
		return i18n.DiscordNoAnswer(err).WithCause(err)
	}
	if err := account.WriteToken(dir, token, discord.TokenForm); err != nil {
		return err
	}
	fmt.Fprintln(p.Out, i18n.DiscordLoggedIn(me.Name, me.InviteURL(), p.StartCommand(dir), me.Name).In(p.Lang))
	return p.ClearHalt(dir)
}

// logout returns the command that deletes the files of a login.
func logout(p *program.Program) *cobra.Command {
	return p.LogoutCommand(program.LogoutTexts{
		Short: i18n.CmdDiscordLogout, NoLogin: i18n.BotNoLogin, Removed: i18n.DiscordLoginRemoved,
		Ask: func(dir string) i18n.Text { return i18n.BotLogOut(dir) },
	}, "conversations.json")
}
