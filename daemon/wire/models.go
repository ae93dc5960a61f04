package wire

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/agent/usage"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/serve"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/providers/failover"
	"github.com/nidoit/blunux-ai/providers/offline"
	"github.com/nidoit/blunux-ai/providers/ollama"
	"github.com/nidoit/blunux-ai/providers/transport"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/elevation"
)

// registry returns the models that can be chosen.
func (m *models) registry() settings.Models {
	return settings.Models{
		Why: m.choice.Reason, Problem: m.problem, Key: m.key, CredentialHint: m.hint,
		Circuits: m.b.Process.Circuits, Tariff: m.tariff, Budget: m.budget,
		Spec: func(provider string) catalog.Spec {
			p, _ := m.provider(provider)
			return catalog.Spec{Provider: provider, BaseURL: p.BaseURL, AuthStyle: p.AuthStyle, Key: m.key, HTTPClient: m.b.Process.HTTPClient, Observer: m.b.Process.Observer}
		},
	}
}

// prices returns the prices of requests under the configuration, for the configured servers or those in the
// environment.
func (m *models) prices() catalog.Tariff {
	t := catalog.Tariff{Own: map[string]map[string]catalog.Price{}, BaseURLs: map[string]string{}}
	for _, e := range catalog.All() {
		if p, _ := m.provider(e.Name); p.BaseURL != "" {
			t.BaseURLs[e.Name] = p.BaseURL
		}
	}
	for name, p := range m.cfg.Providers {
		if p.BaseURL != "" {
			t.BaseURLs[name] = p.BaseURL
		}
		for model, price := range p.Prices {
			if t.Own[name] == nil {
				t.Own[name] = map[string]catalog.Price{}
			}
			t.Own[name][model] = catalog.Price{Input: price.Input, Cached: price.CachedOrInput(), Output: price.Output}
		}
	}
	return t
}

// newBudget returns the configured budget, or nil if there is no ledger. If the chosen model is free, the budget
// never stops requests.
func (b Builder) newBudget(cfg config.Config, free bool) *usage.Budget {
	if b.Process.Ledger == nil {
		return nil
	}
	limits := cfg.Budget
	return usage.NewBudget(b.Process.Ledger, usage.Limits{
		DailyUSD: usage.USD(limits.DailyUSD), DailyTokens: limits.DailyTokens, PerAutomationUSD: usage.USD(limits.PerAutomationUSD),
		WarnAt: *limits.WarnAt, Stop: limits.WhenReached == "stop" && !free,
	})
}

// models creates the models of one configuration.
type models struct {
	b          Builder
	cfg        config.Config
	lang, home string
	choice     catalog.Choice
	problem    error // why the chosen one cannot answer, or nil
	tariff     catalog.Tariff
	budget     *usage.Budget
	hint       string // the file for the chosen provider's key
	rights     tools.Rights
	misses     *offline.Misses
}

func (b Builder) models(cfg config.Config, lang, home string) *models {
	return &models{b: b, cfg: cfg, lang: lang, home: home, misses: &offline.Misses{
		Path: b.Paths.Misses(), Now: time.Now, HasSecret: func(text string) bool {
			r := secret.NewRedactor(b.keys())
			return r.RedactStrict(text) != text || len(r.StatedSecrets(text)) > 0
		},
	}}
}

// failoverLine returns the chosen model and those that replace it: ai_agent.fallback in its order, or the built-in
// helper.
func (m *models) failoverLine() (*failover.Line, error) {
	chosen := m.chooseProvider()
	names, err := m.fallback(chosen.Provider)
	if err != nil {
		return nil, err
	}
	m.choice, m.tariff = chosen, m.prices()
	members := []failover.Member{m.firstMember(chosen)}
	m.hint = m.credentialFile(chosen.Provider)
	m.budget = m.b.newBudget(m.cfg, m.tariff.IsFree(members[0].Name()))
	for _, name := range names {
		members = append(members, m.member(name, ""))
	}
	configuration := m.b.Fingerprint()
	m.b.Process.Circuits.SetConfiguration(string(configuration[:]))
	return failover.New(failover.Options{Members: members, Circuits: m.b.Process.Circuits, Online: m.online, CheckBudget: m.checkBudget}), nil
}

// chooseProvider returns the configured provider, or one that is available on this machine by a key, a login or a
// server.
func (m *models) chooseProvider() catalog.Choice {
	configured := m.b.Provider
	if configured == "" {
		configured = m.cfg.Agent.Provider
	}
	c := catalog.Detect(catalog.DetectInput{
		Configured: configured, Environment: m.b.Getenv("LLM_PROVIDER"),
		HasKey: func(k catalog.KeyNames) bool {
			key, err := m.key(k)
			return key != "" || err != nil // an unusable key is reported, not skipped
		},
		Claude: func() bool { return m.b.Process.Claude != nil && m.b.Process.Claude.LoggedIn() }, Local: m.findLocal,
	})
	c.Provider = m.resolveName(c.Provider)
	return c
}

// resolveName resolves a provider's name: claude_mode decides which Claude it means.
func (m *models) resolveName(name string) string {
	if baseOf(name) == "claude" && m.cfg.Agent.ClaudeMode == "oauth" {
		return "claude-code"
	}
	return name
}

// findLocal finds the model server on this computer.
func (m *models) findLocal() (model string, ok bool) {
	entry := catalog.LocalServer()
	server := entry.Server(m.b.Getenv)
	if server == "" {
		server = ollama.DefaultServer
	}
	if !ollama.IsTrusted("/", server, os.Getuid()) {
		return "", false
	}
	client := m.b.Process.HTTPClient
	if client == nil {
		client = http.DefaultClient
	}
	found, ok := ollama.Find(context.Background(), client, server)
	return found.Name, ok
}

// firstMember returns the member that the person chose. It is never a last resort.
func (m *models) firstMember(chosen catalog.Choice) failover.Member {
	model := m.cfg.Agent.Model
	if model == "" {
		model = chosen.Model
	}
	first := m.member(chosen.Provider, model)
	first.LastResort = false
	if none, ok := first.Model.(unconfigured); ok {
		m.problem = none.err
	}
	return first
}

// checkBudget checks a request against the person's budget.
func (m *models) checkBudget(ctx context.Context, to failover.Model) error {
	return m.budget.Check(to.Name(), m.tariff.IsFree(to.Name()), usage.AutomationFrom(ctx))
}

// fallback returns the providers after the chosen one, with the built-in helper last.
func (m *models) fallback(chosen string) ([]string, error) {
	list := m.cfg.Agent.Fallback
	if list == nil {
		list = []string{"offline"}
	}
	var names []string
	last := false
	seen := map[string]bool{baseOf(chosen): true}
	for _, name := range list {
		name = m.resolveName(name)
		base := baseOf(name)
		if _, known := catalog.Lookup(base); !known {
			return nil, fmt.Errorf("ai_agent.fallback: %w", &catalog.UnknownProviderError{Name: name})
		}
		switch {
		case seen[base]:
		case base == "offline":
			last = true
		default:
			names = append(names, name)
		}
		seen[base] = true
	}
	if last {
		names = append(names, "offline")
	}
	return names, nil
}

// baseOf returns a provider's catalog name, without the part after a colon.
func baseOf(name string) string {
	base, _, _ := strings.Cut(name, ":")
	if e, ok := catalog.Lookup(base); ok {
		return e.Name
	}
	return base
}

// member builds a model. If that fails, the member answers every question with the error, so that the rest of the
// daemon works.
func (m *models) member(name, model string) failover.Member {
	p, entry := m.provider(name)
	if model == "" {
		model = p.Model
	}
	built, err := catalog.Build(catalog.Spec{
		Provider: name, Model: model, BaseURL: p.BaseURL, AuthStyle: p.AuthStyle, TextCallMemory: m.b.Process.Written,
		Images: p.Images, TextTools: p.Tools == "text", MaxTokens: p.MaxTokens, Temperature: p.Temperature, Key: m.key, HTTPClient: m.b.Process.HTTPClient, Observer: m.b.Process.Observer, Limits: m.timeouts(entry),
		Offline: func() catalog.Model { return m.offline() }, Claude: m.claude(),
	})
	if err != nil {
		built = unconfigured{name: name, err: err}
	}
	return failover.Member{Model: built, Local: isNear(entry, p.BaseURL), LastResort: entry.Dialect == catalog.DialectOffline}
}

// ollamaFirst bounds the wait for the first byte of a model on this computer, which must be loaded into memory
// first.
const ollamaFirst = 120 * time.Second

// timeouts returns the timeouts for a provider's answer.
func (m *models) timeouts(e catalog.Entry) transport.Limits {
	l := transport.Limits{First: m.cfg.Limits.FirstByteDuration(), Idle: m.cfg.Limits.BetweenBytesDuration()}
	if l.First == 0 && e.Local {
		l.First = ollamaFirst
	}
	l.Overall = max(transport.DefaultOverall, l.First+l.Idle)
	return l
}

// isNear reports whether a provider can be reached without the internet.
func isNear(e catalog.Entry, base string) bool {
	if base == "" {
		base = e.BaseURL
	}
	return e.Dialect != catalog.DialectClaudeCode && (base == "" || transport.IsLocalNetwork(base))
}

// claude returns a constructor for models of the installed claude, or nil.
func (m *models) claude() func(string) catalog.Model {
	if m.b.Process.Claude == nil {
		return nil
	}
	return func(id string) catalog.Model {
		if id == "default" {
			id = ""
		}
		return m.b.Process.Claude.Model("claude-code", id)
	}
}

// provider returns the configuration and the catalog entry of a provider. Its server is the configured one, or the
// one in the environment.
func (m *models) provider(name string) (config.Provider, catalog.Entry) {
	p := m.cfg.Providers[baseOf(name)]
	entry, _ := catalog.Lookup(baseOf(name))
	if p.BaseURL == "" {
		p.BaseURL = entry.Server(m.b.Getenv)
	}
	return p, entry
}

// key returns a provider's key, "" if there is none.
func (m *models) key(k catalog.KeyNames) (string, error) {
	key, err := m.b.credentials().Key(k.Credential, k.Env...)
	if errors.Is(err, config.ErrNoCredential) {
		return "", nil
	}
	return key, err
}

func (m *models) credentialFile(name string) string {
	entry, _ := catalog.Lookup(baseOf(name))
	return filepath.Join(m.b.Paths.Credentials(), entry.Keys.Credential)
}

// context returns the size of a model's context window, in tokens.
func (m *models) context(provider, model string) int {
	entry, _ := catalog.Lookup(provider)
	return entry.Info(model, catalog.Override{Context: m.cfg.Providers[provider].Context}).Context
}

// online reports whether servers elsewhere can be reached. A proxy may work without a default route.
func (m *models) online() bool {
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"} {
		if m.b.Getenv(name) != "" {
			return true
		}
	}
	return transport.HasDefaultRoute("/")
}

// offline returns the built-in helper with the person's own words.
func (m *models) offline() *offline.Model {
	return offline.New(offline.Options{
		Lang: m.lang, Home: m.home, UserFiles: os.DirFS(m.b.Paths.Offline()), Warn: m.warnBadLine, NoRights: m.noRights,
		Missed: m.noteMiss,
	})
}

// searchHelper returns the built-in helper for search fields, whose words are not kept.
func (m *models) searchHelper() *offline.Model {
	return offline.New(offline.Options{
		Lang: m.lang, Home: m.home, UserFiles: os.DirFS(m.b.Paths.Offline()), Warn: m.warnBadLine, NoRights: m.noRights,
	})
}

// noteMiss keeps a request that the helper did not understand.
func (m *models) noteMiss(text string) {
	if err := m.misses.Add(text); err != nil && m.b.Warn != nil {
		m.b.Warn(err)
	}
}

// summariser returns the model that summarises long conversations. It returns nil, which means summaries by rules,
// if the model is the built-in helper.
func summariser(model agent.Model) agent.Model {
	if model.Name() == "offline" {
		return nil
	}
	return model
}

// unconfigured is a placeholder for a model that cannot be built.
type unconfigured struct {
	name string
	err  error
}

func (u unconfigured) Name() string { return u.name }

func (u unconfigured) ModelID() string { return "" }

// Complete returns why there is no model.
func (u unconfigured) Complete(context.Context, providers.Request, func(string)) (providers.Completion, error) {
	return providers.Completion{}, fmt.Errorf("%w: %w", settings.ErrNoModel, u.err)
}

// warnBadLine reports an invalid line of the person's own words.
func (m *models) warnBadLine(err error) {
	if m.b.Warn != nil {
		m.b.Warn(fmt.Errorf("cannot use a line of the built-in helper's own words: %w; list all: blunux-ai doctor --offline", err))
	}
}

// noRights reports whether commands cannot get root rights here, and for units whether polkit does not let the
// person manage them either.
func (m *models) noRights(units bool) bool {
	if m.rights == nil {
		return false
	}
	ctx := context.Background() // the ladder bounds its own checks
	if m.rights.Status(ctx).Rung != elevation.None {
		return false
	}
	return !units || !m.rights.CanManageUnits(ctx, false)
}

// ActiveModel describes which model would answer a question, as [Builder.Build] chooses it.
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
func (b Builder) ActiveModel(cfg config.Config) ActiveModel {
	m := b.models(cfg, "", config.HomeDir(b.Getenv))
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
	spec.Limits = serve.ListLimits
	_, err := catalog.ListModels(ctx, spec)
	var said *providers.Error
	if spec.BaseURL == "" && errors.As(err, &said) && (said.Status == http.StatusNotFound || said.Status == http.StatusMethodNotAllowed) {
		return nil // it answers, but has no list
	}
	return err
}

// Redactor removes every key that this program can know: the keys of providers, and the values that the
// configuration passes to other programs.
func (s Sources) Redactor(cfg config.Config) *secret.Redactor {
	keys := slices.Clone(s.keys())
	for _, m := range cfg.MCP {
		for _, value := range m.Env {
			keys = append(keys, value)
		}
	}
	return secret.NewRedactor(keys)
}
