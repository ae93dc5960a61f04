package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// describe shows everything there is to decide about: the literal command
// first, on lines of its own, nothing left out and nothing invisible.
func (d *display) describe(question string, ask ipc.Ask) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n\n", clean(question))
	for _, line := range strings.Split(visible(ask.Command), "\n") {
		fmt.Fprintf(&b, "    %s\n", line)
	}
	b.WriteByte('\n')
	user := i18n.AskYou.In(d.lang)
	if ask.Privileged || d.root {
		user = i18n.AskRoot.In(d.lang)
	}
	why := make([]string, len(ask.Reasons))
	for i, code := range ask.Reasons {
		why[i] = clean(i18n.Reason(code, d.lang))
	}
	rows := [][2]string{
		{i18n.AskDirectory.In(d.lang), visible(ask.Cwd)},
		{i18n.AskUser.In(d.lang), user},
		{i18n.AskWhy.In(d.lang), ask.Class + " · " + strings.Join(why, "; ")},
		{i18n.AskExpires.In(d.lang), ask.Expires.Local().Format(time.TimeOnly)},
	}
	if n := strings.Count(ask.Command, "\n"); n > 0 {
		rows = append(rows, [2]string{i18n.AskCommand.In(d.lang), i18n.AskLines.In(d.lang, n+1, len(ask.Command))})
	}
	for _, r := range rows {
		fmt.Fprintf(&b, "  %s %s\n", pad(r[0], 10), r[1])
	}
	return b.String()
}

// pad fills s with blanks to a width in terminal cells.
func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(width-displaywidth.String(s), 0))
}

func (d *display) keys(ask ipc.Ask) string {
	if ask.Covers == "" {
		return i18n.AskPromptNoAll.In(d.lang)
	}
	return i18n.AskPrompt.In(d.lang)
}

func (d *display) help(ask ipc.Ask) string {
	if ask.Covers == "" {
		return i18n.AskHelpNoAll.In(d.lang)
	}
	return i18n.AskHelp.In(d.lang, firstLine(visible(ask.Covers)))
}
