package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
)

type logOptions struct {
	lines          int
	json           bool
	follow, verify bool
	daemon         bool // the daemon's own log, which blunux-ai logs shows
}

// log returns the command that shows the command log and follows it with -f. With --verify it checks that the log
// was not changed.
func (a *app) log() *cobra.Command {
	var o logOptions
	cmd := &cobra.Command{
		Use: "log", Aliases: []string{"logs"}, Short: i18n.CmdLog.In(a.lang), Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case o.lines < 0 || o.lines == 0 && !o.follow:
				return a.newUsageError(i18n.MistakeLines(o.lines))
			case o.follow && o.verify:
				return a.newUsageError(i18n.MistakeBoth("--follow", "--verify"))
			case o.follow && o.json:
				return a.newUsageError(i18n.MistakeBoth("--follow", "--json"))
			case o.daemon && o.verify:
				return a.newUsageError(i18n.MistakeBoth("--daemon", "--verify"))
			case o.daemon:
				fmt.Fprintln(os.Stderr, i18n.MistakeElsewhere("blunux-ai logs").In(a.lang))
				return a.becomeMain(o.daemonLog(a.lang))
			case o.verify:
				return a.verifyLog(cmd.Context(), o.json)
			case o.follow:
				return a.followLog(cmd.Context(), o)
			}
			return a.showLog(cmd.Context(), o)
		},
	}
	cmd.Flags().IntVarP(&o.lines, "lines", "n", 50, i18n.FlagLines.In(a.lang))
	cmd.Flags().BoolVar(&o.json, "json", false, i18n.FlagJson.In(a.lang))
	cmd.Flags().BoolVarP(&o.follow, "follow", "f", false, i18n.FlagFollow.In(a.lang))
	cmd.Flags().BoolVar(&o.daemon, "daemon", false, "")
	_ = cmd.Flags().MarkHidden("daemon")
	cmd.Flags().BoolVar(&o.verify, "verify", false, i18n.FlagVerify.In(a.lang))
	return cmd
}

// daemonLog returns the arguments of blunux-ai that show the daemon's log with these options.
func (o logOptions) daemonLog(lang i18n.Lang) []string {
	args := []string{"logs", "--lang", string(lang), "--lines", strconv.Itoa(o.lines)}
	if o.follow {
		args = append(args, "--follow")
	}
	if o.json {
		args = append(args, "--json")
	}
	return args
}

func (a *app) showLog(ctx context.Context, o logOptions) error {
	lines := []string{}
	if err := a.query(ctx, ipc.Query{What: ipc.TopicLog, Limit: o.lines}, &lines); err != nil {
		return err
	}
	if o.json {
		return printJSON(a.out, lines)
	}
	if len(lines) == 0 {
		fmt.Fprintln(os.Stderr, i18n.LogEmpty.In(a.lang))
	}
	a.printLines(lines)
	return nil
}

func (a *app) printLines(lines []string) {
	for _, line := range lines {
		fmt.Fprintln(a.out, clean(line))
	}
}

// logReport is the answer to the query verify.
type logReport struct {
	OK       bool         `json:"ok"`
	Records  int          `json:"records"`
	Lines    int          `json:"lines"`
	Before   int          `json:"before"`
	Repaired int          `json:"repaired"`
	Pending  int          `json:"pending"`
	Journal  int          `json:"journal"`
	Problems []logProblem `json:"problems"`
	More     int          `json:"more"`
}

type logProblem struct {
	File    string `json:"file"`
	Problem string `json:"problem"`
	Line    int    `json:"line"`
	Seq     int64  `json:"seq"`
}

// verifyLog makes the daemon verify the log. If the log was changed, the exit status is 1.
func (a *app) verifyLog(ctx context.Context, asJSON bool) error {
	var r logReport
	if err := a.query(ctx, ipc.Query{What: "verify"}, &r); err != nil {
		return err
	}
	if asJSON {
		if err := printJSON(a.out, r); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(a.out, r.text(a.lang))
	}
	if !r.OK {
		return quietExit(exitFailure)
	}
	return nil
}

// text formats the report: one line if all is well, else one line for each problem.
func (r logReport) text(lang i18n.Lang) string {
	var lines []string
	for _, p := range r.Problems {
		lines = append(lines, p.text(lang))
	}
	if r.More > 0 {
		lines = append(lines, i18n.LogMore(r.More).In(lang))
	}
	if !r.OK {
		return strings.Join(lines, "\n")
	}
	parts := []string{i18n.LogWhole(r.Lines, r.Records).In(lang)}
	for _, note := range []struct {
		text func(records int) i18n.Text
		n    int
	}{{i18n.LogBefore, r.Before}, {i18n.LogRepaired, r.Repaired}, {i18n.LogPending, r.Pending}, {i18n.LogJournal, r.Journal}} {
		if note.n > 0 {
			parts = append(parts, note.text(note.n).In(lang))
		}
	}
	return strings.Join(parts, "; ")
}

func (p logProblem) text(lang i18n.Lang) string {
	file, what := clean(p.File), i18n.LogFlaws.In(p.Problem, lang)
	if p.Line == 0 {
		return file + ": " + clean(what)
	}
	return i18n.LogProblem(file, p.Line, p.Seq, clean(what)).In(lang)
}

// The first and the longest pause between attempts to reconnect to the daemon.
const (
	firstReconnect = 100 * time.Millisecond
	lastReconnect  = 2 * time.Second
)

// follower prints new log lines, each once, across restarts of the daemon.
type follower struct {
	app   *app
	lines int    // number of existing lines to show first
	after string // position after the last line shown; "" before the first frame
}

// followLog shows the last lines and then new ones until it is interrupted or standard output is closed.
func (a *app) followLog(ctx context.Context, o logOptions) error {
	f := &follower{app: a, lines: o.lines}
	c, err := a.connect(ctx, ipc.Hello{})
	for err == nil {
		err = f.show(ctx, c)
		c.Close()
		if errors.Is(err, ipc.ErrLost) && ctx.Err() == nil && a.out.err == nil {
			fmt.Fprintln(os.Stderr, i18n.LogWaits.In(a.lang))
			c, err = f.reconnect(ctx)
		}
	}
	switch {
	case a.out.err != nil:
		return nil // run prints this error
	case ctx.Err() != nil:
		return quietExit(exitCancelled)
	}
	return err
}

// show prints lines until the connection ends. It always returns an error.
func (f *follower) show(ctx context.Context, c *ipc.Client) error {
	want := ipc.Subscription{Topics: []string{ipc.TopicLog}, Lines: f.lines, After: f.after}
	reply, err := c.Do(ctx, ipc.Message{Type: ipc.TypeSubscribe}.WithData(want), f.handleFrame)
	switch {
	case err != nil:
		return err
	case reply.Error != nil:
		return reply.Error
	}
	return ipc.ErrLost
}

// handleFrame prints one line and saves the position after it.
func (f *follower) handleFrame(m ipc.Message) error {
	var e ipc.Event
	var line ipc.LogLine
	if m.Type != ipc.TypeEvent {
		return nil
	}
	if err := m.Decode(&e); err != nil {
		return err
	}
	if err := json.Unmarshal(e.What, &line); err != nil {
		return err
	}
	if line.Line != "" {
		f.app.printLines([]string{line.Line})
	}
	f.after = line.At
	return f.app.out.err
}

// reconnect waits until a daemon runs again. It does not start one, because the user may have stopped it.
func (f *follower) reconnect(ctx context.Context) (*ipc.Client, error) {
	d := f.app.dialer()
	d.NoStart = true
	for pause := firstReconnect; ; pause = min(2*pause, lastReconnect) {
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
		c, err := f.app.connectWith(ctx, d, ipc.Hello{})
		if err == nil || !errors.Is(err, ipc.ErrUnreachable) && !errors.Is(err, ipc.ErrLost) {
			return c, err
		}
	}
}
