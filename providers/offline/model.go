// Package offline is the built-in helper: a provider that needs no language model, no key and no network, which
// are what is missing when a machine is in trouble.
//
// Package intent plans tool calls for a request, and package report turns their results into an answer. This
// package connects them through the conversation. An answer states only what is in an output, and says when a
// request needs a language model. The same request always gives the same plan and answer. Completion.Explanation
// contains score and evidence.
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
	// Lang is the language of replies if neither the request nor its text determines one: "ko", "en" or "zh".
	// Empty means English.
	Lang string
	// Home is the home directory, shown as "~" in paths. May be empty.
	Home string
	// Now returns the current time; nil means [time.Now].
	Now func() time.Time
	// NoRights reports whether the rights for changes of the system, or of its units, are unavailable here.
	// Such changes are not offered. nil means that the rights are available.
	NoRights func(units bool) bool
	// UserFiles holds the user's files that extend the lexicon (see [intent.NewExtended]); nil for none.
	UserFiles fs.FS
	// Missed is called with each request that was not understood; may be nil.
	Missed func(text string)
	// Warn is called for each invalid line of Own; may be nil.
	Warn func(error)
}

// Model is the built-in helper. It keeps no state between calls and is safe for concurrent use.
type Model struct {
	opts    Options
	lexicon func() *intent.Lexicon
}

// New returns the helper. The first request loads the word lists. Models without files of the user share the
// built-in ones.
func New(opts Options) *Model {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Model{opts: opts, lexicon: sync.OnceValue(func() *intent.Lexicon {
		if opts.UserFiles == nil || !intent.HasUserFiles(opts.UserFiles) {
			return intent.BuiltIn()
		}
		l, errs := intent.NewExtended(opts.UserFiles)
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

// Complete answers the last message: a user's text with tool calls or a reply, tool results with a reply or the
// next step. onText, if not nil, gets the whole text in one call. Complete fails only if ctx is done, the
// last message is not the user's, or the turn continues an earlier request.
func (m *Model) Complete(ctx context.Context, req providers.Request, onText func(string)) (providers.Completion, error) {
	if err := ctx.Err(); err != nil {
		return providers.Completion{}, fmt.Errorf("cannot complete: %w", err)
	}
	if len(req.Messages) == 0 || req.Messages[len(req.Messages)-1].Role != providers.RoleUser {
		return providers.Completion{}, &providers.Error{Kind: providers.KindParse, Provider: m.Name(), Message: "the last message must be the user's"}
	}
	if req.Continues { // it must not plan the person's earlier words once more
		return providers.Completion{}, &providers.Error{Kind: providers.KindAPI, Provider: m.Name(), Message: "it cannot continue an earlier request"}
	}
	turn := newTurn(m.opts, m.lexicon(), req)
	out := turn.answer()
	if m.opts.Missed != nil && out.stop == providers.StopNotUnderstood && !turn.planOnly {
		if text, _ := turn.question(len(req.Messages) - 1); text != "" {
			m.opts.Missed(text)
		}
	}
	c := providers.Completion{Stop: providers.StopEndTurn, Explanation: out.why}
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

// toolUses returns the blocks of tool calls. Their ids are a hash of the conversation so far, so the same
// request always gets the same ids.
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
