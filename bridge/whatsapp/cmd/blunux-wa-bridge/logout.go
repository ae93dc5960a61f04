package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/bridge/program"
	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/bridge/whatsapp"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
)

func logout(p *program.Program) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "logout", Short: i18n.CmdWhatsAppLogout.In(p.Lang), Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return unlink(cmd.Context(), p, yes) },
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, i18n.FlagYes.In(p.Lang))
	return cmd
}

// unlink unlinks the account and deletes the session.
func unlink(ctx context.Context, p *program.Program, yes bool) error {
	dir, release, err := p.Lock()
	if err != nil {
		return err
	}
	defer release()
	account, err := whatsapp.Account(ctx, dir)
	switch {
	case errors.Is(err, whatsapp.ErrNoSession):
		return err
	case err != nil:
		account = i18n.WhatsappUnreadable.In(p.Lang)
	}
	if err := p.Confirm(ctx, i18n.WhatsappLogoutAsk(account).In(p.Lang), yes); err != nil {
		return err
	}
	err = whatsapp.Unlink(ctx, dir, p.Log())
	if err != nil && !errors.Is(err, whatsapp.ErrUnreachable) {
		return err
	}
	if failed := state.Write(dir, state.State{Channel: p.Kind.Channel.Name, Phase: state.NotLoggedIn}); failed != nil {
		return failed
	}
	if err != nil {
		p.Say(i18n.WhatsappGoneHere)
		return nil
	}
	p.Say(i18n.WhatsappDataRemoved)
	return nil
}
