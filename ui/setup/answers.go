package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/text/width"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/channel"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/providers/ollama"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// Answers is what the person wants. Empty and nil fields keep the current values.
type Answers struct {
	Provider string // catalog name; "claude-code" is Claude by subscription
	Model    string // "default" is the provider's default model
	BaseURL  string // of the provider's server
	Key      string // the provider's, to save in a file
	Language string // auto, ko, en or zh

	// Senders lists who may write, by channel; telephone numbers are in the format of [Number].
	Senders map[string][]string

	Automations *bool
}

// Current has the effective settings in the same fields.
type Current struct {
	Provider, Model, Language string
	BaseURLs                  map[string]string   // by provider
	Senders                   map[string][]string // by channel
	Automations               bool
	// Configured reports that a provider was chosen.
	Configured bool
	Config     config.Config
}

// CurrentSettings reads the effective settings. It fails if the settings are invalid.
func (s *Setup) CurrentSettings() (Current, error) {
	c, err := config.Load(s.Source)
	if err != nil {
		return Current{}, err
	}
	now := Current{
		Provider: c.Agent.Provider, Model: c.Agent.Model, Language: c.Agent.Language,
		Automations: c.AutomationsEnabled(), BaseURLs: map[string]string{}, Senders: map[string][]string{}, Config: c,
	}
	for _, ch := range channel.All() {
		now.Senders[ch.Name] = *c.Senders(ch.Name)
	}
	if e, ok := catalog.Lookup(now.Provider); ok {
		now.Provider = e.Name
	}
	if now.Provider == "claude" && c.Agent.ClaudeMode == "oauth" {
		now.Provider = "claude-code"
	}
	now.Configured = now.Provider != "" && now.Provider != "auto"
	now.Language = cmp.Or(now.Language, "auto")
	for name, p := range c.Providers {
		now.BaseURLs[name] = p.BaseURL
	}
	return now, nil
}

// changed returns the answers without those that equal the current values.
func (a Answers) changed(now Current) Answers {
	a.Senders = maps.Clone(a.Senders)
	maps.DeleteFunc(a.Senders, func(name string, want []string) bool { return slices.Equal(want, now.Senders[name]) })
	if a.Automations != nil && *a.Automations == now.Automations {
		a.Automations = nil
	}
	if a.Language == now.Language {
		a.Language = ""
	}
	return a
}

// settingChange is a value for a setting; nil removes the person's own value.
type settingChange struct {
	path  []string
	value any
}

func (a Answers) toSettings(now Current) []settingChange {
	var all []settingChange
	want := func(value any, path ...string) { all = append(all, settingChange{path, value}) }
	if a.Provider != "" {
		name, mode := a.Provider, ""
		switch a.Provider {
		case "claude":
			mode = "api"
		case "claude-code":
			name, mode = "claude", "oauth"
		}
		want(name, "ai_agent", "provider")
		if mode != "" {
			want(mode, "ai_agent", "claude_mode")
		}
		if a.Model == "" && a.Provider != now.Provider {
			a.Model = "default" // the former model does not belong to this provider
		}
		if a.BaseURL != "" {
			want(a.BaseURL, "providers", a.Provider, "base_url")
		}
	}
	if a.Model != "" {
		want(a.model(now), "ai_agent", "model")
	}
	if a.Language != "" {
		want(a.Language, "ai_agent", "language")
	}
	for _, ch := range channel.All() {
		if ids, ok := a.Senders[ch.Name]; ok {
			want(toAny(ids), ch.Name, ch.Senders)
		}
	}
	if a.Automations != nil {
		want(*a.Automations, "automations", "enabled")
	}
	return all
}

// model returns the value for the model's setting. It names the provider's default model only if
// another model would apply otherwise.
func (a Answers) model(now Current) any {
	provider := cmp.Or(a.Provider, now.Provider)
	e, _ := catalog.Lookup(provider)
	if a.Model == "default" || a.Model == e.DefaultModel {
		if e.DefaultModel != "" && now.Config.Providers[provider].Model == "" {
			return defaultModel(e.DefaultModel)
		}
		return nil
	}
	return a.Model
}

// defaultModel is a provider's default model. It is written only if the files below name another model.
type defaultModel string

func toAny(list []string) []any {
	all := []any{}
	for _, v := range list {
		all = append(all, v)
	}
	return all
}

// Errors of parsing a telephone number.
var (
	ErrNumber  = errors.New("not a telephone number")
	ErrCountry = errors.New("telephone number without a country code")
)

// Number normalizes a telephone number to ITU-T E.164: a plus sign and at most 15 digits that start
// with the country code. It accepts common notations: blanks, dashes, dots, brackets, 00 for the
// plus sign, "(0)", a WhatsApp address. country is the calling code for numbers that start with 0,
// or "" if unknown. Its errors are [ErrNumber] and [ErrCountry].
func Number(text, country string) (string, error) {
	text = strings.TrimSpace(width.Fold.String(text))
	text, _, _ = strings.Cut(text, "@")
	text = strings.Replace(text, "(0)", "", 1)
	digits, err := onlyDigits(text)
	if err != nil {
		return "", err
	}
	international := strings.HasPrefix(text, "+")
	if rest, ok := strings.CutPrefix(digits, "00"); ok && !international {
		digits, international = rest, true
	}
	switch {
	case international:
		if rest, ok := strings.CutPrefix(digits, country+"0"); ok && country != "" { // +82 010-1234-5678
			digits = country + rest
		}
	case country != "" && (strings.HasPrefix(digits, "0") || country == "1" && len(digits) == 10):
		digits = country + strings.TrimPrefix(digits, "0")
	case strings.HasPrefix(digits, "0") || len(digits) < 10:
		return "", ErrCountry
	}
	if len(digits) < 7 || len(digits) > 15 || digits[0] == '0' {
		return "", ErrNumber
	}
	return "+" + digits, nil
}

// onlyDigits removes separators between digits.
func onlyDigits(text string) (string, error) {
	var b strings.Builder
	for i, r := range text {
		switch {
		case r >= '0' && r <= '9':
			b.WriteRune(r)
		case r == '+' && i == 0, strings.ContainsRune(" -.()/\u00a0\u2010\u2011\u2013", r):
		default:
			return "", ErrNumber
		}
	}
	if b.Len() == 0 {
		return "", ErrNumber
	}
	return b.String(), nil
}

// CallingCode returns the calling code of a locale's country (ITU-T E.164, list of assigned codes): 82 for ko_KR.UTF-8.
// It returns "" for unknown countries and for those whose numbers keep the leading 0.
func CallingCode(locales ...string) string {
	codes := map[string]string{
		"KR": "82", "JP": "81", "CN": "86", "TW": "886", "HK": "852", "SG": "65", "US": "1", "CA": "1", "GB": "44",
		"DE": "49", "FR": "33", "ES": "34", "NL": "31", "IN": "91", "VN": "84", "TH": "66", "AU": "61",
	}
	for _, locale := range locales {
		_, territory, _ := strings.Cut(locale, "_")
		territory, _, _ = strings.Cut(territory, ".")
		if code := codes[territory]; code != "" {
			return code
		}
	}
	return ""
}

// Numbers parses several numbers, separated by commas or semicolons, and removes duplicates. at is
// the text that caused err.
func Numbers(text, country string) (numbers []string, at string, err error) {
	return parseList(text, func(s string) (string, error) { return Number(s, country) })
}

// IDs parses several IDs of a messenger. right reports whether an ID is valid.
func IDs(text string, right func(string) bool) (ids []string, at string, err error) {
	return parseList(text, func(s string) (string, error) {
		if !right(s) {
			return "", ErrNumber
		}
		return s, nil
	})
}

func parseList(text string, one func(string) (string, error)) (all []string, at string, err error) {
	all = []string{}
	seen := map[string]bool{}
	for piece := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(",;、，\n", r) }) {
		if piece = strings.TrimSpace(piece); piece == "" {
			continue
		}
		got, err := one(piece)
		if err != nil {
			return nil, piece, err
		}
		if !seen[got] {
			seen[got] = true
			all = append(all, got)
		}
	}
	return all, "", nil
}

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
