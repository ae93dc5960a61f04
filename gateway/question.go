package gateway

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/ui/confirm"
)

// ShownQuestion is an open question as text for a person: every character of a command is visible, and nothing is left
// out. A client shows all of it, and answers with the digest.
type ShownQuestion struct {
	RequestID string    `json:"requestId"`
	Digest    string    `json:"digest"`
	TaskID    string    `json:"taskId"`
	ChannelID string    `json:"channelId"`
	Owner     string    `json:"owner"`    // the token that asked
	Foreseen  []string  `json:"foreseen"` // what an upgrade would do, a line each
	Rows      []ShowRow `json:"rows"`
	Directory string    `json:"directory,omitempty"`
	Root      bool      `json:"privileged"`
	Class     string    `json:"class"`
	Reasons   []string  `json:"reasons"`
	Warnings  []string  `json:"warnings"`
	Files     []string  `json:"files"`
	Expires   time.Time `json:"expires"`
}

// ShowRow is a line of a question. Mark is left of it, where no command can write.
type ShowRow struct {
	Kind string `json:"kind"` // command, note, warning, file, removed or added
	Mark string `json:"mark,omitempty"`
	Text string `json:"text"`
}

// showQuestions answers approval.show.
func (c *call) showQuestions(ctx context.Context) (any, error) {
	all, err := c.g.readQuestions(ctx)
	list := make([]ShownQuestion, 0, len(all))
	for _, q := range all {
		list = append(list, q.show(c.lang))
	}
	return map[string]any{"questions": list}, err
}

func (q question) show(lang i18n.Lang) ShownQuestion {
	s := ShownQuestion{
		RequestID: q.ask.Code, Digest: q.ask.Digest, TaskID: q.task, ChannelID: ipc.VisibleLine(q.of.Channel),
		Owner: ipc.VisibleLine(q.of.Token), Rows: commandRows(q.ask.Command), Directory: ipc.VisibleLine(q.ask.Cwd),
		Root: q.ask.Privileged, Class: q.ask.Class, Expires: q.ask.Expires, Reasons: []string{}, Warnings: []string{}, Files: []string{},
		Foreseen: append([]string{}, q.ask.ForeseenLines()...),
	}
	if steps := q.ask.Steps(); len(steps) > 0 {
		s.Rows = planRows(steps, lang)
	}
	for _, code := range q.ask.Reasons {
		s.Reasons = append(s.Reasons, ipc.VisibleLine(i18n.Reason(code, lang)))
	}
	for _, w := range slices.Concat(q.ask.Warnings, ipc.Suspicions(q.ask.Command)) {
		if text := ipc.VisibleLine(i18n.Warning(w, lang)); !slices.Contains(s.Warnings, text) {
			s.Warnings = append(s.Warnings, text)
		}
	}
	for _, f := range q.ask.Files {
		s.Files = append(s.Files, fmt.Sprintf("sha256:%.12s… %s", strings.TrimPrefix(f.SHA256, "sha256:"), ipc.VisibleLine(f.Path)))
	}
	return s
}

// commandRows returns the lines of a command, numbered if there are several.
func commandRows(command string) []ShowRow {
	lines := strings.Split(ipc.Visible(command), "\n")
	rows := make([]ShowRow, len(lines))
	for i, line := range lines {
		rows[i] = ShowRow{Kind: "command", Text: line}
		if len(lines) > 1 {
			rows[i].Mark = strconv.Itoa(i + 1)
		}
	}
	return rows
}

// planRows returns the steps of a plan: for each its number and literal command, and below it what is known about it.
func planRows(steps []ipc.PlanStep, lang i18n.Lang) (rows []ShowRow) {
	for _, s := range steps {
		mark := strconv.Itoa(s.Number)
		for line := range strings.SplitSeq(ipc.Visible(s.Command), "\n") {
			rows = append(rows, ShowRow{"command", mark, line})
			mark = "|"
		}
		rows = append(rows, ShowRow{Kind: "note", Text: confirm.StepFacts(s, lang)})
		if s.Check != "" && !s.Looks {
			rows = append(rows, ShowRow{Kind: "note", Text: ipc.VisibleLine(i18n.PlanCheck(s.Check).In(lang))})
		}
		if s.Back == ipc.BackNo && !s.Looks {
			rows = append(rows, ShowRow{"warning", "!", i18n.PlanNoBack.In(lang)})
		}
		if s.Detail == "" {
			continue
		}
		for line := range strings.SplitSeq(s.Detail, "\n") {
			rows = append(rows, ShowRow{kindOf(line), ":", ipc.VisibleLine(line)})
		}
	}
	return rows
}

func kindOf(line string) string {
	switch {
	case strings.HasPrefix(line, "-"):
		return "removed"
	case strings.HasPrefix(line, "+"):
		return "added"
	}
	return "file"
}
