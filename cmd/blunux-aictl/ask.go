package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

type askOptions struct {
	json, jsonl, dryRun, quiet, noColor bool
	timeout                             time.Duration
	session                             string
}

func (a *app) ask() *cobra.Command {
	var o askOptions
	cmd := &cobra.Command{
		Use:   "ask QUESTION…",
		Short: i18n.CmdAsk.In(a.lang),
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := a.question(args, os.Stdin)
			if err != nil {
				return err
			}
			return a.runAsk(cmd.Context(), q, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, i18n.FlagJSON.In(a.lang))
	f.BoolVar(&o.jsonl, "jsonl", false, i18n.FlagJSONL.In(a.lang))
	f.BoolVar(&o.dryRun, "dry-run", false, i18n.FlagDryRun.In(a.lang))
	f.BoolVarP(&o.quiet, "quiet", "q", false, i18n.FlagQuiet.In(a.lang))
	f.DurationVar(&o.timeout, "timeout", 0, i18n.FlagTimeout.In(a.lang))
	f.StringVarP(&o.session, "session", "s", "", i18n.FlagSession.In(a.lang))
	f.BoolVar(&o.noColor, "no-color", false, i18n.FlagNoColor.In(a.lang))
	return cmd
}

// question is what the person wants to know, and what was piped in with it.
type question struct{ text, stdin string }

// maxQuestion bounds the words of a question, in bytes: with what is piped in
// it must fit one frame.
const maxQuestion = 256 << 10

// maxStdin bounds what is taken of standard input, in bytes.
const maxStdin = 256 << 10

// question joins the arguments; piped standard input goes with them as data,
// or is the question where there are no arguments.
func (a *app) question(args []string, stdin *os.File) (question, error) {
	q := question{text: strings.Join(args, " ")}
	if piped(stdin) {
		text, err := a.readStdin(stdin)
		if err != nil {
			return q, err
		}
		q.stdin = text
	}
	if strings.TrimSpace(q.text) == "" {
		q.text, q.stdin = strings.TrimSpace(q.stdin), ""
	}
	switch {
	case strings.TrimSpace(q.text) == "":
		return q, &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.ErrEmpty.In(a.lang), Hint: i18n.ErrEmptyHint.In(a.lang)}
	case !utf8.ValidString(q.text):
		return q, &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.NotUTF8.In(a.lang)}
	case len(q.text) > maxQuestion:
		return q, &ipc.Error{Code: ipc.CodeTooLarge, Message: i18n.QuestionTooLong.In(a.lang, len(q.text), maxQuestion)}
	}
	return q, nil
}

// piped reports whether somebody feeds standard input: a pipe or a file, or a
// socket with something to read. A silent socket is how ssh and some parents
// leave standard input open without meaning anything by it.
func piped(f *os.File) bool {
	fi, err := f.Stat()
	if err != nil {
		return false
	}
	if fi.Mode()&os.ModeSocket != 0 {
		poll := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLIN}}
		n, err := unix.Poll(poll, 100)
		return err == nil && n > 0 && poll[0].Revents&unix.POLLIN != 0
	}
	return fi.Mode().IsRegular() || fi.Mode()&os.ModeNamedPipe != 0
}

// readStdin reads standard input to its end and keeps the beginning and the
// end of what is too long.
func (a *app) readStdin(r io.Reader) (string, error) {
	head, err := io.ReadAll(io.LimitReader(r, maxStdin/2))
	if err != nil {
		return "", fmt.Errorf("cannot read standard input: %w", err)
	}
	tail, left, err := readTail(r, maxStdin/2)
	if err != nil {
		return "", fmt.Errorf("cannot read standard input: %w", err)
	}
	text := string(head)
	if left > 0 {
		text += "\n" + i18n.StdinCut.In(a.lang, left) + "\n"
	}
	return strings.ToValidUTF8(text+string(tail), "\ufffd"), nil
}

// readTail reads r to its end and returns its last n bytes and how many came
// before them.
func readTail(r io.Reader, n int) (tail []byte, left int, err error) {
	buf := make([]byte, 64<<10)
	for {
		k, err := r.Read(buf)
		tail = append(tail, buf[:k]...)
		if over := len(tail) - n; over > 0 {
			left += over
			tail = append(tail[:0], tail[over:]...)
		}
		if err == io.EOF {
			return tail, left, nil
		}
		if err != nil {
			return nil, 0, err
		}
	}
}

// runAsk asks and shows what comes.
func (a *app) runAsk(ctx context.Context, q question, o askOptions) error {
	show := newDisplay(a, o)
	c, err := a.connect(ctx, ipc.Hello{TTY: show.tty, Caps: show.caps()})
	if err != nil {
		return show.failed(err)
	}
	defer c.Close()
	show.client, show.lang = c, a.lang
	if lang, ok := i18n.Detect(q.text); ok && a.explicitLang() == "" {
		show.lang = lang // a person is asked in the language they asked in
	}
	cwd, _ := os.Getwd() // a directory that is gone is no reason not to ask
	m := ipc.Message{Type: ipc.TypeMessage, Session: o.session, Body: q.text}.WithData(ipc.Request{
		Stdin: q.stdin, Cwd: cwd, DryRun: o.dryRun, Timeout: int(o.timeout.Round(time.Second).Seconds()),
		Lang: a.explicitLang(),
	})
	last, err := c.Do(ctx, m, func(f ipc.Message) error { return show.frame(ctx, f) })
	if err != nil {
		return show.failed(err)
	}
	return show.end(last)
}

// outcomeExit is the exit code of an answer that came.
func outcomeExit(out ipc.Outcome) int {
	for _, s := range out.Steps {
		if s.State == ipc.ToolRefused && s.Reason == "blocked" {
			return exitBlocked
		}
	}
	for _, s := range out.Steps {
		switch {
		case s.State != ipc.ToolRefused:
		case s.Reason == "denied", s.Reason == "expired", s.Reason == "queued", s.Reason == "read_only", s.Reason == "cancelled":
			return exitDenied
		}
	}
	switch out.Stop {
	case "max_rounds":
		return exitRounds
	case "refusal":
		return exitBlocked
	}
	return 0
}

// document is what --json prints; docs/json.md documents it and it only grows.
type document struct {
	Version int    `json:"version"`
	Answer  string `json:"answer"`
	ipc.Outcome
	Steps []ipc.Step `json:"steps"` // always there
	Error *ipc.Error `json:"error,omitempty"`
	Exit  int        `json:"exit"`
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
