package serve

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/nidoit/blunux-ai/daemon/look"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools"
)

// queryPacnew looks at the configuration files that pacman left, and changes nothing.
func (c *peerConn) queryPacnew(ctx context.Context, q ipc.Query) (any, error) {
	rt, err := c.s.settings.CurrentRuntime()
	if err != nil {
		return nil, err
	}
	var left look.LeftFile
	if q.Left != nil {
		left = look.LeftFile{File: q.Left.File, Choice: q.Left.Choice}
	}
	lang, channel := c.language(), c.visibleChannel()
	r, err := look.Pacnew(ctx, rt, left, tools.Origin{Channel: channel}, post.KeyOf(channel, "pacnew"), lang)
	var refused *look.RefusedError
	switch {
	case errors.As(err, &refused):
		return nil, settings.BadQuery{Text: i18n.ErrNotMerged(refused.Text), Hint: i18n.ErrNotMergedHint}
	case err != nil:
		return nil, err
	}
	found := ipc.LeftFiles{Text: r.Text(lang), Mergeable: r.Plan != nil}
	if r.Plan != nil {
		found.Text += "\n\n" + r.PlanText(lang)
	}
	found.Report, err = json.Marshal(r)
	return found, err
}
