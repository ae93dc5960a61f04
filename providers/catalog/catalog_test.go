package catalog_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/providers/openai"
	"github.com/nidoit/blunux-ai/providers/transport"
	"github.com/nidoit/blunux-ai/test/providertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func withKey(key string) func(catalog.KeyNames) (string, error) {
	return func(catalog.KeyNames) (string, error) { return key, nil }
}

func TestTableIsSound(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range catalog.All() {
		for _, name := range append([]string{e.Name}, e.Aliases...) {
			require.False(t, seen[name], "%s stands for two providers", name)
			seen[name] = true
			found, ok := catalog.Lookup(" " + name + " ")
			require.True(t, ok)
			require.Equal(t, e.Name, found.Name)
		}
		require.NotEmpty(t, e.Label)
		if e.BaseURL == "" {
			continue
		}
		u, err := transport.BaseURL(e.BaseURL)
		require.NoError(t, err)
		require.Equal(t, e.BaseURL, u.String())
		require.NotEmpty(t, e.DefaultModel)
		require.NotEmpty(t, e.Keys.Env)
		require.NotEmpty(t, e.Keys.Credential)
		if !transport.IsLoopback(e.BaseURL) {
			require.Equal(t, "https", u.Scheme)
			require.NotEmpty(t, e.KeyURL)
			require.False(t, e.Keys.Optional)
		}
	}
	require.Equal(t, []string{"claude", "claude-code", "deepseek", "openai", "glm", "glm-coding", "minimax", "gemini", "ollama", "custom", "offline", "scripted"}, catalog.Names())
}

func TestSeedModelsAreKnown(t *testing.T) {
	for provider, ids := range map[string][]string{
		"claude": {"claude-sonnet-4-6", "claude-opus-4-6"}, "deepseek": {"deepseek-chat", "deepseek-coder"},
		"openai": {"gpt-4o"}, "glm": {"glm-4.7-flash"},
	} {
		e, _ := catalog.Lookup(provider)
		require.Equal(t, ids[0], e.DefaultModel)
		for _, id := range ids {
			require.Positive(t, e.ContextOf(id), id)
		}
		require.Equal(t, e.Context, e.ContextOf("a-model-of-tomorrow"))
	}
}

func TestDetect(t *testing.T) {
	yes := func() bool { return true }
	local := func() (string, bool) { return "qwen3:8b", true }
	for name, c := range map[string]struct {
		configured, environment string
		keys                    []string
		claude                  func() bool
		local                   func() (string, bool)
		want                    catalog.Choice
	}{
		"configured wins":                   {"glm", "openai", []string{"ANTHROPIC_API_KEY"}, yes, local, catalog.Choice{Provider: "glm", Reason: catalog.ReasonConfigured}},
		"then LLM_PROVIDER":                 {"auto", " openai ", []string{"ANTHROPIC_API_KEY"}, yes, local, catalog.Choice{Provider: "openai", Reason: catalog.ReasonEnvironment}},
		"then a key, in the table's order":  {"", "auto", []string{"OPENAI_API_KEY", "DEEPSEEK_API_KEY"}, yes, local, catalog.Choice{Provider: "deepseek", Reason: catalog.ReasonKey}},
		"claude before all":                 {"auto", "", []string{"OPENAI_API_KEY", "ANTHROPIC_API_KEY"}, nil, nil, catalog.Choice{Provider: "claude", Reason: catalog.ReasonKey}},
		"the legacy name of a key":          {"", "", []string{"GLM_API_KEY"}, nil, nil, catalog.Choice{Provider: "glm", Reason: catalog.ReasonKey}},
		"then the one logged in to":         {"", "", nil, yes, local, catalog.Choice{Provider: "claude-code", Reason: catalog.ReasonLogin}},
		"then the server here":              {"", "", nil, func() bool { return false }, local, catalog.Choice{Provider: "ollama", Model: "qwen3:8b", Reason: catalog.ReasonLocal}},
		"a local server's key is no reason": {"", "", []string{"OLLAMA_API_KEY", "BLUNUX_AI_API_KEY"}, nil, func() (string, bool) { return "", false }, catalog.Choice{Provider: "offline", Reason: catalog.ReasonFallback}},
		"nothing at all":                    {"", "", nil, nil, nil, catalog.Choice{Provider: "offline", Reason: catalog.ReasonFallback}},
		"even if nobody knows it":           {"nope", "", nil, nil, nil, catalog.Choice{Provider: "nope", Reason: catalog.ReasonConfigured}},
	} {
		t.Run(name, func(t *testing.T) {
			got := catalog.Detect(catalog.DetectInput{
				Configured: c.configured, Environment: c.environment, Claude: c.claude, Local: c.local,
				HasKey: func(k catalog.KeyNames) bool {
					return slices.ContainsFunc(k.Env, func(env string) bool { return slices.Contains(c.keys, env) })
				},
			})
			require.Equal(t, c.want, got)
		})
	}
	require.Equal(t, "offline", catalog.Detect(catalog.DetectInput{}).Provider)
}

func TestTheEnvironmentNamesServers(t *testing.T) {
	for _, c := range []struct{ provider, name, value, want string }{
		{"openai", "OPENAI_BASE_URL", " http://127.0.0.1:1/v1 ", "http://127.0.0.1:1/v1"},
		{"claude", "ANTHROPIC_BASE_URL", "https://proxy.test", "https://proxy.test"},
		{"glm", "ZAI_BASE_URL", "https://open.bigmodel.cn/api/paas/v4/", "https://open.bigmodel.cn/api/paas/v4/"},
		{"glm-coding", "ZAI_CODING_BASE_URL", "https://api.z.ai/api/coding/paas/v4/", "https://api.z.ai/api/coding/paas/v4/"},
		{"glm-coding", "ZAI_BASE_URL", "https://elsewhere.test", ""},
		{"ollama", "OLLAMA_HOST", "10.0.0.5", "http://10.0.0.5:11434/v1"},
		{"ollama", "OLLAMA_HOST", "0.0.0.0:4000", "http://127.0.0.1:4000/v1"},
		{"ollama", "OLLAMA_HOST", ":4000", "http://127.0.0.1:4000/v1"},
		{"ollama", "OLLAMA_HOST", "[::1]:4000", "http://[::1]:4000/v1"},
		{"ollama", "OLLAMA_HOST", "::", "http://127.0.0.1:11434/v1"},
		{"ollama", "OLLAMA_HOST", "https://ollama.test", "https://ollama.test:443/v1"},
		{"ollama", "OLLAMA_HOST", "http://host:1/ollama/v1/", "http://host:1/ollama/v1"},
		{"custom", "OPENAI_BASE_URL", "https://x.test", ""},
	} {
		e, ok := catalog.Lookup(c.provider)
		require.True(t, ok)
		got := e.Server(func(name string) string {
			if name == c.name {
				return c.value
			}
			return ""
		})
		require.Equal(t, c.want, got, "%s=%s", c.name, c.value)
		if got != "" {
			_, err := transport.BaseURL(got)
			require.NoError(t, err)
		}
	}
}

func TestEveryModelHasAContextAndADatedPrice(t *testing.T) {
	for _, e := range catalog.All() {
		ids := map[string]bool{}
		for _, m := range e.Models {
			require.False(t, ids[m.ID], m.ID)
			ids[m.ID] = true
			require.Positive(t, m.Context, m.ID)
			if e.Subscription {
				require.Zero(t, m.Price, "%s is paid by a plan", m.ID)
				continue
			}
			_, err := time.Parse(time.DateOnly, m.Price.AsOf)
			require.NoError(t, err, m.ID)
			require.Positive(t, m.Price.Input, m.ID)
			require.GreaterOrEqual(t, m.Price.Output, m.Price.Input, m.ID)
			require.LessOrEqual(t, m.Price.Cached, m.Price.Input, m.ID)
		}
		if len(e.Models) > 0 {
			require.True(t, ids[e.DefaultModel], e.Name)
		}
	}
}

func TestThePersonKnowsBetter(t *testing.T) {
	no := false
	e, _ := catalog.Lookup("openai")
	better := e.Info("gpt-4o", catalog.Override{Context: 8000, Images: &no})
	require.Equal(t, 8000, better.Context)
	require.False(t, better.Images)
	require.Equal(t, 2.5, better.Price.Input, "prices are the tariff's")
	known, _ := e.Find("gpt-4o")
	require.Equal(t, known, e.Info("gpt-4o", catalog.Override{}))
}

// Gemini's own dialect is used at its own address and that of its proxies. The compatible dialect is used if
// the path says so.
func TestGeminiSpeaksWhatItsAddressSays(t *testing.T) {
	client := transport.NewHTTPClient()
	t.Cleanup(client.CloseIdleConnections)
	var path, header string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		path, header = r.URL.Path, r.Header.Get("Authorization")+r.Header.Get("X-Goog-Api-Key")
	}))
	t.Cleanup(server.Close)
	for base, want := range map[string][2]string{
		"": {"/v1beta/models/gemini-2.5-flash:streamGenerateContent", "k1"}, "/v1beta/openai": {"/v1beta/openai/chat/completions", "Bearer k1"},
		"/v1beta/openai/": {"/v1beta/openai/chat/completions", "Bearer k1"}, "/v1beta/openai/chat/completions": {"/v1beta/openai/chat/completions", "Bearer k1"},
	} {
		m, err := catalog.Build(catalog.Spec{Provider: "gemini", BaseURL: server.URL + base, Key: withKey("k1"), HTTPClient: client})
		require.NoError(t, err)
		_, err = m.Complete(context.Background(), providers.Request{Messages: []providers.Message{providers.UserText("?")}}, nil)
		require.Error(t, err)
		require.Equal(t, want, [2]string{path, header}, base)
	}
}

func TestEveryWireProviderBuildsWithItsDefaults(t *testing.T) {
	for _, e := range catalog.All() {
		if e.BaseURL == "" {
			continue
		}
		m, err := catalog.Build(catalog.Spec{Provider: e.Name, Key: withKey(providertest.Key)})
		require.NoError(t, err)
		require.Equal(t, e.Name, m.Name())
		require.Equal(t, e.DefaultModel, m.ModelID())
	}
}

func TestAMissingKeyNamesItsPlacesAndTheFix(t *testing.T) {
	for _, key := range []func(catalog.KeyNames) (string, error){nil, withKey(" \n")} {
		_, err := catalog.Build(catalog.Spec{Provider: "glm", Key: key})
		var missing *catalog.MissingKeyError
		require.ErrorAs(t, err, &missing)
		require.Equal(t, "glm needs an API key: set ZAI_API_KEY or GLM_API_KEY, or put the key in credentials/glm (mode 0600)", err.Error())
		require.ErrorIs(t, err, catalog.ErrNotConfigured)
		require.Equal(t, providers.KindAuth, providers.KindOf(err))
		require.NotEmpty(t, missing.KeyURL)
	}
}

func TestBuildRefusesWhatCannotWork(t *testing.T) {
	for name, c := range map[string]struct {
		spec catalog.Spec
		want string
	}{
		"unknown":             {catalog.Spec{Provider: "hal"}, `unknown provider "hal"; available: claude, claude-code, deepseek, openai, glm, glm-coding, minimax, gemini, ollama, custom, offline, scripted`},
		"file for a wire":     {catalog.Spec{Provider: "claude:x"}, `unknown provider "claude:x"`},
		"custom without url":  {catalog.Spec{Provider: "custom", Model: "m"}, "custom: not configured: set base_url in [providers.custom]"},
		"custom without id":   {catalog.Spec{Provider: "custom", BaseURL: "http://127.0.0.1:1"}, "custom: not configured: set model in [providers.custom]"},
		"scripted, no file":   {catalog.Spec{Provider: "scripted"}, "scripted: not configured: name the script"},
		"script not there":    {catalog.Spec{Provider: "scripted:nope.toml"}, "cannot read the script"},
		"no built-in helper":  {catalog.Spec{Provider: "offline"}, "offline: not configured"},
		"auth style":          {catalog.Spec{Provider: "ollama", AuthStyle: "basic"}, `unknown auth_style "basic"`},
		"key of two lines":    {catalog.Spec{Provider: "openai", Key: withKey("sk-1\nsk-2")}, "the key contains blanks"},
		"key cannot be read":  {catalog.Spec{Provider: "openai", Key: func(catalog.KeyNames) (string, error) { return "", errors.New("mode 0644") }}, "cannot read the key of openai: mode 0644"},
		"base url of nothing": {catalog.Spec{Provider: "ollama", BaseURL: "127.0.0.1:11434"}, "base_url"},
		"password in the url": {catalog.Spec{Provider: "ollama", BaseURL: "http://u:secretword@h/v1"}, "contains a user name or password"},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := catalog.Build(c.spec)
			require.Nil(t, m)
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "secretword")
		})
	}
}

func TestBuildScriptedAndOffline(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b.toml")
	require.NoError(t, os.WriteFile(path, []byte("[[step]]\ntext = 'hi'\n"), 0o600))
	m, err := catalog.Build(catalog.Spec{Provider: "scripted:" + path})
	require.NoError(t, err)
	require.Equal(t, "a b.toml", m.ModelID())
	m, err = catalog.Build(catalog.Spec{Provider: "Offline", Offline: func() catalog.Model { return m }})
	require.NoError(t, err)
	require.Equal(t, "scripted", m.Name())
}

// Sends one question to each dialect through Build, as the daemon does.
func TestBuiltModelsAnswer(t *testing.T) {
	client := transport.NewHTTPClient()
	t.Cleanup(client.CloseIdleConnections)
	temperature := 0.2
	script := providertest.Replies(providertest.Reply{Text: []string{"네, ", "돼요."}})
	claude, chat := providertest.Anthropic(t, script), providertest.ChatCompletions(t, script)
	for provider, server := range map[string]*providertest.Server{"claude": claude, "minimax": chat} {
		m, err := catalog.Build(catalog.Spec{
			Provider: provider, BaseURL: server.URL, Key: withKey(providertest.Key), HTTPClient: client,
			AuthStyle: "bearer", MaxTokens: 99, Temperature: &temperature, Model: "some-model",
		})
		require.NoError(t, err)
		done, err := m.Complete(context.Background(), providers.Request{Messages: []providers.Message{providers.UserText("돼?")}}, nil)
		require.NoError(t, err)
		require.Equal(t, "네, 돼요.", done.Text())
		seen := server.Requests()[0]
		require.Equal(t, "some-model", seen.Model)
		require.Equal(t, 99, seen.MaxTokens)
		require.Equal(t, "Bearer "+providertest.Key, seen.Header["Authorization"])
		require.Empty(t, seen.Header["X-Api-Key"])
		require.Contains(t, seen.Body, `"temperature":0.2`)
		require.Equal(t, provider == "minimax", strings.Contains(seen.Body, `"reasoning_split":true`))
	}
}

func TestQuirksAreData(t *testing.T) {
	e, _ := catalog.Lookup("deepseek")
	require.Equal(t, openai.ReasoningToolTurns, e.Quirks.Reasoning)
	e, _ = catalog.Lookup("openai")
	require.Equal(t, openai.ReasoningDrop, e.Quirks.Reasoning)
}

func TestALocalServerNeedsNoKey(t *testing.T) {
	for _, provider := range []string{"claude", "deepseek", "ollama"} {
		_, err := catalog.Build(catalog.Spec{Provider: provider, BaseURL: "http://localhost:8080"})
		require.NoError(t, err)
	}
}
