package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/tools/action"
	"github.com/nidoit/blunux-ai/tools/explain"
)

// failureAction says why a command failed that someone ran elsewhere: first from its words, its exit status and its output, then
// by a diagnosis. It never runs the command again.
type failureAction struct {
	looking
	Command string `json:"command"`
	Status  int    `json:"status"`
	Output  string `json:"output,omitempty"`
	Lang    string `json:"lang,omitempty"`
}

// planWhyFailed plans to say why a command failed.
func planWhyFailed(in struct {
	Command, Output, Lang string
	Status                *int
},
) (action.Action, error) {
	a := failureAction{Command: strings.TrimSpace(in.Command), Status: 1, Output: in.Output, Lang: in.Lang}
	if in.Status != nil {
		a.Status = *in.Status
	}
	switch {
	case a.Command == "":
		return nil, errors.New("command is empty")
	case a.Status < 0 || a.Status > 255:
		return nil, fmt.Errorf("status is from 0 to 255, not %d", a.Status)
	case len(a.Command) > maxMessage || len(a.Output) > maxFailedOutput:
		return nil, fmt.Errorf("command is at most %d bytes and output %d: send its last lines", maxMessage, maxFailedOutput)
	}
	return a, checkLang(a.Lang)
}

// maxFailedOutput bounds the output of a failed command, in bytes.
const maxFailedOutput = 32 << 10

// Argv returns the command line of the action.
func (a failureAction) Argv() []string {
	return []string{"blunux-aictl", "why", "--status", fmt.Sprint(a.Status), "--", a.Command}
}

func (failureAction) Kind() string { return "why" }

func (a failureAction) Pin(action.Services) (action.Action, string, error) { return a, "", nil }

// Do writes what the words of the failure say, and then the causes that looks find.
func (a failureAction) Do(ctx context.Context, s action.Services, c action.Call, to io.Writer) (action.Result, error) {
	lang := langOf(a.Lang)
	r := explain.Failure{Command: a.Command, Status: []int{a.Status}, Output: a.Output}.Read()
	if _, err := fmt.Fprintln(to, r.Text(lang)); err != nil {
		return action.Result{}, err
	}
	d := diagnoseAction{Topic: r.Topic, Object: r.Object, Text: r.Line}
	if r.Topic == "" || !d.isValid() {
		_, err := fmt.Fprintln(to, i18n.WhyNothing.In(lang))
		return action.Result{}, err
	}
	pins, err := pinsOf(s)
	if err != nil {
		return action.Result{}, err
	}
	found, err := d.look(ctx, lang, pins, lookFor(s, c, "why-"+r.Topic))
	if err != nil {
		return action.Result{}, err
	}
	_, err = fmt.Fprintf(to, "\n%s\n", found.Text(lang, true))
	return action.Result{}, err
}
