package e2e

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/test/providertest"
)

// stage is a model that follows instructions in the question and stops on demand, so that a test knows the
// state of a turn:
//
//	run COMMAND  runs a command and answers "done: " with its result
//	hold NAME    waits at the named gate, then does what "go on" does
//	begin TEXT   writes TEXT and then nothing until its client disconnects
//	count        answers with the number of user messages in the request
//	(a late yes) answers "continued: " with the last text of the assistant and the last tool result
//	TEXT         answers "heard: TEXT"
type stage struct {
	url     string
	handler *providertest.Handler

	mu    sync.Mutex
	gates map[string]*gate
}

type gate struct {
	reached, opened chan struct{}
	reach, open     sync.Once
}

// newStage starts the model and configures a desk for it.
func newStage(t *testing.T, more string) (*machine, *stage) {
	t.Helper()
	s := &stage{gates: map[string]*gate{}}
	s.handler = providertest.NewChatCompletions(s.play)
	url, stop, err := serve(s.handler)
	require.NoError(t, err)
	d := newMachine(t, "")
	t.Cleanup(stop)
	t.Cleanup(s.openAll)
	s.url = url
	d.write("config.toml", fmt.Sprintf("[ai_agent]\nprovider = \"custom\"\n[providers.custom]\nbase_url = %q\nmodel = \"m\"\n%s", url, more))
	return d, s
}

func (s *stage) gate(name string) *gate {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gates[name] == nil {
		s.gates[name] = &gate{reached: make(chan struct{}), opened: make(chan struct{})}
	}
	return s.gates[name]
}

// awaitGate waits until a turn is at a gate.
func (s *stage) awaitGate(name string) { <-s.gate(name).reached }

// openGate releases all turns at a gate, now and later.
func (s *stage) openGate(name string) {
	g := s.gate(name)
	g.open.Do(func() { close(g.opened) })
}

func (s *stage) openAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.gates {
		g.open.Do(func() { close(g.opened) })
	}
}

// play returns the model's reply.
func (s *stage) play(_ int, seen providertest.Request) providertest.Reply {
	if !seen.Stream {
		return providertest.Reply{Text: []string{"in short"}} // a summary of the conversation
	}
	words, asked := "", 0
	for _, e := range seen.Entries {
		if e.Role == providers.RoleUser && e.Kind == "text" {
			words, asked = e.Text, asked+1
		}
	}
	if last := seen.Entries[len(seen.Entries)-1]; last.Kind == "tool_result" {
		return providertest.Reply{Text: []string{"done: " + last.Text}}
	}
	if name, ok := strings.CutPrefix(words, "hold "); ok {
		name, words, _ = strings.Cut(name, " ")
		g := s.gate(name)
		g.reach.Do(func() { close(g.reached) })
		<-g.opened
	}
	if text, ok := strings.CutPrefix(words, "begin "); ok {
		return providertest.Reply{Text: strings.SplitAfter(text, " "), Hold: true}
	}
	if command, ok := strings.CutPrefix(words, "run "); ok {
		return providertest.Reply{Tools: []providertest.Call{{ID: "t1", Name: "run_command", Input: fmt.Sprintf(`{"command":%q}`, command)}}}
	}
	if path, ok := strings.CutPrefix(words, "write "); ok {
		return providertest.Reply{Tools: []providertest.Call{{ID: "t1", Name: "write_file", Input: fmt.Sprintf(`{"path":%q,"content":"text\n"}`, path)}}}
	}
	if strings.HasPrefix(words, "[From this program: the person has now approved") {
		return providertest.Reply{Text: []string{"continued: " + seen.Entries[len(seen.Entries)-2].Text + "\n" + seen.Last("tool_result")}}
	}
	if words == "count" {
		return providertest.Reply{Text: []string{fmt.Sprintf("%d", asked)}}
	}
	return providertest.Reply{Text: []string{"heard: " + words}}
}
