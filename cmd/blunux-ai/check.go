package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools/safety"
)

func newCheck() *cobra.Command {
	var asJSON, asLines, byExit, explain bool
	cmd := &cobra.Command{
		Use: "check [COMMAND | -]",
		RunE: func(cmd *cobra.Command, args []string) error {
			checker, err := newChecker()
			if err != nil {
				return err
			}
			if asLines {
				return checkLines(checker, ipc.Interruptible(cmd.Context(), cmd.InOrStdin()), cmd.OutOrStdout())
			}
			command, err := commandOf(args, ipc.Interruptible(cmd.Context(), cmd.InOrStdin()))
			if err != nil {
				return err
			}
			v := judge(checker, command)
			if explain {
				v.Steps = checker.Explain(command)
			}
			if err := printVerdict(v, asJSON, cmd.OutOrStdout()); err != nil || !byExit {
				return err
			}
			return exitOf(v.Class)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "")
	cmd.Flags().BoolVar(&asLines, "jsonl", false, "")
	cmd.Flags().BoolVar(&explain, "explain", false, "")
	cmd.Flags().BoolVar(&byExit, "exit-code", false, "")
	return cmd
}

func newChecker() (*safety.Checker, error) {
	paths, err := config.FindPaths(os.Getenv)
	if err != nil {
		return nil, err
	}
	home := os.Getenv("HOME")
	if !filepath.IsAbs(home) {
		home = "/"
	}
	return daemon.NewChecker(paths, home), nil
}

// maxCommand bounds what is read of standard input, in bytes.
const maxCommand = 4 << 20

func commandOf(args []string, stdin io.Reader) (string, error) {
	if len(args) == 0 {
		return "", misused(i18n.MistakeNoCommand)
	}
	if len(args) == 1 && args[0] == "-" {
		data, err := io.ReadAll(io.LimitReader(stdin, maxCommand))
		if err != nil {
			return "", i18n.CannotReadStdin.With(err).Failed(err)
		}
		return strings.TrimSuffix(string(data), "\n"), nil
	}
	return strings.Join(args, " "), nil
}

// verdict is what check prints; docs/json.md documents it.
type verdict struct {
	Class      safety.Class    `json:"class"`
	Reasons    []safety.Reason `json:"reasons"`
	Command    string          `json:"command"`
	Source     string          `json:"source,omitempty"`
	Programs   []string        `json:"programs,omitempty"`
	Privileged bool            `json:"privileged,omitempty"`
	Steps      []safety.Step   `json:"steps,omitempty"` // with --explain
}

func judge(checker *safety.Checker, command string) verdict {
	v := checker.Judge(command)
	return verdict{
		Class: v.Class, Reasons: append([]safety.Reason{}, v.Reasons...), Command: v.Command,
		Source: v.Source, Programs: v.Programs, Privileged: v.Privileged,
	}
}

func printVerdict(v verdict, asJSON bool, out io.Writer) error {
	if asJSON {
		return writeJSON(out, v)
	}
	fmt.Fprintln(out, v.Class)
	for _, r := range v.Reasons {
		fmt.Fprintf(out, "  %s: %q\n", r.Code, r.Part)
	}
	for _, s := range v.Steps {
		fmt.Fprintf(out, "  %-7s %-20s %q: %s\n", s.Class, s.Rule, s.Part, s.Why)
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

func checkLines(checker *safety.Checker, in io.Reader, out io.Writer) error {
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
			return misused(i18n.MistakeNotJSON, n, err)
		}
		if err := writeJSON(w, judge(checker, command)); err != nil {
			return err
		}
	}
	if err := sc.Err(); err != nil {
		return i18n.CannotReadStdin.With(err).Failed(err)
	}
	return w.Flush()
}
