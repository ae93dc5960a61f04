package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/bridge/program"
	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/bridge/telegram"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
)

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
	case !program.IsTerminal(p.In):
		return "", manual.NewUsageError(i18n.TelegramNoTerminal.In(p.Lang))
	}
	fmt.Fprint(p.Err, i18n.TelegramHow.In(p.Lang)+"\n\n"+i18n.TelegramAsk.In(p.Lang)+" ")
	show, err := disableEcho(p.In)
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

// disableEcho turns off the terminal's echo until show is called (termios(3), ECHO).
func disableEcho(f *os.File) (show func(), err error) {
	fd := int(f.Fd())
	was, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return nil, err
	}
	quiet := *was
	quiet.Lflag &^= unix.ECHO
	if err := unix.IoctlSetTermios(fd, unix.TCSETS, &quiet); err != nil {
		return nil, err
	}
	return func() { _ = unix.IoctlSetTermios(fd, unix.TCSETS, was) }, nil
}
