package action

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/nidoit/blunux-ai/tools/schema"
)

// ReasonForeign is the reason to confirm another server's tool: its effect is unknown.
const ReasonForeign = "foreign-tool"

// ErrForeignChanged reports a tool that has changed since its call was shown.
const ErrForeignChanged = changedError("the tool has changed since")

// maxForeignInput is the maximum size of a call's arguments in bytes, because a person reads them.
const maxForeignInput = 64 << 10

// foreignProgram is the first word of a call's command line, in place of a program.
const foreignProgram = "mcp"

// Call returns the action that calls a tool. The same text is shown, logged, digested and sent.
func (f ForeignTool) Call(input json.RawMessage) (Action, error) {
	text, err := canonicalInput(input)
	return foreignAction{Server: f.Server, Tool: f.Tool, Input: text}, err
}

// canonicalInput returns an input in the form that is shown and sent: sorted keys, no blanks, numbers unchanged.
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
	data, err := schema.Encode(object)
	if err != nil {
		return "", err
	}
	text := string(data)
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

// Argv returns the words of the call. There is no such program.
func (f foreignAction) Argv() []string { return []string{foreignProgram, f.Server, f.Tool, f.Input} }

func (foreignAction) Kind() string { return KindForeign }

func (f foreignAction) isValid() bool {
	text, err := canonicalInput(json.RawMessage(f.Input))
	return err == nil && text == f.Input
}

// Changes returns false: a tool that runs without a confirmation is one that the person marked as read-only.
func (foreignAction) Changes() bool { return false }

// Pin does nothing: the call was planned against the digest of its tool.
func (f foreignAction) Pin(Services) (Action, string, error) { return f, "", nil }

// Judge classifies a call. The person can mark its tool as read-only; the kernel cannot enforce that.
func (f foreignAction) Judge(s Services, _ Call) (v Verdict) {
	if !s.Foreign.Allows(f.Server, f.Tool) {
		v.confirm(ReasonForeign, f.Server+" "+f.Tool)
	}
	return v
}

func (f foreignAction) call(c Call) ForeignCall {
	return ForeignCall{Server: f.Server, Tool: f.Tool, Input: json.RawMessage(f.Input), Digest: c.Against}
}

func (f foreignAction) Ready(ctx context.Context, s Services, c Call) error {
	return s.Foreign.Ready(ctx, f.call(c))
}

func (f foreignAction) Do(ctx context.Context, s Services, c Call, to io.Writer) (Result, error) {
	failed, err := s.Foreign.Call(ctx, f.call(c), to)
	return Result{Failed: failed}, err
}

func (foreignAction) Edit(string) (Action, error) {
	return nil, errors.New("the arguments of another server's tool cannot be edited: reject the call and say what you want instead")
}
