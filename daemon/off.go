package daemon

import (
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// offError refuses work while the assistant is switched off. file is where it can be switched on.
type offError struct{ file string }

func (offError) Error() string { return "the assistant is switched off" }

func (e offError) failure(lang i18n.Lang) *ipc.Error {
	return &ipc.Error{Code: ipc.CodeSwitchedOff, Message: i18n.ErrSwitchedOff.In(lang), Hint: i18n.ErrSwitchedOffFix.In(lang, e.file)}
}

// working is [Daemon.current] for requests that run something. It fails while the assistant is switched off.
func (d *Daemon) working() (*Runtime, error) {
	rt, err := d.current()
	if err == nil {
		err = rt.switchedOff()
	}
	return rt, err
}

func (rt *Runtime) switchedOff() error {
	if rt == nil || rt.Off == "" {
		return nil
	}
	return offError{rt.Off}
}
