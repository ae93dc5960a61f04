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

// Foreign provides the tools of MCP servers. A call of one is a [foreignAction].
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
const ErrForeignChanged = changedError("the tool has changed since")

// maxForeignInput is the maximum size of a call's arguments in bytes, because a person reads them.
const maxForeignInput = 64 << 10

// foreignProgram is the first word of a call's command line, in place of a program.
const foreignProgram = "mcp"

// plan plans a call. The same text is shown, logged, digested and sent.
func (f ForeignTool) plan(_ Env, input json.RawMessage) (Plan, error) {
	text, err := canonicalInput(input)
	if err != nil {
		return Plan{}, err
	}
	return Plan{
		Tool: f.Definition.Name, Timeout: f.Timeout,
		Action: foreignAction{Server: f.Server, Tool: f.Tool, Input: text}, Against: f.Digest,
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

// foreignAction calls a tool of another server.
type foreignAction struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	Input  string `json:"input"` // canonical, as it is shown and sent
}

// Argv returns the words that stand for the call. There is no such program.
func (f foreignAction) Argv() []string { return []string{foreignProgram, f.Server, f.Tool, f.Input} }

func (foreignAction) kind() string { return kindForeign }

func (f foreignAction) isValid() bool {
	text, err := canonicalInput(json.RawMessage(f.Input))
	return err == nil && text == f.Input
}

// changes returns false: a tool that runs without a confirmation is one that the person marked as read-only.
func (foreignAction) changes() bool { return false }

func (foreignAction) pin(services, *Plan) error { return nil }

// judge classifies a call. The person can mark its tool as read-only; the kernel cannot enforce that.
func (f foreignAction) judge(s services, j *JudgedPlan) {
	if !s.foreign.Allows(f.Server, f.Tool) {
		j.requireConfirmation(ReasonForeign, f.Server+" "+f.Tool)
	}
}

func (f foreignAction) call(c actionCall) ForeignCall {
	return ForeignCall{Server: f.Server, Tool: f.Tool, Input: json.RawMessage(f.Input), Digest: c.against}
}

func (f foreignAction) ready(ctx context.Context, s services, c actionCall) error {
	return s.foreign.Ready(ctx, f.call(c))
}

func (f foreignAction) do(ctx context.Context, s services, c actionCall, to io.Writer) (actionResult, error) {
	failed, err := s.foreign.Call(ctx, f.call(c), to)
	return actionResult{failed: failed}, err
}

func (foreignAction) edit(string) (Action, error) {
	return nil, errors.New("the arguments of another server's tool cannot be edited: reject the call and say what you want instead")
}
