package approval

import (
	"encoding/json"

	"github.com/nidoit/blunux-ai/secret"
)

// Redact has secrets taken out of approvals before they are kept, by the redactor
// that current returns; nil for none. It is called before the first one is.
func (as *Approvals) Redact(current func() *secret.Redactor) { as.redactor = current }

// encode is a record as its file holds it. One with a secret is kept without it,
// says so, and can be answered for as long as this program remembers the whole.
func (as *Approvals) encode(r Record) ([]byte, error) {
	data, err := json.Marshal(r)
	if err != nil || as.redactor == nil {
		return data, err
	}
	redactor := as.redactor()
	if redactor == nil {
		return data, nil
	}
	clean := secret.InJSON(data, redactor.Redact)
	if string(clean) == string(data) {
		return data, nil
	}
	var without Record
	if err := json.Unmarshal(clean, &without); err != nil {
		return nil, err
	}
	as.whole[r.ID] = r
	without.Withheld = true
	return json.Marshal(without)
}

// restored returns a record that was read with what its file leaves out. One that
// only a former daemon knew whole stays as it is, and is not [Record.Intact].
func (as *Approvals) restored(r Record) Record {
	if whole, ok := as.whole[r.ID]; ok && r.Withheld {
		return whole
	}
	return r
}

// shown is a command as it is kept when it was answered.
func (as *Approvals) shown(command string) string {
	if as.redactor == nil {
		return command
	}
	if redactor := as.redactor(); redactor != nil {
		return redactor.Redact(command)
	}
	return command
}
