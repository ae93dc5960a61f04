package daemon

import (
	"errors"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/memory/recall"
)

// SearchError reports a problem with searching notes. Code and File are those of a [recall.Warning], or the code
// is index-behind, no-index, no-embedder or vectors-late.
type SearchError struct {
	Code string
	File string // "" if it is about no file
	Err  error  // the system's error, may be nil
}

// Error implements error, in English for the log.
func (e *SearchError) Error() string { return e.inLang(i18n.English) }

func (e *SearchError) Unwrap() error { return e.Err }

// inLang returns the problem in a person's language, with the system's error.
func (e *SearchError) inLang(lang i18n.Lang) string {
	text := i18n.SearchLimitText(lang, e.Code, e.File)
	if e.Err == nil {
		return text
	}
	return text + ": " + NoteErrorText(e.Err, lang)
}

// asFindingError returns err as a [SearchError], or nil.
func asFindingError(code string, err error) error {
	if err == nil || errors.As(err, new(*SearchError)) {
		return err
	}
	return &SearchError{Code: code, Err: err}
}

// errNoIndex reports that there is no search index.
var errNoIndex = &SearchError{Code: "no-index"}

// passWarning passes a warning of the index on.
func (f *Finder) passWarning(w recall.Warning) { f.warn(&SearchError{w.Code, w.File, w.Err}) }
