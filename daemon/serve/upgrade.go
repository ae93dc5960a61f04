package serve

import (
	"context"
	"encoding/json"

	"github.com/nidoit/blunux-ai/daemon/look"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools"
)

// queryUpgrade shows what an upgrade of all packages would do, and changes nothing.
func (c *peerConn) queryUpgrade(ctx context.Context, _ ipc.Query) (any, error) {
	rt, err := c.s.settings.CurrentRuntime()
	if err != nil {
		return nil, err
	}
	lang, channel := c.language(), c.visibleChannel()
	r, err := look.Upgrade(ctx, rt, tools.Origin{Channel: channel}, post.KeyOf(channel, "upgrade"))
	if err != nil {
		return nil, err
	}
	report, err := json.Marshal(r)
	return ipc.UpgradePreview{Text: r.Text(lang), Report: report, Failed: r.Problem != nil}, err
}
