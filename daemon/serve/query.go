package serve

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools"
)

func (c *peerConn) queryUsage(_ context.Context, q ipc.Query) (any, error) {
	return c.s.turns.UsageReport(q, c.visibleChannel())
}

func (c *peerConn) queryTasks(_ context.Context, q ipc.Query) (any, error) {
	return c.s.turns.List(q.Task, c.visibleChannel()), nil
}

func (c *peerConn) queryApprovals(_ context.Context, _ ipc.Query) (any, error) {
	c.s.turns.Stored.Expire()
	asks, err := c.s.approvals.List()
	return slices.DeleteFunc(asks, func(a ipc.Ask) bool {
		channel := c.visibleChannel()
		return channel != "" && a.Channel != channel
	}), err
}

// queryLog returns the last lines of a log.
func (c *peerConn) queryLog(_ context.Context, q ipc.Query) (any, error) {
	n := q.Limit
	if n <= 0 {
		n = 50
	}
	files, _ := c.s.logFiles(q.What)
	lines, err := files.Last(min(n, 1000), nil)
	return append([]string{}, shownLines(lines)...), err
}

// queryVerify verifies the command log and its audit trail.
func (c *peerConn) queryVerify(_ context.Context, _ ipc.Query) (any, error) {
	rt, err := c.s.settings.CurrentRuntime()
	if err != nil {
		return nil, err
	}
	return rt.CommandLog.Verify()
}

// shownLines bounds each line, so that a huge command does not push out the others.
func shownLines(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = chat.ExcerptOf(line, 4<<10)
	}
	return out
}

func (c *peerConn) queryConfig(_ context.Context, _ ipc.Query) (any, error) {
	answer := map[string]any{"home": c.s.settings.Home, "files": []string{}}
	if rt := c.s.settings.Current(); rt != nil {
		answer["files"] = append([]string{}, rt.Config.Files...)
	}
	if err := c.s.settings.LastConfigError(); err != nil {
		answer["error"] = i18n.ErrorText(err, c.s.settings.Lang())
	}
	return answer, nil
}

// queryJudge returns the gate's verdict on a command that a person is still writing. It asks, records and runs
// nothing.
func (c *peerConn) queryJudge(_ context.Context, q ipc.Query) (any, error) {
	rt, err := c.s.settings.CurrentRuntime()
	if err != nil {
		return nil, err
	}
	input, err := json.Marshal(map[string]string{"command": q.Text})
	if err != nil {
		return nil, err
	}
	j, refused := rt.Gate.Prepare(tools.Call{Name: "run_command", Input: input, Words: q.Text}, "", q.Dir)
	if refused != nil {
		return ipc.Judgement{Class: "BLOCKED", Reasons: []string{refused.Output.Refusal}}, nil
	}
	return ipc.Judgement{Class: j.Class.String(), Reasons: j.Reasons, Privileged: j.Privileged, Warnings: j.Notices()}, nil
}
