package setup_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/test/providertest"
	"github.com/nidoit/blunux-ai/ui/setup"
)

// server starts a server that answers GET …/models with a status and a body, and questions from a
// script.
func server(t *testing.T, status int, body string, script providertest.Script) string {
	t.Helper()
	model := providertest.NewChatCompletions(script)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
			return
		}
		model.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestAKeyIsTriedAgainstTheServer(t *testing.T) {
	hello := func(int, providertest.Request) providertest.Reply {
		return providertest.Reply{Text: []string{"hi"}, Usage: providers.Usage{InputTokens: 1, OutputTokens: 1}}
	}
	refuse := func(status int, words string) providertest.Script {
		return func(int, providertest.Request) providertest.Reply {
			return providertest.Reply{Status: status, Message: words}
		}
	}
	for name, c := range map[string]struct {
		url   string
		want  setup.Verdict
		spent bool
		words string
	}{
		"a list of models":             {server(t, 200, `{"data":[{"id":"a"}]}`, nil), setup.Valid, false, ""},
		"a refused key":                {server(t, 401, `{"error":{"message":"no such key"}}`, nil), setup.Refused, false, "no such key"},
		"too many requests":            {server(t, 429, `{"error":{"message":"slow down"}}`, nil), setup.RateLimited, false, "slow down"},
		"a server error":               {server(t, 500, `{"error":{"message":"on fire"}}`, nil), setup.Odd, false, "on fire"},
		"nobody there":                 {"http://127.0.0.1:1", setup.NoNetwork, false, ""},
		"no list, a good key":          {server(t, 404, `{}`, hello), setup.Valid, true, ""},
		"no list, a bad key":           {server(t, 404, `{}`, refuse(401, "who are you")), setup.Refused, true, "who are you"},
		"no list, no such model":       {server(t, 405, `{}`, refuse(404, "model: x not found")), setup.NoModel, true, "not found"},
		"a web page instead of a list": {server(t, 200, `<html>`, hello), setup.Valid, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := setup.Verify(context.Background(), catalog.Spec{
				Provider: "deepseek", BaseURL: c.url, HTTPClient: http.DefaultClient, Key: func(catalog.KeyNames) (string, error) { return providertest.Key, nil },
			})
			require.Equal(t, c.want, got.Verdict, got.Words)
			require.Equal(t, c.spent, got.Spent)
			require.Contains(t, got.Words, c.words)
		})
	}
}

func TestU13AServerThatIsNotReachedIsToldInThePersonsLanguage(t *testing.T) {
	for lang, want := range map[i18n.Lang]string{
		i18n.Korean: "✗ 서버에 연결할 수 없어요: 그 주소에서 실행 중인 서버가 없어요", i18n.English: "✗ Cannot reach the server: no server is listening at that address", i18n.Chinese: "✗ 无法连接服务器：该地址没有服务器在监听",
	} {
		check := setup.Verify(context.Background(), catalog.Spec{
			Provider: "deepseek", BaseURL: "http://127.0.0.1:1", HTTPClient: http.DefaultClient, Key: func(catalog.KeyNames) (string, error) { return providertest.Key, nil },
		})
		s := &setup.Setup{Lang: lang}
		require.Equal(t, want, s.FormatVerdict(catalog.Entry{}, providertest.Key, check))
	}
}
