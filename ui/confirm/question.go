package confirm

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// ReadLine prints a prompt and returns the line that is typed afterwards. Earlier input is discarded. It fails when
// ctx ends, and at the end of input.
type ReadLine func(ctx context.Context, text string) (string, error)

// Decide shows the complete confirmation and asks until it gets an answer. The end of input counts as no. The
// error is the cause of ctx's end.
func (n Notice) Decide(ctx context.Context, w io.Writer, line ReadLine) (action, command string, err error) {
	for i := range n.Screens() {
		fmt.Fprint(w, n.highlight(n.Screen(i)))
		if i == n.Screens()-1 {
			break
		}
		if on, err := n.askContinue(ctx, w, line, i); err != nil || !on {
			return ipc.ActionReject, "", err
		}
	}
	return n.askChoice(ctx, w, line)
}

// askContinue asks whether to show the next screen. It accepts no yes before the whole command was shown.
func (n Notice) askContinue(ctx context.Context, w io.Writer, line ReadLine, screen int) (bool, error) {
	for {
		said, err := line(ctx, n.More(screen))
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		if err != nil { // end of input
			fmt.Fprintln(w)
			return false, nil
		}
		if strings.TrimSpace(said) == "" {
			return true, nil
		}
		switch i18n.ParseAnswer(said) {
		case i18n.No:
			return false, nil
		case i18n.Explain:
			fmt.Fprint(w, n.sentence(i18n.AskMoreHelp))
		default:
			fmt.Fprint(w, n.sentence(i18n.AskMoreFirst))
		}
	}
}

// askChoice asks for the decision after everything was shown.
func (n Notice) askChoice(ctx context.Context, w io.Writer, line ReadLine) (action, command string, err error) {
	for {
		said, err := line(ctx, n.Choices())
		if ctx.Err() != nil {
			return "", "", context.Cause(ctx)
		}
		if err != nil { // end of input
			fmt.Fprintln(w)
			return ipc.ActionReject, "", nil
		}
		switch i18n.ParseAnswer(said) {
		case i18n.Yes:
			return ipc.ActionAllowOnce, "", nil
		case i18n.No:
			return ipc.ActionReject, "", nil
		case i18n.Session:
			if n.ask.Covers != "" {
				return ipc.ActionAllowSession, "", nil
			}
			fmt.Fprint(w, n.sentence(i18n.AskHelpNoAll))
		case i18n.Edit:
			if !n.ask.Editable() {
				fmt.Fprint(w, n.sentence(i18n.AskHelpNoEdit))
				continue
			}
			edited, err := line(ctx, n.wrapKeys(strings.TrimSpace(i18n.AskEdit.In(n.lang))))
			if edited = strings.TrimSpace(edited); err == nil && edited != "" {
				return ipc.ActionEdit, edited, nil
			}
		case i18n.Explain:
			fmt.Fprint(w, n.Help())
		default:
			if strings.TrimSpace(said) == "" { // the default is no
				return ipc.ActionReject, "", nil
			}
			fmt.Fprint(w, n.sentence(i18n.AskAgain))
		}
	}
}

// highlight highlights the escapes of [ipc.Visible] on colour terminals. The text is unambiguous without it.
func (n Notice) highlight(s string) string {
	if !n.color {
		return s
	}
	return strings.NewReplacer("⟨", "\x1b[7m⟨", "⟩", "⟩\x1b[0m").Replace(s)
}
