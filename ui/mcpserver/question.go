package mcpserver

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

// schema makes the user choose explicitly: submitting an empty form must not approve.
var schema = json.RawMessage(`{"type":"object","required":["` + field + `"],"properties":{"` + field + `":{"type":"string","enum":["` + no + `","` + yes + `"]}}}`)

// maxElicited is the length of the longest command that a client's user is asked about, in bytes. Clients can
// truncate longer texts.
const maxElicited = 4 << 10

// elicitation returns the question for the client's user, if the client supports elicitation and the whole
// command can be shown.
func (s *Server) elicitation(req *mcp.CallToolRequest, ask ipc.Ask) (*mcp.ElicitParams, bool) {
	p := req.Session.InitializeParams()
	if p == nil || p.Capabilities == nil || p.Capabilities.Elicitation == nil || len(ask.Command) > maxElicited {
		return nil, false
	}
	if e := p.Capabilities.Elicitation; e.Form == nil && e.URL != nil {
		return nil, false
	}
	return &mcp.ElicitParams{Mode: "form", Message: questionText(ask, s.o.Lang), RequestedSchema: schema}, true
}

// questionText returns the text of the question, with all characters visible.
func questionText(ask ipc.Ask, lang i18n.Lang) string {
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

// answer answers the question that the client was asked. Everything except the approving choice means no.
func (c *call) answer(responses mcp.InputResponseMap) {
	action := ipc.ActionReject
	if r, ok := responses[inputID].(*mcp.ElicitResult); ok && r.Action == "accept" && r.Content[field] == yes {
		action = ipc.ActionAllowOnce
	}
	c.question.answer(action)
}

// notifyWaiting sends a client without elicitation the command that approves the call.
func (s *Server) notifyWaiting(ctx context.Context, req *mcp.CallToolRequest, code string) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return
	}
	_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
		ProgressToken: token, Message: i18n.McpWaiting(code).In(s.o.Lang),
	})
}
