package daemon

import (
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// offError refuses work while the assistant is switched off. file is where it can be switched on.
type offError struct{ file string }

func (offError) Error() string { return "the assistant is switched off" }

func (e offError) failure(lang i18n.Lang) *ipc.Error {
	return &ipc.Error{Code: ipc.CodeSwitchedOff, Message: i18n.ErrSwitchedOff.In(lang), Hint: i18n.ErrSwitchedOffFix(e.file).In(lang)}
}

// enabledRuntime is [Daemon.currentRuntime] for requests that run something. It fails while the assistant is
// switched off.
func (d *Daemon) enabledRuntime() (*Runtime, error) {
	rt, err := d.currentRuntime()
	if err == nil {
		err = rt.checkEnabled()
	}
	return rt, err
}

func (rt *Runtime) checkEnabled() error {
	if rt == nil || rt.DisabledIn == "" {
		return nil
	}
	return offError{rt.DisabledIn}
}
