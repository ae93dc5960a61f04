// Package providertest is the conformance suite of the language models ([Run], [CheckInvariants]) and the fake servers
// it needs. [Handler] is an [http.Handler] that serves Anthropic's Messages API, the chat/completions dialect
// or Google's generateContent from the same [Reply] values. [Anthropic], [ChatCompletions] and [Gemini] start
// it on loopback.
//
// The servers validate requests like the official ones (Anthropic API reference, "Messages"; OpenAI API
// reference, "Create chat completion"; Gemini API reference, "Generating content") and record them decoded, so
// that end-to-end tests can check what the program sent.
package providertest

import (
	"time"

	"github.com/nidoit/blunux-ai/providers"
)

// Reply is one answer of a fake server, independent of the wire format. The zero Reply is an answer without
// content.
type Reply struct {
	Thinking  string   // reasoning before the answer
	Signature string   // opaque token that must be sent back with the first tool call or the reasoning
	Text      []string // pieces, streamed one by one
	Tools     []Call
	Stop      providers.StopReason // "" means the one that fits the content
	Usage     providers.Usage

	Status     int    // 400 and above: error answer with Message
	RetryAfter string // header value of an error answer
	Message    string

	Plain   bool          // one JSON document even if a stream was requested
	Chop    int           // bytes in a network write; 0 writes whole events
	Slow    time.Duration // pause between network writes
	Broken  bool          // ends with an event that is not JSON
	Cut     bool          // breaks the connection before the end marker
	Short   bool          // ends cleanly but before the end marker
	Endless bool          // repeats the last piece of Text until the client disconnects
	Hold    bool          // sends nothing after Text until the client disconnects
}

// Call is a tool call in a [Reply]. Input is sent unchanged, valid JSON or not.
type Call struct{ ID, Name, Input string }

// Script returns the reply to the n-th request (from 0) of a server.
type Script func(n int, seen Request) Reply

// Replies returns a [Script] that gives these replies in order, then error answers.
func Replies(replies ...Reply) Script {
	return func(n int, _ Request) Reply {
		if n < len(replies) {
			return replies[n]
		}
		return Reply{Status: 500, Message: "the test has no reply left"}
	}
}

// Request is a decoded request.
type Request struct {
	Model     string
	System    string
	Tools     []providers.ToolDefinition
	MaxTokens int
	Stream    bool
	Entries   []Entry
	Body      string            // the raw body
	Header    map[string]string // first values, canonical names
}

// Entry is one piece of the conversation in a [Request] request, in order.
type Entry struct {
	Role      providers.Role
	Kind      string // "text", "thinking", "tool_use", "tool_result", "image"
	Text      string // text, thinking, or the content of a result
	ID        string // of a tool_use, or of the call that a tool_result answers
	Name      string
	Input     string // of a tool_use
	Signature string
	IsError   bool
	MediaType string // of an image
	Data      []byte
}

// Last returns the text of the last entry of a kind, or "".
func (s Request) Last(kind string) string {
	for i := len(s.Entries) - 1; i >= 0; i-- {
		if s.Entries[i].Kind == kind {
			return s.Entries[i].Text
		}
	}
	return ""
}
