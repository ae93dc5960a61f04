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

// Problem is what a diagnosis is about: a topic of [diagnose.Topics], and its object, "" for the whole machine.
type Problem struct{ Topic, Object string }

// A RefusedError says why the gate refused a diagnosis.
type RefusedError struct{ Text string }

func (e *RefusedError) Error() string { return e.Text }

// Diagnose looks for the causes of a problem. It returns a [RefusedError] if the problem is no topic or object.
func Diagnose(ctx context.Context, rt *settings.Runtime, p Problem, from tools.Origin, session string, lang i18n.Lang) (r diagnose.Report, err error) {
	input, err := json.Marshal(map[string]string{"topic": p.Topic, "object": p.Object, "lang": string(lang.Base())})
	if err != nil {
		return r, fmt.Errorf("cannot write the problem: %w", err)
	}
	j, refused := rt.Gate.Prepare(tools.Call{ID: "diagnose", Name: "diagnose", Input: input}, session, rt.Config.Home)
	if refused != nil {
		return r, &RefusedError{refused.Text}
	}
	j.Origin = from
	out := rt.Gate.Run(ctx, j, nil, nil)
	switch {
	case ctx.Err() != nil:
		return r, ctx.Err()
	case len(out.Output.Steps) == 0:
		return r, &RefusedError{out.Text}
	}
	if err := json.Unmarshal([]byte(rt.Redact(out.Output.Steps[0].Stdout)), &r); err != nil {
		return r, fmt.Errorf("cannot read the diagnosis: %w", err)
	}
	return r, nil
}
