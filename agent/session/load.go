package session

import (
	"slices"

	"github.com/nidoit/blunux-ai/providers"
)

// Past is what a model is shown of a conversation.
type Past struct {
	// Summary is what came before the messages, in short; "" for nothing. It is
	// data, made of what people, models and tools have said.
	Summary string
	// Untrusted reports that the summary is made of tools' output too.
	Untrusted bool
	// Piped reports that words among the messages carry text that is not the
	// person's.
	Piped bool
	// Words are what the person said, where nothing else came with it.
	Words    []string
	Messages []providers.Message
}

// Load returns what a model should see: the latest summary and the messages it
// does not cover, fewer than the window so that the next words have room in it,
// since the last reset or long pause. The messages begin with a person's words,
// the sides take turns, and each call is followed by its results; one whose
// result never came is shown as interrupted.
func (s *Store) Load(key string) (Past, error) {
	t, err := s.tail(key, s.timeout)
	if err != nil {
		return Past{}, err
	}
	return s.past(t, exchanges(t.entries)), nil
}

// past is what a model is shown of exchanges.
func (s *Store) past(t tail, all []exchange) Past {
	var p Past
	if t.summary != nil {
		p.Summary, p.Untrusted = t.summary.Content, t.summary.Metadata.Untrusted
	}
	p.Piped = slices.ContainsFunc(all, func(x exchange) bool { return x.piped })
	for _, x := range all {
		if x.words != "" {
			p.Words = append(p.Words, x.words)
		}
	}
	p.Messages = latest(all, s.room())
	return p
}

// LoadRetried is Load for a task that is retried: without what the task left in the
// conversation so far. kept reports whether its words are in the file, however long
// ago they were said.
func (s *Store) LoadRetried(key, task string) (p Past, kept bool, err error) {
	t, err := s.tail(key, s.timeout)
	if err != nil {
		return Past{}, false, err
	}
	kept = t.holds(task)
	if !kept { // the program was away for longer than a conversation lasts
		whole, err := s.tail(key, never)
		if err != nil {
			return Past{}, false, err
		}
		kept = whole.holds(task)
	}
	return s.past(t, slices.DeleteFunc(exchanges(t.entries), func(x exchange) bool { return task != "" && x.task == task })), kept, nil
}

// holds reports whether the words that a task began with are among the entries.
func (t tail) holds(task string) bool {
	return slices.ContainsFunc(t.entries, func(e located) bool { return e.began(task) })
}

// room is how many messages stand before a person's new words.
func (s *Store) room() int { return s.window - 1 }

// latest returns the messages of the last exchanges, at most n: whole ones, or
// of the very last one as much as fits.
func latest(all []exchange, n int) []providers.Message {
	first := keptFrom(all, n)
	if first == len(all) {
		if len(all) == 0 {
			return nil
		}
		return all[len(all)-1].fitting(n)
	}
	var messages []providers.Message
	for _, x := range all[first:] {
		messages = append(messages, x.messages...)
	}
	return messages
}

// keptFrom returns the first of the last exchanges that fit n messages
// together, len(all) when none does.
func keptFrom(all []exchange, n int) int {
	first := len(all)
	for first > 0 && len(all[first-1].messages) <= n {
		n -= len(all[first-1].messages)
		first--
	}
	return first
}

// Excess is what no longer fits a window and waits to be summarised.
type Excess struct {
	Summary   string // of what came before Messages
	Messages  []providers.Message
	Covers    int64 // where what stays begins, for [Metadata]
	Untrusted bool  // others may have written a part of it
}

// Excess returns the older part of a conversation that has outgrown its
// window, in whole exchanges, so that half a window stays; no messages when it
// fits, or is a single exchange.
func (s *Store) Excess(key string) (Excess, error) {
	t, err := s.tail(key, s.timeout)
	if err != nil {
		return Excess{}, err
	}
	all := exchanges(t.entries)
	if keptFrom(all, s.room()) == 0 || len(all) < 2 {
		return Excess{}, nil
	}
	first := min(keptFrom(all, s.room()/2), len(all)-1)
	x := Excess{Covers: all[first].at}
	if t.summary != nil {
		x.Summary, x.Untrusted = t.summary.Content, t.summary.Metadata.Untrusted
	}
	for _, e := range all[:first] {
		x.Messages = append(x.Messages, e.messages...)
		x.Untrusted = x.Untrusted || e.untrusted
	}
	return x, nil
}

// Summed returns the entry of a summary of everything before what [Store.Excess]
// says stays. What it covers stays in the file.
func Summed(text string, x Excess) Entry {
	return Entry{Type: TypeSummary, Content: text, Metadata: &Metadata{Covers: x.Covers, Untrusted: x.Untrusted}}
}
