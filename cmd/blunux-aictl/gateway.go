package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/errand"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
)

// gatewayProgram is the program that serves other programs, and manages its tokens and units.
const gatewayProgram = "blunux-ai-gateway"

// gateway returns the commands of the gateway, which its own program carries out.
func (a *app) gateway() *cobra.Command {
	cmd := &cobra.Command{
		Use: "gateway", Short: i18n.CmdGateway.In(a.lang), Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	token := &cobra.Command{
		Use: "token", Short: i18n.CmdGatewayToken.In(a.lang), Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	scope := ""
	add := a.gatewayCommand("add NAME", i18n.CmdGatewayTokenAdd, "token-add", &scope)
	add.Flags().StringVar(&scope, "scope", "read", i18n.FlagScope.In(a.lang))
	token.AddCommand(
		add,
		a.gatewayCommand("list", i18n.CmdGatewayTokenList, "token-list", nil),
		a.gatewayCommand("remove NAME", i18n.CmdGatewayTokenRemove, "token-remove", nil),
	)
	cmd.AddCommand(
		a.gatewayCommand("start", i18n.CmdGatewayStart, "start", nil),
		a.gatewayCommand("stop", i18n.CmdGatewayStop, "stop", nil),
		a.gatewayCommand("restart", i18n.CmdGatewayRestart, "restart", nil),
		a.gatewayCommand("status", i18n.CmdGatewayStatus, "status", nil),
		token,
	)
	return cmd
}

// gatewayCommand returns a command that becomes the gateway's program.
func (a *app) gatewayCommand(use string, short i18n.Text, name string, scope *string) *cobra.Command {
	args := manual.NoArgs
	if strings.HasSuffix(use, " NAME") {
		args = manual.OneArg
	}
	return a.jsonCommand(use, short, args, func(in invocation) error {
		options := map[string]any{"lang": a.lang, "json": in.json}
		if len(in.args) > 0 {
			options["name"] = in.args[0]
		}
		if scope != nil {
			options["scope"] = *scope
		}
		return becomeGateway(name, options)
	})
}

// page returns the command that opens the page, which the gateway serves.
func (a *app) page() *cobra.Command {
	at, printed := "", false
	cmd := a.jsonCommand("page", i18n.CmdPage, manual.NoArgs, func(in invocation) error {
		return becomeGateway("page", map[string]any{"lang": a.lang, "json": in.json, "at": at, "print": printed})
	})
	cmd.Flags().StringVar(&at, "at", "", i18n.FlagPageAt.In(a.lang))
	cmd.Flags().BoolVar(&printed, "print", false, i18n.FlagPagePrint.In(a.lang))
	return cmd
}

// becomeGateway replaces this process with a command of the gateway's program. It returns only on failure.
func becomeGateway(command string, options map[string]any) error {
	text, err := json.Marshal(options)
	if err != nil {
		return err
	}
	file, err := findProgram(gatewayProgram)
	if err != nil {
		return err
	}
	return errand.Replace(file, []string{gatewayProgram, command, string(text)})
}

// fleetProgram connects this computer with a fleet. It is in a package of its own.
const fleetProgram = "blunux-fleet-bridge"

// fleet returns the command that becomes one of the fleet's bridge.
func (a *app) fleet() *cobra.Command {
	return &cobra.Command{
		Use: "fleet [status | join HOST:PORT | not-now DURATION | leave]", Short: i18n.CmdFleetMember.In(a.lang), Args: manual.AtMostTwoArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"status"}
			}
			file, err := findProgram(fleetProgram)
			if err != nil {
				return err
			}
			return errand.Replace(file, append([]string{fleetProgram, "--lang", string(a.lang)}, args...))
		},
	}
}

// findProgram returns the path of a program of this installation: next to blunux-ai, or in lib/blunux-ai.
func findProgram(name string) (string, error) {
	main, err := ipc.NewDialer().Program()
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(main); err == nil {
		main = real
	}
	dir := filepath.Dir(main)
	for _, path := range []string{filepath.Join(dir, name), filepath.Join(dir, "../lib/blunux-ai", name)} {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, nil
		}
	}
	return "", i18n.ProgramMissing(name).WithCause(os.ErrNotExist)
}
