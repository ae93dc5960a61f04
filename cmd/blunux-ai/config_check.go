package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/ui/dialog"
	"github.com/nidoit/blunux-ai/ui/setup"
)

func newConfig() *cobra.Command {
	cmd := &cobra.Command{
		Use:  "config",
		Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newConfigCheck(), newConfigShow(), newConfigExport(), newConfigImport(), newConfigPath())
	return cmd
}

func newConfigPath() *cobra.Command {
	return jsonCommand("path", manual.NoArgs, func(in invocation) error {
		p, err := config.FindPaths(os.Getenv)
		if err != nil {
			return err
		}
		if in.json {
			return writeJSON(in.OutOrStdout(), map[string]string{"path": p.Config()})
		}
		fmt.Fprintln(in.OutOrStdout(), ipc.VisibleLine(p.Config()))
		return nil
	})
}

func newConfigCheck() *cobra.Command {
	var verbose bool
	cmd := jsonCommand("check", manual.NoArgs, func(in invocation) error {
		c, err := openConfig(in.Command)
		if err != nil {
			return err
		}
		if in.json {
			return c.checkJSON(verbose)
		}
		return c.check(verbose)
	})
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "")
	return cmd
}

// check prints the files that were read, in order, or the first mistake.
func (c configCommand) check(verbose bool) error {
	cfg, err := c.load()
	if err != nil {
		return err
	}
	for _, file := range cfg.Files {
		fmt.Fprintln(c.out, ipc.VisibleLine(file))
	}
	for _, w := range cfg.Warnings {
		fmt.Fprintln(c.errs, ipc.VisibleLine(w.In(c.lang)))
	}
	if verbose {
		if err := c.show("", false); err != nil {
			return err
		}
	}
	fmt.Fprintln(c.out, "ok")
	return nil
}

// load reads the settings. It also rejects an unknown provider, with which the daemon would start but could not answer.
func (c configCommand) load() (config.Config, error) {
	cfg, err := config.Load(c.src)
	if err != nil {
		return cfg, err
	}
	for _, name := range append([]string{cfg.Agent.Provider}, cfg.Agent.Fallback...) {
		if setup.KnownProvider(name) {
			continue
		}
		bad := &config.Error{File: c.paths.Config(), Problem: i18n.SetupUnknown(fmt.Sprintf("%q", name), strings.Join(setup.Providers(), ", ")).In(c.lang)}
		all, err := config.Effective(c.src)
		if at := slices.IndexFunc(all, func(s config.Setting) bool {
			return strings.HasPrefix(s.Key(), "ai_agent.") && strings.Contains(fmt.Sprint(s.Value), name)
		}); err == nil && at >= 0 {
			bad.File, bad.Line, bad.Col = all[at].File, all[at].Line, 1
		}
		return cfg, bad
	}
	return cfg, nil
}

// checkDocument is the output of config check --json.
type checkDocument struct {
	OK       bool                 `json:"ok"`
	Files    []string             `json:"files"`
	Warnings []*ipc.ConfigProblem `json:"warnings"`
	Problem  *ipc.ConfigProblem   `json:"problem,omitempty"`
	Settings []shownSetting       `json:"settings,omitempty"` // with --verbose
}

func (c configCommand) checkJSON(verbose bool) error {
	doc := checkDocument{Files: []string{}, Warnings: []*ipc.ConfigProblem{}}
	cfg, err := c.load()
	doc.Files, doc.OK = append(doc.Files, cfg.Files...), err == nil
	for _, w := range cfg.Warnings {
		doc.Warnings = append(doc.Warnings, c.problem(w))
	}
	if err == nil && verbose {
		doc.Settings, err = c.settings("")
	}
	if err != nil {
		doc.OK, doc.Problem = false, c.problem(err)
	}
	if err := writeJSON(c.out, doc); err != nil || doc.OK {
		return err
	}
	return exitError(1)
}

// problem splits a mistake into its parts.
func (c configCommand) problem(err error) *ipc.ConfigProblem {
	var e *config.Error
	if errors.As(err, &e) {
		return &ipc.ConfigProblem{File: e.File, Line: e.Line, Column: e.Col, Problem: e.ProblemIn(c.lang)}
	}
	return &ipc.ConfigProblem{Problem: i18n.ErrorText(err, c.lang)}
}

// printWidened prints the changes that grant more rights. They come first, where they are not lost among the others.
func (c configCommand) printWidened(was, will []config.Setting) {
	hide := secret.NewRedactor(nil)
	shown := func(key string, v any) string {
		if v == nil {
			return i18n.SetupHaveNone.In(c.lang)
		}
		return ipc.VisibleLine(fmt.Sprint(maskValue(hide, config.Setting{Path: strings.Split(key, "."), Value: v})))
	}
	for _, w := range config.FindWidenings(was, will) {
		c.printWarning(w.Key, i18n.SetupChange(ipc.VisibleLine(w.Key), shown(w.Key, w.Before), shown(w.Key, w.After)).In(c.lang))
	}
}

// printTrusted prints what an automation may do beyond the usual: run signed commands without asking, and ask for
// approval over a messenger, where a yes counts.
func (c configCommand) printTrusted(rule map[string]any, title string) {
	if rule["auto_apply"] == true {
		c.printWarning(title, i18n.ConfigApply(ipc.VisibleLine(title)).In(c.lang))
	}
	notify, isList := rule["notify"].([]any)
	if !isList {
		notify = []any{rule["notify"]}
	}
	for _, to := range notify {
		if channel, address, _ := strings.Cut(fmt.Sprint(to), ":"); address != "" {
			c.printWarning(title, i18n.ConfigNotifies(ipc.VisibleLine(title), ipc.VisibleLine(channel+":"+address)).In(c.lang))
		}
	}
}

func (c configCommand) printWarning(key, line string) {
	if len(c.doc.WidenedKeys) == 0 {
		fmt.Fprintln(c.out, i18n.ConfigWidens.In(c.lang))
	}
	c.doc.WidenedKeys = append(c.doc.WidenedKeys, key)
	fmt.Fprintln(c.out, "  ! "+line)
}

// confirmRights asks before an import grants more rights, because the user may not have written the file.
func (c configCommand) confirmRights(ctx context.Context, yes bool) error {
	if len(c.doc.WidenedKeys) == 0 || yes {
		return nil
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if c.out == io.Discard || err != nil {
		return manual.NewUsageError(i18n.ConfigNeedsConfirmation.In(c.lang))
	}
	defer tty.Close()
	if !confirmAt(ctx, tty, i18n.ConfigTake.In(c.lang), c.lang) {
		fmt.Fprintln(c.errs, i18n.ConfigNot.In(c.lang))
		return exitError(exitConfirm)
	}
	return nil
}

// confirmAtTerminal asks for a yes. Without a terminal it returns false.
func confirmAtTerminal(ctx context.Context, question string, lang i18n.Lang) bool {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer tty.Close()
	return confirmAt(ctx, tty, question, lang)
}

func confirmAt(ctx context.Context, tty *os.File, question string, lang i18n.Lang) bool {
	ask := dialog.NewLines(lang, tty, tty, func() int { return 80 })
	defer ask.Close()
	ok, err := ask.Confirm(ctx, dialog.Question{Title: question})
	return err == nil && ok
}
