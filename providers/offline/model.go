// Package offline is the engine that answers with no language model, no key
// and no network: when a machine is in trouble, those are what is missing.
//
// It is a provider like the others, made of two parts: package intent tells what
// a request asks for, package report tells what the tools put out, as a good
// administrator would: the finding, the figures, what they mean, what could be
// done next. This package holds the conversation between them. It states nothing
// that is not in an output, and says so when something needs a real model.
//
// The same request always gives the same plan and the same words. Completion.Why
// carries score and evidence.
package offline

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io/fs"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// Options configure a [Model].
type Options struct {
	// Lang is the language of replies when neither the request nor its text
	// tells one: "ko", "en" or "zh". Empty means English.
	Lang string
	// Home is the home directory, for telling paths as "~". May be empty.
	Home string
	// Now tells the time; nil means [time.Now].
	Now func() time.Time
	// NoRights reports whether nothing here gives the rights for changes of the
	// system, or of its units; such changes are then not offered. nil means that
	// the rights can be had.
	NoRights func(units bool) bool
	// Own holds files that extend what is understood (see [intent.Extended]);
	// nil for none.
	Own fs.FS
	// Warn is told of lines of Own that cannot be used; may be nil.
	Warn func(error)
}

// Model is the offline engine. It holds no state between calls and may be used
// by several goroutines.
type Model struct {
	opts    Options
	lexicon func() *intent.Lexicon
}

// New returns the engine. The word lists are loaded by the first request; those
// built in once for all models.
func New(opts Options) *Model {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Model{opts: opts, lexicon: sync.OnceValue(func() *intent.Lexicon {
		if opts.Own == nil || !intent.HasOwn(opts.Own) {
			return intent.BuiltIn()
		}
		l, errs := intent.Extended(opts.Own)
		for _, err := range errs {
			if opts.Warn != nil {
				opts.Warn(err)
			}
		}
		return l
	})}
}

// Name returns the provider's catalog name.
func (m *Model) Name() string { return "offline" }

// ModelID returns the model's id.
func (m *Model) ModelID() string { return "builtin" }

// Complete answers the last message: a user's text with tool calls or a reply,
// tool results with the reply or the next step. onText, when not nil,
// gets the whole text at once. It fails only when ctx is done or the last
// message is not the user's.
func (m *Model) Complete(ctx context.Context, req providers.Request, onText func(string)) (providers.Completion, error) {
	if err := ctx.Err(); err != nil {
		return providers.Completion{}, fmt.Errorf("cannot complete: %w", err)
	}
	if len(req.Messages) == 0 || req.Messages[len(req.Messages)-1].Role != providers.RoleUser {
		return providers.Completion{}, &providers.Error{Kind: providers.KindParse, Provider: m.Name(), Message: "the last message is not the user's"}
	}
	t := newTurn(m.opts, m.lexicon(), req)
	out := t.answer()
	c := providers.Completion{Stop: providers.StopEndTurn, Why: out.why}
	if out.text != "" {
		c.Content = append(c.Content, providers.Text(out.text))
		if onText != nil {
			onText(out.text)
		}
	}
	if out.stop != "" {
		c.Stop = out.stop
	}
	if len(out.steps) > 0 {
		c.Stop = providers.StopToolUse
		c.Content = append(c.Content, toolUses(req.Messages, out.steps)...)
	}
	return c, nil
}

// toolUses makes the blocks of tool calls. Ids are made from the conversation
// so far: the same request gets the same ids, another one others.
func toolUses(messages []providers.Message, steps []intent.Step) []providers.Block {
	h := fnv.New64a()
	for _, msg := range messages {
		for _, b := range msg.Content {
			fmt.Fprintf(h, "%s\x00%s\x00%s\x00%s\x00", msg.Role, b.Type, b.ID+b.ToolUseID, b.Text)
		}
	}
	blocks := make([]providers.Block, 0, len(steps))
	for i, s := range steps {
		input, err := json.Marshal(s.Input)
		if err != nil || s.Input == nil {
			input = json.RawMessage("{}") // inputs are strings, numbers and booleans
		}
		blocks = append(blocks, providers.Block{
			Type: providers.BlockToolUse, ID: fmt.Sprintf("offline_%016x_%d", h.Sum64(), i), Name: s.Tool, Input: input,
		})
	}
	return blocks
}
