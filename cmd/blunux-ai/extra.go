package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/nidoit/blunux-ai/daemon/wire"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/errand"
	"github.com/nidoit/blunux-ai/internal/installed"
	"github.com/nidoit/blunux-ai/ui/dialog"
)

// extraArgs returns the arguments that start a command of [wire.ExtraProgram].
func extraArgs(command string, options any) ([]string, error) {
	text, err := json.Marshal(options)
	return []string{command, string(text)}, err
}

// becomeExtra replaces this process with a command of [wire.ExtraProgram]. It returns only on failure.
func becomeExtra(command string, options any) error {
	program, err := installed.Find(wire.ExtraProgram)
	if err != nil {
		return missingProgram(err)
	}
	args, err := extraArgs(command, options)
	if err != nil {
		return err
	}
	return errand.Replace(program, append([]string{wire.ExtraProgram}, args...))
}

// missingProgram returns the error with the command that helps.
func missingProgram(err error) error {
	return i18n.ProgramMissing(wire.ExtraProgram).WithCause(err)
}

// openForms returns an asker with forms on the terminal, which another program draws. The caller calls end.
func openForms(lang i18n.Lang, tell func(string)) (ask dialog.Asker, end func(), err error) {
	program, err := installed.Find(wire.ExtraProgram)
	if err != nil {
		return nil, nil, missingProgram(err)
	}
	args, err := extraArgs("forms", map[string]any{"lang": lang, "no_color": os.Getenv("NO_COLOR") != ""})
	if err != nil {
		return nil, nil, err
	}
	drawing, err := errand.Attach(program, args)
	if err != nil {
		return nil, nil, err
	}
	yesNo := [2]string{i18n.SetupYes.In(lang), i18n.SetupNo.In(lang)}
	remote := dialog.NewRemote(drawing.Stdout, drawing.Stdin, yesNo, tell)
	return remote, func() {
		drawing.Close()
		remote.Close()
	}, nil
}

// printNoForms says why the setup asks line by line.
func printNoForms(err error, lang i18n.Lang) {
	fmt.Fprintln(os.Stderr, i18n.SetupNoForms(i18n.Cause(err, lang)).In(lang))
}
