package daemon

import (
	"errors"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/memory/recall"
)

// FindingError is why notes are not found as they should be. Code and File are
// those of a [recall.Warning], or the code is index-behind, no-index,
// no-embedder or vectors-late.
type FindingError struct {
	Code string
	File string // "" where it is about none
	Err  error  // what the system said; may be nil
}

// Error implements error; the log speaks English.
func (e *FindingError) Error() string { return e.in(i18n.English) }

func (e *FindingError) Unwrap() error { return e.Err }

// in is the trouble in a person's language, with what the system said.
func (e *FindingError) in(lang i18n.Lang) string {
	said := i18n.MemoryTrouble(lang, e.Code, e.File)
	if e.Err == nil {
		return said
	}
	return said + ": " + NoteProblem(e.Err, lang)
}

// asFinding returns err as a [FindingError]; nil for none.
func asFinding(code string, err error) error {
	if err == nil || errors.As(err, new(*FindingError)) {
		return err
	}
	return &FindingError{Code: code, Err: err}
}

// errNoIndex reports that there is nothing to find notes by.
var errNoIndex = &FindingError{Code: "no-index"}

// tell warns of what the index tells of.
func (f *Finder) tell(w recall.Warning) { f.warn(&FindingError{w.Code, w.File, w.Err}) }
