package agent

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/providers"
)

// bytesPerToken is what is assumed of a model that has not been asked yet:
// little, so that the first guess is too many tokens rather than too few.
// Korean and Chinese take about as many in UTF-8.
const bytesPerToken = 3.0

// gauge is what models' own figures tell of how many bytes one of their tokens
// takes. It is safe for concurrent use.
type gauge struct {
	mu    sync.Mutex
	bytes map[string]float64 // a token, by provider and model
}

func newGauge() *gauge { return &gauge{bytes: map[string]float64{}} }

// learn takes what a request of a size was counted as.
func (g *gauge) learn(provider, model string, size, tokens int) {
	if tokens < 50 || size < 200 { // too little to tell, or a script's own number
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

// of returns how many bytes of a request a number of tokens takes.
func (g *gauge) of(provider, model string, tokens int) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	per, ok := g.bytes[provider+"/"+model]
	if !ok {
		per = bytesPerToken
	}
	return int(per * float64(tokens))
}

// replyTokens is kept free for the answer where the configuration does not say.
const replyTokens = 4096

// room is how many bytes a request may have, 0 where that is not known.
func (t *turn) room() int {
	model := t.reply.Model
	if model == "" {
		model = t.o.Model.ModelID()
	}
	tokens := t.o.Context(t.who(), model)
	if tokens <= 0 {
		return 0
	}
	reply := t.o.MaxTokens
	if reply == 0 {
		reply = replyTokens
	}
	// An estimate: a tenth stays free. A small window is not all for the answer.
	return t.gauge.of(t.who(), model, max(tokens*9/10-reply, tokens/2))
}

// sizeOf is a request's size in bytes, near enough to what a model counts.
func sizeOf(r providers.Request) int {
	size := len(r.System)
	for _, d := range r.Tools {
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

// tooLong reports that a model was shown more than it takes.
func tooLong(err error) bool {
	var pe *providers.Error
	return errors.As(err, &pe) && pe.Kind == providers.KindContext && !pe.Acted
}

// The least that is left of what is cut, in bytes.
const (
	oldResult   = 1 << 10 // of an earlier exchange's result
	leastResult = 2 << 10 // of this turn's
	leastWords  = 4 << 10 // of the person's own words and what was piped in
)

// fit makes the request small enough for so many bytes, as far as that goes, and
// reports whether it is smaller now; 0 is no limit. A call always keeps its
// result: first results of earlier exchanges are cut, then the earliest
// exchanges left out, then this turn's results are cut, then what was piped in.
func (t *turn) fit(limit int) bool {
	size := sizeOf(t.request())
	if limit <= 0 || size <= limit {
		return false
	}
	t.messages = slices.Clone(t.messages)
	over := func() int { return sizeOf(t.request()) - limit }
	now := t.current()
	t.cutResults(t.messages[:now], over, oldResult)
	for over() > 0 && now > 0 {
		next := nextExchange(t.messages)
		t.messages = t.messages[next:]
		now -= next
		t.leftOut = true
	}
	for least := 16 << 10; least >= leastResult; least /= 2 {
		t.cutResults(t.messages, over, least)
	}
	if over() > 0 {
		t.cutWords(over())
	}
	return sizeOf(t.request()) < size
}

// current is the index of the person's words that this turn answers.
func (t *turn) current() int { return len(t.messages) - 1 - t.since }

// nextExchange returns where the second exchange of messages begins.
func nextExchange(messages []providers.Message) int {
	for i := 1; i < len(messages); i++ {
		if asks(messages[i]) {
			return i
		}
	}
	return len(messages)
}

// cutResults cuts results to at most so many bytes each, the earliest first,
// until it fits.
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

// cutWords cuts what the person said and piped in by so many bytes.
func (t *turn) cutWords(over int) {
	m := &t.messages[t.current()]
	m.Content = slices.Clone(m.Content)
	for i, b := range m.Content {
		if b.Type == providers.BlockText {
			m.Content[i].Text = cutMiddle(b.Text, max(len(b.Text)-over, leastWords))
		}
	}
}

// cutMiddle returns the beginning and the end of a text, and how much is missing
// between them: at most so many bytes, and a line that says so. The marks of a
// fence stand at both ends and stay.
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
