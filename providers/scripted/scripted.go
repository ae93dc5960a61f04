// Package scripted is a model that follows a script file, for tests and for trying the whole program without a
// key (`blunux-ai daemon --provider scripted:FILE`). The script determines only the model's texts and tool calls.
// The checker, approvals, tools and the command log are real.
//
// [Load] reads a script. [script] describes its format and how [Model] chooses the step that answers a request.
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

// maxAttempts bounds the number of remembered failed requests. Above it, all are forgotten, and an error step
// fails once more at most.
const maxAttempts = 4096

// Model answers from a script. It is safe for concurrent use.
type Model struct {
	file   string
	script *script

	mu       sync.Mutex
	attempts map[[sha256.Size]byte]int // number of tries of requests that ended in an error or wait step
}

// Name returns "scripted".
func (m *Model) Name() string { return Name }

// ModelID returns the script file's name.
func (m *Model) ModelID() string { return filepath.Base(m.file) }

// Complete answers with the next step. If onText is not nil, Complete calls it from the calling goroutine with
// the pieces of the text. Cancelling ctx ends delays and waits with context.Canceled. If no step is left, the
// error is a [providers.Error] of kind api.
func (m *Model) Complete(ctx context.Context, req providers.Request, onText func(string)) (providers.Completion, error) {
	if onText == nil {
		onText = func(string) {}
	}
	if err := ctx.Err(); err != nil {
		return providers.Completion{}, m.contextError(err)
	}
	s, scene, ok := m.nextStep(req)
	if !ok {
		return providers.Completion{}, &providers.Error{Kind: providers.KindAPI, Provider: Name, Message: m.noStepMessage(req)}
	}
	if err := pause(ctx, time.Duration(s.Delay)); err != nil {
		return providers.Completion{}, m.contextError(err)
	}
	if s.Error != nil {
		return providers.Completion{}, s.Error.error()
	}
	done, err := s.answer(scene, req)
	if err != nil {
		return providers.Completion{}, &providers.Error{Kind: providers.KindAPI, Provider: Name, Message: m.file + ": " + err.Error(), Err: err}
	}
	if err := m.stream(ctx, s, done.Text(), onText); err != nil {
		return providers.Completion{}, m.contextError(err)
	}
	if len(done.Content) == 0 && done.Stop != providers.StopRefusal {
		return done, &providers.Error{Kind: providers.KindEmpty, Provider: Name, Message: "the step's answer is empty"}
	}
	return done, nil
}

// contextError converts the error of ctx like the other providers do.
func (m *Model) contextError(err error) error {
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("%s: %w", Name, err)
	}
	return &providers.Error{Kind: providers.KindNetwork, Provider: Name, Message: "no answer in the time allowed", Err: err}
}

// stream passes the text to onText in pieces, then waits if the step says so.
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

// pause waits for d or until ctx ends.
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

// countAttempt returns how often this exact request has ended without an answer, and counts this one.
func (m *Model) countAttempt(req providers.Request) int {
	messages, err := json.Marshal(req.Messages)
	if err != nil { // only if a raw block is not JSON: all of these share one counter
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

func (m *Model) noStepMessage(req providers.Request) string {
	text := []rune(strings.Join(strings.Fields(lastUserText(req.Messages)), " "))
	if len(text) > 60 {
		text = append(text[:59], '…')
	}
	return fmt.Sprintf("the script %s has no step left for %q", m.file, string(text))
}
