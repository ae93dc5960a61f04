package setup

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/providers/ollama"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// ErrUsage reports an order that makes no sense as it is, and ErrNoKey one that
// lacks the key the provider needs.
var (
	ErrUsage = errors.New("cannot be done like this")
	ErrNoKey = errors.New("no key")
)

// saying is an error of a kind, in the person's words alone.
type saying struct {
	words string
	kind  error
}

func (e saying) Error() string { return e.words }
func (e saying) Unwrap() error { return e.kind }

// VerdictError reports a provider that did not take what it was given.
type VerdictError struct {
	Check Check
	Words string // for the person
}

func (e *VerdictError) Error() string { return e.Words }

// Order is what a command line asks for.
type Order struct {
	Answers
	ClaudeMode string // api or oauth; "" as the provider's name says
	NoVerify   bool
	Insecure   bool // a key may go over http:// to another computer
}

// Direct finds out what an order means, without asking the person. The provider is
// asked whether it takes the key, unless the order says otherwise. Errors are of
// [ErrUsage], [ErrNoKey] or a [VerdictError], or say why the settings cannot be
// used. Nothing is written.
func (s *Setup) Direct(ctx context.Context, o Order) (Plan, Check, error) {
	var c Check
	now, err := s.Now()
	if err != nil {
		return Plan{}, c, err
	}
	a := o.Answers
	if a.Model != "" && !goodModel(a.Model) {
		return Plan{}, c, saying{"--model: " + s.say(i18n.SetupBadModel), ErrUsage}
	}
	if o.touchesProvider() {
		if a.Provider == "" {
			a.Provider = now.Provider
		}
		var e catalog.Entry
		if e, err = s.ordered(a.Provider, o.ClaudeMode); err != nil {
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

// touchesProvider reports whether it matters who answers.
func (o Order) touchesProvider() bool {
	return o.Provider != "" || o.Model != "" || o.Key != "" || o.BaseURL != "" || o.ClaudeMode != ""
}

// ordered is the provider an order means.
func (s *Setup) ordered(name, mode string) (catalog.Entry, error) {
	e, ok := catalog.Lookup(name)
	if !ok || e.Dialect == catalog.DialectScripted {
		return e, saying{s.say(i18n.SetupUnknown, fmt.Sprintf("%q", name), Providers()), ErrUsage}
	}
	switch {
	case mode == "oauth" && e.Name == "claude":
		e, _ = catalog.Lookup("claude-code")
	case mode == "api" && e.Name == "claude-code":
		e, _ = catalog.Lookup("claude")
	case mode != "" && e.Name != "claude" && e.Name != "claude-code":
		return e, saying{"--claude-mode: " + e.Name, ErrUsage}
	}
	return e, nil
}

// tryOrder sees whether everything is there that a provider needs, and asks it.
func (s *Setup) tryOrder(ctx context.Context, e catalog.Entry, a Answers, now Current, o Order) (Check, error) {
	if e.Dialect == catalog.DialectOffline || e.Dialect == catalog.DialectClaudeCode {
		return Check{}, nil
	}
	base := firstOf(a.BaseURL, now.BaseURLs[e.Name], e.Server(s.Getenv), e.BaseURL)
	if base == "" {
		return Check{}, saying{s.say(i18n.SetupNeedsURL), ErrUsage}
	}
	if bad := badServer(base); !bad.IsZero() {
		return Check{}, saying{s.say(i18n.SetupBadServer, bad.In(s.Lang)), ErrUsage}
	}
	if firstOf(a.Model, now.Config.Providers[e.Name].Model, e.DefaultModel) == "" {
		return Check{}, saying{s.say(i18n.SetupNeedsName), ErrUsage}
	}
	key := a.Key
	if key == "" {
		key, _ = s.key(e)
	}
	if key == "" && !e.Keys.Optional && !transport.Loopback(base) {
		return Check{}, saying{s.say(i18n.SetupNeedsKey, shortLabel(e), strings.Join(e.Keys.Env, ", ")), ErrNoKey}
	}
	if host, clear := inClear(base, key); clear && !o.Insecure {
		return Check{}, saying{s.say(i18n.SetupInsecure, host), ErrUsage}
	}
	if o.NoVerify {
		return Check{}, nil
	}
	c := s.Try(ctx, a, key)
	if !c.Verdict.Good() {
		return c, &VerdictError{Check: c, Words: s.Told(e, key, c) + "\n" + s.say(i18n.SetupNoVerify)}
	}
	return c, nil
}

// LocalModels returns what lists the models of the server on this computer: the
// one that [ollama.Find] would take first. Another person's server is passed
// over.
func LocalModels(client *http.Client, getenv func(string) string) func(context.Context) []string {
	return func(ctx context.Context) []string {
		e, _ := catalog.Lookup("ollama")
		server := firstOf(e.Server(getenv), ollama.DefaultServer)
		if !ollama.Trusted("/", server, os.Getuid()) {
			return nil
		}
		best, ok := ollama.Find(ctx, client, server)
		if !ok {
			return nil
		}
		names := []string{best.Name}
		ctx, cancel := context.WithTimeout(ctx, ollama.Patience)
		defer cancel()
		all, _ := ollama.List(ctx, client, server) // the best alone, where that fails
		for _, m := range all {
			if m.Name != best.Name {
				names = append(names, m.Name)
			}
		}
		return names
	}
}
