package bridge

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/bridge/markup"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// Timing and limits of answers that are shown while they are written.
const (
	liveEvery        = 1500 * time.Millisecond // between two edits
	liveAfter        = 700 * time.Millisecond  // before the first text; a faster answer is one message
	toolAfter        = time.Second             // before a running command is shown
	maxLiveBytes     = 32 << 10                // of an answer, buffered for live display
	maxTyping        = 30 * time.Minute
	maxCommandLength = 200
	// editFor is how long an answer can be completed in place after its beginning was posted. Later
	// the person may no longer look at the telephone, so that the answer is a new message.
	editFor = 5 * time.Second
)

const (
	waitSign  = "⏳" // placeholder for an answer
	belowSign = "↓" // replaces the beginning of an answer that was sent as a new message below
)

// turn is a message that the daemon is processing. Its dispatcher's mutex guards it.
type turn struct {
	task string
	chat *chat
	text strings.Builder
	tool string // the running command
	// shown is the text currently in the chat. due is when it can change next.
	shown string
	due   time.Time
	dirty bool
	// ended means that the live message must no longer change.
	ended bool
	timer *time.Timer

	cancelTyping context.CancelFunc // nil while no typing indicator is shown
}

// startTurn shows a sender that their message is being processed.
func (p *dispatcher) startTurn(re, chatID, task string) {
	if task == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	t := &turn{task: task, chat: p.chatOf(chatID)}
	p.turns[re] = t
	p.startTyping(t)
}

// startTyping shows the typing indicator until its notice is posted or the turn ends.
func (p *dispatcher) startTyping(t *turn) {
	if p.traits.Typing <= 0 || t.cancelTyping != nil || p.closed {
		return
	}
	ctx, cancel := context.WithTimeout(p.ctx, maxTyping)
	t.cancelTyping = cancel
	p.workers.Go(func() {
		defer cancel()
		for {
			if err := p.m.Typing(ctx, t.chat.id); err != nil {
				p.log.Debug().Err(err).Msg("cannot show that an answer is being written")
			}
			if sleep(ctx, p.traits.Typing) != nil {
				return
			}
		}
	})
}

func (t *turn) stopTyping() {
	if t.cancelTyping != nil {
		t.cancelTyping()
		t.cancelTyping = nil
	}
}

// sleep sleeps for d, or until ctx ends, and returns ctx's error.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// handleFrame handles a piece of an answer, or the start or end of a command.
func (p *dispatcher) handleFrame(re string, m ipc.Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.turns[re]
	if t == nil || p.closed {
		return
	}
	p.startTyping(t) // a question may have stopped it
	if !p.traits.Edits || t.ended {
		return
	}
	switch m.Type {
	case ipc.TypeDelta:
		if t.text.Len()+len(m.Body) <= maxLiveBytes {
			t.text.WriteString(m.Body)
			t.tool = ""
			if t.due.IsZero() {
				t.due = p.now().Add(p.liveAfter)
			}
			p.scheduleUpdate(t)
		}
	case ipc.TypeTool:
		var tool ipc.Tool
		if m.Decode(&tool) == nil {
			p.showTool(t, tool)
		}
	}
}

// showTool shows a command once it has been running for toolAfter.
func (p *dispatcher) showTool(t *turn, tool ipc.Tool) {
	switch {
	case tool.Step != nil: // the running step of a plan
		tool.Command, tool.State = fmt.Sprintf("[%d/%d] %s", tool.Step.Number, tool.Step.Of, tool.Step.Command), tool.Step.State
	case tool.HasSteps() && tool.State == ipc.ToolRunning:
		return
	}
	if tool.State != ipc.ToolRunning {
		t.tool = ""
		return
	}
	if tool.Command == "" || t.tool == tool.Command {
		return
	}
	t.tool = tool.Command
	if t.timer != nil {
		t.timer.Stop()
	}
	t.timer = time.AfterFunc(p.toolAfter, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if t.tool == tool.Command && !t.ended && !p.closed {
			p.scheduleUpdate(t)
		}
	})
}

// scheduleUpdate schedules an update of the live message.
func (p *dispatcher) scheduleUpdate(t *turn) {
	t.dirty = true
	t.chat.live = t
	p.startWorker(t.chat)
}

// endTurn ends a turn. Its answer is sent as a notice.
func (p *dispatcher) endTurn(re string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := p.turns[re]; t != nil {
		p.stopTurn(t)
		delete(p.turns, re)
	}
}

func (p *dispatcher) stopTurn(t *turn) {
	t.stopTyping()
	t.ended, t.dirty = true, false
	if t.timer != nil {
		t.timer.Stop()
	}
	if t.chat.live == t {
		t.chat.live = nil
	}
}

// stopLive stops the live display of a task, because its notice is posted next. A question only stops
// the typing indicator, because the task continues after it.
func (p *dispatcher) stopLive(task string, question bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range p.turns {
		if t.task != task || task == "" {
			continue
		}
		t.stopTyping()
		if !question {
			p.stopTurn(t)
		}
	}
}

// liveText returns the live text of a turn in the messenger's markup. It is limited to the beginning of a long answer.
func (p *dispatcher) liveText(t *turn) string {
	text := ipc.ChatText(t.text.String(), i18n.ApprovalPhrases())
	tool := ""
	if t.tool != "" {
		command, _, _ := strings.Cut(ipc.VisibleLine(t.tool), "\n")
		tool = waitSign + " " + truncate(command, maxCommandLength)
	}
	var rendered string
	if strings.TrimSpace(text) != "" {
		rendered = p.traits.Render(markup.Split(text, p.traits.Length-2*maxCommandLength, p.traits.Render)[0])
	}
	if tool == "" {
		return rendered
	}
	literal, ok := p.traits.Literal(tool)
	if !ok {
		literal = waitSign
	}
	if rendered == "" {
		return literal
	}
	return rendered + "\n\n" + literal
}

func truncate(text string, most int) string {
	if rs := []rune(text); len(rs) > most {
		return string(rs[:most]) + "…"
	}
	return text
}

// postLive posts or edits a turn's live message. It does not retry, because further edits and the final answer follow.
func (p *dispatcher) postLive(ctx context.Context, t *turn, text string) {
	handle := p.deliveries.liveMessageOf(t.task).Handle
	if handle == "" {
		posted, err := p.m.Post(ctx, Piece{ID: pieceID("live:"+t.task, 0), Chat: t.chat.id, Text: waitSign})
		if err != nil || posted.Handle == "" {
			p.delayLive(t, err)
			return
		}
		t.chat.lastPost = p.now()
		t.chat.recordHandle(posted.Handle)
		b := liveMessage{Task: t.task, Handle: posted.Handle, At: p.now()}
		if err := p.deliveries.record(deliveryRecord{Live: &b}, true); err != nil {
			p.log.Warn().Err(err).Msg("cannot save what was sent")
		}
		handle = posted.Handle
	}
	p.delayLive(t, p.m.Edit(ctx, handle, Piece{ID: pieceID("live:"+t.task, 0), Chat: t.chat.id, Text: text}))
}
