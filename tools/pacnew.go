package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/tools/action"
	"github.com/nidoit/blunux-ai/upgrade/pacnew"
)

// pacnewAction looks at the configuration files that pacman left, and plans to merge them.
type pacnewAction struct {
	looking
	File   string `json:"file,omitempty"`
	Choice string `json:"choice,omitempty"`
	Lang   string `json:"lang,omitempty"`
}

// planPacnew plans a look at a file, or at all: choice is what [pacnew.ParseChoice] reads.
func planPacnew(in struct{ File, Choice, Lang string }) (action.Action, error) {
	a := pacnewAction{File: strings.TrimSpace(in.File), Choice: strings.TrimSpace(in.Choice), Lang: in.Lang}
	if _, err := pacnew.ParseChoice(a.Choice); err != nil {
		return nil, err
	}
	if !a.isValid() {
		return nil, fmt.Errorf("%q is not the absolute path or the name of a file", a.File)
	}
	return a, checkLang(a.Lang)
}

// isValid reports whether the file is none, an absolute path, or a name.
func (a pacnewAction) isValid() bool {
	isPath := filepath.IsAbs(a.File) && filepath.Clean(a.File) == a.File
	return a.File == "" || len(a.File) <= maxPacnewPath && (isPath || filepath.Base(a.File) == a.File)
}

// maxPacnewPath bounds the path of a file, in bytes.
const maxPacnewPath = 500

// Argv returns the command line of the action.
func (a pacnewAction) Argv() []string {
	argv := []string{"blunux-aictl", "pacnew"}
	for _, word := range []string{a.File, a.Choice} {
		if word != "" {
			argv = append(argv, word)
		}
	}
	return argv
}

func (pacnewAction) Kind() string { return "pacnew" }

func (a pacnewAction) Pin(action.Services) (action.Action, string, error) { return a, "", nil }

// localChannels are those of people who sit at the machine.
var localChannels = []string{"cli", "tui", "desktop"}

// Do runs the looks, which are judged and recorded like other commands, and writes a [pacnew.Report] as JSON.
func (a pacnewAction) Do(ctx context.Context, s action.Services, c action.Call, to io.Writer) (action.Result, error) {
	lang := langOf(a.Lang)
	choice, err := pacnew.ParseChoice(a.Choice)
	if err != nil {
		return action.Result{}, err
	}
	wish := pacnew.Wish{File: a.File, Choice: choice, AtTheMachine: slices.Contains(localChannels, c.Origin.Channel)}
	out, err := pacnew.Plan(ctx, wish, leftFiles(s, lookFor(s, c, "pacnew")))
	if err != nil {
		return action.Result{}, err
	}
	return action.Result{}, writeReport(to, out.Tell(lang))
}

// leftFiles returns the machine with the files that pacman left.
func leftFiles(s action.Services, run func(context.Context, string) diagnose.Output) pacnew.Machine {
	m := pacnew.Machine{
		Run: run,
		Read: func(path string) ([]byte, time.Time, error) {
			real, err := filepath.EvalSymlinks(path)
			switch {
			case err != nil:
				return nil, time.Time{}, err
			case !s.CanRead(path) || !s.CanRead(real):
				return nil, time.Time{}, pacnew.ErrHidden
			}
			text, fi, err := currentText(real)
			if err != nil {
				return nil, time.Time{}, err
			}
			return text, fi.ModTime(), nil
		},
		Keep: func([]byte) (string, error) {
			return "", errors.New("files cannot be changed here: nothing keeps their texts")
		},
	}
	if s.Keeper != nil {
		m.Keep, m.Kept = s.Keeper.Keep, s.Keeper.Removed
	}
	return m
}
