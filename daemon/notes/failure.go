package notes

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/memory"
)

// The errors of requests about notes.
var (
	// errAtMachine: remote senders read and change notes by asking the model, through the gate.
	ErrAtMachine  = errors.New("only for local clients")
	ErrSecretNote = errors.New("it looks like a password or key")
)

// SearchError reports a problem with searching notes. Code and File are those of a recall.Warning, or the code is
// index-behind, no-index, no-index-program, index-ended, no-embedder or vectors-late.
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

// ErrNoIndex reports that there is no search index.
var ErrNoIndex = &SearchError{Code: "no-index"}

// IsNoteError reports an error about notes that a person can act on.
func IsNoteError(err error) bool {
	var fault *memory.Fault
	var trouble *SearchError
	known := []error{
		ErrAtMachine, ErrSecretNote, memory.ErrNoNote, memory.ErrAmbiguous, memory.ErrSystem, memory.ErrEmptyNote, memory.ErrLongNote,
	}
	return errors.As(err, &fault) || errors.As(err, &trouble) || slices.ContainsFunc(known, func(k error) bool { return errors.Is(err, k) })
}

// NoteFailure describes an error about notes and its remedy.
func NoteFailure(err error, lang i18n.Lang) *ipc.Error {
	e := &ipc.Error{Code: ipc.CodeBadRequest, Message: NoteErrorText(err, lang)}
	var fault *memory.Fault
	var trouble *SearchError
	switch {
	case errors.Is(err, ErrAtMachine):
		e.Code = ipc.CodeDenied
	case errors.As(err, &fault), errors.As(err, &trouble):
		e.Code, e.Hint = ipc.CodeInternal, noteHelp(err, lang)
	}
	return e
}

// noteHelp returns the remedy for an error about notes in a person's language, or "".
func noteHelp(err error, lang i18n.Lang) string {
	var fault *memory.Fault
	if !errors.As(err, &fault) {
		return ""
	}
	return i18n.MemoryHelp(lang, fault.Reason, fault.Help)
}

// NoteErrorHelp describes an error about notes in a person's language, with the remedy on a second line.
func NoteErrorHelp(err error, lang i18n.Lang) string {
	text := NoteErrorText(err, lang)
	if help := noteHelp(err, lang); help != "" {
		text += "\n  " + help
	}
	return text
}

// NoteErrorText describes an error about notes in a person's language.
func NoteErrorText(err error, lang i18n.Lang) string {
	var fault *memory.Fault
	var which *memory.AmbiguousError
	var trouble *SearchError
	switch {
	case errors.As(err, &trouble): // may wrap a fault
		return trouble.inLang(lang)
	case errors.Is(err, ErrAtMachine):
		return i18n.MemoryAtMachine.In(lang)
	case errors.Is(err, ErrSecretNote):
		return i18n.MemorySecret.In(lang)
	case errors.As(err, &which):
		return i18n.MemoryWhich(which.Key).In(lang) + "\n" + strings.Join(places(which.Notes), "\n")
	case errors.Is(err, memory.ErrNoNote):
		return i18n.MemoryNoNote.In(lang)
	case errors.Is(err, memory.ErrSystem):
		return i18n.MemorySystem.In(lang)
	case errors.Is(err, memory.ErrEmptyNote):
		return i18n.MemoryNoText.In(lang)
	case errors.Is(err, memory.ErrLongNote):
		return i18n.MemoryLong.In(lang)
	case errors.As(err, &fault):
		return i18n.NoteFileError(lang, fault.Act == "write", fault.File, fault.Reason, fault.Err)
	}
	return i18n.Cause(err, lang)
}

// maxPlaces bounds how many notes an ambiguity error lists.
const maxPlaces = 10

// places lists notes by file and line, with the beginning of their text.
func places(notes []memory.Note) []string {
	var all []string
	for _, n := range notes[:min(len(notes), maxPlaces)] {
		all = append(all, fmt.Sprintf("  %s:%d  %s", n.Source, n.Line, chat.ExcerptOf(n.Text, chat.MaxExcerpt)))
	}
	return all
}
