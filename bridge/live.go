package bridge

import (
	"context"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/bridge/markup"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// How answers appear while they are written.
const (
	liveEvery   = 1500 * time.Millisecond // between two changes
	liveAfter   = 700 * time.Millisecond  // before the first words: an answer that is whole by then is one message
	toolAfter   = time.Second             // before a command that runs is shown
	mostLiving  = 32 << 10                // bytes of an answer that are kept for that
	typingAtAll = 30 * time.Minute
	mostCommand = 200
	// editFor is how long after its beginning appeared an answer is completed in
	// place. Later the person may have put the telephone away: it is a new message.
	editFor = 5 * time.Second
)

const (
	waitSign  = "⏳" // where an answer will be
	belowSign = "↓" // where the beginning of an answer was that is a message below
)

// turn is a message that is being worked on. It is guarded by its mailer.
type turn struct {
	task string
	chat *chat
	text strings.Builder
	tool string // the command that runs
	// shown is what stands in the chat, due when that may change again.
	shown string
	due   time.Time
	dirty bool
	// over says that its own message in the chat is no more to be changed.
	over  bool
	timer *time.Timer

	typing context.CancelFunc // nil while nobody is shown that it is being written
}

// begin has a sender see that their message is being worked on.
func (p *mailer) begin(re, chatID, task string) {
	if task == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	t := &turn{task: task, chat: p.chatOf(chatID)}
	p.turns[re] = t
	p.type_(t)
}

// type_ shows that an answer is being written, for as long as it is.
func (p *mailer) type_(t *turn) {
	if p.traits.Typing <= 0 || t.typing != nil || p.ended {
		return
	}
	ctx, cancel := context.WithTimeout(p.ctx, typingAtAll)
	t.typing = cancel
	p.running.Go(func() {
		defer cancel()
		for {
			if err := p.m.Typing(ctx, t.chat.id); err != nil {
				p.log.Debug().Err(err).Msg("cannot show that an answer is being written")
			}
			if wait(ctx, p.traits.Typing) != nil {
				return
			}
		}
	})
}

func (t *turn) stopTyping() {
	if t.typing != nil {
		t.typing()
		t.typing = nil
	}
}

// wait waits, or returns ctx's error.
func wait(ctx context.Context, d time.Duration) error {
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

// follow takes a piece of an answer, or a command that starts or ends.
func (p *mailer) follow(re string, m ipc.Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.turns[re]
	if t == nil || p.ended {
		return
	}
	p.type_(t) // a question may have stopped it
	if !p.traits.Edits || t.over {
		return
	}
	switch m.Type {
	case ipc.TypeDelta:
		if t.text.Len()+len(m.Body) <= mostLiving {
			t.text.WriteString(m.Body)
			t.tool = ""
			if t.due.IsZero() {
				t.due = p.now().Add(p.liveAfter)
			}
			p.touch(t)
		}
	case ipc.TypeTool:
		var tool ipc.Tool
		if m.Decode(&tool) == nil {
			p.work(t, tool)
		}
	}
}

// work shows a command that runs for long.
func (p *mailer) work(t *turn, tool ipc.Tool) {
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
		if t.tool == tool.Command && !t.over && !p.ended {
			p.touch(t)
		}
	})
}

// touch has a turn's words shown when they may be.
func (p *mailer) touch(t *turn) {
	t.dirty = true
	t.chat.live = t
	p.start(t.chat)
}

// end ends a turn: its answer comes, or came, as a notice.
func (p *mailer) end(re string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := p.turns[re]; t != nil {
		p.stop(t)
		delete(p.turns, re)
	}
}

func (p *mailer) stop(t *turn) {
	t.stopTyping()
	t.over, t.dirty = true, false
	if t.timer != nil {
		t.timer.Stop()
	}
	if t.chat.live == t {
		t.chat.live = nil
	}
}

// settle has nothing more of a task appear by itself: its notice is shown now.
// A question, which the task goes on after, only stops the typing.
func (p *mailer) settle(task string, question bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range p.turns {
		if t.task != task || task == "" {
			continue
		}
		t.stopTyping()
		if !question {
			p.stop(t)
		}
	}
}

// words are what a turn shows just now, in the messenger's markup: the
// beginning of a long answer.
func (p *mailer) words(t *turn) string {
	text := ipc.ChatText(t.text.String(), i18n.ApprovalPhrases())
	tool := ""
	if t.tool != "" {
		command, _, _ := strings.Cut(ipc.VisibleLine(t.tool), "\n")
		tool = waitSign + " " + ellipsis(command, mostCommand)
	}
	var rendered string
	if strings.TrimSpace(text) != "" {
		rendered = p.traits.Render(markup.Split(text, p.traits.Length-2*mostCommand, p.traits.Render)[0])
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

// ellipsis cuts a text to so many characters.
func ellipsis(text string, most int) string {
	if rs := []rune(text); len(rs) > most {
		return string(rs[:most]) + "…"
	}
	return text
}

// appear shows a turn's words. What fails is not tried again: there will be
// more of them, and in the end the answer.
func (p *mailer) appear(ctx context.Context, t *turn, text string) {
	handle := p.sent.beginningOf(t.task).Handle
	if handle == "" {
		posted, err := p.m.Post(ctx, Piece{ID: pieceID("live:"+t.task, 0), Chat: t.chat.id, Text: waitSign})
		if err != nil || posted.Handle == "" {
			p.later(t, err)
			return
		}
		t.chat.last = p.now()
		t.chat.notePosted(posted.Handle)
		b := beginning{Task: t.task, Handle: posted.Handle, At: p.now()}
		if err := p.sent.note(sentLine{Begun: &b}, true); err != nil {
			p.log.Warn().Err(err).Msg("what was sent is not on the disk")
		}
		handle = posted.Handle
	}
	p.later(t, p.m.Edit(ctx, handle, Piece{ID: pieceID("live:"+t.task, 0), Chat: t.chat.id, Text: text}))
}
