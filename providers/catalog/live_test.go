package catalog_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/providers/transport"
	"github.com/nidoit/blunux-ai/test/providertest"
)

// lister is a server that answers model lists with this body.
func lister(t *testing.T, status int, body string) (url string, seen *http.Request) {
	seen = &http.Request{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*seen = *r
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	return s.URL, seen
}

func live(t *testing.T, provider, url string) ([]string, error) {
	client := transport.NewHTTPClient()
	t.Cleanup(client.CloseIdleConnections)
	return catalog.ListModels(context.Background(), catalog.Spec{Provider: provider, BaseURL: url, Key: withKey(providertest.Key), HTTPClient: client})
}

func TestAServerIsAskedForItsModels(t *testing.T) {
	for name, c := range map[string]struct{ provider, path, want, header string }{
		"without a path":       {"ollama", "", "/v1/models", "Authorization"},
		"with /v1/":            {"custom", "/v1/", "/v1/models", "Authorization"},
		"with another path":    {"glm", "/api/paas/v4", "/api/paas/v4/models", "Authorization"},
		"with the whole path":  {"deepseek", "/v1/chat/completions", "/v1/models", "Authorization"},
		"the messages dialect": {"claude", "", "/v1/models", "X-Api-Key"},
		"generateContent":      {"gemini", "", "/v1beta/models", "X-Goog-Api-Key"},
		"the same, pasted":     {"gemini", "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse", "/v1beta/models", "X-Goog-Api-Key"},
		"its compatible side":  {"gemini", "/v1beta/openai", "/v1beta/openai/models", "Authorization"},
		"the same with /v1":    {"claude", "/v1/messages", "/v1/models", "X-Api-Key"},
	} {
		t.Run(name, func(t *testing.T) {
			url, seen := lister(t, 200, `{"object":"list","data":[{"id":"qwen3:8b"},{"id":"llama3.2"},{"id":"llama3.2"},{"id":""}]}`)
			ids, err := live(t, c.provider, url+c.path)
			require.NoError(t, err)
			require.Equal(t, []string{"llama3.2", "qwen3:8b"}, ids)
			require.Equal(t, c.want, seen.URL.Path)
			require.Empty(t, seen.URL.RawQuery)
			require.Contains(t, seen.Header.Get(c.header), providertest.Key)
		})
	}
}

func TestAServersListMayHaveAnotherShape(t *testing.T) {
	url, _ := lister(t, 200, `{"models":[{"name":"models/gemini-2.5-pro"},{"name":"qwen3:latest"}]}`)
	ids, err := live(t, "custom", url)
	require.NoError(t, err)
	require.Equal(t, []string{"gemini-2.5-pro", "qwen3:latest"}, ids)
}

func TestAServerThatDoesNotListIsToldWithoutTheKey(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		kind   providers.Kind
	}{
		"a page":             {200, "<html>hello</html>", providers.KindParse},
		"a key that is bad":  {401, `{"error":{"message":"bad key ` + providertest.Key + `"}}`, providers.KindAuth},
		"a redirect":         {302, "", providers.KindAPI},
		"more than is taken": {200, `{"data":[{"id":"` + strings.Repeat("x", 9<<20) + `"}]}`, providers.KindParse},
	} {
		t.Run(name, func(t *testing.T) {
			url, _ := lister(t, c.status, c.body)
			_, err := live(t, "ollama", url)
			require.Equal(t, c.kind, providers.KindOf(err))
			require.NotContains(t, err.Error(), providertest.Key)
		})
	}
	_, err := live(t, "ollama", "http://127.0.0.1:1")
	require.Equal(t, providers.KindNetwork, providers.KindOf(err))
}

func TestAServerThatIsSilentIsNotWaitedForLong(t *testing.T) {
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer s.Close()
	defer close(release)
	client := transport.NewHTTPClient()
	defer client.CloseIdleConnections()
	_, err := catalog.ListModels(context.Background(), catalog.Spec{Provider: "ollama", BaseURL: s.URL, HTTPClient: client, Limits: transport.Limits{Overall: 50 * time.Millisecond}})
	require.Equal(t, providers.KindNetwork, providers.KindOf(err))
}

func TestWhatHasNoServerListsNothing(t *testing.T) {
	for provider, want := range map[string]string{"offline": "not configured", "custom": "set base_url", "hal": "unknown provider"} {
		_, err := live(t, provider, "")
		require.ErrorContains(t, err, want)
	}
	_, err := catalog.ListModels(context.Background(), catalog.Spec{Provider: "claude"})
	require.ErrorIs(t, err, catalog.ErrNotConfigured)
}
