package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// prompt is the terminal a person is asked at.
type prompt struct {
	tty *os.File
	in  *bufio.Reader
}

// openPrompt returns the controlling terminal, so that a person can be asked
// even when standard input is a pipe; nil when there is none.
func openPrompt() *prompt {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	if err := tty.SetReadDeadline(time.Time{}); err != nil {
		tty.Close() // a question there could never be taken back
		return nil
	}
	return &prompt{tty, bufio.NewReader(tty)}
}

// usualColumns is the width of a terminal that does not tell its own.
const usualColumns = 80

// size is how many columns and rows the terminal has; rows is 0 where it does
// not tell.
func (p *prompt) size() (columns, rows int) {
	raw, err := p.tty.SyscallConn()
	if err != nil {
		return usualColumns, 0
	}
	var size *unix.Winsize
	var failed error
	err = raw.Control(func(fd uintptr) {
		size, failed = unix.IoctlGetWinsize(int(fd), unix.TIOCGWINSZ)
	})
	if err != nil || failed != nil || size.Col == 0 {
		return usualColumns, 0
	}
	return int(size.Col), int(size.Row)
}

// line prints what is asked for and reads a line, or fails when ctx ends.
// What was typed before that is thrown away: it cannot be an answer to
// something nobody had seen.
func (p *prompt) line(ctx context.Context, text string) (string, error) {
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err := p.flush(); err != nil {
		return "", err
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
func (p *prompt) flush() error {
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
