package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// command returns the command that turns words into a command for a shell's line. It runs nothing.
func (a *app) command() *cobra.Command {
	var fish bool
	cmd := a.jsonCommand("command WORDS…", i18n.CmdCommand, cobra.MinimumNArgs(1), func(in invocation) error {
		words := stripControls(strings.Join(in.args, " "))
		if err := checkQuestion(words, len(words), a.lang); err != nil {
			return err
		}
		line, err := a.findCommand(in.Context(), words)
		switch {
		case err != nil:
			return err
		case in.json:
			return printJSON(a.out, map[string]string{"command": line})
		case fish:
			line = fishLine(line)
		}
		_, err = fmt.Fprintln(a.out, line)
		return err
	})
	cmd.Flags().BoolVar(&fish, "fish", false, i18n.FlagFish.In(a.lang))
	return cmd
}

// findCommand asks which commands a request needs, and returns them as a person would type them.
func (a *app) findCommand(ctx context.Context, words string) (string, error) {
	c, err := a.connect(ctx, ipc.Hello{})
	if err != nil {
		return "", err
	}
	defer c.Close()
	m := ipc.Message{Type: ipc.TypeMessage, Body: words}.WithData(ipc.Request{Cwd: a.workDir(), DryRun: true, Lang: a.explicitLang()})
	var answer strings.Builder
	last, err := c.Do(ctx, m, func(f ipc.Message) error { answer.WriteString(f.Body); return nil })
	if err != nil {
		return "", err
	}
	if last.Error != nil {
		return "", last.Error
	}
	var out ipc.Outcome
	if err := last.Decode(&out); err != nil {
		return "", err
	}
	var lines []string
	for _, s := range out.Steps {
		switch {
		case s.State == ipc.ToolRefused || s.Class == "BLOCKED":
			return "", &ipc.Error{Code: ipc.CodeDenied, Message: i18n.LineBlocked(visible(s.Command)).In(a.lang)}
		case !s.Shell: // an action of the assistant, which no other program does
			return "blunux-aictl ask " + quoteName(words), nil
		}
		lines = append(lines, byHand(s.Command))
	}
	if len(lines) > 0 {
		return strings.Join(lines, "\n"), nil
	}
	text := strings.TrimSpace(answer.String() + last.Body)
	if text == "" {
		text = i18n.LineNone.In(a.lang)
	}
	return "", &ipc.Error{Code: ipc.CodeBadRequest, Message: text}
}

// byHand returns a command without the options for programs that no one watches: at a shell, somebody answers.
func byHand(command string) string {
	return strings.NewReplacer("sudo -n ", "sudo ", " --noconfirm", "").Replace(command)
}

// fishLine returns a command of bash for fish, which reads some forms differently.
func fishLine(line string) string {
	if !strings.ContainsAny(line, "\n`{[\\") && !strings.Contains(line, "$") && !strings.Contains(line, "<(") && !strings.Contains(line, "<<") {
		return line
	}
	return "bash -c '" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(line) + "'"
}

// why returns the command that says why a command failed.
func (a *app) why() *cobra.Command {
	var status string
	var brief bool
	cmd := a.jsonCommand("why [COMMAND…]", i18n.CmdWhy, cobra.ArbitraryArgs, func(in invocation) error {
		f := ipc.Failure{Command: strings.TrimSpace(strings.Join(in.args, " "))}
		var err error
		if f.Status, err = parseStatus(status); err != nil {
			return a.newUsageError(i18n.WhyBadStatus(status))
		}
		if f.Command == "" {
			return &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.WhyNoCommand.In(a.lang)}
		}
		if hasPipedInput(os.Stdin) {
			read, err := readInput(in.Context(), os.Stdin, nil)
			if err != nil {
				return err
			}
			f.Output = read.text(maxOutput, a.lang)
		} else if !brief {
			f.Output = keptOutput(in.Context(), f.Command)
		}
		return a.showWhy(in, f, brief)
	})
	cmd.Flags().StringVar(&status, "status", "1", i18n.FlagStatus.In(a.lang))
	cmd.Flags().BoolVar(&brief, "brief", false, i18n.FlagBrief.In(a.lang))
	return cmd
}

// maxOutput bounds the output of a failed command that is sent, in bytes: its beginning and its end.
const maxOutput = 32 << 10

// parseStatus reads exit statuses, with commas or blanks between them.
func parseStatus(text string) (all []int, err error) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ' ' || r == '|' }) {
		n, err := strconv.ParseUint(word, 10, 8)
		if err != nil {
			return nil, err
		}
		all = append(all, int(n))
	}
	if len(all) == 0 {
		return nil, strconv.ErrSyntax
	}
	return all, nil
}

// showWhy prints why a command failed. Without a cause, a configured model is asked. brief prints only what to do about a
// program that is not there, and nothing if that is not known.
func (a *app) showWhy(in invocation, f ipc.Failure, brief bool) error {
	var w ipc.Why
	if err := a.query(in.Context(), ipc.Query{What: "why", Failure: &f}, &w); err != nil {
		return err
	}
	switch {
	case in.json:
		return printJSON(a.out, w)
	case brief:
		return a.showMissing(w)
	}
	fmt.Fprintln(a.out, ipc.Visible(w.Text))
	if f.Output == "" && !w.Found {
		fmt.Fprintln(a.out, i18n.WhyNoOutput.In(a.lang))
	}
	switch {
	case w.Repairable:
		fmt.Fprintln(a.out, i18n.DiagnoseRepairable(strings.Join(strings.Fields("blunux-aictl diagnose "+w.Topic+" "+w.Object+" --repair"), " ")).In(a.lang))
	case !w.Found && w.Model:
		text := i18n.WhyAsk(f.Command, f.Status[len(f.Status)-1]).In(a.lang)
		return a.runAsk(in.Context(), question{text: text, stdin: f.Output}, askOptions{})
	}
	return nil
}

// showMissing prints the repair of the first cause in a line.
func (a *app) showMissing(w ipc.Why) error {
	var r struct {
		Causes []struct {
			Repair *struct {
				Goal string `json:"goal"`
			} `json:"repair"`
		} `json:"causes"`
	}
	if !w.Repairable || json.Unmarshal(w.Report, &r) != nil || len(r.Causes) == 0 || r.Causes[0].Repair == nil {
		return nil
	}
	_, err := fmt.Fprintln(a.out, visible(r.Causes[0].Repair.Goal)+": blunux-aictl diagnose "+w.Topic+" "+w.Object+" --repair")
	return err
}
