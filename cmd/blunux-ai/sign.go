package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/rules"
	"github.com/nidoit/blunux-ai/daemon/wire"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// newFormerSign returns the hidden former spelling of sign and withdraw. blunux-aictl automations manages automations.
func newFormerSign() *cobra.Command {
	cmd := &cobra.Command{
		Use:    "automations",
		Hidden: true,
		Args:   manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return manual.NewUsageError(i18n.MistakeElsewhere("blunux-aictl automations, blunux-ai sign").In(commandLineLang()))
		},
		PersistentPreRun: func(cmd *cobra.Command, _ []string) {
			if name := cmd.Name(); name != "automations" {
				fmt.Fprintln(cmd.ErrOrStderr(), i18n.CommandRenamed("blunux-ai "+name).In(commandLineLang()))
			}
		},
	}
	cmd.AddCommand(newSign(), newWithdraw())
	return cmd
}

// signing holds what signing needs. It reads the files directly, without a daemon.
type signing struct {
	rules      []automation.Rule
	signatures automation.Signatures
	judge      *wire.Judge
	lang       i18n.Lang
}

func openSigning(cmd *cobra.Command) (signing, error) {
	paths, err := config.FindPaths(os.Getenv)
	if err != nil {
		return signing{}, err
	}
	distribution, _ := cmd.Flags().GetString("blunux-config")
	source := wire.NewSource(paths, distribution)
	cfg, _ := config.Load(source) // a mistake in the configuration does not matter here
	lang := configuredLang(langOf(cmd), source)
	judge, err := wire.Sources{Paths: paths, Source: source, Getenv: os.Getenv}.NewJudge(cfg)
	if err != nil {
		return signing{}, err
	}
	set, problems := automation.Load(rules.AutomationFiles(paths))
	for _, p := range problems {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s:%d: %s\n", ipc.Clean(p.File), p.Line, ipc.Clean(p.Text(lang)))
	}
	return signing{set.Rules, rules.NewSignatures(paths), judge, lang}, nil
}

func (s signing) rule(name string) (automation.Rule, error) {
	var there []string
	for _, r := range s.rules {
		if r.Name == name {
			return r, nil
		}
		there = append(there, r.Name)
	}
	return automation.Rule{}, errors.New(i18n.ErrNoAutomation(name).In(s.lang) + " " + i18n.AutomationNames(s.lang, there))
}

func newSign() *cobra.Command {
	return jsonCommand("sign NAME...", atLeastOneArg, func(in invocation) error {
		s, err := openSigning(in.Command)
		if err != nil {
			return err
		}
		r, err := s.rule(joinArgs(in.args))
		if err != nil {
			return err
		}
		if !r.AutoApply || len(r.Commands) == 0 || r.Managed {
			return errors.New(i18n.SignNothing(r.Name).In(s.lang))
		}
		if err := s.check(r); err != nil {
			return err
		}
		if err := s.confirm(in.Context(), r); err != nil {
			return err
		}
		if err := s.signatures.Sign(in.Context(), r); err != nil {
			return err
		}
		if in.json {
			return writeJSON(in.OutOrStdout(), map[string]any{"name": r.Name, "signed": true})
		}
		fmt.Fprintln(in.OutOrStdout(), i18n.SignDone(ipc.Clean(r.Name)).In(s.lang))
		return nil
	})
}

// check rejects a rule if one of its commands would never run unattended, signed or not.
func (s signing) check(r automation.Rule) error {
	var rows []string
	for _, argv := range r.Commands {
		o := s.judge.Obstacle(argv)
		if o == nil {
			continue
		}
		why, helps := i18n.ReasonAbout(o.Reason.Code, o.Reason.Part, s.lang), i18n.SignHelps
		if o.Warning != "" {
			why = i18n.Warning(o.Warning, s.lang)
		}
		switch {
		case o.Blocked:
			helps = i18n.SignBlocked
		case o.OwnRule():
			helps = i18n.SignOwnRule
		}
		rows = append(rows, "  "+ipc.VisibleLine(shell.CommandLine(argv)), "    "+ipc.VisibleLine(why), "    "+helps.In(s.lang))
	}
	if rows == nil {
		return nil
	}
	return errors.New(i18n.SignNever(ipc.Clean(r.Name)).In(s.lang) + "\n" + strings.Join(rows, "\n"))
}

// confirm shows the commands on the terminal and asks for confirmation. Without a terminal nothing can be signed.
func (s signing) confirm(ctx context.Context, r automation.Rule) error {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return manual.NewUsageError(i18n.SignTerminal.In(s.lang))
	}
	defer tty.Close()
	defer context.AfterFunc(ctx, func() { _ = tty.SetReadDeadline(time.Now()) })()
	rows := []string{i18n.SignIntro(ipc.Clean(r.Name)).In(s.lang)}
	for _, argv := range r.Commands {
		rows = append(rows, "    "+ipc.VisibleLine(shell.CommandLine(argv)))
	}
	fmt.Fprint(tty, strings.Join(rows, "\n")+"\n"+i18n.SignQuestion.In(s.lang))
	line, err := bufio.NewReader(tty).ReadString('\n')
	if err == nil && i18n.ParseAnswer(line) == i18n.Yes {
		return nil
	}
	fmt.Fprintln(tty, i18n.SignNot.In(s.lang))
	return exitError(exitDenied)
}

func newWithdraw() *cobra.Command {
	return jsonCommand("withdraw NAME...", atLeastOneArg, func(in invocation) error {
		s, err := openSigning(in.Command)
		if err == nil {
			err = s.signatures.Withdraw(in.Context(), joinArgs(in.args))
		}
		switch {
		case err != nil:
			return err
		case in.json:
			return writeJSON(in.OutOrStdout(), map[string]any{"name": joinArgs(in.args), "signed": false})
		}
		fmt.Fprintln(in.OutOrStdout(), i18n.SignWithdrawn(ipc.Clean(joinArgs(in.args))).In(s.lang))
		return nil
	})
}
