package serve

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/nidoit/blunux-ai/daemon/look"
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
	lang, channel := c.language(), c.visibleChannel()
	r, err := look.Diagnose(ctx, rt, look.Problem{Topic: p.Topic, Object: p.Object}, tools.Origin{Channel: channel}, post.KeyOf(channel, "diagnose"), lang)
	var refused *look.RefusedError
	switch {
	case errors.As(err, &refused):
		return d, settings.BadQuery{Text: i18n.ErrNotDiagnosed(refused.Text), Hint: i18n.ErrNotDiagnosedHint}
	case err != nil:
		return d, err
	}
	d = ipc.Diagnosis{Topic: p.Topic, Text: r.Text(lang, true), Repairable: len(r.Causes) > 0 && r.Causes[0].Repair != nil}
	d.Report, err = json.Marshal(r)
	return d, err
}
