package agent

import (
	"errors"
	"fmt"
	"slices"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
)

// LateCall is a call that was approved after its turn had gone on without it, with its outcome. A turn with one
// continues the request that the call belongs to.
type LateCall struct {
	Call    tools.Call
	Outcome tools.Outcome
}

// ErrForgotten reports a late call whose request is neither known nor in the conversation any more.
var ErrForgotten = errors.New("the request of the approved call is no longer known")

// lateOpening opens the turn for the model, with the call and the beginning of the request. It is not stored, because it
// is not the person's message.
const lateOpening = "[From this program: the person has now approved your call %s %s, which waited in their request %q. " +
	"What came of it is above. It does not run again: repeat neither this call nor one that still waits for an approval. " +
	"Continue with what is left of that request, and give the person the answer.]"

// maxRequest bounds the beginning of the request in the opening, maxInput that of the call's input, in bytes.
const (
	maxRequest = 300
	maxInput   = 2 << 10
)

// continueLate prepares a turn that continues after a late call. Its outcome counts as one of this turn.
func (t *turn) continueLate(past session.Past) error {
	known := hasCall(past.Messages, t.Late.Call)
	if !known && t.Text == "" {
		return ErrForgotten
	}
	t.untrusted = true // the model reads the call's output, and what its turn had read before
	opening := providers.UserText(t.lateText(known))
	if p := t.Late.Outcome.Picture; p != nil {
		opening.Content = append(opening.Content, p.Block())
	}
	t.messages = append(past.Messages, opening)
	t.addPages([]providers.Message{resultMessage(providers.Block{Type: providers.BlockToolResult, Output: &t.Late.Outcome.Output})})
	t.recordOutcome(t.Late.Outcome)
	return nil
}

// lateText returns the message that opens the turn. It begins with the call's result if the conversation lacks the call.
func (t *turn) lateText(known bool) string {
	call := t.Late.Call
	name := label(call.Name)
	input := firstLine(neutralize(t.o.Redactor.Redact(string(call.Input))), maxInput)
	text := fmt.Sprintf(lateOpening, name, input, firstLine(t.o.Redactor.Redact(t.Text), maxRequest))
	if known {
		return text
	}
	return t.fence.wrap("tool "+name, t.o.Redactor.Redact(t.Late.Outcome.Text)) + "\n" + text
}

// hasCall reports whether messages contain a call.
func hasCall(messages []providers.Message, call tools.Call) bool {
	return slices.ContainsFunc(messages, func(m providers.Message) bool {
		return slices.ContainsFunc(m.Content, func(b providers.Block) bool {
			return b.Type == providers.BlockToolUse && b.ID == call.ID && b.Name == call.Name
		})
	})
}
