package action

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// kinds are how stored actions of each kind are read, and how those that version 1.0 stored as command lines are parsed.
var kinds = map[string]struct {
	decode func(json.RawMessage) (Action, bool)
	parse  func(argv []string) (Action, bool)
}{
	KindForeign:    {decode[foreignAction], parseAs(parseForeignAction)},
	KindNote:       {decode[noteAction], parseAs(parseNoteAction)},
	KindAutomation: {decode[automationAction], parseAs(parseAutomationAction)},
	KindFile:       {decode[fileAction], parseAs(parseFileAction)},
	KindHistory:    {decode[historyAction], func([]string) (Action, bool) { return nil, false }},
	KindLook:       {decode[lookAction], func([]string) (Action, bool) { return nil, false }},
	KindWeb:        {decode[webAction], func([]string) (Action, bool) { return nil, false }},
	KindBrowser:    {decode[browserAction], func([]string) (Action, bool) { return nil, false }},
}

func decode[A interface {
	Action
	isValid() bool
}](data json.RawMessage) (Action, bool) {
	var a A
	err := json.Unmarshal(data, &a)
	return a, err == nil && a.isValid()
}

func parseAs[A Action](parse func([]string) (A, bool)) func([]string) (Action, bool) {
	return func(argv []string) (Action, bool) { return parse(argv) }
}

// Decode reads a stored action. One that cannot be read is shown and never done.
func Decode(kind string, data json.RawMessage) Action {
	if k, known := kinds[kind]; known {
		if a, ok := k.decode(data); ok {
			return a
		}
	}
	return Unreadable(kind, nil)
}

// ParseFormer parses an action that version 1.0 stored as a command line.
func ParseFormer(kind string, argv []string) Action {
	if k, known := kinds[kind]; known {
		if a, ok := k.parse(argv); ok {
			return a
		}
	}
	return Unreadable(kind, argv)
}

func parseFileAction(argv []string) (f fileAction, ok bool) {
	if len(argv) != 6 {
		return f, false
	}
	size, err := strconv.ParseInt(argv[3], 10, 64)
	f = fileAction{Path: argv[5], Size: size}
	return f, err == nil && f.isValid() && slices.Equal(f.Argv(), argv)
}

func parseForeignAction(argv []string) (f foreignAction, ok bool) {
	if len(argv) != 4 || argv[0] != foreignProgram {
		return f, false
	}
	f = foreignAction{Server: argv[1], Tool: argv[2], Input: argv[3]}
	return f, f.isValid()
}

// unreadable is a stored action that this version cannot read. It is shown and never done.
type unreadable struct {
	by   string
	argv []string
}

var errUnreadable = errors.New("this version cannot read the stored action")

// Unreadable returns an action that is shown with a command line and never done.
func Unreadable(kind string, argv []string) Action { return unreadable{by: kind, argv: argv} }

func (u unreadable) Argv() []string                            { return u.argv }
func (u unreadable) Kind() string                              { return u.by }
func (unreadable) Changes() bool                               { return true }
func (u unreadable) Pin(Services) (Action, string, error)      { return u, "", errUnreadable }
func (unreadable) Ready(context.Context, Services, Call) error { return errUnreadable }
func (unreadable) Edit(string) (Action, error)                 { return nil, errUnreadable }
func (unreadable) Do(context.Context, Services, Call, io.Writer) (Result, error) {
	return Result{}, errUnreadable
}

func (u unreadable) Judge(Services, Call) (v Verdict) {
	v.Unparsed, v.Class = true, safety.Confirm
	v.confirm("unparsed", shell.CommandLine(u.argv))
	return v
}

// Judge classifies an action. It never runs without what it acts on, even if an approval of it was stored by a program
// that had it.
func (s Services) Judge(a Action, c Call) Verdict {
	if !s.Has(a.Kind()) {
		a = Unreadable(a.Kind(), a.Argv())
	}
	return a.Judge(s, c)
}

// PersonReasons are the reasons to confirm an action that a person must see each time.
var PersonReasons = []string{
	ReasonUntrustedNote, ReasonForgetNote, ReasonRewriteNote, ReasonNewAutomation, ReasonChangeAutomation,
	ReasonPauseAutomation, ReasonRemoveAutomation, ReasonSendFile, ReasonDownload, ReasonWebRequest,
	ReasonWebForm, ReasonWebType, ReasonWebClick, ReasonWebOpen, ReasonWebShow,
}
