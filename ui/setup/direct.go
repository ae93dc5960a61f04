package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/providers/ollama"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// ErrUsage reports an invalid order, ErrNoKey one without the key that the provider requires.
var (
	ErrUsage = errors.New("invalid command line")
	ErrNoKey = errors.New("no key")
)

// wordedError is an error of a kind whose text is only the given words.
type wordedError struct {
	words string
	kind  error
}

func (e wordedError) Error() string { return e.words }
func (e wordedError) Unwrap() error { return e.kind }

// VerdictError reports that a provider rejected the key or another value.
type VerdictError struct {
	Check Check
	Words string // for the person
}

func (e *VerdictError) Error() string { return e.Words }

// Order is a request from the command line.
type Order struct {
	Answers
	ClaudeMode string // api or oauth; "" if the provider's name determines it
	NoVerify   bool
	Insecure   bool // allow sending a key over http:// to another computer
}

// IsEmpty reports whether the order changes nothing.
func (o Order) IsEmpty() bool {
	if len(o.Senders) > 0 {
		return false
	}
	o.Senders = nil
	return reflect.DeepEqual(o, Order{NoVerify: o.NoVerify, Insecure: o.Insecure})
}

// Direct makes a plan from an order without asking the person. It checks the key with the provider,
// unless the order disables that. It writes nothing. Its errors are [ErrUsage], [ErrNoKey], a
// [VerdictError], or report invalid settings.
func (s *Setup) Direct(ctx context.Context, o Order) (Plan, Check, error) {
	var c Check
	now, err := s.CurrentSettings()
	if err != nil {
		return Plan{}, c, err
	}
	a := o.Answers
	if a.Model != "" && !isModelID(a.Model) {
		return Plan{}, c, wordedError{"--model: " + s.say(i18n.SetupBadModel), ErrUsage}
	}
	if o.Provider != "" || o.Model != "" || o.Key != "" || o.BaseURL != "" || o.ClaudeMode != "" {
		a.Provider = cmp.Or(a.Provider, now.Provider)
		var e catalog.Entry
		if e, err = s.orderedProvider(a.Provider, o.ClaudeMode); err != nil {
			return Plan{}, c, err
		}
		a.Provider = e.Name
		if c, err = s.tryOrder(ctx, e, a, now, o); err != nil {
			return Plan{}, c, err
		}
	}
	p, err := s.Plan(a)
	return p, c, err
}

func (s *Setup) orderedProvider(name, mode string) (catalog.Entry, error) {
	e, ok := catalog.Lookup(name)
	if !ok || e.Dialect == catalog.DialectScripted {
		return e, wordedError{s.say(i18n.SetupUnknown(fmt.Sprintf("%q", name), strings.Join(Providers(), ", "))), ErrUsage}
	}
	switch {
	case mode == "oauth" && e.Name == "claude":
		e, _ = catalog.Lookup("claude-code")
	case mode == "api" && e.Name == "claude-code":
		e, _ = catalog.Lookup("claude")
	case mode != "" && e.Name != "claude" && e.Name != "claude-code":
		return e, wordedError{"--claude-mode: " + e.Name, ErrUsage}
	}
	return e, nil
}

// tryOrder checks that the order has everything the provider needs, and verifies it.
func (s *Setup) tryOrder(ctx context.Context, e catalog.Entry, a Answers, now Current, o Order) (Check, error) {
	if e.Dialect == catalog.DialectOffline || e.Dialect == catalog.DialectClaudeCode {
		return Check{}, nil
	}
	base := cmp.Or(a.BaseURL, now.BaseURLs[e.Name], e.Server(s.Getenv), e.BaseURL)
	if base == "" {
		return Check{}, wordedError{s.say(i18n.SetupNeedsUrl), ErrUsage}
	}
	if bad := serverProblem(base); !bad.IsZero() {
		return Check{}, wordedError{s.say(i18n.SetupBadServer(bad.In(s.Lang))), ErrUsage}
	}
	if cmp.Or(a.Model, now.Config.Providers[e.Name].Model, e.DefaultModel) == "" {
		return Check{}, wordedError{s.say(i18n.SetupNeedsName), ErrUsage}
	}
	key := a.Key
	if key == "" {
		key, _ = s.key(e)
	}
	if key == "" && !e.Keys.Optional && !transport.IsLoopback(base) {
		return Check{}, wordedError{s.say(i18n.SetupNeedsKey(shortLabel(e), strings.Join(e.Keys.Env, ", "))), ErrNoKey}
	}
	if host, clear := sendsUnencrypted(base, key); clear && !o.Insecure {
		return Check{}, wordedError{s.say(i18n.SetupInsecure(host)), ErrUsage}
	}
	if o.NoVerify {
		return Check{}, nil
	}
	c := s.VerifyAnswers(ctx, a, key)
	if !c.Verdict.IsGood() {
		return c, &VerdictError{Check: c, Words: s.FormatVerdict(e, key, c) + "\n" + s.say(i18n.SetupNoVerify)}
	}
	return c, nil
}

// LocalModels returns a function that lists the models of the local server. The first one is the
// one that [ollama.Find] would choose. Another user's server is ignored.
func LocalModels(client *http.Client, getenv func(string) string) func(context.Context) []string {
	return func(ctx context.Context) []string {
		e := catalog.LocalServer()
		server := cmp.Or(e.Server(getenv), ollama.DefaultServer)
		if !ollama.IsTrusted("/", server, os.Getuid()) {
			return nil
		}
		best, ok := ollama.Find(ctx, client, server)
		if !ok {
			return nil
		}
		names := []string{best.Name}
		ctx, cancel := context.WithTimeout(ctx, ollama.FindTimeout)
		defer cancel()
		all, _ := ollama.List(ctx, client, server) // only the best model if that fails
		for _, m := range all {
			if m.Name != best.Name {
				names = append(names, m.Name)
			}
		}
		return names
	}
}
