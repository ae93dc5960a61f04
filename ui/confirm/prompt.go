package confirm

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// Prompt is the terminal where a person is asked. It is not safe for concurrent use.
type Prompt struct {
	tty *os.File
	in  *bufio.Reader
}

// OpenPrompt opens the controlling terminal, so that a person can be asked even if standard input is a pipe. It
// returns nil if there is none.
func OpenPrompt() *Prompt {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	if err := tty.SetReadDeadline(time.Time{}); err != nil {
		tty.Close() // without deadlines a read could not be interrupted
		return nil
	}
	return &Prompt{tty, bufio.NewReader(tty)}
}

// UsualColumns is the assumed width of a terminal that does not report its own.
const UsualColumns = 80

// Size returns the terminal's columns and rows. rows is 0 if the terminal does not report it.
func (p *Prompt) Size() (columns, rows int) {
	raw, err := p.tty.SyscallConn()
	if err != nil {
		return UsualColumns, 0
	}
	var size *unix.Winsize
	var failed error
	err = raw.Control(func(fd uintptr) {
		size, failed = unix.IoctlGetWinsize(int(fd), unix.TIOCGWINSZ)
	})
	if err != nil || failed != nil || size.Col == 0 {
		return UsualColumns, 0
	}
	return int(size.Col), int(size.Row)
}

// Close closes the terminal.
func (p *Prompt) Close() error { return p.tty.Close() }

// Write writes to the terminal.
func (p *Prompt) Write(text []byte) (int, error) { return p.tty.Write(text) }

// AskLine prints a prompt and reads a line, or fails when ctx ends. Earlier input is discarded, since it cannot
// answer a question that was not shown yet.
func (p *Prompt) AskLine(ctx context.Context, text string) (string, error) {
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err := p.flush(); err != nil {
		return "", err
	}
	return p.NextLine(ctx, text)
}

// NextLine is [Prompt.AskLine] but keeps earlier input. It must not be used for decisions.
func (p *Prompt) NextLine(ctx context.Context, text string) (string, error) {
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if _, err := fmt.Fprint(p.tty, text); err != nil {
		return "", err
	}
	if err := p.tty.SetReadDeadline(time.Time{}); err != nil {
		return "", err
	}
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(interrupted)
		_ = p.tty.SetReadDeadline(time.Unix(1, 0)) // ends the read below
	})
	line, err := p.in.ReadString('\n')
	if !stop() {
		<-interrupted // so that it cannot end the next read
		return "", context.Cause(ctx)
	}
	return line, err
}

// flush discards unread input, tcflush(3).
func (p *Prompt) flush() error {
	raw, err := p.tty.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := raw.Control(func(fd uintptr) {
		failed = unix.IoctlSetInt(int(fd), unix.TCFLSH, unix.TCIFLUSH)
	}); err != nil {
		return err
	}
	p.in.Reset(p.tty)
	return failed
}

// ReadLine prints a prompt and returns the line that is typed afterwards. Earlier input is discarded. It fails when
// ctx ends, and at the end of input.
type ReadLine func(ctx context.Context, text string) (string, error)

// Decide shows the complete confirmation and asks until it gets an answer. The end of input counts as no. The
// error is the cause of ctx's end.
func (n Notice) Decide(ctx context.Context, w io.Writer, line ReadLine) (action, command string, err error) {
	for i := range n.Screens() {
		fmt.Fprint(w, n.Screen(i))
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
		if n.offersFamily() && i18n.IsFamily(said) {
			return ipc.ActionAllowFamily, "", nil
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
			fmt.Fprint(w, n.Help())
		case i18n.Edit:
			if !n.ask.Editable() {
				fmt.Fprint(w, n.Help())
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
