// Package written wraps a model and recognizes tool calls that are written as text. It repairs models that
// write a call into the answer instead of making it, and it serves models without tool support: it describes
// the tools in the system prompt and converts earlier calls and results to text. If a server answers that a
// model takes no tools, the request is repeated that way immediately, and a [Memory] remembers the model.
//
// A text call counts only if it ends the whole message, its tool is offered, and it does not occur in a tool's
// result or in anything the user wrote or piped in ([isQuoted]). Otherwise anyone who can make a model repeat a
// text could choose the next call. Everything else stays text. [grammar] lists the accepted forms.
package written

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
	"github.com/nidoit/blunux-ai/providers"
)

// Asker is the wrapped model.
type Asker interface {
	Complete(ctx context.Context, req providers.Request, onText func(string)) (providers.Completion, error)
	Name() string
	ModelID() string
}

// Options configures a [Model].
type Options struct {
	Always bool    // the model takes no tools: always describe them as text
	Memory *Memory // nil means a new one
}

// Model is a model whose text calls count. It is safe for concurrent use.
type Model struct {
	Asker
	always bool
	memory *Memory
}

// New wraps a model.
func New(m Asker, o Options) *Model {
	if o.Memory == nil {
		o.Memory = NewMemory()
	}
	return &Model{Asker: m, always: o.Always, memory: o.Memory}
}

// Memory remembers which models take no tools. It is safe for concurrent use.
type Memory struct {
	mu    sync.Mutex
	names map[string]bool
}

// NewMemory returns an empty memory.
func NewMemory() *Memory { return &Memory{names: map[string]bool{}} }

func (m *Memory) add(a Asker) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.names[a.Name()+"\x00"+a.ModelID()] = true
}

func (m *Memory) has(a Asker) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.names[a.Name()+"\x00"+a.ModelID()]
}

// Unwrap returns the wrapped model.
func (m *Model) Unwrap() Asker { return m.Asker }

// Complete asks the model. It holds back text that may become a call until that is decided and passes on all
// other text as it arrives. Errors are those of the model.
func (m *Model) Complete(ctx context.Context, req providers.Request, onText func(string)) (providers.Completion, error) {
	if len(req.Tools) == 0 {
		return m.Asker.Complete(ctx, req, onText)
	}
	inWords := m.always || m.memory.has(m.Asker)
	done, err := m.ask(ctx, req, onText, inWords)
	if err != nil && !inWords && lacksTools(err) {
		m.memory.add(m.Asker)
		return m.ask(ctx, req, onText, true)
	}
	return done, err
}

func (m *Model) ask(ctx context.Context, req providers.Request, onText func(string), inWords bool) (providers.Completion, error) {
	if onText == nil {
		onText = func(string) {}
	}
	g := grammar{tools: req.Tools}
	h := &callFilter{grammar: g, pass: onText}
	sent := req
	if inWords {
		sent = describeTools(req)
	}
	done, err := m.Asker.Complete(ctx, sent, h.write)
	if err != nil {
		h.release() // the model wrote it, despite the error
		return done, err
	}
	held := string(h.pending)
	calls := g.calls(held)
	if len(calls) == 0 || done.Stop != providers.StopEndTurn || len(done.ToolUses()) > 0 || isQuoted(req.Messages, calls) {
		h.release()
		return done, nil
	}
	content, ok := trimEnd(done.Content, held)
	if !ok {
		h.release()
		return done, nil
	}
	done.Content, done.Stop = append(content, toolUseBlocks(calls)...), providers.StopToolUse
	return done, nil
}

// toolUseBlocks returns the calls as content blocks.
func toolUseBlocks(calls []call) []providers.Block {
	var blocks []providers.Block
	for _, c := range calls {
		blocks = append(blocks, providers.Block{
			Type: providers.BlockToolUse, ID: "written_" + rand.Text()[:16], Name: c.name, Input: c.input,
		})
	}
	return blocks
}

// trimEnd removes the text that ends a message from its last text blocks and reports whether the message
// ends with it.
func trimEnd(content []providers.Block, end string) ([]providers.Block, bool) {
	kept := append([]providers.Block(nil), content...)
	for i := len(kept) - 1; i >= 0 && end != ""; i-- {
		if kept[i].Type != providers.BlockText {
			continue
		}
		text := kept[i].Text
		switch {
		case strings.HasSuffix(text, end):
			kept[i].Text, end = text[:len(text)-len(end)], ""
		case strings.HasSuffix(end, text):
			kept[i].Text, end = "", end[:len(end)-len(text)]
		default:
			return nil, false
		}
	}
	var left []providers.Block
	for _, b := range kept {
		if b.Type != providers.BlockText || b.Text != "" {
			left = append(left, b)
		}
	}
	return left, end == ""
}

// noToolsPattern matches the messages with which servers report that a model takes no tools: Ollama, Gemini (Gemma),
// OpenRouter, vLLM, llama.cpp, DeepSeek.
var noToolsPattern = lazyregexp.New(`(?i)(does not|doesn't|don't|do not) support (tool|function)|(tools?|function)[ _-]?(calling|use|calls?)? (is|are) not (supported|enabled)` +
	`|no endpoints found that support tool use|tool choice requires --enable-auto-tool-choice|tools param requires`)

// lacksTools reports whether an error means that the model takes no tools.
func lacksTools(err error) bool {
	var e *providers.Error
	if !errors.As(err, &e) || e.ToolsCalled {
		return false
	}
	refused := e.Status == http.StatusBadRequest || e.Status == http.StatusNotFound ||
		e.Status == http.StatusUnprocessableEntity || e.Status == http.StatusInternalServerError || e.Status == http.StatusNotImplemented
	return refused && noToolsPattern.MatchString(e.Message)
}
