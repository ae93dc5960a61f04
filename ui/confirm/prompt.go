package confirm

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
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
