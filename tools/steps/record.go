package steps

import (
	"errors"
	"fmt"

	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/tools/commandlog"
)

// Recorder records a command before it runs, and its result.
type Recorder interface {
	Begin(e commandlog.Entry) (commandlog.Ref, error)
	End(ref commandlog.Ref, r commandlog.Result) error
	// HasEnd reports whether a command's result is already recorded.
	HasEnd(ref commandlog.Ref) (bool, error)
}

// FallbackRecorder records reading commands while the Recorder cannot be written.
type FallbackRecorder interface {
	Begin(e commandlog.Entry) error
	End(e commandlog.Entry, r commandlog.Result) error
}

// Records is where commands are recorded.
type Records struct {
	Recorder Recorder
	// Fallback takes the records of reading commands while Recorder cannot be written. If nil, no command runs then.
	Fallback FallbackRecorder
	// Ready reports whether Recorder could write now, without writing. If nil, only writing shows that.
	Ready func() error
	// Redactor removes secrets from records. If nil, one that only knows the patterns of secrets is used.
	Redactor *secret.Redactor
}

var (
	// ErrLog reports a command that cannot be recorded. It ends the whole call; a failed command does not.
	ErrLog = errors.New("not run: cannot record the command")
	// ErrUnsavedTask refuses changes in a task that is not saved on disk.
	ErrUnsavedTask = errors.New("disk is not writable; only reading commands run")
)

// pending is the record of a command that is about to run.
type pending struct {
	ref        commandlog.Ref
	entry      commandlog.Entry
	inFallback bool
}

// begin records a command before it runs. If the disk cannot be written, it records a reading command in the fallback.
// The command must not run if it returns an error.
func (rs Records) begin(q Request, class commandlog.Class) (pending, error) {
	rec := pending{entry: q.Entry}
	rec.entry.Class, rec.entry.Command = class, rs.Redactor.Redact(q.Entry.Command)
	if class != commandlog.Confirmed {
		rec.entry.Digest = ""
	}
	reads := q.ReadOnly && (class == commandlog.Safe || class == commandlog.Failed)
	if q.Unsaved && !reads {
		return rec, fmt.Errorf("%w: %w", ErrLog, ErrUnsavedTask)
	}
	var err error
	rec.ref, err = rs.Recorder.Begin(rec.entry)
	if err != nil && reads && rs.Fallback != nil && commandlog.IsUnwritable(err) && rs.Fallback.Begin(rec.entry) == nil {
		rec.inFallback = true
		return rec, nil
	}
	if err != nil {
		return rec, fmt.Errorf("%w: %w", ErrLog, err)
	}
	return rec, nil
}

// end records a command's result. It ignores errors, because the command has already run; the next command cannot be
// recorded then and does not run.
func (rs Records) end(rec pending, res commandlog.Result) {
	if rec.inFallback {
		_ = rs.Fallback.End(rec.entry, res)
		return
	}
	_ = rs.Recorder.End(rec.ref, res)
}
