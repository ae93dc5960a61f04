package serve

import (
	"time"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// announceFleet shows on the desktop which console asks what, so that the person here always knows.
func (c *peerConn) announceFleet(r task.Record) {
	words := chat.ExcerptOf(ipc.VisibleLine(r.Text), chat.MaxExcerpt)
	c.s.post.Notify(outbox.Message{
		ID: "fleet:" + r.ID, Channel: post.DesktopChannel, To: post.DesktopChannel, Session: r.Session, Task: r.ID,
		Body: i18n.FleetAsks(ipc.VisibleLine(r.Name), words).In(c.s.settings.Lang()), Lang: string(c.s.settings.Lang()),
	})
}

// allows reports why root's policy does not let a console of the fleet say yes to a question. Other connections, and every
// no, need no policy.
func (c *peerConn) allows(action string, ask ipc.Ask) error {
	if c.kind() != fleet || action == ipc.ActionReject {
		return nil
	}
	root, err := config.ReadPolicy(c.s.policy, config.Root)
	if err != nil {
		c.s.log.Warn().Err(err).Msg("policy of the fleet not used")
	}
	return root.Allow(ask.Tool, ask.Command, time.Now())
}
