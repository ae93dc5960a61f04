package plain

import (
	"context"
	"fmt"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// turn is a question whose answer is in progress.
type turn struct {
	c    *chat
	said strings.Builder // answer text shown so far in this round
	held []ipc.Message   // arrived while a confirmation was open
}

// ask sends a question.
func (c *chat) ask(text string) {
	t := &turn{c: c}
	m := ipc.Message{Type: ipc.TypeMessage, Session: c.Session, Body: text}
	c.asks.turn = t
	c.start(m.WithData(ipc.Request{Cwd: c.Cwd, Lang: string(c.Lang)}), request{frame: t.frame, end: t.end})
}

// frame handles a frame from the daemon.
func (c *chat) frame(ctx context.Context, f ipc.Message) {
	switch {
	case c.asks.acknowledged(f):
	case f.Type == ipc.TypeResolved:
		c.asks.resolved(f)
	case f.Re == "" && f.Error != nil:
		c.fail(f.Error)
	case c.work == nil || f.Re != c.work.id: // of an ended request
	case f.Type == ipc.TypeAsk:
		if c.Keyboard != nil && !c.work.cancel {
			c.asks.put(ctx, f)
		}
	case f.Done:
		c.over(f)
	case c.work.frame != nil:
		c.work.frame(f)
	}
}

// over ends the current request.
func (c *chat) over(f ipc.Message) {
	c.asks.end(context.Canceled)
	work := c.work
	c.work = nil
	switch {
	case f.Error == nil:
		work.end(f)
	case !work.quiet:
		c.fail(f.Error)
	}
}

// frame shows the answer as it arrives, and the tool calls. While a confirmation is open,
// everything else is held back, because it could be mistaken for a part of it.
func (t *turn) frame(f ipc.Message) {
	t.held = append(t.held, f)
	t.release()
}

func (t *turn) release() {
	if t.c.asks.open() {
		return
	}
	held := t.held
	t.held = nil
	for _, f := range held {
		switch f.Type {
		case ipc.TypeDelta:
			t.said.WriteString(f.Body)
			t.c.out.write(f.Body)
		case ipc.TypeTool:
			t.tool(f)
		}
	}
}

// mostCommand is the maximum length of a command in a status line, in bytes. Confirmations show the
// whole command.
const mostCommand = 512

// tool shows a confirmed command when it starts, because it may take long, and any command that has
// ended or was refused.
func (t *turn) tool(f ipc.Message) {
	var tool ipc.Tool
	if f.Decode(&tool) != nil || tool.State == ipc.ToolRunning && tool.Class == "SAFE" || tool.Output != "" {
		return
	}
	t.c.out.close()
	t.said.Reset() // text before a call is not part of the answer
	command := ipc.VisibleLine(tool.Command)
	if len(command) > mostCommand {
		command = strings.ToValidUTF8(command[:mostCommand], "") + "…"
	}
	switch tool.State {
	case ipc.ToolRunning:
		t.c.out.write("▸ " + command)
	case ipc.ToolDone:
		line := fmt.Sprintf("· %s  %.1fs", command, float64(tool.Millis)/1000)
		if tool.Exit != 0 || tool.Ended != "" {
			line += "  " + i18n.Ended(t.c.Lang, i18n.End{Code: tool.Ended, Exit: tool.Exit, Program: ipc.VisibleLine(tool.Program), Limit: tool.Limit})
		}
		t.c.out.write(line)
	case ipc.ToolRefused:
		t.c.out.write("· " + i18n.ToolRefused.In(t.c.Lang, i18n.Refusal(tool.Reason, t.c.Lang)) + "  " + command)
	}
	t.c.out.close()
}

// end shows the part of the answer that was not streamed, and the queued notifications.
func (t *turn) end(f ipc.Message) {
	t.release()
	var out ipc.Outcome
	_ = f.Decode(&out) // the answer is shown even without these details
	if strings.TrimSpace(ipc.Clean(t.said.String())) != strings.TrimSpace(ipc.Clean(f.Body)) {
		t.c.out.close()
		t.c.out.write(f.Body)
	}
	t.c.out.close()
	for _, code := range out.Pending {
		t.c.say(i18n.PendingApproval.In(t.c.Lang, ipc.VisibleLine(code)))
	}
	if b := out.Budget; b != nil && t.c.Keyboard != nil {
		limit, used, tokens := b.Nearest()
		t.c.say(i18n.Budget(t.c.Lang, limit, used, tokens, b.Share))
	}
	if n := t.c.notices; n > 0 && t.c.Keyboard != nil {
		t.c.say(i18n.NoticesWait.In(t.c.Lang, n))
		t.c.notices = 0 // report them only once
	}
}
