package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/shell"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 2, 20, 12, 0, 0, 0, time.UTC)

// model answers each request with the next of its lines and records the requests.
type model struct {
	lines    []line
	requests []providers.Request
}

// line is one answer, computed from the request.
type line func(context.Context, providers.Request) (providers.Completion, error)

func (m *model) Name() string    { return "fake" }
func (m *model) ModelID() string { return "fake-1" }

func (m *model) Complete(ctx context.Context, r providers.Request, onText func(string)) (providers.Completion, error) {
	r.Messages = slices.Clone(r.Messages)
	m.requests = append(m.requests, r)
	if len(m.lines) == 0 {
		return providers.Completion{}, errors.New("the model was asked once too often")
	}
	next := m.lines[0]
	if len(m.lines) > 1 {
		m.lines = m.lines[1:]
	}
	c, err := next(ctx, r)
	if text := c.Text(); text != "" && onText != nil {
		onText(text)
	}
	return c, err
}

func (m *model) last() providers.Request { return m.requests[len(m.requests)-1] }

// answers is a text answer.
func answers(text string) line { return completes(providers.StopEndTurn, providers.Text(text)) }

// asks is an answer with tool calls.
func asks(uses ...providers.Block) line { return completes(providers.StopToolUse, uses...) }

func completes(stop providers.StopReason, blocks ...providers.Block) line {
	return func(context.Context, providers.Request) (providers.Completion, error) {
		return providers.Completion{Content: blocks, Stop: stop, Usage: providers.Usage{InputTokens: 10, OutputTokens: 3}, Explanation: "because"}, nil
	}
}

func fails(err error) line {
	return func(context.Context, providers.Request) (providers.Completion, error) {
		return providers.Completion{}, err
	}
}

func use(id, name, input string) providers.Block {
	return providers.Block{Type: providers.BlockToolUse, ID: id, Name: name, Input: json.RawMessage(input)}
}

// toolbox has tools whose names begin with read (SAFE) and with change (need approval).
type toolbox struct {
	mu       sync.Mutex
	prepared []tools.Call
	ran      []tools.Call
	sessions []string
	deferred []string
	run      func(context.Context, tools.JudgedPlan) tools.Outcome // nil prints the command
}

func (b *toolbox) Definitions() []providers.ToolDefinition {
	all := []providers.ToolDefinition{{Name: "read", Description: "reads"}, {Name: "change", Description: "changes"}}
	for _, name := range b.deferred {
		all = append(all, providers.ToolDefinition{Name: name, Description: "does " + name, Deferred: true})
	}
	return all
}

func (b *toolbox) WorkingDir(dir string) string {
	if dir == "" {
		return "/home/blu"
	}
	return dir
}

func (b *toolbox) Prepare(call tools.Call, session, dir string) (tools.JudgedPlan, *tools.Outcome) {
	b.prepared = append(b.prepared, call)
	b.sessions = append(b.sessions, session+" "+dir)
	j := tools.JudgedPlan{Call: call, Session: session, Plan: tools.Plan{Commands: []shell.Command{{Argv: []string{call.Name, call.ID}}}}}
	switch {
	case strings.HasPrefix(call.Name, "read"):
	case strings.HasPrefix(call.Name, "change"), call.Name == "remember":
		j.Class = safety.Confirm
	default:
		return tools.JudgedPlan{Call: call}, refusal(tools.RefusedUnknown, "there is no tool "+call.Name)
	}
	if _, malformed := providers.MalformedInput(call.Input); malformed {
		return tools.JudgedPlan{Call: call}, refusal(tools.RefusedInput, "the input is not a JSON object")
	}
	return j, nil
}

func refusal(code, text string) *tools.Outcome {
	return &tools.Outcome{Output: providers.Output{Refusal: code}, Text: text, IsError: true}
}

func (b *toolbox) Run(ctx context.Context, j tools.JudgedPlan, _ tools.Approver, observe func(tools.Event)) tools.Outcome {
	b.mu.Lock()
	b.ran = append(b.ran, j.Call)
	b.mu.Unlock()
	observe(tools.Event{Call: j.Call.ID, State: tools.StateRunning})
	defer observe(tools.Event{Call: j.Call.ID, State: tools.StateDone})
	if b.run != nil {
		return b.run(ctx, j)
	}
	return ranFine(j)
}

func ranFine(j tools.JudgedPlan) tools.Outcome {
	text := fmt.Sprintf("%s ran %s", j.Call.ID, j.Call.Input)
	return tools.Outcome{Output: providers.Output{Steps: []providers.Step{{Command: j.Command(), Stdout: text}}}, Text: text}
}

// notes are fixed notes that record the day's lines.
type notes struct {
	asked    memory.ContextQuery
	sections []memory.Section
	lines    []string
	err      error
}

func (n *notes) Context(_ context.Context, ask memory.ContextQuery) ([]memory.Section, error) {
	n.asked = ask
	return n.sections, n.err
}

func (n *notes) Append(_ time.Time, line string) error {
	n.lines = append(n.lines, line)
	return errors.New("a note that cannot be written must not spoil an answer")
}

// history stores conversations and the order of appends.
type history struct {
	past     map[string]session.Past
	messages map[string][]providers.Message
	entries  []session.Entry
	excess   session.Excess
	fail     int // number of the failing append, from 1
	loadErr  error
}

func (h *history) Load(key string) (session.Past, error) {
	p := h.past[key]
	p.Messages = slices.Clone(h.messages[key])
	return p, h.loadErr
}

func (h *history) LoadRetried(key, _ string) (session.Past, bool, error) {
	past, err := h.Load(key)
	return past, false, err
}

func (h *history) AppendUnsynced(key string, entries ...session.Entry) (func() error, error) {
	return func() error { return nil }, h.Append(key, entries...)
}

func (h *history) Append(key string, entries ...session.Entry) error {
	h.entries = append(h.entries, entries...)
	if len(h.entries) == h.fail {
		return errors.New("disk full")
	}
	if h.messages == nil {
		h.messages = map[string][]providers.Message{}
	}
	for _, e := range entries {
		if e.Message == nil {
			continue
		}
		// The results of one round are one message to a model.
		said := h.messages[key]
		if n := len(said); e.Type == session.TypeResult && n > 0 && said[n-1].Role == providers.RoleUser {
			said[n-1].Content = append(said[n-1].Content, e.Message.Content...)
			continue
		}
		h.messages[key] = append(said, *e.Message)
	}
	return nil
}

func (h *history) Excess(string) (session.Excess, error) { return h.excess, h.loadErr }

// types returns the types of the appended entries in order.
func (h *history) types() []string {
	var types []string
	for _, e := range h.entries {
		types = append(types, string(e.Type))
	}
	return types
}

// bench is an agent with fake dependencies.
type bench struct {
	*agent.Agent
	model   *model
	tools   *toolbox
	notes   *notes
	history *history
}

func newBench(lines ...line) *bench {
	b := &bench{model: &model{lines: lines}, tools: &toolbox{}, notes: &notes{}, history: &history{}}
	b.Agent = agent.New(agent.Options{
		Model: b.model, Tools: b.tools, Notes: b.notes, History: b.history, SafeMode: true,
		Now: func() time.Time { return noon },
	})
	return b
}

func (b *bench) ask(t *testing.T, text string) (agent.Reply, error) {
	t.Helper()
	return b.Turn(t.Context(), agent.Request{Session: "s", Text: text, Dir: "/dir"})
}

// results returns the tool results of the last request.
func (b *bench) results() []providers.Block {
	messages := b.model.last().Messages
	return messages[len(messages)-1].Content
}
