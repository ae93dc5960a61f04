package look

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/tools"
)

// Problem is what a diagnosis is about: a topic of [diagnose.Topics], and its object, "" for the whole machine. Text is
// the message that a program printed, "" if there is none.
type Problem struct{ Topic, Object, Text string }

// A RefusedError says why the gate refused a look.
type RefusedError struct{ Text string }

func (e *RefusedError) Error() string { return e.Text }

// Diagnose looks for the causes of a problem. It returns a [RefusedError] if the problem is no topic or object.
func Diagnose(ctx context.Context, rt *settings.Runtime, p Problem, from tools.Origin, session string, lang i18n.Lang) (r diagnose.Report, err error) {
	input := map[string]string{"topic": p.Topic, "object": p.Object, "text": p.Text, "lang": string(lang.Base())}
	err = report(ctx, rt, call{"diagnose", input, from, session}, &r)
	return r, err
}

// call is a call of a tool that only looks.
type call struct {
	tool    string
	input   map[string]string
	from    tools.Origin
	session string
}

// report makes a call and reads the JSON that it prints.
func report(ctx context.Context, rt *settings.Runtime, c call, into any) error {
	input, err := json.Marshal(c.input)
	if err != nil {
		return fmt.Errorf("cannot write the input of %s: %w", c.tool, err)
	}
	j, refused := rt.Gate.Prepare(tools.Call{ID: c.tool, Name: c.tool, Input: input}, c.session, rt.Config.Home)
	if refused != nil {
		return &RefusedError{refused.Text}
	}
	j.Origin = c.from
	out := rt.Gate.Run(ctx, j, nil, nil)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case len(out.Output.Steps) == 0:
		return &RefusedError{out.Text}
	}
	if err := json.Unmarshal([]byte(rt.Redact(out.Output.Steps[0].Stdout)), into); err != nil {
		return fmt.Errorf("cannot read the answer of %s: %w", c.tool, err)
	}
	return nil
}
