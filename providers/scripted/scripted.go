// Package scripted is a model that follows a script file: for tests, and for
// trying the whole program without a key (`blunux-ai daemon --provider
// scripted:FILE`). What it "says" and which tools it calls is written down;
// everything after that (the checker, approvals, tools, the log) is real.
//
// # The script
//
// A script is a TOML file: a list of steps, each the answer to one request.
//
//	[[step]]                                # answers any question
//	text = "Hello! Ask me about the disk."
//
//	[[step]]
//	user = "disk"                           # only where the user's text contains it
//	text = "Let me look."
//	[[step.tool]]
//	name  = "check_disk"
//	input = { }
//
//	[[step]]
//	text = "It says:\n{{last_tool_output}}"
//
//	[[step]]
//	user_match = '^run (.*)$'               # a regular expression; {{user.1}} is its group
//	[[step.tool]]
//	name  = "run_command"
//	input = { command = "{{user.1}}" }
//
// Fields of the file: loop (start over at the end), piece (runes a streamed
// piece, default 8). Fields of a step, all optional:
//
//	user, user_match      matcher on the last user text: contains (letter case ignored) / regexp
//	result, result_match  matcher on the last tool result (what was printed, or what the model reads
//	                      of it): contains / regexp; result = "" fits where there is none
//	text                  the answer's text
//	tool                  list of tool calls: name, input (a table) or input_raw (a string sent as
//	                      it is, for malformed arguments), id (default: made up)
//	stop                  "end_turn", "tool_use", "max_tokens", "refusal", "not_understood" or "nothing_done" (default: the natural one)
//	usage                 { in = 10, out = 3, cached = 4, usd = 0.02 }
//	error                 { kind, status, retry_after, message } instead of an answer; kind is one of
//	                      api, rate_limit, auth, network, parse, empty
//	delay, piece_delay    waits before the answer / before each further piece: "50ms"
//	wait                  true: after text, silent until the request is cancelled
//	repeat                how many requests in a row the step answers (default 1)
//	forever               true: it answers every further request of its scene
//
// Placeholders in text, input and input_raw: {{user}}, {{user.1}} …,
// {{last_tool_result}} (as the model reads it), {{result.1}} …,
// {{last_tool_output}} (the commands' plain standard output), {{system}},
// {{lang}}, {{round}} (completions since the user's text, from 1).
//
// # Which step answers
//
// A step with user or user_match begins a scene, to which the steps after it
// belong up to the next such step; steps before the first are the opening
// scene. The first scene whose matcher fits the last user text plays, from its
// beginning, once for that text: its next step answers the first request, the
// following one the request with the tool results, and so on. Where no matcher
// fits, the opening scene goes on; it runs through the whole conversation.
// Within a scene, steps whose result matcher does not fit are passed over.
//
// The position is worked out from the request alone, by playing its assistant
// messages again. So many conversations can share one script, and a restarted
// program goes on where it was. One exception needs a memory: a step with
// error or wait leaves no assistant message behind, so the model counts how
// often exactly this request came, and goes on after repeat times.
package scripted

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/providers"
)

// Name is the catalog name.
const Name = "scripted"

// maxAttempts is how many failed requests are remembered; past it all are
// forgotten, which only makes an error step fail once more.
const maxAttempts = 4096

// Model answers from a script. It is safe for concurrent use.
type Model struct {
	file   string
	script *script

	mu       sync.Mutex
	attempts map[[sha256.Size]byte]int // requests that ended in an error or wait step
}

// Name returns "scripted".
func (m *Model) Name() string { return Name }

// ModelID returns the script file's name.
func (m *Model) ModelID() string { return filepath.Base(m.file) }

// Complete answers with the step that is due. onText may be nil; otherwise it
// gets the text in pieces, from the calling goroutine. A cancelled ctx ends
// delays and waits with context.Canceled. When no step is left the error is a
// [providers.Error] of kind api that says so.
func (m *Model) Complete(ctx context.Context, req providers.Request, onText func(string)) (providers.Completion, error) {
	if onText == nil {
		onText = func(string) {}
	}
	if err := ctx.Err(); err != nil {
		return providers.Completion{}, m.stopped(err)
	}
	s, scene, ok := m.due(req)
	if !ok {
		return providers.Completion{}, &providers.Error{Kind: providers.KindAPI, Provider: Name, Message: m.ranOut(req)}
	}
	if err := pause(ctx, time.Duration(s.Delay)); err != nil {
		return providers.Completion{}, m.stopped(err)
	}
	if s.Error != nil {
		return providers.Completion{}, s.Error.error()
	}
	done, err := s.answer(scene, req)
	if err != nil {
		return providers.Completion{}, &providers.Error{Kind: providers.KindAPI, Provider: Name, Message: m.file + ": " + err.Error(), Err: err}
	}
	if err := m.stream(ctx, s, done.Text(), onText); err != nil {
		return providers.Completion{}, m.stopped(err)
	}
	if len(done.Content) == 0 && done.Stop != providers.StopRefusal {
		return done, &providers.Error{Kind: providers.KindEmpty, Provider: Name, Message: "the step answers nothing"}
	}
	return done, nil
}

// stopped gives the end of ctx the form every provider gives it.
func (m *Model) stopped(err error) error {
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("%s: %w", Name, err)
	}
	return &providers.Error{Kind: providers.KindNetwork, Provider: Name, Message: "no answer in the time allowed", Err: err}
}

// stream hands out text in pieces, and then waits if the step says so.
func (m *Model) stream(ctx context.Context, s *step, text string, onText func(string)) error {
	runes := []rune(text)
	for first := true; len(runes) > 0; first = false {
		if !first {
			if err := pause(ctx, time.Duration(s.PieceDelay)); err != nil {
				return err
			}
		}
		n := min(len(runes), m.script.Piece)
		onText(string(runes[:n]))
		runes = runes[n:]
	}
	if s.Wait {
		<-ctx.Done()
	}
	return ctx.Err()
}

// pause waits for d or the end of ctx.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// attempt returns how often this very request has ended without an answer, and
// counts this time.
func (m *Model) attempt(req providers.Request) int {
	messages, err := json.Marshal(req.Messages)
	if err != nil { // only raw blocks that are not JSON: then all count as one
		messages = nil
	}
	key := sha256.Sum256(messages)
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.attempts) >= maxAttempts {
		clear(m.attempts)
	}
	n := m.attempts[key]
	m.attempts[key]++
	return n
}

func (m *Model) ranOut(req providers.Request) string {
	text := []rune(strings.Join(strings.Fields(lastUserText(req.Messages)), " "))
	if len(text) > 60 {
		text = append(text[:59], '…')
	}
	return fmt.Sprintf("the script %s has no step left for %q", m.file, string(text))
}
