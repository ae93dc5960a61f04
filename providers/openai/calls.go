package openai

import (
	"encoding/json"
	"strings"

	"github.com/nidoit/blunux-ai/providers"
)

// fragment is a tool call or a piece of one.
type fragment struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
	Extra json.RawMessage `json:"extra_content"`
}

// partialCall is one tool call under construction.
type partialCall struct {
	index     int
	id, name  string
	arguments strings.Builder
	extra     json.RawMessage
}

// callList collects the tool calls of one message. By the format, each fragment has its call's index, and the
// first one also id and name. Servers deviate: no index, one index for all calls with different ids (Gemini),
// no ids, or the name or a new id in every fragment.
type callList []*partialCall

// add adds a fragment. place is its position in its list.
func (l *callList) add(f *fragment, place int) {
	c := l.find(f, place)
	if c == nil {
		c = &partialCall{index: len(*l)}
		if f.Index != nil {
			c.index = *f.Index
		}
		*l = append(*l, c)
	}
	if c.id == "" {
		c.id = f.ID
	}
	c.name = joinName(c.name, f.Function.Name)
	if isPresent(f.Function.Arguments) {
		c.arguments.WriteString(argumentsOf(f.Function.Arguments))
	}
	if isPresent(f.Extra) {
		c.extra = f.Extra
	}
}

// find returns the call that a fragment continues, or nil if it begins a new one.
func (l callList) find(f *fragment, place int) *partialCall {
	c := l.candidate(f)
	if c == nil || c.endsBefore(f) {
		return nil
	}
	if f.Index == nil && f.ID == "" && f.Function.Name != "" && place > 0 {
		return nil // the second whole call of one list
	}
	return c
}

// candidate returns the newest call with the fragment's index or id, because a repeated index belongs to the
// call that used it last. It returns the last call if the fragment has neither.
func (l callList) candidate(f *fragment) *partialCall {
	for i := len(l) - 1; i >= 0; i-- {
		c := l[i]
		switch {
		case f.Index != nil && c.index == *f.Index,
			f.Index == nil && f.ID != "" && c.id == f.ID:
			return c
		}
	}
	if f.Index == nil && len(l) > 0 {
		return l[len(l)-1]
	}
	return nil
}

// endsBefore reports whether a fragment begins another call: it names a tool and either has another id or
// follows complete arguments.
func (c *partialCall) endsBefore(f *fragment) bool {
	switch {
	case f.Function.Name == "":
		return false
	case f.ID != "" && c.id != "":
		return f.ID != c.id
	}
	return json.Valid([]byte(c.arguments.String()))
}

// joinName extends a name by a fragment's name, which is the whole name, the name so far, or the next letters.
func joinName(have, more string) string {
	if strings.HasPrefix(more, have) {
		return more
	}
	return have + more
}

// blocks returns the finished calls. It drops calls without a name, because they can be neither run nor
// answered.
func (l callList) blocks(vendor string) ([]providers.Block, error) {
	var blocks []providers.Block
	used := map[string]bool{}
	for _, c := range l {
		if c.name == "" {
			continue
		}
		if c.id == "" || used[c.id] {
			c.id = newCallID()
		}
		used[c.id] = true
		if c.extra != nil {
			b, err := opaque{Vendor: vendor, ToolCallID: c.id, Extra: c.extra}.block()
			if err != nil {
				return nil, err
			}
			blocks = append(blocks, b)
		}
		blocks = append(blocks, providers.Block{
			Type: providers.BlockToolUse, ID: c.id, Name: c.name, Input: providers.ToolInput(c.arguments.String()),
		})
	}
	return blocks, nil
}
