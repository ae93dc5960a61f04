package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/term"
	"github.com/nidoit/blunux-ai/ipc"
)

type askOptions struct {
	json, jsonl, dryRun, quiet, noColor bool
	timeout                             time.Duration
	session                             string
	agent                               string        // "" for the default one
	last                                bool          // continue the latest conversation
	files                               []string      // sent with the question as data
	undo                                string        // the change to take back instead
	repair                              *ipc.Problem  // the problem to repair instead
	merge                               *ipc.LeftFile // the configuration files to merge instead
	upgrade                             bool          // upgrade all packages instead
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
	f.StringVar(&o.agent, "agent", "", i18n.FlagAgent.In(a.lang))
	f.BoolVarP(&o.last, "continue", "c", false, i18n.FlagContinue.In(a.lang))
	f.StringArrayVarP(&o.files, "file", "f", nil, i18n.FlagFile.In(a.lang))
	f.BoolVar(&o.noColor, "no-color", false, i18n.FlagNoColor.In(a.lang))
	return cmd
}

// question is the user's question with the text from standard input and files, and the files that are sent as they are.
type question struct {
	text, stdin string
	files       []upload
}

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
	given, uploads, err := a.readFiles(ctx, files)
	if err != nil {
		return q, err
	}
	q.files = uploads
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
	if !asked || !term.IsTerminal(os.Stderr) {
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
		if o.session, err = latestSession(ctx, c, o.agent); err != nil {
			return err
		}
	}
	show.client, show.lang = c, a.lang
	if lang, ok := i18n.Detect(q.text); ok && a.explicitLang() == "" {
		show.lang = lang // confirmations are in the language of the question
	}
	attached, err := sendFiles(ctx, c, q.files)
	if err != nil {
		return err
	}
	m := ipc.Message{Type: ipc.TypeMessage, Session: o.session, Body: q.text}.WithData(ipc.Request{
		Stdin: q.stdin, Cwd: a.workDir(), DryRun: o.dryRun, Timeout: int((o.timeout + time.Second - 1) / time.Second),
		Lang: a.explicitLang(), Undo: o.undo, Repair: o.repair, Merge: o.merge, Upgrade: o.upgrade, Files: attached, Agent: o.agent,
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

// attachment is text sent with a question as data: a file, or standard input if the name is empty.
type attachment struct {
	name string
	text input
}

// readFiles reads the files given with a question. Of long texts it keeps the beginning and the end. Pictures and everything
// that is no text in UTF-8 are uploads.
func (a *app) readFiles(ctx context.Context, names []string) (given []attachment, uploads []upload, err error) {
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return nil, nil, a.fileError(name, err)
		}
		var whole beginning
		text, err := readInput(ctx, io.TeeReader(f, &whole), nil)
		f.Close()
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		var failed inputError
		if errors.As(err, &failed) {
			err = failed.error
		}
		if err == nil && whole.isUpload() && whole.isCut {
			err = syscall.EFBIG
		}
		if err != nil {
			return nil, nil, a.fileError(name, err)
		}
		if whole.isUpload() {
			uploads = append(uploads, upload{filepath.Base(name), whole.data})
			continue
		}
		given = append(given, attachment{name, text})
	}
	return given, uploads, nil
}

// fileError returns the error for a file that cannot be read. The question is then not sent.
func (a *app) fileError(name string, err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.CannotRead(name, err).In(a.lang), Hint: i18n.LookAtFile(quoteName(name)).In(a.lang)}
}

func quoteName(name string) string {
	if name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+", r))
	}) {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

// joinAttachments joins the texts sent with a question, each below its name. They share budget, in bytes on the wire.
func joinAttachments(given []attachment, budget int, lang i18n.Lang) string {
	var texts []string
	for i, at := range given {
		if at.text.size() == 0 && at.name == "" {
			continue
		}
		head := ""
		if at.name != "" {
			head = "=== " + visible(at.name) + " ===\n"
		}
		share := budget / (len(given) - i)
		text := head + at.text.text(share-ipc.WireSize([]byte(head))-2, lang)
		texts, budget = append(texts, text), budget-ipc.WireSize([]byte(text))
	}
	return strings.Join(texts, "\n")
}

// latestSession returns the name of this channel's conversation that changed last, or "" (a new one) if there is none.
func latestSession(ctx context.Context, c *ipc.Client, agent string) (string, error) {
	var rows []ipc.SessionRow
	if err := c.Query(ctx, ipc.Query{What: "sessions", Limit: 100, Page: 1}, &rows); err != nil {
		return "", err
	}
	for _, r := range rows {
		if name, ok := ownSession(r.Key, agent); ok {
			return name, nil
		}
	}
	return "", nil
}

// stdinNoticeDelay is how long standard input may be silent before a message explains the wait.
const stdinNoticeDelay = 2 * time.Second

// hasPipedInput reports whether standard input has data for us: a pipe, a file, or a socket with data. ssh and some
// parent processes leave an unused socket open as standard input.
func hasPipedInput(f *os.File) bool {
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

// input is the part of standard input that was kept.
type input struct{ ipc.Excerpt }

// readInput reads r until it or ctx ends. If r stays silent for [stdinNoticeDelay], it calls silent once; silent
// may be nil.
func readInput(ctx context.Context, r io.Reader, silent func()) (input, error) {
	type result struct {
		in  input
		err error
	}
	counted := &countingReader{r: r}
	done := make(chan result, 1)
	go func() {
		in, err := readEnds(printableReader{counted})
		done <- result{in, err}
	}()
	patience := time.NewTimer(stdinNoticeDelay)
	defer patience.Stop()
	for {
		select {
		case res := <-done:
			return res.in, res.err
		case <-ctx.Done():
			return input{}, ctx.Err()
		case <-patience.C:
			if silent != nil && counted.n.Load() == 0 {
				silent()
			}
		}
	}
}

type countingReader struct {
	r io.Reader
	n atomic.Int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// printableReader removes the C0 controls except newline and tab, and therefore also the carriage return of a CRLF.
// They are useless to a model and take six bytes each on the wire.
type printableReader struct{ r io.Reader }

func (p printableReader) Read(buf []byte) (int, error) {
	for {
		n, err := p.r.Read(buf)
		kept := buf[:0]
		for _, b := range buf[:n] {
			if b >= ' ' || b == '\n' || b == '\t' {
				kept = append(kept, b)
			}
		}
		if len(kept) > 0 || err != nil || len(buf) == 0 {
			return len(kept), err
		}
	}
}

// readEnds reads r to its end. If it is too long, it keeps the beginning and the end.
func readEnds(r io.Reader) (input, error) {
	ends, err := ipc.ReadExcerpt(r)
	if err != nil {
		return input{}, inputError{err}
	}
	return input{ends}, nil
}

// inputError is an error of reading standard input.
type inputError struct{ error }

// Unwrap returns the system's error.
func (e inputError) Unwrap() error { return e.error }

// size returns the number of bytes read, without control characters.
func (in input) size() int { return in.Size() }

// text returns the kept text, shortened to budget bytes on the wire. The note about the shortening is not counted.
func (in input) text(budget int, lang i18n.Lang) string {
	return in.Text(budget, func(left int) string { return i18n.StdinCut(left).In(lang) })
}

// stdinBudget returns how many bytes a frame with the question has left for standard input.
func stdinBudget(question string) int { return ipc.StdinBudget(question) }
