package session

import (
	"maps"
	"slices"

	"github.com/nidoit/blunux-ai/providers"
)

// Interrupted returns the calls without result at the end of a conversation, however old they are. After a
// crash of the daemon these are the calls it did not finish. During a turn, these are its running calls.
func (s *Store) Interrupted(key string) ([]providers.Block, error) {
	t, err := s.tail(key, never)
	if err != nil {
		return nil, err
	}
	i := len(t.entries) - 1
	for i >= 0 && t.entries[i].Type == TypeResult {
		i--
	}
	if i < 0 || t.entries[i].Type != TypeTool {
		return nil, nil
	}
	open := calls(*t.entries[i].Message)
	for _, e := range t.entries[i+1:] {
		for _, b := range e.Message.Content {
			if k := slices.IndexFunc(open, func(call providers.Block) bool { return isResultOf(b, call) }); k >= 0 {
				open = slices.Delete(open, k, k+1)
			}
		}
	}
	return open, nil
}

// LateResult is what became known after the end of a turn.
type LateResult struct {
	// Task is the task that the text ends, "" if it ends none.
	Task string
	// Results are the results of calls, by call id.
	Results map[string]string
	// Text is a text for the user, which the model gets as its own message, "" for none.
	Text string
	// Brief replaces Words for the model if Words contains command output, "" otherwise.
	Brief string
	// Printed is output of commands of Tool that is not part of a result.
	Tool, Printed string
}

// AppendResults stores what became known after the end of a turn. The model gets results with their interrupted
// calls, and other output as data after the text. Calls without a result remain interrupted.
func (s *Store) AppendResults(key string, late LateResult) error {
	open, err := s.Interrupted(key)
	if err != nil {
		return err
	}
	results := maps.Clone(late.Results)
	var entries []Entry
	for _, call := range open {
		if text, known := results[call.ID]; known {
			entries = append(entries, s.lateEntry(call, text))
		}
		delete(results, call.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(results)) {
		entries = append(entries, s.lateEntry(providers.Block{ID: id}, results[id]))
		late.Printed += results[id]
	}
	if late.Text != "" {
		entries = append(entries, s.textEntry(late))
	}
	return s.Append(key, entries...)
}

// textEntry returns the entry of the text for the user.
func (s *Store) textEntry(late LateResult) Entry {
	about := &Metadata{Task: late.Task}
	if late.Brief == "" {
		return NewEntry(providers.AssistantText(late.Text), about)
	}
	text := late.Brief
	if late.Printed != "" {
		text += "\n" + s.fence(late.Tool, late.Printed)
		about.Tool, about.Untrusted = late.Tool, true
	}
	e := NewEntry(providers.AssistantText(text), about)
	e.Content = late.Text
	return e
}

// lateEntry returns the entry of a late result.
func (s *Store) lateEntry(call providers.Block, text string) Entry {
	m := providers.Message{Role: providers.RoleUser, Content: []providers.Block{resultOf(call, s.fence(call.Name, text), false)}}
	e := NewEntry(m, &Metadata{Tool: call.Name, Call: call.ID})
	e.Content = cut(text, maxContent)
	return e
}
