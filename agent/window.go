package agent

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/providers"
)

// bytesPerToken is assumed for a model before its first answer. It is low, so that the first estimate is too
// many tokens rather than too few. Korean and Chinese in UTF-8 have about as many.
const bytesPerToken = 3.0

// tokenEstimator estimates how many bytes a token of a model has, from the token counts that the model reports. It is
// safe for concurrent use.
type tokenEstimator struct {
	mu    sync.Mutex
	bytes map[string]float64 // for a token, by provider and model
}

func newGauge() *tokenEstimator { return &tokenEstimator{bytes: map[string]float64{}} }

// record records the token count of a request with the given size in bytes.
func (g *tokenEstimator) record(provider, model string, size, tokens int) {
	if tokens < 50 || size < 200 { // too small for an estimate, or not a real count
		return
	}
	seen := min(max(float64(size)/float64(tokens), 1), 8)
	g.mu.Lock()
	defer g.mu.Unlock()
	name := provider + "/" + model
	if old, ok := g.bytes[name]; ok {
		seen = old*0.7 + seen*0.3
	}
	g.bytes[name] = seen
}

// bytesFor converts tokens of a model to bytes of a request.
func (g *tokenEstimator) bytesFor(provider, model string, tokens int) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	per, ok := g.bytes[provider+"/"+model]
	if !ok {
		per = bytesPerToken
	}
	return int(per * float64(tokens))
}

// replyTokens is reserved for the answer if MaxTokens is not set.
const replyTokens = 4096

// room returns the maximum size of a request in bytes, 0 if unknown.
func (t *turn) room() int {
	model := t.reply.Model
	if model == "" {
		model = t.o.Model.ModelID()
	}
	tokens := t.o.Context(t.provider(), model)
	if tokens <= 0 {
		return 0
	}
	reply := t.o.MaxTokens
	if reply == 0 {
		reply = replyTokens
	}
	// Reserve a tenth because this is an estimate, and limit the answer's share of small windows.
	return t.gauge.bytesFor(t.provider(), model, max(tokens*9/10-reply, tokens/2))
}

// sizeOf estimates the size of a request in bytes, as the model counts it.
func sizeOf(r providers.Request) int {
	size := len(r.System)
	for _, d := range r.Offered() {
		size += len(d.Name) + len(d.Description) + len(d.InputSchema)
	}
	for _, m := range r.Messages {
		size += sizeOfMessage(m)
	}
	return size
}

func sizeOfMessage(m providers.Message) int {
	size := 16
	for _, b := range m.Content {
		size += 16 + len(b.Text) + len(b.Name) + len(b.Input) + len(b.Content) + len(b.Raw)
	}
	return size
}

// tooLong reports whether the conversation was too long for the model.
func tooLong(err error) bool {
	var pe *providers.Error
	return errors.As(err, &pe) && pe.Kind == providers.KindContext && !pe.ToolsCalled
}

// The minimum sizes after cutting, in bytes.
const (
	minOldResult = 1 << 10 // result of an earlier exchange
	minResult    = 2 << 10 // result of this turn
	minWords     = 4 << 10 // the user's message with piped input
)

// fit shortens the request to limit bytes if possible, and reports whether it is shorter now. 0 is no limit.
// Calls always keep their results: fit first cuts results of earlier exchanges, then drops the earliest
// exchanges, then cuts this turn's results, then piped input.
func (t *turn) fit(limit int) bool {
	size := sizeOf(t.request())
	if limit <= 0 || size <= limit {
		return false
	}
	t.messages = slices.Clone(t.messages)
	over := func() int { return sizeOf(t.request()) - limit }
	now := t.userIndex()
	t.cutResults(t.messages[:now], over, minOldResult)
	for over() > 0 && now > 0 {
		next := nextExchange(t.messages)
		t.messages = t.messages[next:]
		now -= next
		t.truncated = true
	}
	for least := 16 << 10; least >= minResult; least /= 2 {
		t.cutResults(t.messages, over, least)
	}
	if over() > 0 {
		t.cutWords(over())
	}
	return sizeOf(t.request()) < size
}

// userIndex returns the index of the user's message that this turn answers.
func (t *turn) userIndex() int { return len(t.messages) - 1 - t.added }

// nextExchange returns the index at which the second exchange begins.
func nextExchange(messages []providers.Message) int {
	for i := 1; i < len(messages); i++ {
		if isUserMessage(messages[i]) {
			return i
		}
	}
	return len(messages)
}

// cutResults cuts results to at most most bytes each, the earliest first, until over returns 0 or less.
func (t *turn) cutResults(messages []providers.Message, over func() int, most int) {
	for i, m := range messages {
		if over() <= 0 {
			return
		}
		content := slices.Clone(m.Content)
		for k, b := range content {
			if b.Type == providers.BlockToolResult && len(b.Content) > most+most/8 {
				content[k].Content = cutMiddle(b.Content, most)
			}
		}
		messages[i].Content = content
	}
}

// cutWords shortens the user's message and piped input by over bytes.
func (t *turn) cutWords(over int) {
	m := &t.messages[t.userIndex()]
	m.Content = slices.Clone(m.Content)
	for i, b := range m.Content {
		if b.Type == providers.BlockText {
			m.Content[i].Text = cutMiddle(b.Text, max(len(b.Text)-over, minWords))
		}
	}
}

// cutMiddle returns the beginning and end of a text with a note about the bytes missing between them. The
// result has at most most bytes plus the note. The marks of a fence are at the ends and remain.
func cutMiddle(text string, most int) string {
	if len(text) <= most {
		return text
	}
	head, tail := text[:most*2/3], text[len(text)-most/3:]
	if i := strings.LastIndexByte(head, '\n'); i > most/3 {
		head = head[:i+1]
	}
	if i := strings.IndexByte(tail, '\n'); i >= 0 && i < most/6 {
		tail = tail[i+1:]
	}
	head, tail = strings.ToValidUTF8(head, ""), strings.ToValidUTF8(tail, "")
	note := fmt.Sprintf("[… %d bytes left out here, because all of it is too long for this model …]", len(text)-len(head)-len(tail))
	cut := strings.TrimRight(head, "\n") + "\n" + note + "\n" + tail
	if len(cut) >= len(text) {
		return text
	}
	return cut
}
