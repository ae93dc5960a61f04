package serve

import (
	"context"
	"encoding/json"

	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools"
)

// queryDiagnose looks for the causes of a problem, or of all that need no object, and changes nothing.
func (c *peerConn) queryDiagnose(ctx context.Context, q ipc.Query) (any, error) {
	rt, err := c.s.settings.CurrentRuntime()
	if err != nil {
		return nil, err
	}
	p := ipc.Problem{Topic: diagnose.Everything}
	if q.Problem != nil {
		p = *q.Problem
	}
	return c.diagnose(ctx, rt, p)
}

func (c *peerConn) diagnose(ctx context.Context, rt *settings.Runtime, p ipc.Problem) (d ipc.Diagnosis, err error) {
	lang := c.language()
	input, err := json.Marshal(map[string]string{"topic": p.Topic, "object": p.Object, "lang": string(lang.Base())})
	if err != nil {
		return d, err
	}
	j, refused := rt.Gate.Prepare(tools.Call{ID: "diagnose", Name: "diagnose", Input: input}, post.KeyOf(c.visibleChannel(), "diagnose"), rt.Config.Home)
	if refused != nil {
		return d, settings.BadQuery{Text: i18n.ErrNotDiagnosed(refused.Text), Hint: i18n.ErrNotDiagnosedHint}
	}
	out := rt.Gate.Run(ctx, j, nil, nil)
	if ctx.Err() != nil {
		return d, ctx.Err()
	}
	if len(out.Output.Steps) == 0 {
		return d, settings.BadQuery{Text: i18n.ErrNotDiagnosed(out.Text), Hint: i18n.ErrNotDiagnosedHint}
	}
	text := rt.Redact(out.Output.Steps[0].Stdout)
	var r diagnose.Report
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return d, err
	}
	d = ipc.Diagnosis{Topic: p.Topic, Text: r.Text(lang, true), Report: json.RawMessage(text)}
	d.Repairable = len(r.Causes) > 0 && r.Causes[0].Repair != nil
	return d, nil
}
