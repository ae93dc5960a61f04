package session

import (
	"slices"

	"github.com/nidoit/blunux-ai/providers"
)

// Past is the part of a conversation that a model gets.
type Past struct {
	// Summary summarizes what came before the messages, "" for nothing. It is data made of texts of users,
	// models and tools.
	Summary string
	// Untrusted reports that the summary also contains tool output.
	Untrusted bool
	// HasForeignText reports that user messages contain text that is not the user's own.
	HasForeignText bool
	// UserTexts are the user's messages without such text.
	UserTexts []string
	Messages  []providers.Message
}

// Load returns what a model gets: the latest summary and the messages it does not cover, since the last reset
// or long pause. There are fewer messages than the window, so that the next one fits. They begin with a user's
// message, the roles alternate, and results follow each call. A call whose result is missing is shown as
// interrupted.
func (s *Store) Load(key string) (Past, error) {
	t, err := s.tail(key, s.timeout)
	if err != nil {
		return Past{}, err
	}
	return s.past(t, groupExchanges(t.entries)), nil
}

// past converts exchanges for a model.
func (s *Store) past(t tail, all []exchange) Past {
	var p Past
	if t.summary != nil {
		p.Summary, p.Untrusted = t.summary.Content, t.summary.Metadata.Untrusted
	}
	p.HasForeignText = slices.ContainsFunc(all, func(x exchange) bool { return x.piped })
	for _, x := range all {
		if x.words != "" {
			p.UserTexts = append(p.UserTexts, x.words)
		}
	}
	p.Messages = cloneContents(latestMessages(all, s.room()))
	return p
}

// cloneContents gives each message a content that its receiver may modify. The blocks' data stays shared with the
// cache.
func cloneContents(messages []providers.Message) []providers.Message {
	for i, m := range messages {
		messages[i].Content = slices.Clone(m.Content)
	}
	return messages
}

// LoadRetried is Load for a retried task, without the task's own earlier entries. kept reports whether its
// message is in the file, however old it is.
func (s *Store) LoadRetried(key, task string) (p Past, kept bool, err error) {
	t, err := s.tail(key, s.timeout)
	if err != nil {
		return Past{}, false, err
	}
	kept = t.hasTask(task)
	if !kept { // the program was off for longer than the session timeout
		whole, err := s.tail(key, never)
		if err != nil {
			return Past{}, false, err
		}
		kept = whole.hasTask(task)
	}
	return s.past(t, slices.DeleteFunc(groupExchanges(t.entries), func(x exchange) bool { return task != "" && x.task == task })), kept, nil
}

// hasTask reports whether the message that began a task is among the entries.
func (t tail) hasTask(task string) bool {
	return slices.ContainsFunc(t.entries, func(e locatedEntry) bool { return e.beganTask(task) })
}

// HasEnd reports whether a conversation has the answer or the failure that ended a task. A power cut between the syncs
// of the conversation and of the task can leave only the latter.
func (s *Store) HasEnd(key, task string) (bool, error) {
	t, err := s.tail(key, never)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(t.entries, func(e locatedEntry) bool {
		return (e.Type == TypeThought || e.Type == TypeError) && e.Metadata != nil && e.Metadata.Task == task
	}), nil
}

// room returns the number of messages before a user's new message.
func (s *Store) room() int { return s.window - 1 }

// latestMessages returns at most n messages of the last exchanges: whole exchanges, or if none fits, as much of the
// last one as fits.
func latestMessages(all []exchange, n int) []providers.Message {
	first := firstKept(all, n)
	if first == len(all) {
		if len(all) == 0 {
			return nil
		}
		return all[len(all)-1].fit(n)
	}
	var messages []providers.Message
	for _, x := range all[first:] {
		messages = append(messages, x.messages...)
	}
	return messages
}

// firstKept returns the index of the first of the last exchanges that fit n messages together, len(all) if none
// fits.
func firstKept(all []exchange, n int) int {
	first := len(all)
	for first > 0 && len(all[first-1].messages) <= n {
		n -= len(all[first-1].messages)
		first--
	}
	return first
}

// Excess is the part of a conversation that no longer fits the window and should be summarized.
type Excess struct {
	Summary   string // summary of what came before Messages
	Messages  []providers.Message
	Covers    int64 // offset of the first remaining entry, for [Metadata]
	Untrusted bool  // others may have written part of it
}

// Excess returns the older part of a conversation that does not fit its window, in whole exchanges, so that
// half a window remains. It returns no messages if the conversation fits or is a single exchange.
func (s *Store) Excess(key string) (Excess, error) {
	t, err := s.tail(key, s.timeout)
	if err != nil {
		return Excess{}, err
	}
	if maxMessages(t.entries) <= s.room() {
		return Excess{}, nil
	}
	all := groupExchanges(t.entries)
	if firstKept(all, s.room()) == 0 || len(all) < 2 {
		return Excess{}, nil
	}
	first := min(firstKept(all, s.room()/2), len(all)-1)
	x := Excess{Covers: all[first].at}
	if t.summary != nil {
		x.Summary, x.Untrusted = t.summary.Content, t.summary.Metadata.Untrusted
	}
	for _, e := range all[:first] {
		x.Messages = append(x.Messages, e.messages...)
		x.Untrusted = x.Untrusted || e.untrusted
	}
	cloneContents(x.Messages)
	return x, nil
}

// maxMessages returns the maximum number of messages of entries for a model. As roles alternate, each user's message
// and each result is followed by one of the assistant.
func maxMessages(entries []locatedEntry) int {
	n := 0
	for _, e := range entries {
		if e.Type == TypeUser || e.Type == TypeTool { // the results of calls are one message
			n += 2
		}
	}
	return n
}

// NewSummary returns the entry for a summary of x. The summarized entries stay in the file.
func NewSummary(text string, x Excess) Entry {
	return Entry{Type: TypeSummary, Content: text, Metadata: &Metadata{Covers: x.Covers, Untrusted: x.Untrusted}}
}
