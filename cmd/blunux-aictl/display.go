package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/term"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/ui/confirm"
	"github.com/nidoit/blunux-ai/ui/show"
)

// display shows an answer as it arrives. The answer goes to standard output. Progress and confirmations go to
// standard error, and only to a terminal.
type display struct {
	app    *app
	o      askOptions
	lang   i18n.Lang
	client *ipc.Client
	out    io.Writer
	errOut io.Writer
	tty    bool // standard output is a terminal
	errTTY bool // standard error is a terminal
	// prompt asks the user; nil without a terminal.
	prompt   *confirm.Prompt
	asks     *confirmer
	busy     *progress
	deferred []ipc.Message // arrived while a confirmation was open

	streamed strings.Builder // answer text shown since the last call
	before   string          // and before it
	cleaner  ipc.Cleaner     // of streamed
	midLine  bool
	planCall string // the call of the plan that is carried out
	color    bool
	root     bool   // runs as root
	host     string // the other machine, "" for this one
}

func newDisplay(a *app, o askOptions) *display {
	d := &display{
		root: os.Geteuid() == 0 && a.host == "" || strings.HasPrefix(a.host, "root@"), host: a.host,
		app: a, o: o, lang: a.lang, out: a.out, errOut: os.Stderr,
		tty: term.IsTerminal(os.Stdout), errTTY: term.IsTerminal(os.Stderr),
	}
	d.color = d.errTTY && !o.noColor && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	somebody := d.errTTY || d.tty || term.IsTerminal(os.Stdin)
	if !o.json && !o.jsonl && !o.dryRun && somebody {
		d.prompt = confirm.OpenPrompt()
	}
	d.asks = newConfirmer(d)
	d.busy = progressAtTerminal(!o.json && !o.jsonl && !o.quiet)
	return d
}

// caps returns the capabilities of this display: the frames it can use.
func (d *display) caps() []string {
	caps := []string{ipc.CapTool}
	if d.o.jsonl || d.tty && !d.o.json && !d.o.dryRun {
		caps = append(caps, ipc.CapDelta)
	}
	if d.prompt != nil {
		caps = append(caps, ipc.CapAsk)
	}
	if d.showsProgress() || d.o.jsonl {
		caps = append(caps, ipc.CapSteps)
	}
	return caps
}

// showsProgress reports whether running commands are shown.
func (d *display) showsProgress() bool { return d.errTTY && !d.o.quiet && !d.o.json }

// handleFrame handles every frame but the last. It holds frames back while a confirmation is open, because their text
// could be mistaken for part of it.
func (d *display) handleFrame(ctx context.Context, f ipc.Message) error {
	if d.o.jsonl {
		return printJSON(d.out, f)
	}
	d.busy.pause()
	defer func() {
		if !d.asks.hasOpen() && !d.midLine {
			d.busy.resume()
		}
	}()
	switch {
	case d.asks.handleReply(f):
		return nil
	case f.Type == ipc.TypeResolved:
		return d.asks.resolve(f)
	case f.Type == ipc.TypeAsk && d.prompt != nil:
		if err := d.release(); err != nil {
			return err
		}
		d.endLine()
		return d.asks.add(ctx, f)
	}
	d.deferred = append(d.deferred, f)
	return d.release()
}

// release shows the frames held back, unless a confirmation is open.
func (d *display) release() error {
	if d.asks.hasOpen() {
		return nil
	}
	held := d.deferred
	d.deferred = nil
	for _, f := range held {
		if err := d.show(f); err != nil {
			return err
		}
	}
	return nil
}

// show shows answer text and tool events.
func (d *display) show(f ipc.Message) error {
	switch {
	case f.Type == ipc.TypeDelta:
		return d.delta(f.Body)
	case f.Type == ipc.TypeTool:
		return d.tool(f)
	case f.Re == "" && f.Error != nil:
		d.printError(f.Error)
	}
	return nil
}

func (d *display) printError(e *ipc.Error) {
	if !d.o.json {
		fmt.Fprintln(d.errOut, clean(i18n.PlainCause(e.Message, d.lang)))
	}
}

// delta prints the next piece of the answer.
func (d *display) delta(text string) error {
	text = d.cleaner.Next(text)
	d.streamed.WriteString(text)
	_, err := fmt.Fprint(d.out, text)
	d.midLine = d.streamed.Len() > 0 && !strings.HasSuffix(d.streamed.String(), "\n")
	return err
}

// endLine ends a line of streamed text before other output.
func (d *display) endLine() {
	if d.midLine {
		fmt.Fprintln(d.out)
		d.midLine = false
	}
}

// tool shows the running tool on a terminal.
func (d *display) tool(f ipc.Message) error {
	d.endLine()
	d.before += d.streamed.String() // mostly not part of the answer
	d.streamed.Reset()
	if d.o.quiet || !d.errTTY {
		return nil
	}
	var t ipc.Tool
	if err := f.Decode(&t); err != nil {
		return err
	}
	if t.Step != nil {
		d.step(*t.Step)
		return nil
	}
	if d.isCheckOfPlan(t) {
		return nil
	}
	command := firstLine(ipc.Visible(t.Command))
	switch t.State {
	case ipc.ToolRunning:
		if t.HasSteps() {
			d.planCall = t.Call
			return nil
		}
		fmt.Fprintf(d.errOut, "%s %s\n", d.dim("▸ "+visible(t.Class)), d.dim(command))
	case ipc.ToolDone:
		d.busy.setStep("")
		if (t.Exit != 0 || t.Ended != "") && !t.HasSteps() {
			fmt.Fprintln(d.errOut, d.dim("  "+i18n.CommandEnd(d.lang, i18n.CommandResult{Code: t.Ended, Exit: t.Exit, Program: visible(t.Program), Limit: t.Limit})))
		}
		if t.Picture != "" {
			show.Picture(d.errOut, t.Picture)
		}
	case ipc.ToolRefused:
		fmt.Fprintln(d.errOut, d.dim("▸ "+i18n.ToolRefused(i18n.Refusal(visible(t.Reason), d.lang)).In(d.lang)+" "+command))
	}
	return nil
}

// isCheckOfPlan reports whether a call is a check of the plan that is carried out: the marks of its steps show what it
// showed.
func (d *display) isCheckOfPlan(t ipc.Tool) bool {
	if t.Call == d.planCall && t.State != ipc.ToolRunning {
		d.planCall = ""
	}
	return d.planCall != "" && t.Call != d.planCall
}

// step shows a step of a plan: while it runs on the line of progress, and in its own row once it has ended.
func (d *display) step(s ipc.PlanStep) {
	command := firstLine(i18n.StepCommand(ipc.Visible(s.Command), d.lang))
	head := fmt.Sprintf("[%d/%d]", s.Number, s.Of)
	if s.State == ipc.StepRunning && d.busy.setStep(head+" "+command) {
		return
	}
	fmt.Fprintln(d.errOut, d.dim(head+" "+i18n.StepMark(s.State)+" "+command))
}

func (d *display) dim(s string) string {
	if !d.color {
		return s
	}
	return "\x1b[2m" + s + "\x1b[0m"
}

func firstLine(s string) string {
	first, rest, more := strings.Cut(s, "\n")
	if more && strings.TrimSpace(rest) != "" {
		return first + " …"
	}
	return first
}

// end shows the last frame.
func (d *display) end(f ipc.Message) error {
	d.busy.end()
	d.endLine()
	if d.o.jsonl {
		if err := printJSON(d.out, f); err != nil {
			return err
		}
	}
	if f.Error != nil {
		return f.Error
	}
	var out ipc.Outcome
	if err := f.Decode(&out); err != nil {
		return err
	}
	exit := outcomeExit(out)
	if d.o.dryRun {
		exit = 0
	}
	if n := d.client.Server.Notices; n > 0 && d.errTTY && !d.o.quiet {
		defer fmt.Fprintln(d.errOut, d.dim(i18n.UnreadNotices(n).In(d.lang)))
	}
	if out.Budget != nil && d.errTTY && !d.o.quiet {
		defer fmt.Fprintln(d.errOut, d.dim(budgetLine(*out.Budget, d.lang)))
	}
	switch {
	case d.o.jsonl:
	case d.o.json:
		doc := document{Version: 1, Answer: f.Body, Outcome: out, Steps: append([]ipc.Step{}, out.Steps...), Exit: exit}
		if err := printJSON(d.out, doc); err != nil {
			return err
		}
	case d.o.dryRun:
		d.plan(f.Body, out)
	default:
		d.answer(f.Body, out)
	}
	if exit != 0 {
		return quietExit(exit)
	}
	return nil
}

// answer prints text that was not streamed, and pending approvals.
func (d *display) answer(body string, out ipc.Outcome) {
	body = clean(body)
	if shown := d.streamed.String(); !slices.ContainsFunc([]string{shown, d.before + shown}, func(text string) bool {
		return strings.TrimSpace(text) == strings.TrimSpace(body)
	}) {
		fmt.Fprintln(d.out, body)
	}
	lang := d.lang
	if l, ok := i18n.Parse(out.Lang); ok {
		lang = l
	}
	for _, code := range out.Pending {
		switch {
		case d.host != "": // the text names the command for a terminal there
			fmt.Fprintln(d.errOut, i18n.PendingApprovalHost(d.host, clean(code)).In(lang))
		case !strings.Contains(body, code):
			fmt.Fprintln(d.errOut, i18n.PendingApproval(clean(code)).In(lang))
		}
	}
}

// plan prints the plan of a dry run.
func (d *display) plan(body string, out ipc.Outcome) {
	for _, s := range out.Steps {
		fmt.Fprintf(d.out, "%-8s %-16s %s\n", s.Class, s.Tool, strings.ReplaceAll(ipc.Visible(s.Command), "\n", "\n"+strings.Repeat(" ", 26)))
	}
	if len(out.Steps) == 0 {
		fmt.Fprintln(d.out, i18n.NothingPlanned.In(d.lang))
	}
	if body != "" {
		fmt.Fprintln(d.out, clean(body))
	}
	if out.Why != "" && !d.o.quiet {
		fmt.Fprintln(d.errOut, clean(out.Why))
	}
}

// The delay before progress is shown, and how often it is redrawn.
const (
	progressDelay = 700 * time.Millisecond
	progressTick  = 120 * time.Millisecond
	// progressOnce is the delay if a line cannot be redrawn.
	progressOnce = 3 * time.Second
)

var progressMarks = [...]string{"|", "/", "-", `\`}

// progress is the line on standard error that shows which model works, for how long, and how to stop. Other
// output must pause it first.
type progress struct {
	w       io.Writer
	redraw  bool       // the terminal can erase a line
	columns func() int // width of the terminal
	lang    i18n.Lang
	who     string
	began   time.Time
	over    chan struct{} // ends the goroutine; nil before begin and after end
	done    chan struct{} // closed when it ended

	mu     sync.Mutex
	paused bool
	quiet  time.Time // time of the last other output
	step   string    // the running step of a plan
	shown  bool      // the line is on the screen
	turns  int
}

// newProgress returns a progress that writes to w, or nil if looks is false: then there is no terminal.
func newProgress(w io.Writer, looks, redraw bool, columns func() int) *progress {
	if !looks {
		return nil
	}
	return &progress{w: w, redraw: redraw, columns: columns}
}

// progressAtTerminal returns a progress on standard error, or nil if it is not wanted or no one looks.
func progressAtTerminal(wanted bool) *progress {
	looks := wanted && term.IsTerminal(os.Stderr)
	return newProgress(os.Stderr, looks, os.Getenv("TERM") != "dumb", func() int { return term.Columns(os.Stderr) })
}

// begin starts to show progress. The built-in helper answers immediately, but what it looks at can take long.
func (p *progress) begin(lang i18n.Lang, server ipc.Hello) {
	if p == nil {
		return
	}
	p.lang, p.who, p.began, p.quiet = lang, i18n.ModelName(server.Provider, visible(server.Model), lang), time.Now(), time.Now()
	p.over, p.done = make(chan struct{}), make(chan struct{})
	go p.run(p.over, p.done)
}

func (p *progress) run(over, done chan struct{}) {
	defer close(done)
	tick := time.NewTicker(progressTick)
	defer tick.Stop()
	for {
		select {
		case <-over:
			return
		case now := <-tick.C:
			p.draw(now)
		}
	}
}

func (p *progress) draw(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delay := progressDelay
	if !p.redraw {
		delay = progressOnce
	}
	if p.paused || now.Sub(p.quiet) < delay || p.shown && !p.redraw {
		return
	}
	text := p.text(now)
	p.shown = true
	if !p.redraw {
		fmt.Fprintln(p.w, text)
		return
	}
	mark := progressMarks[p.turns%len(progressMarks)]
	p.turns++
	fmt.Fprint(p.w, "\r\x1b[K"+firstCells(mark+" "+text, p.columns()-1))
}

// text returns the line: which model works, or which step of a plan runs, and for how long.
func (p *progress) text(now time.Time) string {
	if p.step != "" {
		return i18n.ProgressStep(p.step, int(now.Sub(p.quiet).Seconds())).In(p.lang)
	}
	return i18n.ProgressWorking(p.who, int(now.Sub(p.began).Seconds())).In(p.lang)
}

// setStep sets the running step of a plan, "" for none. It reports whether the line will show it.
func (p *progress) setStep(step string) bool {
	if p == nil || p.over == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.step = step
	return p.redraw
}

// pause erases the line before other output.
func (p *progress) pause() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paused = true
	if p.shown && p.redraw {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}

// resume allows the line again after a moment without other output.
func (p *progress) resume() {
	if p == nil || p.over == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paused, p.quiet = false, time.Now()
}

// end erases the line and stops drawing.
func (p *progress) end() {
	if p == nil || p.over == nil {
		return
	}
	close(p.over)
	<-p.done
	p.over = nil
	p.pause()
}

// firstCells returns the beginning of a text that fits into the given number of cells.
func firstCells(text string, columns int) string {
	for term.Width(text) > max(columns, 0) {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return text
}
