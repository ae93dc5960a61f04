// Package plain is the chat line by line, for terminals that can do no more and
// for screen readers: no cursor is moved, nothing is drawn twice, nothing has a
// colour.
//
// What a model or a tool says stands two cells from the left edge, also where it
// is broken into rows; only the chat itself and confirmations begin at the edge.
package plain

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// Daemon is the way to the daemon. It reconnects by itself.
type Daemon interface {
	// Send hands a message over, with an ID that the chat chose. It never blocks.
	Send(m ipc.Message) error
	// Events are what comes, in order, until the channel is closed.
	Events() <-chan ipc.LinkEvent
}

// Keyboard is a terminal with a person at it.
type Keyboard interface {
	// Line prints a text and returns the line that is typed then; what was typed
	// before does not count.
	Line(ctx context.Context, text string) (string, error)
	// Next is Line, but what was typed before counts.
	Next(ctx context.Context, text string) (string, error)
	// Size is how many columns and rows there are; rows is 0 where nobody knows.
	Size() (columns, rows int)
	io.Writer
}

// Options are what a chat is started with. Daemon and Out are needed, and one of
// Keyboard and In.
type Options struct {
	Lang    i18n.Lang
	Daemon  Daemon
	Session string // the conversation's key or name; "" for the channel's own
	Resume  bool   // shows the last messages of Session on start
	Pick    bool   // begins with the list of conversations
	Hint    string // is said after the welcome, "" for nothing
	// Keyboard is where a person types and is asked; nil where nobody is.
	Keyboard Keyboard
	// In is what is read where there is no keyboard: each line is a question, and
	// nothing is ever confirmed.
	In io.Reader
	// Out is where answers go, Columns how wide it is, asked each time; nil where
	// it is no terminal, and nothing is laid out then.
	Out     io.Writer
	Columns func() int
	// Interrupts tells of Ctrl-C.
	Interrupts <-chan struct{}
	Cwd        string
	Root       bool // every command runs with root's rights
}

// Result is how a chat ended.
type Result struct {
	Session string // the conversation that was open at last
	Failed  int    // how many questions ended in an error
}

// chat is a chat that runs. Everything in it belongs to one goroutine.
type chat struct {
	Options
	out    *gutter
	lines  chan typed
	typing bool // a line is waited for
	left   bool // the person leaves
	warned bool // Ctrl-C was pressed once, where there was nothing to cancel

	n       int              // requests so far
	work    *request         // what is waited for
	instant bool             // who answers is the built-in helper
	who     string           // who answers
	slow    <-chan time.Time // when a turn that showed nothing yet is told to be at work; nil for never
	notices int              // notifications that wait
	rows    []string         // the conversations listed last, by number
	asks    asks
	failed  int
}

// typed is a line, or why there is none.
type typed struct {
	line string
	err  error
}

// request is what the chat waits for.
type request struct {
	id     string
	frame  func(f ipc.Message) // takes each frame but the last; may be nil
	end    func(f ipc.Message) // takes the last one, unless it is an error
	cancel bool                // it was cancelled already
	quiet  bool                // its failure needs no word
}

// Run chats until the person leaves, input ends, the daemon's events end or
// ctx ends. The error is why input could not be read.
func Run(ctx context.Context, o Options) (Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	c := &chat{Options: o, lines: make(chan typed, 1), out: newGutter(o.Out, o.Columns)}
	c.asks.init(c)
	err := c.run(ctx)
	cancel()
	c.asks.end(context.Canceled)
	if c.typing && o.Keyboard != nil {
		<-c.lines
	}
	return Result{Session: c.Session, Failed: c.failed}, err
}

func (c *chat) run(ctx context.Context) error {
	if c.In != nil && c.Keyboard == nil {
		in := bufio.NewReaderSize(c.In, 64<<10)
		return c.loop(ctx, func() { go c.readPiped(in) })
	}
	c.say(i18n.PlainWelcome.In(c.Lang))
	c.say(c.Hint)
	switch {
	case c.Pick:
		c.sessions("")
	case c.Resume:
		c.resume()
	}
	return c.loop(ctx, func() { go c.readTyped(ctx) })
}

// loop reads a line whenever nothing is waited for, and takes what comes.
func (c *chat) loop(ctx context.Context, read func()) error {
	for !c.left {
		if c.work == nil && !c.typing {
			c.typing = true
			read()
		}
		select {
		case <-ctx.Done():
			return nil
		case t := <-c.lines:
			c.typing = false
			if err := c.typedLine(t); err != nil {
				return err
			}
		case e, open := <-c.Daemon.Events():
			if !open {
				return nil
			}
			c.event(ctx, e)
		case <-c.slow:
			c.slow = nil
			if c.work != nil {
				c.say(i18n.PlainWorking.In(c.Lang, c.who))
			}
		case <-c.Interrupts:
			c.interrupt()
		case d := <-c.asks.decided:
			c.asks.answer(d)
		}
	}
	return nil
}

// readTyped is for a goroutine of its own, one at a time.
func (c *chat) readTyped(ctx context.Context) {
	line, err := c.Keyboard.Next(ctx, "> ")
	c.lines <- typed{line, err}
}

// slowAnswer is how long nothing may come before the person is told who is at work.
const slowAnswer = 2 * time.Second

// mostLine bounds a piped question, in bytes; with what goes with it, it fits a
// frame.
const mostLine = 256 << 10

// readPiped reads a line that may be long; what is too long is read to its end
// and not kept.
func (c *chat) readPiped(in *bufio.Reader) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(line) <= mostLine {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			if len(line) > 0 && errors.Is(err, io.EOF) {
				err = nil // the next read finds it
			}
			c.lines <- typed{string(line), err}
			return
		}
	}
}

// typedLine does what a line says.
func (c *chat) typedLine(t typed) error {
	switch {
	case errors.Is(t.err, io.EOF), errors.Is(t.err, context.Canceled):
		if c.Keyboard != nil {
			fmt.Fprintln(c.Keyboard)
		}
		c.left = true
		return nil
	case t.err != nil:
		return fmt.Errorf("cannot read what is typed: %w", t.err)
	}
	line := strings.TrimSpace(t.line)
	switch {
	case line == "":
		return nil
	case len(line) > mostLine:
		c.fail(&ipc.Error{Message: i18n.QuestionTooLong.In(c.Lang, len(line), mostLine)})
		return nil
	}
	c.warned = false
	if c.Keyboard != nil && c.command(line) {
		return nil
	}
	c.ask(strings.ToValidUTF8(line, "\uFFFD"))
	return nil
}

// start sends a request and waits for it.
func (c *chat) start(m ipc.Message, r request) {
	c.n++
	r.id = "p" + strconv.Itoa(c.n)
	m.ID = r.id
	if err := c.Daemon.Send(m); err != nil {
		c.fail(&ipc.Error{Message: i18n.Cause(err, c.Lang)})
		return
	}
	c.work = &r
	if c.Keyboard != nil && !c.instant {
		c.slow = time.After(slowAnswer)
	}
}

// query asks the daemon about itself.
func (c *chat) query(q ipc.Query, end func(f ipc.Message)) {
	c.start(ipc.Message{Type: ipc.TypeQuery}.WithData(q), request{end: end})
}

// event takes what came over the link.
func (c *chat) event(ctx context.Context, e ipc.LinkEvent) {
	switch {
	case e.Up != nil:
		c.instant = e.Up.Provider == "offline"
		c.notices, c.who = e.Up.Notices, i18n.Who(e.Up.Provider, ipc.VisibleLine(e.Up.Model), c.Lang)
	case e.Down != nil:
		c.lost(e.Down)
	case e.Frame != nil:
		c.slow = nil
		c.frame(ctx, *e.Frame)
	}
}

// lost tells that what was asked is over.
func (c *chat) lost(why error) {
	if c.work == nil {
		return // it is told when somebody asks for something
	}
	c.asks.end(context.Canceled)
	c.work = nil
	if errors.Is(why, ipc.ErrLost) {
		c.fail(&ipc.Error{Message: i18n.ConnectionLost.In(c.Lang), Hint: i18n.LostHint.In(c.Lang)})
		return
	}
	c.fail(&ipc.Error{Message: i18n.Unreachable.In(c.Lang) + "\n" + c.attempts(why), Hint: i18n.UnreachableHint.In(c.Lang)})
}

// attempts are where the daemon was looked for, and what was tried.
func (c *chat) attempts(why error) string {
	var none *ipc.UnreachableError
	if !errors.As(why, &none) {
		return i18n.Cause(why, c.Lang)
	}
	return i18n.Attempts(c.Lang, none.Path, none.Tried)
}

// interrupt cancels what is at work; with nothing at work, or pressed again, it
// leaves.
func (c *chat) interrupt() {
	switch {
	case c.work != nil && !c.work.cancel:
		c.work.cancel = true
		c.asks.end(context.Canceled)
		_ = c.Daemon.Send(ipc.Message{Type: ipc.TypeCancel, Re: c.work.id})
		c.say(i18n.PlainCancelling.In(c.Lang))
	case c.work != nil, c.warned:
		c.left = true
	default:
		c.warned = true
		if c.Keyboard != nil {
			// The terminal threw away what was typed; its prompt stands again.
			fmt.Fprintf(c.Keyboard, "\n%s\n> ", i18n.PlainAgain.In(c.Lang))
		}
	}
}

// say writes a sentence of our own.
func (c *chat) say(text string) {
	c.out.close()
	if text = ipc.Clean(text); text != "" {
		fmt.Fprintln(c.Out, text)
	}
}

// fail tells an error.
func (c *chat) fail(e *ipc.Error) {
	c.failed++
	c.out.close()
	c.out.write(i18n.PlainCause(e.Message, c.Lang))
	c.out.close()
	if e.Hint != "" {
		c.out.write(e.Hint)
		c.out.close()
	}
}
