package confirm

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// typing answers prompts with lines, one after the other, then with the end of input.
func typing(lines ...string) ReadLine {
	return func(ctx context.Context, _ string) (string, error) {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if len(lines) == 0 {
			return "", io.EOF
		}
		next := lines[0]
		lines = lines[1:]
		return next + "\n", nil
	}
}

func TestAnAnswerIsAYesOnlyWhenItIsOne(t *testing.T) {
	ask := ipc.Ask{Command: "touch /tmp/x", Class: "CONFIRM", Covers: "touch /tmp/x"}
	long := ipc.Ask{Command: strings.Repeat("true\n", 30), Class: "CONFIRM"}
	root := ipc.Ask{Command: "sudo true", Class: "CONFIRM", Privileged: true}
	fixed := ipc.Ask{Command: "x", Tool: "forget"}
	kind := ask
	kind.Family = &ipc.Family{Words: "touch PATH…", Options: "-a", Dir: "/tmp"}
	for name, c := range map[string]struct {
		ask     ipc.Ask
		lines   []string
		action  string
		command string
	}{
		"a Korean yes":                        {ask, []string{"네"}, ipc.ActionAllowOnce, ""},
		"a slip of the keyboard":              {ask, []string{"ㅛ"}, ipc.ActionAllowOnce, ""},
		"no":                                  {ask, []string{"아니요"}, ipc.ActionReject, ""},
		"an empty line":                       {ask, []string{""}, ipc.ActionReject, ""},
		"the end of input":                    {ask, nil, ipc.ActionReject, ""},
		"something else is asked again":       {ask, []string{"what?", "y"}, ipc.ActionAllowOnce, ""},
		"for the session":                     {ask, []string{"a"}, ipc.ActionAllowSession, ""},
		"the family, by its capital":          {kind, []string{"A"}, ipc.ActionAllowFamily, ""},
		"the family, by a wide capital":       {kind, []string{" Ａ "}, ipc.ActionAllowFamily, ""},
		"the family, in words":                {kind, []string{"종류 허용"}, ipc.ActionAllowFamily, ""},
		"only the command, by a small letter": {kind, []string{"a"}, ipc.ActionAllowSession, ""},
		"no more than the command where no family is offered": {ask, []string{"A"}, ipc.ActionAllowSession, ""},
		"not by a word that begins like it":                   {kind, []string{"A!", "All", "n"}, ipc.ActionAllowSession, ""},
		"not for the session where withheld":                  {root, []string{"a"}, ipc.ActionReject, ""},
		"another command":                                     {ask, []string{"e", " touch /tmp/y "}, ipc.ActionEdit, "touch /tmp/y"},
		"an edit that is given up":                            {ask, []string{"e", "", "n"}, ipc.ActionReject, ""},
		"no edit of what cannot be":                           {fixed, []string{"e", "y"}, ipc.ActionAllowOnce, ""},
		"yes before all was shown":                            {long, []string{"y"}, ipc.ActionReject, ""},
		"yes after all was shown":                             {long, []string{"y", "", "y"}, ipc.ActionAllowOnce, ""},
		"no before all was shown":                             {long, []string{"n"}, ipc.ActionReject, ""},
	} {
		t.Run(name, func(t *testing.T) {
			n := Terminal{Columns: 80, Lang: i18n.Korean}.Notice("실행할까요?", c.ask)
			action, command, err := n.Decide(t.Context(), io.Discard, typing(c.lines...))
			require.NoError(t, err)
			require.Equal(t, c.action, action)
			require.Equal(t, c.command, command)
		})
	}
}

func TestNothingIsDecidedOnceTheQuestionIsOver(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(io.ErrClosedPipe)
	n := Terminal{Lang: i18n.English}.Notice("Run it?", ipc.Ask{Command: "true"})
	action, _, err := n.Decide(ctx, io.Discard, typing("y"))
	require.ErrorIs(t, err, io.ErrClosedPipe)
	require.NotEqual(t, ipc.ActionAllowOnce, action)
}
