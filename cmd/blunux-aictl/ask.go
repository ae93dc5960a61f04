package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

type askOptions struct {
	json, jsonl, dryRun, quiet, noColor bool
	timeout                             time.Duration
	session                             string
	last                                bool     // continue the latest conversation
	files                               []string // sent with the question as data
}

func (a *app) ask() *cobra.Command {
	var o askOptions
	cmd := &cobra.Command{
		Use:   "ask QUESTION…",
		Short: i18n.CmdAsk.In(a.lang),
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.checkAsk(o, cmd.Flags().Changed("timeout")); err != nil {
				return err
			}
			return a.answerInTime(cmd.Context(), args, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, i18n.FlagJson.In(a.lang))
	f.BoolVar(&o.jsonl, "jsonl", false, i18n.FlagJsonl.In(a.lang))
	f.BoolVar(&o.dryRun, "dry-run", false, i18n.FlagDryRun.In(a.lang))
	f.BoolVarP(&o.quiet, "quiet", "q", false, i18n.FlagQuiet.In(a.lang))
	f.DurationVar(&o.timeout, "timeout", 0, i18n.FlagTimeout.In(a.lang))
	f.StringVarP(&o.session, "session", "s", "", i18n.FlagSession.In(a.lang))
	f.BoolVarP(&o.last, "continue", "c", false, i18n.FlagContinue.In(a.lang))
	f.StringArrayVarP(&o.files, "file", "f", nil, i18n.FlagFile.In(a.lang))
	f.BoolVar(&o.noColor, "no-color", false, i18n.FlagNoColor.In(a.lang))
	return cmd
}

// question is the user's question with the text from standard input and files.
type question struct{ text, stdin string }

// maxQuestion limits the question, in bytes. Together with standard input it must fit into one frame.
const maxQuestion = 256 << 10

// checkAsk rejects options that exclude each other or make no sense.
func (a *app) checkAsk(o askOptions, timeoutGiven bool) error {
	switch {
	case o.json && o.jsonl:
		return a.newUsageError(i18n.MistakeBoth("--json", "--jsonl"))
	case o.last && o.session != "":
		return a.newUsageError(i18n.MistakeBoth("--continue", "--session"))
	case timeoutGiven && o.timeout <= 0:
		return a.newUsageError(i18n.MistakePositive("--timeout", o.timeout))
	}
	return nil
}

// answerInTime applies the timeout to everything: reading standard input, connecting and answering.
func (a *app) answerInTime(ctx context.Context, args []string, o askOptions) error {
	if o.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.timeout)
		defer cancel()
	}
	q, err := a.readQuestion(ctx, args, o.files, os.Stdin)
	if err == nil {
		err = a.runAsk(ctx, q, o)
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) && mayBeTimeout(err) {
		return context.DeadlineExceeded
	}
	return err
}

// mayBeTimeout reports whether err can result from the timeout. An answer's exit status and the daemon's own errors
// cannot.
func mayBeTimeout(err error) bool {
	var wire *ipc.Error
	if errors.As(err, &wire) {
		return wire.Code == ipc.CodeCancelled
	}
	var quiet quietExit
	return err != nil && !errors.As(err, &quiet)
}

// readQuestion joins the arguments. Text from a pipe is sent as data, or is the question if there are no arguments.
func (a *app) readQuestion(ctx context.Context, args, files []string, stdin *os.File) (question, error) {
	q := question{text: stripControls(strings.Join(args, " "))}
	given, err := a.readFiles(ctx, files)
	if err != nil {
		return q, err
	}
	asked := strings.TrimSpace(q.text) != ""
	var in input
	if hasPipedInput(stdin) {
		if in, err = readInput(ctx, stdin, a.silenceNotice(asked)); err != nil {
			return q, err
		}
	}
	if asked {
		if err := checkQuestion(q.text, len(q.text), a.lang); err != nil {
			return q, err
		}
		q.stdin = joinAttachments(append(given, attachment{"", in}), stdinBudget(q.text), a.lang)
		return q, nil
	}
	q.text = strings.TrimSpace(in.text(ipc.MaxLine, a.lang))
	q.stdin = joinAttachments(given, stdinBudget(q.text), a.lang)
	return q, checkQuestion(q.text, in.size(), a.lang)
}

// silenceNotice returns a function that explains that the program waits for an open pipe. It returns nil if there
// is no question or no terminal.
func (a *app) silenceNotice(asked bool) func() {
	if !asked || !isTerminal(os.Stderr) {
		return nil
	}
	return func() { fmt.Fprintln(os.Stderr, i18n.StdinWaits.In(a.lang)) }
}

// checkQuestion rejects empty and too long questions. size is the length in bytes before shortening.
func checkQuestion(text string, size int, lang i18n.Lang) error {
	switch {
	case strings.TrimSpace(text) == "":
		return &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.ErrEmpty.In(lang), Hint: i18n.ErrEmptyHint.In(lang)}
	case !utf8.ValidString(text):
		return &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.NotUtf8.In(lang)}
	case size > maxQuestion:
		return &ipc.Error{Code: ipc.CodeTooLarge, Message: i18n.QuestionTooLong(size, maxQuestion).In(lang)}
	}
	return nil
}

// runAsk asks and shows the answer.
func (a *app) runAsk(ctx context.Context, q question, o askOptions) error {
	show := newDisplay(a, o)
	c, err := a.connect(ctx, ipc.Hello{TTY: show.tty, Caps: show.caps()})
	if err != nil {
		return err
	}
	defer c.Close()
	if o.last {
		if o.session, err = latestSession(ctx, c); err != nil {
			return err
		}
	}
	show.client, show.lang = c, a.lang
	if lang, ok := i18n.Detect(q.text); ok && a.explicitLang() == "" {
		show.lang = lang // confirmations are in the language of the question
	}
	cwd, _ := os.Getwd() // ask even if the directory was deleted
	m := ipc.Message{Type: ipc.TypeMessage, Session: o.session, Body: q.text}.WithData(ipc.Request{
		Stdin: q.stdin, Cwd: cwd, DryRun: o.dryRun, Timeout: int((o.timeout + time.Second - 1) / time.Second),
		Lang: a.explicitLang(),
	})
	show.busy.begin(show.lang, c.Server)
	last, err := c.Do(ctx, m, func(f ipc.Message) error { return show.handleFrame(ctx, f) })
	show.busy.end()
	show.asks.close()
	if err != nil {
		show.endLine()
		return err
	}
	return show.end(last)
}

// document is the output of --json. docs/json.md documents it. Fields are only ever added.
type document struct {
	Version int    `json:"version"`
	Answer  string `json:"answer"`
	ipc.Outcome
	Steps []ipc.Step `json:"steps"` // never omitted
	Error *ipc.Error `json:"error,omitempty"`
	Exit  int        `json:"exit"`
}
