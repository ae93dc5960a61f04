package session

import (
	"slices"

	"github.com/nidoit/blunux-ai/providers"
)

// exchange is a person's words and everything up to the answer, as a model is
// shown it: the two sides take turns, and every call is followed by its results.
type exchange struct {
	at        int64 // where it begins in the file
	messages  []providers.Message
	untrusted bool   // holds text that others may have written
	piped     bool   // the words in it carry such text
	words     string // the person's own; "" where other text came with them
	task      string // that the words began; "" where that is not known
}

// interrupted is the result of a call that was never told.
const interrupted = "[interrupted: the program ended before the result of this call was known. " +
	"It is not known whether it ran, or finished. Look before doing it again.]"

// exchanges makes exchanges of entries. What stands before a person's words is
// left out; so are results without their call, and words that a task kept again
// when it was retried.
func exchanges(entries []located) []exchange {
	var all []exchange
	for i := 0; i < len(entries); i++ {
		e := entries[i]
		if e.Type == TypeUser && len(all) > 0 && e.began(all[len(all)-1].task) {
			continue
		}
		if e.Type == TypeUser {
			piped := e.Metadata != nil && e.Metadata.Untrusted
			x := exchange{at: e.at, messages: []providers.Message{*e.Message}, untrusted: piped, piped: piped}
			if !piped {
				x.words = e.Message.Text()
			}
			if e.Metadata != nil {
				x.task = e.Metadata.Task
			}
			all = append(all, x)
			continue
		}
		if len(all) == 0 || e.Type == TypeResult {
			continue
		}
		x := &all[len(all)-1]
		x.say(e)
		if e.Type == TypeTool {
			n := untilNext(entries[i+1:])
			x.called(*e.Message, entries[i+1:i+1+n])
			i += n
		}
	}
	for i := range all {
		all[i].end()
	}
	return all
}

// began reports whether an entry is the words that a task began with.
func (e Entry) began(task string) bool {
	return task != "" && e.Type == TypeUser && e.Metadata != nil && e.Metadata.Task == task
}

// untilNext returns how many entries stand before the next words or calls.
func untilNext(entries []located) int {
	n := slices.IndexFunc(entries, func(e located) bool { return e.Type == TypeUser || e.Type == TypeTool })
	if n < 0 {
		return len(entries)
	}
	return n
}

// called adds the results of calls, and then what else was said before the
// next: the news of another task may have come in between.
func (x *exchange) called(m providers.Message, entries []located) {
	x.untrusted = true
	x.add(answered(calls(m), entries))
	for _, e := range entries {
		if e.Type != TypeResult {
			x.say(e)
		}
	}
}

// say adds an entry's message.
func (x *exchange) say(e located) {
	x.add(*e.Message)
	if e.Metadata != nil && e.Metadata.Untrusted {
		x.untrusted, x.piped = true, true
	}
}

// add puts a message behind the others; two of one side become one.
func (x *exchange) add(m providers.Message) {
	last := &x.messages[len(x.messages)-1]
	if last.Role != m.Role {
		x.messages = append(x.messages, m)
		return
	}
	last.Content = slices.Concat(last.Content, m.Content)
}

// end makes sure that the assistant speaks last.
func (x *exchange) end() {
	if x.messages[len(x.messages)-1].Role != providers.RoleAssistant {
		x.messages = append(x.messages, providers.AssistantText(unanswered))
	}
}

// fitting returns as much of an exchange as fits n messages: the words, the
// latest calls with their results and the answer; nothing when not even words
// and answer fit.
func (x exchange) fitting(n int) []providers.Message {
	if n < 2 {
		return nil
	}
	drop := max(len(x.messages)-n+1, 0) / 2 * 2
	return slices.Concat(x.messages[:1], x.messages[1+drop:])
}

func calls(m providers.Message) []providers.Block {
	return slices.DeleteFunc(slices.Clone(m.Content), func(b providers.Block) bool { return b.Type != providers.BlockToolUse })
}

// answered is the message that answers calls, in their order, with the results
// among entries. A call without one was interrupted.
func answered(calls []providers.Block, entries []located) providers.Message {
	var known []providers.Block
	for _, e := range entries {
		if e.Type == TypeResult {
			known = append(known, e.Message.Content...)
		}
	}
	m := providers.Message{Role: providers.RoleUser}
	for _, call := range calls {
		i := slices.IndexFunc(known, func(b providers.Block) bool { return isResultOf(b, call) })
		if i < 0 {
			m.Content = append(m.Content, resultOf(call, interrupted, true))
			continue
		}
		m.Content = append(m.Content, known[i])
		known = slices.Delete(known, i, i+1)
	}
	return m
}

func isResultOf(b, call providers.Block) bool {
	return b.Type == providers.BlockToolResult && b.ToolUseID == call.ID
}

func resultOf(call providers.Block, text string, isError bool) providers.Block {
	return providers.Block{Type: providers.BlockToolResult, ToolUseID: call.ID, Name: call.Name, Content: text, IsError: isError}
}
