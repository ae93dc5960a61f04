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

// AppendResults ends a conversation that was interrupted: it keeps what became
// known of the calls at its end, by their id, that the others were interrupted,
// and words for the person, "" for none, which the model reads as its own. A
// result of no such call is kept for the record and shown to no model.
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
		} else {
			entries = append(entries, lateResult(call, interrupted, interrupted, true))
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

// late is the entry of a result that became known after its program had ended.
func (s *Store) late(call providers.Block, text string) Entry {
	return lateResult(call, text, s.fence(call.Name, text), false)
}

func lateResult(call providers.Block, text, fenced string, isError bool) Entry {
	m := providers.Message{Role: providers.RoleUser, Content: []providers.Block{resultOf(call, fenced, isError)}}
	e := Said(m, &Metadata{Tool: call.Name, Call: call.ID})
	e.Content = cut(text, maxContent)
	return e
}
