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
	"github.com/nidoit/blunux-ai/tools/safety"
)

// explainAction says what a command does. It never runs it.
type explainAction struct {
	looking
	Command string `json:"command"`
	Lang    string `json:"lang,omitempty"`
}

// planExplain plans to explain a command.
func planExplain(in struct{ Command, Lang string }) (action.Action, error) {
	a := explainAction{Command: strings.TrimSpace(in.Command), Lang: in.Lang}
	switch {
	case a.Command == "":
		return nil, errors.New("command is empty")
	case len(a.Command) > maxMessage:
		return nil, fmt.Errorf("command is longer than %d bytes", maxMessage)
	}
	return a, checkLang(a.Lang)
}

// Argv returns the command line of the action.
func (a explainAction) Argv() []string { return []string{"blunux-ai", "explain", a.Command} }

func (explainAction) Kind() string { return "explain" }

func (a explainAction) Pin(action.Services) (action.Action, string, error) { return a, "", nil }

// Do writes the explanation.
func (a explainAction) Do(_ context.Context, s action.Services, _ action.Call, to io.Writer) (action.Result, error) {
	lang := langOf(a.Lang)
	_, err := fmt.Fprintf(to, "%s\n%s\n", s.Explainer.Explain(a.Command, lang), i18n.ExplainNotRun.In(lang))
	return action.Result{}, err
}

// Explain says what a command does, with the verdict of checker and rules.
func (g *Gate) Explain(command string, lang i18n.Lang) string {
	e := explain.Explainer{Home: g.judge.home, Judge: func(command string) safety.Verdict {
		v, _ := g.judge.rules.Raise(g.judge.checker.Judge(command))
		return v
	}}
	return e.Explain(command, lang).Text(lang)
}
