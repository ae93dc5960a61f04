// Package plain is the line-by-line chat for simple terminals and screen readers. It does not move
// the cursor, redraw or use colours.
//
// The text of models and tools is indented by two cells, also in wrapped rows. Only the chat itself
// and confirmations start at the left edge.
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

// Daemon is the connection to the daemon. It reconnects automatically.
type Daemon interface {
	// Send queues a message whose ID the chat has set. It never blocks.
	Send(m ipc.Message) error
	// Events returns the channel of received events, in order. It is closed at the end.
	Events() <-chan ipc.LinkEvent
}

// Keyboard is a terminal with a person.
type Keyboard interface {
	// AskLine prints a prompt and returns the line that is typed after that. It discards earlier input.
	AskLine(ctx context.Context, text string) (string, error)
	// NextLine is like AskLine, but keeps earlier input.
	NextLine(ctx context.Context, text string) (string, error)
	// Size returns the number of columns and rows; rows is 0 if it is unknown.
	Size() (columns, rows int)
	io.Writer
}

// Options configures a chat. Daemon and Out are required, and either Keyboard or In.
type Options struct {
	Lang    i18n.Lang
	Daemon  Daemon
	Session string // the conversation's key or name; "" for the default one
	Resume  bool   // show the last messages of Session at start
	Pick    bool   // show the list of conversations at start
	Hint    string // shown after the welcome; "" for none
	// Words are the first question, "" for none. With Draft another program wrote it, and the person has to send it.
	Words string
	Draft bool
	// Approvals shows at start what waits for an approval, or only that with Code.
	Approvals bool
	Code      string
	// Keyboard is where the person types and answers; nil if there is none.
	Keyboard Keyboard
	// In is read if there is no keyboard. Each line is a question, and nothing is confirmed.
	In io.Reader
	// Out is where answers are written. Columns returns its current width. It is nil if Out is no
	// terminal, which disables layout.
	Out     io.Writer
	Columns func() int
	// Picture shows the picture of a file, or names the file in a row of Out. It may be nil.
	Picture func(path string)
	// Interrupts signals Ctrl-C.
	Interrupts <-chan struct{}
	Cwd        string
	Root       bool // all commands run with root's rights
}

// Result is the result of a chat.
type Result struct {
	Session string // the last conversation
	Failed  int    // number of questions that ended in an error
}

// chat is a running chat. Only one goroutine accesses it.
type chat struct {
	Options
	out    *gutter
	lines  chan inputLine
	typing bool   // a line is being read
	left   bool   // the person leaves
	warned bool   // Ctrl-C was pressed once with nothing to cancel
	draft  string // a question that Enter sends, "" for none

	n         int              // number of requests
	current   *request         // the current request
	instant   bool             // the built-in helper answers
	modelName string           // provider and model
	slowTimer <-chan time.Time // when to report that a turn without output is in progress; nil for never
	notices   int              // number of queued notifications
	rows      []string         // the listed conversations, by number
	asks      confirmations
	failed    int
}

type inputLine struct {
	line string
	err  error
}

type request struct {
	id     string
	frame  func(f ipc.Message) // handles each frame except the last; may be nil
	end    func(f ipc.Message) // handles the last frame, unless it is an error
	cancel bool                // already cancelled
	silent bool                // its failure is not reported
}

// Run chats until the person leaves, the input or the daemon's events end, or ctx ends. Its error
// is that of reading the input.
func Run(ctx context.Context, o Options) (Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	c := &chat{Options: o, lines: make(chan inputLine, 1), out: newGutter(o.Out, o.Columns)}
	c.asks.init(c)
	err := c.run(ctx)
	cancel()
	c.asks.cancelAll(context.Canceled)
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
	c.print(i18n.PlainWelcome.In(c.Lang))
	c.print(c.Hint)
	switch {
	case c.Pick:
		c.sessions("")
	case c.Resume:
		c.resume()
	case c.Approvals:
		c.showApprovals(c.Code)
	case c.Draft:
		c.showDraft()
	case c.Words != "":
		c.showQuestion(i18n.SpeakerUser, c.Words)
		c.ask(c.Words)
	}
	return c.loop(ctx, func() {
		read := c.Keyboard.NextLine
		if c.draft != "" { // an Enter from before the draft was shown does not send it
			read = c.Keyboard.AskLine
		}
		go c.readTyped(ctx, read)
	})
}

// showDraft shows a question of another program. It is sent if the next line is empty, and always as a question.
func (c *chat) showDraft() {
	c.draft = c.Words
	c.showQuestion(i18n.PlainDraft, c.draft)
	c.print(i18n.PlainDraftKeys.In(c.Lang))
}

// showQuestion shows a question with a line above it.
func (c *chat) showQuestion(head i18n.Text, words string) {
	c.print(head.In(c.Lang) + ":")
	c.out.write(words)
	c.out.close()
}

// loop reads a line whenever no request is in progress, and handles events.
func (c *chat) loop(ctx context.Context, read func()) error {
	for !c.left {
		if c.current == nil && !c.typing {
			c.typing = true
			read()
		}
		select {
		case <-ctx.Done():
			return nil
		case t := <-c.lines:
			c.typing = false
			if err := c.runLine(t); err != nil {
				return err
			}
		case e, open := <-c.Daemon.Events():
			if !open {
				return nil
			}
			c.handleEvent(ctx, e)
		case <-c.slowTimer:
			c.slowTimer = nil
			if c.current != nil {
				c.print(i18n.PlainWorking(c.modelName).In(c.Lang))
			}
		case <-c.Interrupts:
			c.interrupt()
		case d := <-c.asks.decided:
			c.asks.handleDecision(d)
		}
	}
	return nil
}

// readTyped reads one line in its own goroutine.
func (c *chat) readTyped(ctx context.Context, read func(ctx context.Context, prompt string) (string, error)) {
	line, err := read(ctx, "> ")
	c.lines <- inputLine{line, err}
}

// slowAnswer is the time without output after which the chat reports who is working.
const slowAnswer = 2 * time.Second

// maxLine is the maximum length of a piped question in bytes. With its metadata it fits into a frame.
const maxLine = 256 << 10

// readPiped reads a line from the pipe. It discards a line that is too long.
func (c *chat) readPiped(in *bufio.Reader) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(line) <= maxLine {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			if len(line) > 0 && errors.Is(err, io.EOF) {
				err = nil // the next read reports it
			}
			c.lines <- inputLine{string(line), err}
			return
		}
	}
}

// runLine executes a typed line.
func (c *chat) runLine(t inputLine) error {
	switch {
	case errors.Is(t.err, io.EOF), errors.Is(t.err, context.Canceled):
		if c.Keyboard != nil {
			fmt.Fprintln(c.Keyboard)
		}
		c.left = true
		return nil
	case t.err != nil:
		return fmt.Errorf("cannot read input: %w", t.err)
	}
	line := strings.TrimSpace(t.line)
	draft := c.draft
	c.draft = ""
	switch {
	case line == "" && draft != "":
		c.submit(draft, ipc.Request{Foreign: true})
		return nil
	case line == "":
		return nil
	case len(line) > maxLine:
		c.printError(&ipc.Error{Message: i18n.QuestionTooLong(len(line), maxLine).In(c.Lang)})
		return nil
	}
	c.warned = false
	if c.Keyboard != nil && c.runCommand(line) {
		return nil
	}
	c.ask(strings.ToValidUTF8(line, "\uFFFD"))
	return nil
}

// start sends a request and waits for its end.
func (c *chat) start(m ipc.Message, r request) {
	c.n++
	r.id = "p" + strconv.Itoa(c.n)
	m.ID = r.id
	if err := c.Daemon.Send(m); err != nil {
		c.printError(&ipc.Error{Message: i18n.Cause(err, c.Lang)})
		return
	}
	c.current = &r
	if c.Keyboard != nil && !c.instant {
		c.slowTimer = time.After(slowAnswer)
	}
}

func (c *chat) query(q ipc.Query, end func(f ipc.Message)) {
	c.start(ipc.Message{Type: ipc.TypeQuery}.WithData(q), request{end: end})
}

func (c *chat) handleEvent(ctx context.Context, e ipc.LinkEvent) {
	switch {
	case e.Connected != nil:
		c.instant = e.Connected.Provider == "offline"
		c.notices, c.modelName = e.Connected.Notices, i18n.ModelName(e.Connected.Provider, ipc.VisibleLine(e.Connected.Model), c.Lang)
	case e.Disconnected != nil:
		c.handleLost(e.Disconnected)
	case e.Frame != nil:
		c.slowTimer = nil
		c.handleFrame(ctx, *e.Frame)
	}
}

// handleLost ends the current request and reports the lost connection.
func (c *chat) handleLost(why error) {
	if c.current == nil {
		return // reported with the next request
	}
	c.asks.cancelAll(context.Canceled)
	c.current = nil
	if errors.Is(why, ipc.ErrLost) {
		c.printError(&ipc.Error{Message: i18n.ConnectionLost.In(c.Lang), Hint: i18n.LostHint.In(c.Lang)})
		return
	}
	c.printError(&ipc.Error{Message: i18n.AictlUnreachable.In(c.Lang) + "\n" + c.attempts(why), Hint: i18n.UnreachableHint.In(c.Lang)})
}

// attempts returns where the daemon was searched and what was tried.
func (c *chat) attempts(why error) string {
	var none *ipc.UnreachableError
	if !errors.As(why, &none) {
		return i18n.Cause(why, c.Lang)
	}
	return i18n.ConnectionAttempts(c.Lang, none.Path, none.Tried)
}

// interrupt cancels the current request. If there is none, or it was already cancelled, the chat ends.
func (c *chat) interrupt() {
	switch {
	case c.current != nil && c.current.id == "": // the question about a stored approval
		c.asks.cancelAll(context.Canceled)
		c.current = nil
	case c.current != nil && !c.current.cancel:
		c.current.cancel = true
		c.asks.cancelAll(context.Canceled)
		_ = c.Daemon.Send(ipc.Message{Type: ipc.TypeCancel, Re: c.current.id})
		c.print(i18n.PlainCancelling.In(c.Lang))
	case c.current != nil, c.warned:
		c.left = true
	default:
		c.warned = true
		if c.Keyboard != nil {
			// The terminal discarded the typed text. Show the prompt again.
			fmt.Fprintf(c.Keyboard, "\n%s\n> ", i18n.PlainAgain.In(c.Lang))
		}
	}
}

func (c *chat) print(text string) {
	c.out.close()
	if text = ipc.Clean(text); text != "" {
		fmt.Fprintln(c.Out, text)
	}
}

func (c *chat) printError(e *ipc.Error) {
	c.failed++
	c.out.close()
	c.out.write(i18n.PlainCause(e.Message, c.Lang))
	c.out.close()
	if e.Hint != "" {
		c.out.write(e.Hint)
		c.out.close()
	}
}
