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

// ReasonForeign is why another server's tool is asked about: nobody here knows
// what it does.
const ReasonForeign = "foreign-tool"

// Foreign is what servers of other programs offer, and the way to it. A call is
// a command of a plan like any other, judged, asked about and recorded; only
// what carries it out is not the [Executor].
type Foreign interface {
	// Tools returns the tools known now. Their names are none of ours.
	Tools() []ForeignTool
	// Allows reports whether the person holds a tool to only read.
	Allows(server, tool string) bool
	// Ready reports nil when a call could be made now, [ErrForeignChanged] where the
	// tool is not what it was, or why its server does not answer.
	Ready(ctx context.Context, c ForeignCall) error
	// Call makes a call and writes what it brings. failed is what the server
	// says of it; an error says that there is no answer. The end of ctx ends it.
	Call(ctx context.Context, c ForeignCall, to io.Writer) (failed bool, err error)
}

// ForeignTool is a tool of another server.
type ForeignTool struct {
	Definition providers.ToolDefinition // under the name that models know
	Server     string                   // as the configuration has it
	Tool       string                   // as the server has it
	Digest     string                   // of its description and its schema
	Timeout    time.Duration            // of a call
}

// ForeignCall is one call of such a tool.
type ForeignCall struct {
	Server, Tool string
	Input        json.RawMessage // canonical: one object, keys in order
	Digest       string          // of the tool as it was when the call was planned
}

// ErrForeignChanged reports a tool that is not what it was when its call was
// shown.
var ErrForeignChanged = errors.New("the tool has changed since")

// maxForeignInput bounds a call's arguments, in bytes: a person reads them.
const maxForeignInput = 64 << 10

// foreignProgram stands in front of a call where commands have their program.
const foreignProgram = "mcp"

// tool finds a tool by the name that models know.
func (g *Gate) tool(name string) (Tool, bool) {
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

// plan plans a call: what is shown, logged and digested is what is sent.
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

// canonicalInput writes an input in the one way it is shown and sent: keys in
// order, no blanks, numbers as they were.
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
		return "", fmt.Errorf("the input has %d bytes, more than a person can be shown: at most %d", len(text), maxForeignInput)
	}
	return text, nil
}

// call reads a command back as the call it stands for.
func (c Command) call() (ForeignCall, bool) {
	if len(c.Argv) != 4 || c.Argv[0] != foreignProgram {
		return ForeignCall{}, false
	}
	text, err := canonicalInput(json.RawMessage(c.Argv[3]))
	if err != nil || text != c.Argv[3] {
		return ForeignCall{}, false
	}
	return ForeignCall{Server: c.Argv[1], Tool: c.Argv[2], Input: json.RawMessage(text), Digest: c.Against}, true
}

// servers carry out calls of other servers' tools.
type servers struct{ Foreign }

// judge classes a call: the person may hold its tool to only read, the kernel
// cannot.
func (s servers) judge(j *Judged, c Command) {
	call, ok := c.call()
	if !ok {
		j.unparsed = true
	} else if s.Foreign != nil && s.Allows(call.Server, call.Tool) {
		return
	}
	j.confirm(ReasonForeign, call.Server+" "+call.Tool)
}

func (s servers) ready(ctx context.Context, c Command) error {
	call, ok := c.call()
	if !ok || s.Foreign == nil {
		return errNoServer
	}
	return s.Ready(ctx, call)
}

var errNoServer = errors.New("there is no such server in the configuration")

func (s servers) carry(ctx context.Context, c Command, to io.Writer) (carried, error) {
	call, ok := c.call()
	if !ok || s.Foreign == nil {
		return carried{}, errNoServer
	}
	failed, err := s.Call(ctx, call, to)
	return carried{failed: failed}, err
}
