package approval

import (
	"encoding/json"

	"github.com/nidoit/blunux-ai/internal/secret"
)

// SetRedactor sets how secrets are removed from approvals before they are stored: with the redactor that current
// returns, if not nil. It must be called before the first approval is stored.
func (as *Approvals) SetRedactor(current func() *secret.Redactor) { as.redactor = current }

// encode returns the content of a record's file. A record with a secret is stored without it and marked as
// withheld. It can be answered while this process holds the complete record.
func (as *Approvals) encode(r Record) ([]byte, error) {
	data, err := json.Marshal(r)
	if err != nil || as.redactor == nil {
		return data, err
	}
	redactor := as.redactor()
	if redactor == nil {
		return data, nil
	}
	clean := secret.CleanJSON(data, redactor.Redact)
	if string(clean) == string(data) {
		return data, nil
	}
	var without Record
	if err := json.Unmarshal(clean, &without); err != nil {
		return nil, err
	}
	as.complete[r.ID] = r
	without.Withheld = true
	return json.Marshal(without)
}

// restore returns a record with the secret that its file lacks. If only an earlier daemon had the complete
// record, it is returned as read and is not [Record.IsIntact].
func (as *Approvals) restore(r Record) Record {
	if whole, ok := as.complete[r.ID]; ok && r.Withheld {
		return whole
	}
	return r
}

// redact returns a command as the history stores it.
func (as *Approvals) redact(command string) string {
	if as.redactor == nil {
		return command
	}
	if redactor := as.redactor(); redactor != nil {
		return redactor.Redact(command)
	}
	return command
}
