// Package providertest holds what every language model behind package
// providers promises, as tests ([Run], [Promises]), and the fake servers those
// tests need: [Handler] speaks Anthropic's Messages API, the chat/completions
// dialect or Google's generateContent from the same list of [Reply] values, as a
// plain [http.Handler], and [Anthropic], [ChatCompletions] and [Gemini] start it
// on loopback.
//
// The servers are strict about requests where the official formats are
// (Anthropic API reference, "Messages"; OpenAI API reference, "Create chat
// completion"; Gemini API reference, "Generating content") and record them decoded, so that end-to-end tests can assert on
// what really left the program.
package providertest

import (
	"time"

	"github.com/nidoit/blunux-ai/providers"
)

// Reply is one answer of a fake server, in no particular wire format. The zero
// Reply is an answer without content.
type Reply struct {
	Thinking  string   // reasoning before the answer
	Signature string   // opaque token that must come back with the first tool call or the reasoning
	Text      []string // pieces, streamed one by one
	Tools     []Call
	Stop      providers.StopReason // "" is the natural one
	Usage     providers.Usage

	Status     int    // 400 and above: an error answer with Message
	RetryAfter string // header value of an error answer
	Message    string

	Plain   bool          // one JSON document although a stream was asked for
	Chop    int           // bytes a network write; 0 writes whole events
	Slow    time.Duration // between network writes
	Broken  bool          // ends in an event that is not JSON
	Cut     bool          // breaks the connection before the end mark
	Short   bool          // ends cleanly, but before the end mark
	Endless bool          // repeats the last piece of Text until the client leaves
	Hold    bool          // after Text, stays silent until the client leaves
}

// Call is a tool call in a [Reply]. Input is sent as it is, valid JSON or not.
type Call struct{ ID, Name, Input string }

// Script gives the reply to the n-th request (from 0) of a server.
type Script func(n int, seen Seen) Reply

// Replies is a [Script] that gives these replies in order, and an error answer
// afterwards.
func Replies(replies ...Reply) Script {
	return func(n int, _ Seen) Reply {
		if n < len(replies) {
			return replies[n]
		}
		return Reply{Status: 500, Message: "the test has no reply left"}
	}
}

// Seen is a request as a fake server understood it.
type Seen struct {
	Model     string
	System    string
	Tools     []providers.ToolDefinition
	MaxTokens int
	Stream    bool
	Entries   []Entry
	Body      string            // as it came
	Header    map[string]string // first values, canonical names
}

// Entry is one piece of the conversation in a [Seen] request, in order.
type Entry struct {
	Role      providers.Role
	Kind      string // "text", "thinking", "tool_use", "tool_result", "image"
	Text      string // text, thinking, or the content of a result
	ID        string // of a tool_use, or the one a tool_result answers
	Name      string
	Input     string // of a tool_use
	Signature string
	IsError   bool
	MediaType string // of an image
	Data      []byte
}

// Last returns the text of the last entry of a kind, "" when there is none.
func (s Seen) Last(kind string) string {
	for i := len(s.Entries) - 1; i >= 0; i-- {
		if s.Entries[i].Kind == kind {
			return s.Entries[i].Text
		}
	}
	return ""
}
