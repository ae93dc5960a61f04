package session

import (
	"maps"
	"slices"

	"github.com/nidoit/blunux-ai/providers"
)

// Interrupted returns the calls at the end of a conversation that have no
// result, however long ago they were made: those a daemon that was killed did
// not come back from. While a turn runs they are the ones it works on.
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

// AppendResults keeps what became known of calls after their turn was over, by
// their id, and words for the person, "" for none, which the model reads as its
// own. A result of a call that is not among the interrupted is kept for the
// record and shown to no model; a call nothing became known of is shown as
// interrupted.
func (s *Store) AppendResults(key string, results map[string]string, words string) error {
	open, err := s.Interrupted(key)
	if err != nil {
		return err
	}
	results = maps.Clone(results)
	var entries []Entry
	for _, call := range open {
		if text, known := results[call.ID]; known {
			entries = append(entries, s.late(call, text))
		}
		delete(results, call.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(results)) {
		entries = append(entries, s.late(providers.Block{ID: id}, results[id]))
	}
	if words != "" {
		entries = append(entries, Said(providers.AssistantText(words), nil))
	}
	return s.Append(key, entries...)
}

// late is the entry of a result that became known after its turn was over.
func (s *Store) late(call providers.Block, text string) Entry {
	m := providers.Message{Role: providers.RoleUser, Content: []providers.Block{resultOf(call, s.fence(call.Name, text), false)}}
	e := Said(m, &Metadata{Tool: call.Name, Call: call.ID})
	e.Content = cut(text, maxContent)
	return e
}
