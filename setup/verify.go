package setup

import (
	"context"
	"errors"
	"time"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// Verdict is what a provider's server says of a key.
type Verdict string

// The verdicts.
const (
	Valid       Verdict = "valid"
	Refused     Verdict = "refused"      // the key is wrong, or may not do this
	NoNetwork   Verdict = "no_network"   // nobody answers
	RateLimited Verdict = "rate_limited" // too much was asked with it; it is a key
	NoModel     Verdict = "no_model"     // the key works, the model is not there
	Odd         Verdict = "odd"          // anything else, in the server's words
)

// Good reports whether there is nothing to decide: the key is one.
func (v Verdict) Good() bool { return v == Valid || v == RateLimited }

// Check is what came of asking a provider.
type Check struct {
	Verdict Verdict
	// Words are the server's own; they hold no key.
	Words string
	// Trouble is what keeps the network from reaching the server.
	Trouble transport.Trouble
	// Models are what the server has, where it tells.
	Models []string
	// Spent reports that a real question was asked, of a few tokens: the server
	// has no list of models.
	Spent bool
}

// patience bounds how long a server is waited for.
var patience = transport.Limits{Overall: 20 * time.Second, Idle: 10 * time.Second, MaxAnswer: 1 << 20}

// Verify asks a provider's server for its models, which costs nothing; where it
// has no such list, it asks the model for a word.
func Verify(ctx context.Context, spec catalog.Spec) Check {
	spec.Limits = patience
	models, err := catalog.Live(ctx, spec)
	if err == nil {
		return Check{Verdict: Valid, Models: models}
	}
	if !noList(err) {
		return judged(err)
	}
	c := ask(ctx, spec)
	c.Spent = true
	return c
}

// noList reports whether a server refuses the list of models and not the key.
func noList(err error) bool {
	var pe *providers.Error
	if !errors.As(err, &pe) {
		return false
	}
	return pe.Kind == providers.KindParse || pe.Kind == providers.KindModel || pe.Kind == providers.KindAPI && (pe.Status == 404 || pe.Status == 405 || pe.Status == 501)
}

// ask has the model say a word.
func ask(ctx context.Context, spec catalog.Spec) Check {
	model, err := catalog.Build(spec)
	if err != nil {
		return judged(err)
	}
	_, err = model.Complete(ctx, providers.Request{
		Messages:  []providers.Message{providers.UserText("hi")},
		MaxTokens: 16,
	}, nil)
	if err == nil || providers.KindOf(err) == providers.KindEmpty {
		return Check{Verdict: Valid}
	}
	return judged(err)
}

// judged sorts what went wrong.
func judged(err error) Check {
	c := Check{Verdict: Odd, Words: err.Error()}
	var pe *providers.Error
	if errors.As(err, &pe) && pe.Message != "" {
		c.Words = pe.Message
	}
	switch providers.KindOf(err) {
	case providers.KindAuth:
		c.Verdict = Refused
	case providers.KindNetwork:
		c.Verdict, c.Trouble = NoNetwork, transport.TroubleOf(err)
	case providers.KindRateLimit:
		c.Verdict = RateLimited
	case providers.KindModel:
		c.Verdict = NoModel
	}
	return c
}
