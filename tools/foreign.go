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

	"github.com/nidoit/blunux-ai/crash"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/safety"
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
		Commands: []Command{{Argv: []string{foreignProgram, f.Server, f.Tool, text}, Foreign: f.Digest}},
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
	if c.Shell != "" || len(c.Argv) != 4 || c.Argv[0] != foreignProgram {
		return ForeignCall{}, false
	}
	text, err := canonicalInput(json.RawMessage(c.Argv[3]))
	if err != nil || text != c.Argv[3] {
		return ForeignCall{}, false
	}
	return ForeignCall{Server: c.Argv[1], Tool: c.Argv[2], Input: json.RawMessage(text), Digest: c.Foreign}, true
}

// foreign reports whether a plan calls another server's tool.
func (p Plan) foreign() bool { return len(p.Commands) > 0 && p.Commands[0].Foreign != "" }

// judgeForeign classes a call: the person may hold its tool to only read, the
// kernel cannot. Whoever made such a plan made it of one command.
func (g *Gate) judgeForeign(j *Judged, c Command) {
	call, ok := c.call()
	if !ok || len(j.Plan.Commands) != 1 {
		j.unparsed = true
	} else if g.foreign != nil && g.foreign.Allows(call.Server, call.Tool) {
		return
	}
	j.Class = max(j.Class, safety.Confirm)
	j.Parts = append(j.Parts, safety.Reason{Code: ReasonForeign, Part: call.Server + " " + call.Tool})
}

// unready ends a call that its server could not be asked for now.
func (r run) unready(ctx context.Context, j Judged) *Outcome {
	if !j.Plan.foreign() {
		return nil
	}
	call, _ := j.Plan.Commands[0].call()
	err := error(errNoServer)
	if r.foreign != nil {
		err = r.foreign.Ready(ctx, call)
	}
	var out Outcome
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrForeignChanged):
		out = r.refuse(j, commandlog.Cancelled, RefusedMismatch, "not run: "+err.Error())
	case ctx.Err() != nil:
		out = r.refuse(j, commandlog.Cancelled, RefusedCancelled, "not run: cancelled")
	default:
		out = r.refuse(j, commandlog.Failed, RefusedAway, "not run: "+r.redactor.Redact(err.Error()))
	}
	return &out
}

var errNoServer = errors.New("there is no such server in the configuration")

// foreignStep makes a call, recorded first.
func (r run) foreignStep(ctx context.Context, j Judged, class commandlog.Class) (providers.Step, int, error) {
	c := j.Plan.Commands[0]
	step := providers.Step{Command: c.String(), Exit: -1}
	ref, err := r.recorder.Begin(j.entry(class, r.redactor.Redact(step.Command)))
	if err != nil {
		return step, 0, fmt.Errorf("%w: %w", errLog, err)
	}
	crash.Here(crash.BeforeExec)
	res, err := r.callForeign(ctx, c, j.Plan.Timeout)
	crash.Here(crash.ExecEnded)
	// The call was made: a record that cannot be ended stops the next one.
	_ = r.recorder.End(ref, r.ended(res, err))
	if ctx.Err() != nil {
		return step, 0, fmt.Errorf("%w: %s", errCancelled, step.Command)
	}
	step = told(step, res, nil)
	if err != nil { // it was sent, and may have been done
		step.Unknown = !errors.Is(err, ErrForeignChanged)
		step.Stderr = r.redactor.Redact(err.Error())
	}
	return step, res.Bytes, nil
}

// callForeign makes a call within the bounds that commands have.
func (r run) callForeign(ctx context.Context, c Command, timeout time.Duration) (Result, error) {
	call, ok := c.call()
	if !ok || r.foreign == nil {
		return Result{Exit: -1}, errNoServer
	}
	timed, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	text := newCutter(r.executor.maxBytes, r.executor.maxLines)
	out := r.redactor.Writer(text) // first redacted, then cut
	start := time.Now()
	failed, err := r.foreign.Call(timed, call, out)
	_ = out.Close() // the cutter takes everything
	res := Result{Stdout: text.String(), Cut: text.cut(), Bytes: text.total, Took: time.Since(start)}
	if timed.Err() != nil && ctx.Err() == nil && err != nil {
		res.TimedOut, err = true, nil
	}
	if failed || res.TimedOut || err != nil {
		res.Exit = 1
	}
	if err != nil {
		res.Exit = -1
	}
	return res, err
}
