package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/providers"
)

// ReasonForeign is the reason to confirm another server's tool: its effect is unknown.
const ReasonForeign = "foreign-tool"

// Foreign provides the tools of MCP servers. A call is a command of a plan like any other: judged, confirmed
// and recorded. Only its execution differs from that of the [Executor].
type Foreign interface {
	// Tools returns the currently known tools. Their names differ from ours.
	Tools() []ForeignTool
	// Allows reports whether the person marked a tool as read-only.
	Allows(server, tool string) bool
	// Ready returns nil if a call is possible now, [ErrForeignChanged] if the tool has changed, or the reason
	// why its server does not answer.
	Ready(ctx context.Context, c ForeignCall) error
	// Call makes a call and writes its output. failed is the server's verdict on the call; an error means that
	// there was no answer. The end of ctx ends the call.
	Call(ctx context.Context, c ForeignCall, to io.Writer) (failed bool, err error)
}

// ForeignTool is a tool of another server.
type ForeignTool struct {
	Definition providers.ToolDefinition // with the name that models see
	Server     string                   // name in the configuration
	Tool       string                   // name on the server
	Digest     string                   // of its description and its schema
	Timeout    time.Duration            // of a call
}

// ForeignCall is one call of such a tool.
type ForeignCall struct {
	Server, Tool string
	Input        json.RawMessage // canonical: one object with sorted keys
	Digest       string          // of the tool when the call was planned
}

// ErrForeignChanged reports a tool that has changed since its call was shown.
var ErrForeignChanged = errors.New("the tool has changed since")

// maxForeignInput is the maximum size of a call's arguments in bytes, because a person reads them.
const maxForeignInput = 64 << 10

// foreignProgram is the first word of a call's command line, in place of a program.
const foreignProgram = "mcp"

// findTool returns a tool by the name that models see.
func (g *Gate) findTool(name string) (Tool, bool) {
	if t, ok := g.tools[name]; ok || g.foreign == nil {
		return t, ok
	}
	for _, f := range g.foreign.Tools() {
		if f.Definition.Name == name {
			return Tool{Definition: f.Definition, Plan: f.plan}, true
		}
	}
	return Tool{}, false
}

// plan plans a call. The same text is shown, logged, digested and sent.
func (f ForeignTool) plan(_ Env, input json.RawMessage) (Plan, error) {
	text, err := canonicalInput(input)
	if err != nil {
		return Plan{}, err
	}
	return Plan{
		Tool: f.Definition.Name, Timeout: f.Timeout,
		Commands: []Command{{Argv: []string{foreignProgram, f.Server, f.Tool, text}, By: byServer, Against: f.Digest}},
	}, nil
}

// canonicalInput returns an input in the form that is shown and sent: sorted keys, no blanks, numbers
// unchanged.
func canonicalInput(input json.RawMessage) (string, error) {
	if len(bytes.TrimSpace(input)) == 0 {
		return "{}", nil
	}
	dec := json.NewDecoder(bytes.NewReader(input))
	dec.UseNumber()
	var object map[string]any
	if err := dec.Decode(&object); err != nil || object == nil || dec.More() {
		return "", errors.New("the input is not one JSON object")
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(object); err != nil {
		return "", err
	}
	text := strings.TrimSuffix(b.String(), "\n")
	if len(text) > maxForeignInput {
		return "", fmt.Errorf("the input has %d bytes, at most %d can be shown to a person", len(text), maxForeignInput)
	}
	return text, nil
}

// foreignCall parses a command that ForeignTool.plan made.
func (c Command) foreignCall() (ForeignCall, bool) {
	if len(c.Argv) != 4 || c.Argv[0] != foreignProgram {
		return ForeignCall{}, false
	}
	text, err := canonicalInput(json.RawMessage(c.Argv[3]))
	if err != nil || text != c.Argv[3] {
		return ForeignCall{}, false
	}
	return ForeignCall{Server: c.Argv[1], Tool: c.Argv[2], Input: json.RawMessage(text), Digest: c.Against}, true
}

// serverRunner runs calls of other servers' tools.
type serverRunner struct{ Foreign }

// judge classifies a call. The person can mark its tool as read-only; the kernel cannot enforce that.
func (s serverRunner) judge(j *JudgedPlan, c Command) {
	call, ok := c.foreignCall()
	if !ok {
		j.isUnparsed = true
	} else if s.Foreign != nil && s.Allows(call.Server, call.Tool) {
		return
	}
	j.requireConfirmation(ReasonForeign, call.Server+" "+call.Tool)
}

func (s serverRunner) check(ctx context.Context, c Command) error {
	call, ok := c.foreignCall()
	if !ok || s.Foreign == nil {
		return errNoServer
	}
	return s.Ready(ctx, call)
}

var errNoServer = errors.New("there is no such server in the configuration")

func (s serverRunner) execute(ctx context.Context, c Command, to io.Writer) (internalResult, error) {
	call, ok := c.foreignCall()
	if !ok || s.Foreign == nil {
		return internalResult{}, errNoServer
	}
	failed, err := s.Call(ctx, call, to)
	return internalResult{failed: failed}, err
}
