package wire

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/stretchr/testify/require"
)

// It asks for the list of models with the key, and sends no other request.
func TestWhoWouldAnswerIsToldAndReachedWithoutAQuestion(t *testing.T) {
	asked := []string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.Path)
		if r.Header.Get("X-Api-Key") != "sk-right-0123456789" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte(`{"data":[{"id":"claude-sonnet-4-6"}]}`))
	}))
	defer server.Close()
	environment := map[string]string{"ANTHROPIC_API_KEY": "sk-right-0123456789"}
	paths := config.Paths{Home: t.TempDir()}
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	w := Builder{Sources: Sources{Paths: paths, Getenv: func(name string) string { return environment[name] }}, Process: Process{HTTPClient: client}}
	cfg := config.Config{Providers: map[string]config.Provider{"claude": {BaseURL: server.URL}}}

	a := w.ActiveModel(cfg)
	require.Equal(t, "claude", a.Provider)
	require.Equal(t, catalog.ReasonKey, a.Why)
	require.NoError(t, a.Problem)
	require.Equal(t, server.URL, a.Server)
	require.NoError(t, a.Ping(t.Context()))

	environment["ANTHROPIC_API_KEY"] = "sk-wrong-0123456789"
	require.Equal(t, providers.KindAuth, providers.KindOf(w.ActiveModel(cfg).Ping(t.Context())))
	require.Equal(t, []string{"GET /v1/models", "GET /v1/models"}, asked)

	cfg.Agent.Provider = "deepseek"
	a = w.ActiveModel(cfg)
	require.Error(t, a.Problem)
	require.Equal(t, catalog.ReasonConfigured, a.Why)

	cfg.Agent.Provider = "offline"
	a = w.ActiveModel(cfg)
	require.Empty(t, a.Server)
	require.NoError(t, a.Ping(t.Context()))
}

// The keys come from files, from the environment, and from the environment of other programs.
func TestTheRedactorKnowsEveryKey(t *testing.T) {
	paths := config.Paths{Home: t.TempDir()}
	require.NoError(t, os.MkdirAll(paths.Credentials(), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(paths.Credentials(), "glm"), []byte("plainly-not-a-token\n"), 0o600))
	w := Sources{Paths: paths, Getenv: func(name string) string { return map[string]string{"OPENAI_API_KEY": "another-plain-word"}[name] }}
	r := w.Redactor(config.Config{MCP: map[string]config.MCP{"notes": {Env: map[string]string{"X": "third-plain-word"}}}})
	text := r.Redact("plainly-not-a-token another-plain-word third-plain-word")
	require.NotContains(t, text, "plain")
}
