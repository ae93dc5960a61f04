package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon"
	"github.com/nidoit/blunux-ai/ipc"
)

// noArgs refuses arguments with the usage exit status.
func noArgs(cmd *cobra.Command, args []string) error {
	if err := cobra.NoArgs(cmd, args); err != nil {
		return usageError{err}
	}
	return nil
}

func newPaths() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "paths",
		Short: "Tell where every file of the program is",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := config.FindPaths(os.Getenv)
			if err != nil {
				return err
			}
			socket, err := ipc.NewLocator().Path()
			if err != nil {
				return err
			}
			rows := []struct{ name, path string }{
				{"home", p.Home},
				{"config", p.Config()},
				{"credentials", p.Credentials()},
				{"memory", p.Memory()},
				{"recall", p.Recall()},
				{"sessions", p.Sessions()},
				{"approvals", p.Approvals()},
				{"outbox", p.Outbox()},
				{"usage", p.Usage()},
				{"offline", p.Offline()},
				{"logs", p.Logs()},
				{"command_log", p.CommandLog()},
				{"socket", socket},
			}
			if asJSON {
				all := map[string]string{}
				for _, r := range rows {
					all[r.name] = r.path
				}
				return writeJSON(cmd.OutOrStdout(), all)
			}
			for _, r := range rows {
				fmt.Fprintf(cmd.OutOrStdout(), "%-12s %s\n", r.name, r.path)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func newConfig() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Check the configuration, or tell where it is",
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "check",
		Short: "Read the configuration as the daemon would",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := config.FindPaths(os.Getenv)
			if err != nil {
				return err
			}
			distribution, _ := cmd.Flags().GetString("blunux-config")
			cfg, err := config.Load(daemon.NewSource(p, distribution))
			if err != nil {
				return err
			}
			for _, file := range cfg.Files {
				fmt.Fprintln(cmd.OutOrStdout(), file)
			}
			for _, w := range cfg.Warnings {
				fmt.Fprintln(cmd.ErrOrStderr(), w)
			}
			fmt.Fprintln(cmd.OutOrStdout(), "ok")
			return nil
		},
	}, &cobra.Command{
		Use:   "path",
		Short: "Print the path of the user's configuration file",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := config.FindPaths(os.Getenv)
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), p.Config())
			return nil
		},
	})
	return cmd
}
