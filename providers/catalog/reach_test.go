package catalog_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/test/providertest"
)

// TestAServerThatCannotBeReachedIsTold covers an unknown name, an untrusted certificate, and a web page instead
// of an answer, for every dialect.
func TestAServerThatCannotBeReachedIsTold(t *testing.T) {
	stranger := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(stranger.Close)
	stranger.Config.ErrorLog = nil
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><title>Welcome</title>"))
	}))
	t.Cleanup(page.Close)
	for name, c := range map[string]struct {
		url  string
		kind providers.Kind
		want string
	}{
		"a name nobody has":              {"http://nobody.invalid", providers.KindNetwork, "nobody.invalid"},
		"a certificate of a stranger":    {stranger.URL, providers.KindNetwork, "certificate"},
		"a page in the place of answers": {page.URL, providers.KindParse, "base_url"},
	} {
		for _, provider := range []string{"claude", "openai", "gemini", "custom"} {
			t.Run(name+", "+provider, func(t *testing.T) {
				m, err := catalog.Build(catalog.Spec{Provider: provider, Model: "m", BaseURL: c.url, Key: withKey(providertest.Key)})
				require.NoError(t, err)
				_, err = m.Complete(context.Background(), providers.Request{Messages: []providers.Message{providers.UserText("hi")}}, nil)
				require.Equal(t, c.kind, providers.KindOf(err), "%v", err)
				require.Contains(t, err.Error(), c.want)
				require.NotContains(t, err.Error(), providertest.Key)
			})
		}
	}
}
