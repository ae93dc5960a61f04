package ollama_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/nidoit/blunux-ai/providers/ollama"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts a server with these models, the newest first. Models named "…-tools" support tools.
func serve(t *testing.T, names ...string) (*http.Client, string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method + " " + r.URL.Path {
		case "GET /api/tags":
			var list []string
			for i, n := range names {
				list = append(list, `{"name":"`+n+`","size":5,"modified_at":"2026-11-0`+string(rune('0'+9-i))+`T00:00:00+09:00"}`)
			}
			_, _ = io.WriteString(w, `{"models":[`+strings.Join(list, ",")+`]}`)
		case "POST /api/show":
			body, _ := io.ReadAll(r.Body) // a short body supports no tools
			if strings.Contains(string(body), "-tools") {
				_, _ = io.WriteString(w, `{"capabilities":["completion","tools"]}`)
				return
			}
			_, _ = io.WriteString(w, `{"capabilities":["completion"]}`)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(server.Close)
	client := server.Client()
	t.Cleanup(client.CloseIdleConnections)
	return client, server.URL
}

func TestFindPrefersModelsThatTakeTools(t *testing.T) {
	for name, c := range map[string]struct {
		names []string
		want  string
		tools bool
	}{
		"the newest of them":      {[]string{"a-tools", "b-tools"}, "a-tools", true},
		"before a newer one":      {[]string{"a", "b-tools"}, "b-tools", true},
		"the newest if none does": {[]string{"a", "b"}, "a", false},
		"no vectors":              {[]string{"nomic-embed-text", "b"}, "b", false},
		"nothing pulled":          {nil, "", false},
		"vectors only":            {[]string{"mxbai-embed-large"}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			client, url := serve(t, c.names...)
			for _, base := range []string{url, url + "/", url + "/v1", url + "/v1/"} {
				m, ok := ollama.Find(context.Background(), client, base)
				require.Equal(t, c.want != "", ok)
				require.Equal(t, c.want, m.Name)
				require.Equal(t, c.tools, m.Tools)
			}
		})
	}
}

func TestSomebodyElseIsNotFound(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"a web page": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") },
		"no such":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) },
		"other JSON": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"models":{"a":1}}`) },
		"no names":   func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"models":[{}]}`) },
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(handler)
			defer server.Close()
			client := server.Client()
			defer client.CloseIdleConnections()
			_, ok := ollama.Find(context.Background(), client, server.URL)
			require.False(t, ok)
		})
	}
	_, ok := ollama.Find(context.Background(), http.DefaultClient, "http://127.0.0.1:1")
	require.False(t, ok, "nobody listens")
	_, err := ollama.List(context.Background(), http.DefaultClient, "http://a b/")
	require.ErrorContains(t, err, "cannot ask the model server")
}

func TestASilentServerCostsNoMoreThanPatience(t *testing.T) {
	gone := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		close(gone)
	}))
	defer server.Close()
	client := server.Client()
	defer client.CloseIdleConnections()
	began := time.Now()
	_, ok := ollama.Find(context.Background(), client, server.URL)
	require.False(t, ok)
	require.GreaterOrEqual(t, time.Since(began), ollama.FindTimeout)
	<-gone
}
