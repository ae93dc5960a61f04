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

// Late is what became known after a turn was over.
type Late struct {
	// Results are what calls brought, by call id.
	Results map[string]string
	// Words are shown to the person, and read by the model as its own; "" for none.
	Words string
	// Brief is what the model reads in place of Words that hold what commands
	// printed; "" for words that hold none.
	Brief string
	// Printed is what commands of Tool printed that no result holds.
	Tool, Printed string
}

// AppendResults keeps what became known after a turn was over. The model reads a
// result of an interrupted call with its call, and what others printed as data
// behind the words. A call that has no result here is shown as interrupted.
func (s *Store) AppendResults(key string, late Late) error {
	open, err := s.Interrupted(key)
	if err != nil {
		return err
	}
	results := maps.Clone(late.Results)
	var entries []Entry
	for _, call := range open {
		if text, known := results[call.ID]; known {
			entries = append(entries, s.late(call, text))
		}
		delete(results, call.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(results)) {
		entries = append(entries, s.late(providers.Block{ID: id}, results[id]))
		late.Printed += results[id]
	}
	if late.Words != "" {
		entries = append(entries, s.words(late))
	}
	return s.Append(key, entries...)
}

// words is the entry of what the person is told.
func (s *Store) words(late Late) Entry {
	if late.Brief == "" {
		return Said(providers.AssistantText(late.Words), nil)
	}
	text, about := late.Brief, &Metadata{}
	if late.Printed != "" {
		text += "\n" + s.fence(late.Tool, late.Printed)
		about = &Metadata{Tool: late.Tool, Untrusted: true}
	}
	e := Said(providers.AssistantText(text), about)
	e.Content = late.Words
	return e
}

// late is the entry of a result that became known after its turn was over.
func (s *Store) late(call providers.Block, text string) Entry {
	m := providers.Message{Role: providers.RoleUser, Content: []providers.Block{resultOf(call, s.fence(call.Name, text), false)}}
	e := Said(m, &Metadata{Tool: call.Name, Call: call.ID})
	e.Content = cut(text, maxContent)
	return e
}
