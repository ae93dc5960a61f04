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
	c     *chat
	shown strings.Builder // answer text shown so far in this round
	held  []ipc.Message   // arrived while a confirmation was open
}

func (c *chat) ask(text string) {
	t := &turn{c: c}
	m := ipc.Message{Type: ipc.TypeMessage, Session: c.Session, Body: text}
	c.asks.turn = t
	c.start(m.WithData(ipc.Request{Cwd: c.Cwd, Lang: string(c.Lang)}), request{frame: t.handleFrame, end: t.finish})
}

func (c *chat) handleFrame(ctx context.Context, f ipc.Message) {
	switch {
	case c.asks.handleReply(f):
	case f.Type == ipc.TypeResolved:
		c.asks.closeResolved(f)
	case f.Re == "" && f.Error != nil:
		c.printError(f.Error)
	case c.current == nil || f.Re != c.current.id: // of an ended request
	case f.Type == ipc.TypeAsk:
		if c.Keyboard != nil && !c.current.cancel {
			c.asks.enqueue(ctx, f)
		}
	case f.Done:
		c.endRequest(f)
	case c.current.frame != nil:
		c.current.frame(f)
	}
}

func (c *chat) endRequest(f ipc.Message) {
	c.asks.cancelAll(context.Canceled)
	work := c.current
	c.current = nil
	switch {
	case f.Error == nil:
		work.end(f)
	case !work.silent:
		c.printError(f.Error)
	}
}

// handleFrame shows the answer as it arrives, and the tool calls. While a confirmation is open,
// everything else is held back, because it could be mistaken for a part of it.
func (t *turn) handleFrame(f ipc.Message) {
	t.held = append(t.held, f)
	t.showHeld()
}

func (t *turn) showHeld() {
	if t.c.asks.isOpen() {
		return
	}
	held := t.held
	t.held = nil
	for _, f := range held {
		switch f.Type {
		case ipc.TypeDelta:
			t.shown.WriteString(f.Body)
			t.c.out.write(f.Body)
		case ipc.TypeTool:
			t.showTool(f)
		}
	}
}

// maxCommandLength is the maximum length of a command in a status line, in bytes. Confirmations show the whole command.
const maxCommandLength = 512

// showTool shows a confirmed command when it starts, because it may take long, and any command that has
// ended or was refused.
func (t *turn) showTool(f ipc.Message) {
	var tool ipc.Tool
	if f.Decode(&tool) != nil || tool.State == ipc.ToolRunning && tool.Class == "SAFE" || tool.Output != "" {
		return
	}
	t.c.out.close()
	t.shown.Reset() // text before a call is not part of the answer
	command := ipc.VisibleLine(tool.Command)
	if len(command) > maxCommandLength {
		command = strings.ToValidUTF8(command[:maxCommandLength], "") + "…"
	}
	switch tool.State {
	case ipc.ToolRunning:
		t.c.out.write("▸ " + command)
	case ipc.ToolDone:
		line := fmt.Sprintf("· %s  %.1fs", command, float64(tool.Millis)/1000)
		if tool.Exit != 0 || tool.Ended != "" {
			line += "  " + i18n.CommandEnd(t.c.Lang, i18n.CommandResult{Code: tool.Ended, Exit: tool.Exit, Program: ipc.VisibleLine(tool.Program), Limit: tool.Limit})
		}
		t.c.out.write(line)
	case ipc.ToolRefused:
		t.c.out.write("· " + i18n.ToolRefused(i18n.Refusal(tool.Reason, t.c.Lang)).In(t.c.Lang) + "  " + command)
	}
	t.c.out.close()
}

// finish shows the part of the answer that was not streamed, and the queued notifications.
func (t *turn) finish(f ipc.Message) {
	t.showHeld()
	var out ipc.Outcome
	_ = f.Decode(&out) // the answer is shown even without these details
	if strings.TrimSpace(ipc.Clean(t.shown.String())) != strings.TrimSpace(ipc.Clean(f.Body)) {
		t.c.out.close()
		t.c.out.write(f.Body)
	}
	t.c.out.close()
	for _, code := range out.Pending {
		t.c.print(i18n.PendingApproval(ipc.VisibleLine(code)).In(t.c.Lang))
	}
	if b := out.Budget; b != nil && t.c.Keyboard != nil {
		limit, used, tokens := b.Nearest()
		t.c.print(i18n.Budget(t.c.Lang, limit, used, tokens, b.Share))
	}
	if n := t.c.notices; n > 0 && t.c.Keyboard != nil {
		t.c.print(i18n.UnreadNotices(n).In(t.c.Lang))
		t.c.notices = 0 // report them only once
	}
}
