package daemon

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/catalog"
)

// ActiveModel describes which model would answer a question, as [Wiring.Build] chooses it.
type ActiveModel struct {
	Provider, Model string
	Why             catalog.Reason
	// Problem is why it cannot answer as configured, or nil.
	Problem error
	// Server is the address of its server, "" if it sends nothing or another program does.
	Server string
	spec   catalog.Spec
}

// ActiveModel returns the model that would answer under a configuration. It contacts only the model server on this
// computer and writes nothing.
func (w Wiring) ActiveModel(cfg config.Config) ActiveModel {
	m := w.models(cfg, "", homeDir(w.Getenv))
	chosen := m.chooseProvider()
	m.choice = chosen
	first := m.firstMember(chosen)
	a := ActiveModel{Provider: first.Model.Name(), Model: first.Model.ModelID(), Why: chosen.Reason, Problem: m.problem}
	p, entry := m.provider(chosen.Provider)
	if entry.Dialect == catalog.DialectClaudeCode {
		return a
	}
	a.Server = p.BaseURL
	if a.Server == "" {
		a.Server = entry.BaseURL
	}
	a.spec = m.registry().Spec(chosen.Provider)
	return a
}

// Ping asks the server for its list of models with the key, which costs no tokens. It returns nil if there is no
// server.
func (a ActiveModel) Ping(ctx context.Context) error {
	if a.Server == "" {
		return nil
	}
	spec := a.spec
	spec.Limits = askLimits
	_, err := catalog.ListModels(ctx, spec)
	var said *providers.Error
	if spec.BaseURL == "" && errors.As(err, &said) && (said.Status == http.StatusNotFound || said.Status == http.StatusMethodNotAllowed) {
		return nil // it answers, but has no list
	}
	return err
}

// Redactor removes every key that this program can know: the keys of providers, and the values that the
// configuration passes to other programs.
func (w Wiring) Redactor(cfg config.Config) *secret.Redactor {
	keys := slices.Clone(w.keys())
	for _, m := range cfg.MCP {
		for _, value := range m.Env {
			keys = append(keys, value)
		}
	}
	return secret.NewRedactor(keys)
}
