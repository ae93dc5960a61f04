package confirm

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Prompt is the terminal a person is asked at. It is for one goroutine at a
// time.
type Prompt struct {
	tty *os.File
	in  *bufio.Reader
}

// OpenPrompt returns the controlling terminal, so that a person can be asked
// even when standard input is a pipe; nil when there is none.
func OpenPrompt() *Prompt {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	if err := tty.SetReadDeadline(time.Time{}); err != nil {
		tty.Close() // a question there could never be taken back
		return nil
	}
	return &Prompt{tty, bufio.NewReader(tty)}
}

// UsualColumns is the width of a terminal that does not tell its own.
const UsualColumns = 80

// Size is how many columns and rows the terminal has; rows is 0 where it does
// not tell.
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

// Line prints what is asked for and reads a line, or fails when ctx ends.
// What was typed before that is thrown away: it cannot be an answer to
// something nobody had seen.
func (p *Prompt) Line(ctx context.Context, text string) (string, error) {
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err := p.flush(); err != nil {
		return "", err
	}
	return p.Next(ctx, text)
}

// Next is [Prompt.Line] but takes what was typed before: it is for what nobody
// decides by.
func (p *Prompt) Next(ctx context.Context, text string) (string, error) {
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
		<-interrupted // it must not end the next question's read
		return "", context.Cause(ctx)
	}
	return line, err
}

// flush throws away what was typed and not read yet, tcflush(3).
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
