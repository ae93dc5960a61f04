package main

import (
	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/daemon/wire"
	"github.com/nidoit/blunux-ai/internal/manual"
)

func newDaemon() *cobra.Command {
	f := wire.Flags{Version: buildVersion()}
	cmd := &cobra.Command{
		Use:  "daemon",
		Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.Distribution, _ = cmd.Flags().GetString("blunux-config")
			if !cmd.Flags().Changed("idle-exit") {
				f.IdleExit = -1
			}
			return wire.Run(cmd.Context(), f)
		},
	}
	cmd.Flags().StringVar(&f.Provider, "provider", "", "")
	cmd.Flags().StringVar(&f.Lang, "lang", "", "")
	cmd.Flags().DurationVar(&f.IdleExit, "idle-exit", 0, "")
	return cmd
}
