package task

import (
	"maps"

	"github.com/nidoit/blunux-ai/internal/secret"
)

// SetRedactor sets how secrets are removed from records before they are stored: with the redactor that current returns,
// if not nil. It must be called before the first record is stored.
func (s *Store) SetRedactor(current func() *secret.Redactor) { s.redactor = current }

// clean returns a record as it is stored: without secrets and without passwords that the message states. A
// running turn has its own copy of the words.
func (s *Store) clean(r Record) Record {
	if s.redactor == nil {
		return r
	}
	redactor := s.redactor()
	if redactor == nil {
		return r
	}
	s.rememberPasswords(r, redactor)
	told := s.passwords[r.ID]
	clean := func(text string) string { return secret.ReplaceWords(redactor.RedactStrict(text), told) }
	r.Text, r.Answer = clean(r.Text), clean(r.Answer)
	if r.Request != nil {
		r.Request = secret.CleanJSON(r.Request, clean)
	}
	if r.Update != nil {
		u := *r.Update
		u.Text, u.Brief, u.Printed = clean(u.Text), clean(u.Brief), secret.ReplaceWords(redactor.Redact(u.Printed), told)
		u.Results = maps.Clone(u.Results)
		for call, result := range u.Results {
			u.Results[call] = clean(result)
		}
		r.Update = &u
	}
	if r.Error != nil {
		e := *r.Error
		e.UserMessage, e.InternalMessage = clean(e.UserMessage), clean(e.InternalMessage)
		r.Error = &e
	}
	return r
}

// rememberPasswords remembers the passwords that a task's message states, until the task is over.
func (s *Store) rememberPasswords(r Record, redactor *secret.Redactor) {
	if values := redactor.StatedSecrets(r.Text); len(values) > 0 {
		s.passwords[r.ID] = values
	}
	if r.State.Ended() && r.Delivered {
		delete(s.passwords, r.ID)
	}
}
