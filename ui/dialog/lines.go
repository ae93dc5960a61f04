package dialog

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"
	"golang.org/x/text/width"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/term"
)

// Lines asks line by line, for screen readers and simple terminals. It does not use huh's accessible mode, which is
// English only, accepts only y and n, and takes the end of input as consent.
type Lines struct {
	Lang i18n.Lang
	Out  io.Writer
	// Width returns the terminal's width in columns.
	Width func() int

	in       *os.File
	lines    chan string
	ended    chan struct{}
	requests chan struct{}
}

// NewLines returns an asker that reads from a terminal. It reads only when a question is asked.
func NewLines(lang i18n.Lang, in *os.File, out io.Writer, width func() int) *Lines {
	l := &Lines{Lang: lang, Out: out, Width: width, in: in, lines: make(chan string, 1), ended: make(chan struct{}), requests: make(chan struct{})}
	go l.read()
	return l
}

// Close ends the reader after its current line.
func (l *Lines) Close() { close(l.requests) }

// read reads a line for each request. It runs in its own goroutine, because a read cannot be cancelled.
func (l *Lines) read() {
	defer close(l.ended)
	r := bufio.NewReader(l.in)
	for range l.requests {
		line, err := r.ReadString('\n')
		if err != nil && line == "" {
			return
		}
		l.lines <- strings.TrimRight(line, "\r\n")
	}
}

func (l *Lines) line(ctx context.Context, prompt string) (string, error) {
	fmt.Fprint(l.Out, prompt)
	select {
	case l.requests <- struct{}{}:
	case <-l.ended:
		return "", ErrAborted
	}
	select {
	case line := <-l.lines:
		if strings.TrimSpace(line) == "\x1b" {
			return "", ErrEscaped
		}
		return line, nil
	case <-l.ended:
	case <-ctx.Done():
	}
	fmt.Fprintln(l.Out)
	return "", ErrAborted
}

// Choose implements [Asker].
func (l *Lines) Choose(ctx context.Context, q Question) (string, error) {
	l.head(q)
	chosen := 0
	for i, o := range q.Options {
		l.Tell(fmt.Sprintf("%d. %s", i+1, o.Label))
		if o.Value == q.Value {
			chosen = i
		}
	}
	for {
		line, err := l.line(ctx, i18n.SetupNumber(chosen+1).In(l.Lang))
		if err != nil {
			return "", err
		}
		line = strings.TrimSpace(width.Fold.String(line))
		if line == "" {
			return q.Options[chosen].Value, nil
		}
		if n, err := strconv.Atoi(strings.TrimSuffix(line, ".")); err == nil && n >= 1 && n <= len(q.Options) {
			return q.Options[n-1].Value, nil
		}
		l.Tell(i18n.SetupBadNumber(len(q.Options)).In(l.Lang))
	}
}

// Confirm implements [Asker].
func (l *Lines) Confirm(ctx context.Context, q Question) (bool, error) {
	l.head(q)
	prompt := i18n.SetupNoYes
	if q.Value == Yes {
		prompt = i18n.SetupYesNo
	}
	for {
		line, err := l.line(ctx, prompt.In(l.Lang))
		if err != nil {
			return false, err
		}
		if strings.TrimSpace(line) == "" {
			return q.Value == Yes, nil
		}
		switch i18n.ParseAnswer(line) {
		case i18n.Yes:
			return true, nil
		case i18n.No:
			return false, nil
		}
		l.Tell(i18n.SetupUnclear.In(l.Lang))
	}
}

// Type implements [Asker].
func (l *Lines) Type(ctx context.Context, q Question) (string, error) {
	l.head(q)
	prompt := "› "
	if q.Value != "" {
		prompt = "[" + q.Value + "] › "
		l.Tell(i18n.SetupKeep.In(l.Lang))
	}
	if q.Back {
		l.Tell(i18n.SetupTypeBackHelp.In(l.Lang))
	}
	if q.Secret {
		l.Tell(i18n.SetupHidden.In(l.Lang))
		show, err := term.HideInput(l.in)
		if err != nil {
			return "", fmt.Errorf("cannot hide the input: %w", err)
		}
		defer show()
	}
	for {
		line, err := l.line(ctx, prompt)
		if q.Back && (errors.Is(err, ErrEscaped) || err == nil && strings.TrimSpace(line) == Back) {
			fmt.Fprintln(l.Out)
			return Back, nil
		}
		if err != nil {
			return "", err
		}
		if q.Secret {
			fmt.Fprintln(l.Out)
		}
		line = cmp.Or(line, q.Value)
		if line == "-" && q.Value != "" {
			line = "" // an empty value instead of the current one
		}
		if q.Check == nil {
			return line, nil
		}
		if err = q.Check(line); err == nil {
			return line, nil
		}
		l.Tell(err.Error())
	}
}

// Tell implements [Asker].
func (l *Lines) Tell(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		for _, row := range wrap(line, max(l.Width(), LeastColumns)-1) {
			fmt.Fprintln(l.Out, row)
		}
	}
}

func (l *Lines) head(q Question) {
	l.Tell("")
	l.Tell(q.Title)
	if q.Help != "" {
		l.Tell(q.Help)
	}
}

// wrap breaks a line at blanks into rows of at most width cells. A longer word continues in the next row.
func wrap(line string, width int) (rows []string) {
	row, used := "", 0
	for word := range strings.SplitAfterSeq(line, " ") {
		if w := displaywidth.String(strings.TrimRight(word, " ")); used > 0 && used+w > width {
			rows = append(rows, strings.TrimRight(row, " "))
			row, used = "", 0
		}
		for g := displaywidth.StringGraphemes(word); g.Next(); {
			if used+g.Width() > width && g.Value() != " " {
				rows = append(rows, row)
				row, used = "", 0
			}
			row, used = row+g.Value(), used+g.Width()
		}
	}
	return append(rows, strings.TrimRight(row, " "))
}
