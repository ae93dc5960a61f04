package tools

import (
	"errors"
	"fmt"

	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// FallbackRecorder records reading commands while the Recorder cannot be written.
type FallbackRecorder interface {
	Begin(e commandlog.Entry) error
	End(e commandlog.Entry, r commandlog.Result) error
}

// errUnsavedTask refuses changes in a task that is not saved on disk.
var errUnsavedTask = errors.New("disk is not writable; only reading commands run")

// pendingRecord is the record of a command that is about to run.
type pendingRecord struct {
	ref     commandlog.Ref
	entry   commandlog.Entry
	inSpare bool
}

// beginRecord records a command before it runs. If the disk cannot be written, it records a reading command in the
// spare. The command must not run if it returns an error.
func (r run) beginRecord(j JudgedPlan, class commandlog.Class, command string) (pendingRecord, error) {
	rec := pendingRecord{entry: j.entry(class, r.redactor.Redact(command))}
	reads := j.Class == safety.Safe && (class == commandlog.Safe || class == commandlog.Failed) && j.Plan.Action == nil
	if j.Origin.Unsaved && !reads {
		return rec, fmt.Errorf("%w: %w", errLog, errUnsavedTask)
	}
	var err error
	rec.ref, err = r.recorder.Begin(rec.entry)
	if err != nil && reads && commandlog.IsUnwritable(err) {
		if serr := r.fallback.Begin(rec.entry); serr == nil {
			rec.inSpare = true
			return rec, nil
		}
	}
	if err != nil {
		return rec, fmt.Errorf("%w: %w", errLog, err)
	}
	return rec, nil
}

// endRecord records a command's result. It ignores errors, because the command has already run; the next command
// cannot be recorded then and does not run.
func (r run) endRecord(rec pendingRecord, res commandlog.Result) {
	if rec.inSpare {
		_ = r.fallback.End(rec.entry, res)
		return
	}
	_ = r.recorder.End(rec.ref, res)
}
