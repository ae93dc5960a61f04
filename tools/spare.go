package tools

import (
	"errors"
	"fmt"

	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// Spare keeps the records of commands that only read while the Recorder cannot be
// written.
type Spare interface {
	Begin(e commandlog.Entry) error
	End(e commandlog.Entry, r commandlog.Result) error
}

// errUnkept refuses what changes anything in a task that a crash would forget.
var errUnkept = errors.New("the disk takes no records; only reading commands run")

// begun is a command that was recorded before it runs.
type begun struct {
	ref   commandlog.Ref
	entry commandlog.Entry
	spare bool
}

// recorded records a command before it runs: a reading one in the spare where the disk
// takes no record. Its error means that it must not run.
func (r run) recorded(j Judged, class commandlog.Class, command string) (begun, error) {
	rec := begun{entry: j.entry(class, r.redactor.Redact(command))}
	reads := j.Class == safety.Safe && (class == commandlog.Safe || class == commandlog.Failed) && !j.Plan.inside()
	if j.Origin.Unkept && !reads {
		return rec, fmt.Errorf("%w: %w", errLog, errUnkept)
	}
	var err error
	rec.ref, err = r.recorder.Begin(rec.entry)
	if err != nil && r.spare != nil && reads && commandlog.Unwritable(err) {
		if serr := r.spare.Begin(rec.entry); serr == nil {
			rec.spare = true
			return rec, nil
		}
	}
	if err != nil {
		return rec, fmt.Errorf("%w: %w", errLog, err)
	}
	return rec, nil
}

// close records how a command ended. It has run: a record that cannot be ended stops the
// next one.
func (r run) close(rec begun, res commandlog.Result) {
	if rec.spare {
		_ = r.spare.End(rec.entry, res)
		return
	}
	_ = r.recorder.End(rec.ref, res)
}
