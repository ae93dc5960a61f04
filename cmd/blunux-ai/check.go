package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/wire"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools/safety"
)

func newCheck() *cobra.Command {
	var asLines, byExit, explain bool
	cmd := jsonCommand("check [COMMAND | -]", nil, func(in invocation) error {
		checker, err := newChecker(in.Command)
		if err != nil {
			return err
		}
		if asLines {
			return checkLines(checker, ipc.Interruptible(in.Context(), in.InOrStdin()), in.OutOrStdout())
		}
		command, err := commandOf(in.args, ipc.Interruptible(in.Context(), in.InOrStdin()))
		if err != nil {
			return err
		}
		v := checker.judge(command)
		if explain {
			v.Steps = checker.Checker.Explain(command)
		}
		if err := printVerdict(v, in.json, checker.lang, in.OutOrStdout()); err != nil || !byExit {
			return err
		}
		return exitOf(v.Class)
	})
	cmd.Flags().BoolVar(&asLines, "jsonl", false, "")
	cmd.Flags().BoolVar(&explain, "explain", false, "")
	cmd.Flags().BoolVar(&byExit, "exit-code", false, "")
	return cmd
}

// checker judges commands as the daemon does, with the user's rules and autonomy.
type checker struct {
	*wire.Judge
	lang i18n.Lang
}

func newChecker(cmd *cobra.Command) (*checker, error) {
	c, err := openConfig(cmd)
	if err != nil {
		return nil, err
	}
	cfg, err := config.Load(c.src)
	if err != nil {
		return nil, err
	}
	judge, err := wire.Sources{Paths: c.paths, Source: c.src, Getenv: os.Getenv}.NewJudge(cfg)
	return &checker{judge, c.lang}, err
}

// maxCommand limits what is read from standard input, in bytes.
const maxCommand = 4 << 20

func commandOf(args []string, stdin io.Reader) (string, error) {
	if len(args) == 0 {
		return "", newUsageError(i18n.MistakeNoCommand)
	}
	if len(args) == 1 && args[0] == "-" {
		data, err := io.ReadAll(io.LimitReader(stdin, maxCommand))
		if err != nil {
			return "", i18n.CannotReadStdin(err).WithCause(err)
		}
		return strings.TrimSuffix(string(data), "\n"), nil
	}
	return strings.Join(args, " "), nil
}

// verdict is what check prints. docs/json.md documents it.
type verdict struct {
	Class      safety.Class    `json:"class"`
	Reasons    []safety.Reason `json:"reasons"`
	Command    string          `json:"command"`
	Source     string          `json:"source,omitempty"`
	Programs   []string        `json:"programs,omitempty"`
	Privileged bool            `json:"privileged,omitempty"`
	Hosts      []string        `json:"hosts,omitempty"`
	Warnings   []string        `json:"warnings,omitempty"`
	Then       string          `json:"then"`            // runs, asks or never, according to the configuration
	Steps      []safety.Step   `json:"steps,omitempty"` // with --explain
}

func (c *checker) judge(command string) verdict {
	v, warnings := c.Judge.Judge(command)
	return verdict{
		Warnings: warnings,
		Class:    v.Class, Reasons: append([]safety.Reason{}, v.Reasons...), Command: v.Command,
		Source: v.Source, Programs: v.Programs, Privileged: v.Privileged, Hosts: v.Hosts, Then: c.Outcome(v),
	}
}

// noteOf returns how the configuration changes the effect of a verdict, if it does.
func noteOf(v verdict) (note i18n.Text, ok bool) {
	switch {
	case v.Class == safety.Confirm && v.Then == wire.OutcomeRuns:
		return i18n.CheckRunsUnasked, true
	case v.Class == safety.Confirm && v.Source != "" && v.Then == wire.OutcomeNever, v.Class == safety.Safe && v.Then == wire.OutcomeNever:
		return i18n.CheckNeverRuns, true
	}
	return note, false
}

func printVerdict(v verdict, asJSON bool, lang i18n.Lang, out io.Writer) error {
	if asJSON {
		return writeJSON(out, v)
	}
	fmt.Fprintln(out, v.Class)
	for _, r := range v.Reasons {
		fmt.Fprintln(out, "  "+ipc.VisibleLine(i18n.ReasonAbout(r.Code, r.Part, lang)))
	}
	for _, w := range v.Warnings {
		if v.Class != safety.Confirm {
			break // warnings are only for confirmations
		}
		fmt.Fprintln(out, "  ! "+ipc.VisibleLine(i18n.Warning(w, lang)))
	}
	if note, ok := noteOf(v); ok {
		fmt.Fprintf(out, "  %s\n", note.In(lang))
	}
	for _, s := range v.Steps {
		fmt.Fprintf(out, "  %-7s %s\n", s.Class, ipc.VisibleLine(i18n.ReasonAbout(s.Rule, s.Part, lang)))
	}
	return nil
}

func exitOf(class safety.Class) error {
	switch class {
	case safety.Safe:
		return nil
	case safety.Blocked:
		return exitError(exitBlocked)
	}
	return exitError(exitConfirm)
}

func writeJSON(out io.Writer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

func checkLines(checker *checker, in io.Reader, out io.Writer) error {
	w := bufio.NewWriter(out)
	defer w.Flush()
	sc := bufio.NewScanner(in)
	sc.Buffer(nil, maxCommand)
	for n := 1; sc.Scan(); n++ {
		if strings.TrimSpace(sc.Text()) == "" {
			continue
		}
		var command string
		if err := json.Unmarshal(sc.Bytes(), &command); err != nil {
			return newUsageError(i18n.MistakeNotJson(n, err))
		}
		if err := writeJSON(w, checker.judge(command)); err != nil {
			return err
		}
	}
	if err := sc.Err(); err != nil {
		return i18n.CannotReadStdin(err).WithCause(err)
	}
	return w.Flush()
}
