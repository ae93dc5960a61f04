package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools"
)

// queries maps the names of queries to their handlers.
var queries = map[string]func(*peerConn, context.Context, ipc.Query) (any, error){
	"status":        (*peerConn).queryStatus,
	"tools":         (*peerConn).queryTools,
	"tasks":         (*peerConn).queryTasks,
	"approvals":     (*peerConn).queryApprovals,
	"sessions":      (*peerConn).querySessions,
	"session":       (*peerConn).querySession,
	"search":        (*peerConn).querySearch,
	"export":        (*peerConn).queryExport,
	"log":           (*peerConn).queryLog,
	"daemon-log":    (*peerConn).queryLog,
	"verify":        (*peerConn).queryVerify,
	"notifications": (*peerConn).queryNotifications,
	"usage":         (*peerConn).queryUsage,
	"config":        (*peerConn).queryConfig,
	"memory":        (*peerConn).queryMemory,
	"memory-search": (*peerConn).queryMemorySearch,
	"memory-export": (*peerConn).queryMemoryExport,
	"memory-count":  (*peerConn).queryMemoryCount,
	"models":        (*peerConn).queryModels,
	"automations":   (*peerConn).queryAutomations,
	"judge":         (*peerConn).queryJudge,
	"pairing":       (*peerConn).queryPairing,
	"channel":       (*peerConn).queryChannel,

	"automation-history": (*peerConn).queryAutomationHistory,
	"automation-next":    (*peerConn).queryAutomationNext,
}

// query answers with one result.
func (c *peerConn) query(ctx context.Context, m ipc.Message) {
	var q ipc.Query
	if err := m.Decode(&q); err != nil {
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrNotMessage(err))
		return
	}
	answer, ok := queries[q.What]
	if !ok {
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrUnknownQuery(q.What, strings.Join(queryNames(), ", ")))
		return
	}
	data, err := answer(c, ctx, q)
	if err != nil {
		c.fail(m, c.s.settings.Failure(err, c.language()))
		return
	}
	frame := ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true}.WithData(data)
	if err := c.send(frame); errors.Is(err, ipc.ErrTooLarge) {
		c.refuse(m, ipc.CodeTooLarge, i18n.ErrTooLarge)
	}
}

func queryNames() []string {
	var names []string
	for name := range queries {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (c *peerConn) queryApprovals(_ context.Context, _ ipc.Query) (any, error) {
	c.s.stored.expireStored()
	asks, err := c.s.turns.approvals.List()
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
		answer["files"] = append([]string{}, rt.ConfigFiles...)
	}
	if err := c.s.settings.LastConfigError(); err != nil {
		answer["error"] = i18n.ErrorText(err, c.s.settings.Lang())
	}
	return answer, nil
}

// queryJudge returns the gate's verdict on a command that a person is still writing. It asks, records and runs
// nothing.
func (c *peerConn) queryJudge(_ context.Context, q ipc.Query) (any, error) {
	if c.visibleChannel() != "" {
		return nil, settings.ErrOnlyHere
	}
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
