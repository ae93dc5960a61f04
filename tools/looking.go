package tools

import (
	"context"
	"errors"

	"github.com/nidoit/blunux-ai/tools/action"
)

// looking is embedded in actions that change nothing: no one is asked, and there is nothing to edit.
type looking struct{}

func (looking) Changes() bool { return false }

func (looking) Judge(action.Services, action.Call) action.Verdict { return action.Verdict{} }

func (looking) Ready(context.Context, action.Services, action.Call) error { return nil }

func (looking) Edit(string) (action.Action, error) {
	return nil, errors.New("there is nothing to edit: it changes nothing")
}
