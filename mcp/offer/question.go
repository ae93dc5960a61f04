package offer

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

const (
	inputID = "approval"
	field   = "decision"
	yes     = "run it"
	no      = "do not run it"
)

// schema has the person choose: an empty form would be a yes by closing it.
var schema = json.RawMessage(`{"type":"object","required":["` + field + `"],"properties":{"` + field + `":{"type":"string","enum":["` + no + `","` + yes + `"]}}}`)

// maxAsked bounds a command that is put to a client's person, in bytes: how
// much of a longer one is shown is up to the client.
const maxAsked = 4 << 10

// elicitation is the question for the client's person, where the client can
// ask and the command can be shown whole.
func (s *Server) elicitation(req *mcp.CallToolRequest, ask ipc.Ask) (*mcp.ElicitParams, bool) {
	p := req.Session.InitializeParams()
	if p == nil || p.Capabilities == nil || p.Capabilities.Elicitation == nil || len(ask.Command) > maxAsked {
		return nil, false
	}
	if e := p.Capabilities.Elicitation; e.Form == nil && e.URL != nil {
		return nil, false
	}
	return &mcp.ElicitParams{Mode: "form", Message: question(ask, s.o.Lang), RequestedSchema: schema}, true
}

// question is what a person needs to decide, every character of it visible.
func question(ask ipc.Ask, lang i18n.Lang) string {
	lines := []string{i18n.AskQuestion.In(lang), "", ipc.Visible(ask.Command), ""}
	for _, code := range ask.Reasons {
		lines = append(lines, "- "+ipc.VisibleLine(i18n.Reason(code, lang)))
	}
	for _, w := range ask.Warnings {
		lines = append(lines, "! "+ipc.VisibleLine(i18n.Warning(w, lang)))
	}
	for _, f := range ask.Files {
		lines = append(lines, "- "+ipc.VisibleLine(f.Path)+" sha256:"+f.SHA256)
	}
	if ask.Privileged {
		lines = append(lines, "! "+i18n.AskPrivileged.In(lang))
	}
	if ask.Cwd != "" {
		lines = append(lines, ipc.VisibleLine(ask.Cwd))
	}
	return strings.Join(append(lines, ask.Code), "\n")
}

// answered answers the question the client was asked. Anything but the one
// choice that says so means no.
func (c *call) answered(responses mcp.InputResponseMap) {
	action := ipc.ActionReject
	if r, ok := responses[inputID].(*mcp.ElicitResult); ok && r.Action == "accept" && r.Content[field] == yes {
		action = ipc.ActionAllowOnce
	}
	c.asked.answer(action)
}

// tellWaiting tells a client that cannot ask where the question is answered.
func tellWaiting(ctx context.Context, req *mcp.CallToolRequest, code string) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return
	}
	_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
		ProgressToken: token, Message: "waits for a person: blunux-aictl approve " + code,
	})
}
