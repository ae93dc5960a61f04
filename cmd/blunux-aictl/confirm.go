package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// ask puts a confirmation to the person and sends the answer. The question is
// asked beside the frames that keep coming: an answer given elsewhere ends it.
func (d *display) ask(ctx context.Context, f ipc.Message) error {
	var ask ipc.Ask
	if err := f.Decode(&ask); err != nil {
		return err
	}
	w := d.prompt.tty
	fmt.Fprint(w, d.describe(f.Body, ask))
	for {
		fmt.Fprintf(w, "%s ", d.keys(ask))
		line, err := d.readLine(ctx)
		if err != nil { // end of input, or Ctrl-C: never a yes
			fmt.Fprintln(w)
			return d.send(f, ask, ipc.ActionReject, "")
		}
		switch i18n.ParseAnswer(line) {
		case i18n.Yes:
			return d.send(f, ask, ipc.ActionAllowOnce, "")
		case i18n.No:
			return d.send(f, ask, ipc.ActionReject, "")
		case i18n.Session:
			if ask.Covers != "" {
				return d.send(f, ask, ipc.ActionAllowSession, "")
			}
			fmt.Fprintln(w, i18n.AskHelpNoAll.In(d.lang))
		case i18n.Edit:
			if edited := d.readEdit(ctx); edited != "" {
				return d.send(f, ask, ipc.ActionEdit, edited)
			}
		case i18n.Explain:
			fmt.Fprintln(w, d.help(ask))
		default:
			if strings.TrimSpace(line) == "" { // the default is no
				return d.send(f, ask, ipc.ActionReject, "")
			}
			fmt.Fprintln(w, i18n.AskAgain.In(d.lang))
		}
	}
}

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
	if ask.Privileged {
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
	return s + strings.Repeat(" ", max(width-ansi.StringWidth(s), 0))
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

func (d *display) readEdit(ctx context.Context) string {
	fmt.Fprint(d.prompt.tty, i18n.AskEdit.In(d.lang))
	line, err := d.readLine(ctx)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(line)
}

// readLine reads a line from the terminal, or fails when ctx ends.
func (d *display) readLine(ctx context.Context) (string, error) {
	type read struct {
		line string
		err  error
	}
	ch := make(chan read, 1)
	go func() {
		line, err := d.prompt.in.ReadString('\n')
		ch <- read{line, err}
	}()
	select {
	case r := <-ch:
		return r.line, r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (d *display) send(f ipc.Message, ask ipc.Ask, action, command string) error {
	return d.client.Conn.Write(ipc.Message{Type: ipc.TypeAction, Re: f.ID, Action: action}.WithData(
		ipc.Answer{Digest: ask.Digest, Command: command}))
}
