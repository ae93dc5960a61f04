package session

import (
	"encoding/json"
	"slices"

	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/providers"
)

// cleanEntries removes secrets from entries before they are stored, including passwords that the user stated in this
// conversation, also where they occur alone. It does not affect what the model gets in the running turn.
func (s *Store) cleanEntries(key string, entries []Entry) []Entry {
	if s.redactor == nil {
		return entries
	}
	cleaned := make([]Entry, len(entries))
	for i, e := range entries {
		cleaned[i] = s.cleanEntry(e, s.statedSecrets(key, e))
	}
	return cleaned
}

// maxStated bounds the number of stated secrets for a conversation, and of conversations with such secrets. They
// are only held in memory.
const maxStated = 64

// statedSecrets returns the secrets stated so far in a conversation, including an entry of it.
func (s *Store) statedSecrets(key string, e Entry) []string {
	s.statedMu.Lock()
	defer s.statedMu.Unlock()
	if e.Type == TypeUser {
		for _, value := range s.redactor.StatedSecrets(e.Content) {
			if !slices.Contains(s.stated[key], value) && len(s.stated[key]) < maxStated {
				if s.stated == nil {
					s.stated = map[string][]string{}
				}
				if len(s.stated[key]) == 0 {
					s.dropOldestStated()
					s.statedOrder = append(s.statedOrder, key)
				}
				s.stated[key] = append(s.stated[key], value)
			}
		}
	}
	return slices.Clone(s.stated[key])
}

// dropOldestStated makes room for one more conversation with stated secrets: the first one of maxStated loses them.
// It is called with statedMu held.
func (s *Store) dropOldestStated() {
	if len(s.statedOrder) >= maxStated {
		delete(s.stated, s.statedOrder[0])
		s.statedOrder = s.statedOrder[1:]
	}
}

func (s *Store) cleanEntry(e Entry, told []string) Entry {
	printed := func(text string) string { return secret.ReplaceWords(s.redactor.Redact(text), told) }
	said := func(text string) string { return secret.ReplaceWords(s.redactor.RedactStrict(text), told) }
	words := said
	if e.Type == TypeResult || e.Type == TypeTool {
		words = printed
	}
	e.Content = words(e.Content)
	if e.Message == nil {
		return e
	}
	m := providers.Message{Role: e.Message.Role}
	for _, b := range e.Message.Content {
		if b.Raw != nil && printed(string(b.Raw)) != string(b.Raw) {
			continue // its provider would reject a modified block
		}
		m.Content = append(m.Content, cleanBlock(b, said, printed))
	}
	e.Message = &m
	return e
}

func cleanBlock(b providers.Block, said, printed func(string) string) providers.Block {
	b.Text, b.Content = said(b.Text), printed(b.Content)
	if b.Input != nil {
		b.Input = json.RawMessage(secret.CleanJSON(b.Input, said))
	}
	if b.Output != nil {
		out := *b.Output
		out.ManualCommand = printed(out.ManualCommand)
		out.Steps, out.Checks = cleanSteps(out.Steps, printed), cleanSteps(out.Checks, printed)
		b.Output = &out
	}
	return b
}

func cleanSteps(steps []providers.Step, printed func(string) string) []providers.Step {
	steps = slices.Clone(steps)
	for i := range steps {
		st := &steps[i]
		st.Command, st.Stdout, st.Stderr, st.ManualCommand = printed(st.Command), printed(st.Stdout), printed(st.Stderr), printed(st.ManualCommand)
	}
	return steps
}
