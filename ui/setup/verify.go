package setup

import (
	"context"
	"errors"
	"time"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// Verdict is the result of verifying a key.
type Verdict string

// The verdicts.
const (
	Valid       Verdict = "valid"
	Refused     Verdict = "refused"      // the key is invalid or has no permission
	NoNetwork   Verdict = "no_network"   // the server cannot be reached
	RateLimited Verdict = "rate_limited" // too many requests; the key is valid
	NoModel     Verdict = "no_model"     // the key is valid, the model does not exist
	Odd         Verdict = "odd"          // another error, with the server's message
)

// IsGood reports whether the key is valid.
func (v Verdict) IsGood() bool { return v == Valid || v == RateLimited }

// Check is the result of verifying a provider.
type Check struct {
	Verdict Verdict
	// Words is the server's message, without the key.
	Words string
	// Trouble is why the server cannot be reached.
	Trouble transport.Failure
	// Models are the server's models, if it lists them.
	Models []string
	// Spent reports that a short question was sent, because the server does not list its models.
	Spent bool
}

// verifyLimits limits the verification.
var verifyLimits = transport.Limits{Overall: 20 * time.Second, Idle: 10 * time.Second, MaxAnswer: 1 << 20}

// Verify requests the list of models from a provider's server, which is free. If there is no such
// list, it sends a short question.
func Verify(ctx context.Context, spec catalog.Spec) Check {
	spec.Limits = verifyLimits
	models, err := catalog.ListModels(ctx, spec)
	if err == nil {
		return Check{Verdict: Valid, Models: models}
	}
	if !hasNoModelList(err) {
		return checkOf(err)
	}
	c := askModel(ctx, spec)
	c.Spent = true
	return c
}

// hasNoModelList reports whether a server rejects listing models but not the key.
func hasNoModelList(err error) bool {
	var pe *providers.Error
	if !errors.As(err, &pe) {
		return false
	}
	return pe.Kind == providers.KindParse || pe.Kind == providers.KindModel || pe.Kind == providers.KindAPI && (pe.Status == 404 || pe.Status == 405 || pe.Status == 501)
}

// askModel sends a short question to the model.
func askModel(ctx context.Context, spec catalog.Spec) Check {
	model, err := catalog.Build(spec)
	if err != nil {
		return checkOf(err)
	}
	_, err = model.Complete(ctx, providers.Request{
		Messages:  []providers.Message{providers.UserText("hi")},
		MaxTokens: 16,
	}, nil)
	if err == nil || providers.KindOf(err) == providers.KindEmpty {
		return Check{Verdict: Valid}
	}
	return checkOf(err)
}

// checkOf converts an error to a check.
func checkOf(err error) Check {
	c := Check{Verdict: Odd, Words: err.Error()}
	var pe *providers.Error
	if errors.As(err, &pe) && pe.Message != "" {
		c.Words = pe.Message
	}
	switch providers.KindOf(err) {
	case providers.KindAuth:
		c.Verdict = Refused
	case providers.KindNetwork:
		c.Verdict, c.Trouble = NoNetwork, transport.FailureOf(err)
	case providers.KindRateLimit:
		c.Verdict = RateLimited
	case providers.KindModel:
		c.Verdict = NoModel
	}
	return c
}
