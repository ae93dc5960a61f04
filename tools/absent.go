package tools

import (
	"cmp"
	"context"
	"errors"
	"io"
	"time"

	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/elevation"
)

// A gate has these in place of the collaborators that a program does not have ([Options]). An action that needs a real
// one is never done, even if an approval of it was stored by a program that had one.

// fillAbsent gives a program's options what it does not have.
func (o *Options) fillAbsent(root bool) {
	o.Redactor = cmp.Or(o.Redactor, secret.NewRedactor(nil))
	o.Rights = orElse(o.Rights, Rights(noRights{root}))
	o.Notebook = orElse(o.Notebook, Notebook(noNotebook{}))
	o.Automations = orElse(o.Automations, AutomationStore(noAutomations{}))
	o.FileSender = orElse(o.FileSender, FileSender(noFileSender{}))
	o.Foreign = orElse(o.Foreign, Foreign(noForeign{}))
	o.FallbackRecorder = orElse(o.FallbackRecorder, FallbackRecorder(noFallback{}))
	o.Hosts = orElse(o.Hosts, Hosts(noHosts{}))
	o.Inhibitor = orElse(o.Inhibitor, Inhibitor(noInhibitor{}))
	if o.Ready == nil {
		o.Ready = func() error { return nil }
	}
}

// orElse returns v, or other if v is nil. The type of v need not be comparable.
func orElse[T any](v, other T) T {
	if any(v) == nil {
		return other
	}
	return v
}

var errAbsent = errors.New("this program does not have it")

type noNotebook struct{}

func (noNotebook) Remember(context.Context, memory.Note) (memory.Change, error) {
	return memory.Change{}, errAbsent
}

func (noNotebook) Recall(context.Context, memory.Query) ([]memory.Hit, error) { return nil, errAbsent }

func (noNotebook) Forget(context.Context, string) (memory.Change, error) {
	return memory.Change{}, errAbsent
}

func (noNotebook) UpdateUser(context.Context, string) (memory.Change, error) {
	return memory.Change{}, errAbsent
}
func (noNotebook) UserChange(string) (memory.Change, error) { return memory.Change{}, errAbsent }
func (noNotebook) Find(context.Context, string) (memory.Note, error) {
	return memory.Note{}, errAbsent
}
func (noNotebook) Echoes(context.Context, memory.Note) []memory.Note { return nil }

type noAutomations struct{}

func (noAutomations) List(context.Context) ([]Automation, error) { return nil, errAbsent }
func (noAutomations) Preview(context.Context, AutomationChange) (Automation, error) {
	return Automation{}, errAbsent
}

func (noAutomations) Add(context.Context, AutomationChange, Origin) (Automation, error) {
	return Automation{}, errAbsent
}

func (noAutomations) Change(context.Context, AutomationChange) (Automation, error) {
	return Automation{}, errAbsent
}
func (noAutomations) Remove(context.Context, string) error { return errAbsent }
func (noAutomations) Snooze(context.Context, string, time.Duration) (time.Time, error) {
	return time.Time{}, errAbsent
}

type noFileSender struct{}

func (noFileSender) CanReach(Origin) bool { return false }

func (noFileSender) Send(context.Context, io.Reader, string, int64, Origin) error { return errAbsent }

type noForeign struct{}

var errNoServer = errors.New("there is no such server in the configuration")

func (noForeign) Tools() []ForeignTool                     { return nil }
func (noForeign) Allows(string, string) bool               { return false }
func (noForeign) Ready(context.Context, ForeignCall) error { return errNoServer }
func (noForeign) Call(context.Context, ForeignCall, io.Writer) (bool, error) {
	return false, errNoServer
}

type noFallback struct{}

func (noFallback) Begin(commandlog.Entry) error                  { return errAbsent }
func (noFallback) End(commandlog.Entry, commandlog.Result) error { return errAbsent }

type noHosts struct{}

func (noHosts) HasHost(string) bool { return false }

type noInhibitor struct{}

func (noInhibitor) Inhibit(context.Context, string) (func(), error) { return func() {}, nil }

// noRights is the way to root's rights if none was looked for.
type noRights struct{ root bool }

func (n noRights) Status(context.Context) elevation.Status {
	if n.root {
		return elevation.Status{Rung: elevation.Root}
	}
	return elevation.Status{Rung: elevation.None}
}
func (noRights) CanManageUnits(context.Context, bool) bool { return false }
func (noRights) Forget()                                   {}
