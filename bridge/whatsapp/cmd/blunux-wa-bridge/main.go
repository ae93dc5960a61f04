// Command blunux-wa-bridge connects WhatsApp to the daemon. Without a subcommand it runs the
// bridge. Its subcommands link an account, unlink it, and report the bridge's state. It is a
// separate program and Go module, because most computers do not need the WhatsApp client.
package main

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/bridge"
	"github.com/nidoit/blunux-ai/bridge/program"
	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/bridge/whatsapp"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/channel"
)

// version is set at build time: -ldflags "-X main.version=1.2.3".
var version = ""

func main() { program.Main(kind()) }

func kind() program.Kind {
	own, _ := channel.ByName("whatsapp")
	return program.Kind{
		Channel: own, Version: version, Short: i18n.CmdWhatsApp, Status: i18n.CmdWhatsAppStatus,
		PhaseHelp: map[state.Phase]i18n.Text{
			state.NotLoggedIn: i18n.WhatsappNoSession, state.LoggedOut: i18n.WhatsappLoggedOut, state.Replaced: i18n.WhatsappReplaced,
			state.Outdated: i18n.WhatsappOutdated, state.Banned: i18n.WhatsappBanned, state.Broken: i18n.WhatsappBroken, state.DiskFull: i18n.WhatsappNoRoom,
		},
		Open: func(p *program.Program, _ *cobra.Command, dir string) (bridge.Messenger, error) {
			if !state.LoggedIn(filepath.Dir(dir), own) { // do not start the daemon then
				return nil, &bridge.Halt{State: state.State{Phase: state.NotLoggedIn}}
			}
			return whatsapp.New(dir, p.Log()), nil
		},
		Explain:  explain,
		Commands: func(p *program.Program) []*cobra.Command { return []*cobra.Command{login(p), logout(p)} },
	}
}

// explain converts the errors of linking and unlinking.
func explain(p *program.Program, err error) (code int, text string, ok bool) {
	for _, known := range []struct {
		err  error
		text i18n.Text
	}{
		{whatsapp.ErrNoSession, i18n.WhatsappNoSession},
		{whatsapp.ErrBroken, i18n.WhatsappBroken},
		{whatsapp.ErrDiskFull, i18n.WhatsappNoRoom},
		{whatsapp.ErrNotScanned, i18n.WhatsappNotScanned},
		{whatsapp.ErrPasskey, i18n.WhatsappPasskey},
		{whatsapp.ErrOutdated, i18n.WhatsappOutdated},
	} {
		if errors.Is(err, known.err) {
			return program.Failure, known.text.In(p.Lang), true
		}
	}
	switch {
	case errors.Is(err, whatsapp.ErrRefused):
		return program.Failure, i18n.WhatsappRefused(i18n.PlainCause(lastCause(err), p.Lang)).In(p.Lang), true
	case errors.Is(err, whatsapp.ErrUnreachable):
		return program.Failure, i18n.WhatsappUnreachable(i18n.PlainCause(lastCause(err), p.Lang)).In(p.Lang), true
	}
	return 0, "", false
}

// lastCause returns the last part of an error text.
func lastCause(err error) string {
	_, text, ok := strings.Cut(err.Error(), ": ")
	if !ok {
		text = err.Error()
	}
	return strings.ToValidUTF8(text, "")
}
