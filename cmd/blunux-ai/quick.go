package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
)

// newQuick returns the command that opens the chat in a small window, which [wire.ExtraProgram] does.
func newQuick() *cobra.Command {
	var approvals, icon bool
	var shortcut string
	cmd := &cobra.Command{
		Use: "quick [WORDS]...",
		RunE: func(_ *cobra.Command, args []string) error {
			words := strings.TrimSpace(strings.Join(args, " "))
			for flag, given := range map[string]bool{"--approvals": approvals, "--shortcut": shortcut != "", "--icon": icon} {
				if given && words != "" { // also "--shortcut off", which would turn it on
					return newUsageError(i18n.MistakeBoth(flag, "WORDS"))
				}
			}
			switch shortcut {
			case "":
			case "on", "off", "listen":
				return becomeExtra("shortcut", map[string]any{"lang": commandLineLang(), "act": shortcut})
			default:
				return newUsageError(i18n.MistakeChoice("--shortcut", shortcut, "on, off"))
			}
			if icon {
				paths, err := config.FindPaths(os.Getenv)
				if err != nil {
					return err
				}
				return becomeExtra("icon", map[string]any{"lang": commandLineLang(), "approvals": paths.Approvals()})
			}
			return becomeExtra("quick", map[string]any{"lang": commandLineLang(), "words": words, "approvals": approvals})
		},
	}
	cmd.Flags().BoolVar(&approvals, "approvals", false, "")
	cmd.Flags().StringVar(&shortcut, "shortcut", "", "")
	cmd.Flags().Lookup("shortcut").NoOptDefVal = "on"
	cmd.Flags().BoolVar(&icon, "icon", false, "")
	return cmd
}

// newOpen returns the command that opens an address of another program. The menu starts it without one.
func newOpen() *cobra.Command {
	return &cobra.Command{
		Use: "open [ADDRESS]", Args: manual.AtMostOneArg,
		RunE: func(_ *cobra.Command, args []string) error {
			return becomeExtra("quick", map[string]any{"lang": commandLineLang(), "address": strings.Join(args, "")})
		},
	}
}
