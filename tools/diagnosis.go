package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/tools/action"
)

// diagnoseAction looks for the causes of a problem.
type diagnoseAction struct {
	looking
	Topic   string `json:"topic"`
	Object  string `json:"object,omitempty"`
	Package string `json:"package,omitempty"`
	Text    string `json:"text,omitempty"` // the person's words, with the message that they quote
	Lang    string `json:"lang,omitempty"`
}

// maxMessage bounds the text of the input, in bytes.
const maxMessage = 8 << 10

// planDiagnose plans to look for the causes of a problem: topic is one of [diagnose.Topics], object what it is about.
func planDiagnose(in struct{ Topic, Object, Package, Text, Lang string }) (action.Action, error) {
	a := diagnoseAction{Topic: in.Topic, Object: strings.TrimSpace(in.Object), Package: in.Package, Text: in.Text, Lang: in.Lang}
	t, known := diagnose.Lookup(a.Topic)
	switch {
	case !known && a.Topic != diagnose.Everything:
		return nil, fmt.Errorf("there is no topic %q; topics: %s", a.Topic, strings.Join(topicNames(), ", "))
	case t.Requires && a.Object == "":
		return nil, fmt.Errorf("the topic %s needs an object: a %s", t.ID, t.Object)
	case !a.isValid():
		return nil, errors.New("the object is a name of at most 200 letters, digits or . _ / : @ + - , and does not begin with a hyphen")
	}
	return a, checkLang(a.Lang)
}

func topicNames() (names []string) {
	for _, t := range diagnose.Topics() {
		names = append(names, t.ID)
	}
	return names
}

// isValid reports whether the input is one that looks can contain: no text of a person or model becomes part of a command
// otherwise.
func (a diagnoseAction) isValid() bool {
	_, known := diagnose.Lookup(a.Topic)
	return (known || a.Topic == diagnose.Everything) && action.IsObject(a.Object) && action.IsObject(a.Package) && len(a.Text) <= maxMessage
}

// Argv returns the command line of the action.
func (a diagnoseAction) Argv() []string {
	argv := []string{"blunux-aictl", "diagnose", a.Topic}
	if a.Object != "" {
		argv = append(argv, a.Object)
	}
	return argv
}

func (diagnoseAction) Kind() string { return "diagnose" }

func (a diagnoseAction) Pin(action.Services) (action.Action, string, error) { return a, "", nil }

// Do runs the looks, which are judged and recorded like other commands, and writes a [diagnose.Report] as JSON.
func (a diagnoseAction) Do(ctx context.Context, s action.Services, c action.Call, to io.Writer) (action.Result, error) {
	lang := langOf(a.Lang)
	pins, err := pinsOf(s)
	if err != nil {
		return action.Result{}, err
	}
	report, err := a.look(ctx, lang, pins, lookFor(s, c, "diagnose-"+a.Topic))
	if err != nil {
		return action.Result{}, err
	}
	return action.Result{}, writeReport(to, report)
}

// pinsOf returns what must stay in the package cache, so that changes can be taken back.
func pinsOf(s action.Services) ([]string, error) {
	if s.Keeper == nil {
		return nil, nil
	}
	return s.Keeper.Pins()
}

// lookFor returns a function that runs looks of a call. id names them in the command log.
func lookFor(s action.Services, c action.Call, id string) func(context.Context, string) diagnose.Output {
	return func(ctx context.Context, command string) diagnose.Output {
		step, err := s.Looker.Look(ctx, id, command, c.Origin, c.Session)
		if err != nil || step.MissingProgram != "" || step.TimedOut || step.Interrupted {
			return diagnose.Output{Unseen: true, Missing: step.MissingProgram, TimedOut: step.TimedOut}
		}
		return diagnose.Output{Stdout: step.Stdout, Stderr: step.Stderr, Exit: step.Exit, Cut: step.Cut}
	}
}

// writeReport writes a report as a line of JSON.
func writeReport(to io.Writer, report any) error {
	out := json.NewEncoder(to)
	out.SetEscapeHTML(false)
	return out.Encode(report)
}

func (a diagnoseAction) look(ctx context.Context, lang i18n.Lang, pins []string, run func(context.Context, string) diagnose.Output) (diagnose.Report, error) {
	t, known := diagnose.Lookup(a.Topic)
	if !known {
		return diagnose.DiagnoseAll(ctx, a.Text, lang, pins, run)
	}
	f := diagnose.NewFacts(a.Object)
	f.Package, f.Text, f.Lang, f.Pins = a.Package, a.Text, lang, pins
	found, err := t.Diagnose(ctx, f, run)
	return t.Tell(lang, found, f), err
}
