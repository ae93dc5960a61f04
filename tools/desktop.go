package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/desktop"
	"github.com/nidoit/blunux-ai/tools/action"
)

// desktopAction plans what a person asks of the desktop.
type desktopAction struct {
	looking
	desktop.Wish
	Lang string `json:"lang,omitempty"`
}

// planDesktop plans a wish: verb is one of [desktop.Verbs], act one of its acts.
func planDesktop(in struct{ Verb, Act, Object, Amount, Lang string }) (action.Action, error) {
	a := desktopAction{Wish: desktop.Wish{Verb: in.Verb, Act: in.Act, Object: strings.TrimSpace(in.Object), Amount: strings.Trim(in.Amount, " %")}, Lang: in.Lang}
	v, known := desktop.Lookup(a.Verb)
	switch {
	case !known:
		return nil, fmt.Errorf("there is no verb %q; verbs: %s", a.Verb, strings.Join(desktopVerbs(), ", "))
	case !slices.Contains(v.Acts, a.Act):
		return nil, fmt.Errorf("%s cannot do %q; acts: %s", a.Verb, a.Act, strings.Join(v.Acts, ", "))
	case !a.IsValid():
		return nil, errors.New("the object is at most 500 bytes of printable text, the amount a number or a time such as 23:00")
	}
	return a, checkLang(a.Lang)
}

func desktopVerbs() (names []string) {
	for _, v := range desktop.Verbs() {
		names = append(names, v.ID)
	}
	return names
}

// Argv returns the command line of the action.
func (a desktopAction) Argv() []string {
	argv := []string{"desktop", a.Verb, a.Act}
	for _, word := range []string{a.Object, a.Amount} {
		if word != "" {
			argv = append(argv, word)
		}
	}
	return argv
}

func (desktopAction) Kind() string { return "desktop" }

func (a desktopAction) Pin(action.Services) (action.Action, string, error) { return a, "", nil }

// Do runs the looks, which are judged and recorded like other commands, and writes a [desktop.Report] as JSON.
func (a desktopAction) Do(ctx context.Context, s action.Services, c action.Call, to io.Writer) (action.Result, error) {
	lang := langOf(a.Lang)
	out, err := desktop.Plan(ctx, a.Wish, lookFor(s, c, "desktop-"+a.Verb))
	if err != nil {
		return action.Result{}, err
	}
	return action.Result{}, writeReport(to, a.Tell(out, lang))
}
