package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

func (a *app) status() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "status", Short: i18n.CmdStatus.In(a.lang), Args: a.noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			reply, err := a.request(cmd.Context(), ipc.Message{Type: ipc.TypeQuery}.WithData(ipc.Query{What: "status"}))
			if err != nil {
				return err
			}
			if asJSON {
				fmt.Fprintf(a.out, "%s\n", reply.Data)
				return nil
			}
			var s ipc.Status
			if err := reply.Decode(&s); err != nil {
				return err
			}
			a.printStatus(a.out, s)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, i18n.FlagJSON.In(a.lang))
	return cmd
}

// printStatus writes in the manner of systemctl status.
func (a *app) printStatus(w io.Writer, s ipc.Status) {
	t := func(x i18n.Text, args ...any) string { return x.In(a.lang, args...) }
	fmt.Fprintf(w, "● blunux-ai %s: %s, %s (pid %d)\n", s.Version, t(i18n.StatusRunning),
		t(i18n.StatusSince, s.Started.Local().Format("2006-01-02 15:04:05")), s.PID)
	config := strings.Join(s.ConfigFiles, ", ")
	if config == "" {
		config = t(i18n.StatusDefaults)
	}
	if s.ConfigError != "" {
		config += "\n" + strings.Repeat(" ", 14) + "! " + clean(s.ConfigError)
	}
	idle := t(i18n.StatusNever)
	if s.IdleExit > 0 {
		idle = t(i18n.StatusAfter, time.Duration(s.IdleExit)*time.Second)
	}
	sandbox := s.Sandbox
	if sandbox == "none" {
		sandbox = t(i18n.StatusNoSandbox)
	}
	for _, row := range []struct {
		name  i18n.Text
		value string
	}{
		{i18n.StatusProvider, strings.TrimSpace(s.Provider + " " + s.Model)},
		{i18n.StatusLanguage, s.Lang},
		{i18n.StatusFiles, s.Home},
		{i18n.StatusConfig, config},
		{i18n.StatusTasks, t(i18n.StatusNTasks, s.Running, s.Waiting)},
		{i18n.StatusApprovals, fmt.Sprint(s.Approvals)},
		{i18n.StatusSandbox, sandbox},
		{i18n.StatusUsage, fmt.Sprintf("%d in, %d out", s.TokensIn, s.TokensOut)},
		{i18n.StatusIdle, idle},
	} {
		fmt.Fprintf(w, "  %s %s\n", pad(row.name.In(a.lang), 11), row.value)
	}
	for _, problem := range s.Problems {
		fmt.Fprintf(w, "  ! %s\n", clean(problem))
	}
	if len(s.LastCommands) > 0 {
		fmt.Fprintf(w, "  %s\n", t(i18n.StatusLog))
		for _, line := range s.LastCommands {
			fmt.Fprintf(w, "    %s\n", clean(line))
		}
	}
}
