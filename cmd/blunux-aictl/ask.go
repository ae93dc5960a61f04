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
	last                                bool     // go on with the latest conversation
	files                               []string // go with the question as data
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
	f.BoolVar(&o.json, "json", false, i18n.FlagJSON.In(a.lang))
	f.BoolVar(&o.jsonl, "jsonl", false, i18n.FlagJSONL.In(a.lang))
	f.BoolVar(&o.dryRun, "dry-run", false, i18n.FlagDryRun.In(a.lang))
	f.BoolVarP(&o.quiet, "quiet", "q", false, i18n.FlagQuiet.In(a.lang))
	f.DurationVar(&o.timeout, "timeout", 0, i18n.FlagTimeout.In(a.lang))
	f.StringVarP(&o.session, "session", "s", "", i18n.FlagSession.In(a.lang))
	f.BoolVarP(&o.last, "continue", "c", false, i18n.FlagContinue.In(a.lang))
	f.StringArrayVarP(&o.files, "file", "f", nil, i18n.FlagFile.In(a.lang))
	f.BoolVar(&o.noColor, "no-color", false, i18n.FlagNoColor.In(a.lang))
	return cmd
}

// question is what the person wants to know, and what was piped in with it.
type question struct{ text, stdin string }

// maxQuestion bounds the words of a question, in bytes: with what is piped in
// it must fit one frame.
const maxQuestion = 256 << 10

// check refuses options that make no sense together or at all.
func (a *app) checkAsk(o askOptions, timeoutGiven bool) error {
	switch {
	case o.json && o.jsonl:
		return a.misused(i18n.MistakeBoth, "--json", "--jsonl")
	case o.last && o.session != "":
		return a.misused(i18n.MistakeBoth, "--continue", "--session")
	case timeoutGiven && o.timeout <= 0:
		return a.misused(i18n.MistakePositive, "--timeout", o.timeout)
	}
	return nil
}

// answerInTime does everything the timeout bounds: reading standard input,
// reaching the daemon, the answer.
func (a *app) answerInTime(ctx context.Context, args []string, o askOptions) error {
	if o.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.timeout)
		defer cancel()
	}
	q, err := a.question(ctx, args, o.files, os.Stdin)
	if err == nil {
		err = a.runAsk(ctx, q, o)
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) && broken(err) {
		return context.DeadlineExceeded
	}
	return err
}

// broken reports whether an error can be what became of a request whose time
// ran out, not an answer nor a failure of its own.
func broken(err error) bool {
	var wire *ipc.Error
	if errors.As(err, &wire) {
		return wire.Code == ipc.CodeCancelled
	}
	var quiet quietExit
	return err != nil && !errors.As(err, &quiet)
}

// question joins the arguments; piped standard input goes with them as data,
// or is the question where there are no arguments.
func (a *app) question(ctx context.Context, args, files []string, stdin *os.File) (question, error) {
	q := question{text: withoutControls(strings.Join(args, " "))}
	given, err := a.readFiles(ctx, files)
	if err != nil {
		return q, err
	}
	asked := strings.TrimSpace(q.text) != ""
	var in input
	if piped(stdin) {
		if in, err = readInput(ctx, stdin, a.silentInput(asked)); err != nil {
			return q, err
		}
	}
	if asked {
		if err := checkQuestion(q.text, len(q.text), a.lang); err != nil {
			return q, err
		}
		q.stdin = attached(append(given, attachment{"", in}), stdinBudget(q.text), a.lang)
		return q, nil
	}
	q.text = strings.TrimSpace(in.text(ipc.MaxLine, a.lang))
	q.stdin = attached(given, stdinBudget(q.text), a.lang)
	return q, checkQuestion(q.text, in.size(), a.lang)
}

// silentInput tells a person, once, why nothing happens: a question was given
// and a pipe stays open. It returns nil where nobody reads it.
func (a *app) silentInput(asked bool) func() {
	if !asked || !isTerminal(os.Stderr) {
		return nil
	}
	return func() { fmt.Fprintln(os.Stderr, i18n.StdinWaits.In(a.lang)) }
}

// checkQuestion refuses what cannot be asked; size is how many bytes it had
// before anything was left out.
func checkQuestion(text string, size int, lang i18n.Lang) error {
	switch {
	case strings.TrimSpace(text) == "":
		return &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.ErrEmpty.In(lang), Hint: i18n.ErrEmptyHint.In(lang)}
	case !utf8.ValidString(text):
		return &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.NotUTF8.In(lang)}
	case size > maxQuestion:
		return &ipc.Error{Code: ipc.CodeTooLarge, Message: i18n.QuestionTooLong.In(lang, size, maxQuestion)}
	}
	return nil
}

// runAsk asks and shows what comes.
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
		show.lang = lang // a person is asked in the language they asked in
	}
	cwd, _ := os.Getwd() // a directory that is gone is no reason not to ask
	m := ipc.Message{Type: ipc.TypeMessage, Session: o.session, Body: q.text}.WithData(ipc.Request{
		Stdin: q.stdin, Cwd: cwd, DryRun: o.dryRun, Timeout: int((o.timeout + time.Second - 1) / time.Second),
		Lang: a.explicitLang(),
	})
	show.busy.begin(show.lang, c.Server)
	last, err := c.Do(ctx, m, func(f ipc.Message) error { return show.frame(ctx, f) })
	show.busy.end()
	show.asks.close()
	if err != nil {
		show.endLine()
		return err
	}
	return show.end(last)
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
