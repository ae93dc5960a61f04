package session

import (
	"slices"

	"github.com/nidoit/blunux-ai/providers"
)

// exchange is a user's message and everything up to the answer, in the form for a model: roles alternate, and
// results follow every call.
type exchange struct {
	at        int64 // offset of its beginning in the file
	messages  []providers.Message
	untrusted bool   // contains text that others may have written
	piped     bool   // the user's message contains such text
	words     string // the user's message, "" if other text came with it
	task      string // the task it belongs to, "" if unknown
}

// interrupted is the result of a call without one.
const interrupted = "[interrupted: the program ended before the result of this call was known. " +
	"It is not known whether it ran, or finished. Look before doing it again.]"

// groupExchanges groups entries into exchanges. It omits entries before the first user message, results without
// their call, and messages that a retried task stored again.
func groupExchanges(entries []locatedEntry) []exchange {
	var all []exchange
	for i := 0; i < len(entries); i++ {
		e := entries[i]
		if e.Type == TypeUser && len(all) > 0 && e.beganTask(all[len(all)-1].task) {
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
		x.addEntry(e)
		if e.Type == TypeTool {
			n := untilNext(entries[i+1:])
			x.addCalls(*e.Message, entries[i+1:i+1+n])
			i += n
		}
	}
	for i := range all {
		all[i].end()
	}
	return all
}

// beganTask reports whether an entry is the message that began a task.
func (e Entry) beganTask(task string) bool {
	return task != "" && e.Type == TypeUser && e.Metadata != nil && e.Metadata.Task == task
}

// untilNext returns the number of entries before the next message or calls.
func untilNext(entries []locatedEntry) int {
	n := slices.IndexFunc(entries, func(e locatedEntry) bool { return e.Type == TypeUser || e.Type == TypeTool })
	if n < 0 {
		return len(entries)
	}
	return n
}

// addCalls adds the results of calls, then other entries before the next call, such as messages of another task.
func (x *exchange) addCalls(m providers.Message, entries []locatedEntry) {
	x.untrusted = true
	x.addMessage(resultsMessage(calls(m), entries))
	for _, e := range entries {
		if e.Type != TypeResult {
			x.addEntry(e)
		}
	}
}

// addEntry adds an entry's message.
func (x *exchange) addEntry(e locatedEntry) {
	x.addMessage(*e.Message)
	if e.Metadata != nil && e.Metadata.Untrusted {
		x.untrusted, x.piped = true, true
	}
}

// addMessage appends a message. Consecutive messages of one role are merged.
func (x *exchange) addMessage(m providers.Message) {
	last := &x.messages[len(x.messages)-1]
	if last.Role != m.Role {
		x.messages = append(x.messages, m)
		return
	}
	last.Content = slices.Concat(last.Content, m.Content)
}

// end adds a placeholder answer if the last message is not the assistant's.
func (x *exchange) end() {
	if x.messages[len(x.messages)-1].Role != providers.RoleAssistant {
		x.messages = append(x.messages, providers.AssistantText(unanswered))
	}
}

// fit returns as much of an exchange as fits n messages: the user's message, the latest calls with their
// results, and the answer. It returns nil if message and answer do not fit.
func (x exchange) fit(n int) []providers.Message {
	if n < 2 {
		return nil
	}
	drop := max(len(x.messages)-n+1, 0) / 2 * 2
	return slices.Concat(x.messages[:1], x.messages[1+drop:])
}

func calls(m providers.Message) []providers.Block {
	return slices.DeleteFunc(slices.Clone(m.Content), func(b providers.Block) bool { return b.Type != providers.BlockToolUse })
}

// resultsMessage returns the message that answers calls with their results among entries, in the order of the calls.
// Calls without a result were interrupted.
func resultsMessage(calls []providers.Block, entries []locatedEntry) providers.Message {
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
