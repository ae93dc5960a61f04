package embed_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/memory/embed"
	"github.com/nidoit/blunux-ai/providers"
)

// recordedRequest is a recorded request.
type recordedRequest struct {
	path, auth string
	Model      string
	Input      []string
}

// server starts a server that answers and records every request.
func server(t *testing.T, answer func(recordedRequest) (int, string)) (string, *[]recordedRequest) {
	t.Helper()
	var all []recordedRequest
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := recordedRequest{path: r.URL.Path, auth: r.Header.Get("Authorization")}
		body, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(body, &q)
		all = append(all, q)
		status, text := answer(q)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(s.Close)
	return s.URL, &all
}

func client(t *testing.T, o embed.Options) *embed.Client {
	t.Helper()
	o.Model = "m"
	c, err := embed.New(o)
	require.NoError(t, err)
	return c
}

// lengths answers with vectors of two numbers, the first of which is the text's length.
func lengths(q recordedRequest) (int, string) {
	var data []string
	for i := len(q.Input) - 1; i >= 0; i-- { // not in order
		data = append(data, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":[%d,1]}`, i, len(q.Input[i])))
	}
	return 200, `{"object":"list","data":[` + strings.Join(data, ",") + `],"usage":{}}`
}

func TestTextsBecomeVectors(t *testing.T) {
	url, got := server(t, lengths)
	c := client(t, embed.Options{BaseURL: url + "/v1/", Key: "sk-secret"})
	require.Equal(t, "m", c.Model())
	vectors, err := c.Embed(t.Context(), []string{"가", "abcd", "", strings.Repeat("가", 10_000), "\xff"})
	require.NoError(t, err)
	require.Equal(t, [][]float32{{3, 1}, {4, 1}, {1, 1}, {8190, 1}, {3, 1}}, vectors)
	require.Equal(t, "/v1/embeddings", (*got)[0].path)
	require.Equal(t, "Bearer sk-secret", (*got)[0].auth)

	vectors, err = c.Embed(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, vectors)
	require.Len(t, *got, 1, "nothing is asked for nothing")
}

func TestManyTextsAreAskedForInBatches(t *testing.T) {
	url, got := server(t, lengths)
	texts := make([]string, 150)
	for i := range texts {
		texts[i] = strings.Repeat("x", i+1)
	}
	vectors, err := client(t, embed.Options{BaseURL: url}).Embed(t.Context(), texts)
	require.NoError(t, err)
	require.Len(t, vectors, 150)
	require.Equal(t, float32(150), vectors[149][0])
	require.Len(t, *got, 3)
	require.Len(t, (*got)[0].Input, 64)
	require.Empty(t, (*got)[0].auth)
}

func TestOllama(t *testing.T) {
	url, got := server(t, func(q recordedRequest) (int, string) { return 200, `{"model":"m","embeddings":[[0.5,-1e-3],[2,0]]}` })
	for _, base := range []string{url, url + "/v1", url + "/api/embed"} {
		vectors, err := client(t, embed.Options{BaseURL: base, Dialect: embed.Ollama}).Embed(t.Context(), []string{"a", "b"})
		require.NoError(t, err)
		require.Equal(t, [][]float32{{0.5, -0.001}, {2, 0}}, vectors)
	}
	for _, q := range *got {
		require.Equal(t, "/api/embed", q.path)
	}
}

func TestAnswersThatAreNoVectors(t *testing.T) {
	for name, c := range map[string]struct {
		status       int
		answer, want string
		kind         providers.Kind
	}{
		"too few":      {200, `{"data":[{"index":0,"embedding":[1]}]}`, "1 vectors for 2 texts", providers.KindParse},
		"none":         {200, `{}`, "0 vectors for 2 texts", providers.KindParse},
		"twice":        {200, `{"data":[{"index":1,"embedding":[1]},{"index":1,"embedding":[1]}]}`, "text 1 of 2", providers.KindParse},
		"out of range": {200, `{"data":[{"index":0,"embedding":[1]},{"index":-1,"embedding":[1]}]}`, "text -1", providers.KindParse},
		"empty":        {200, `{"data":[{"index":0,"embedding":[]},{"index":1,"embedding":[]}]}`, "0 numbers", providers.KindParse},
		"lengths":      {200, `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}`, "2 numbers", providers.KindParse},
		"null":         {200, `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[null]}]}`, "null", providers.KindParse},
		"not a number": {200, `{"data":[{"index":0,"embedding":[NaN]}]}`, "invalid character", providers.KindParse},
		"a word":       {200, `{"data":[{"index":0,"embedding":["x"]}]}`, "string", providers.KindParse},
		"too large":    {200, `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1e300]}]}`, "too large", providers.KindParse},
		"no direction": {200, `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[0]}]}`, "are 0", providers.KindParse},
		"cut off":      {200, `{"data":[{"index":0`, "unexpected end", providers.KindParse},
		"a page":       {200, `<html>`, "invalid character", providers.KindParse},
		"endless":      {200, strings.Repeat(" ", 33<<20), "too long", providers.KindParse},
		"auth":         {401, `{"error":{"message":"bad key sk-secret"}}`, "(check the key)", providers.KindAuth},
		"no model":     {404, `{"error":"model 'm' not found"}`, "model's name", providers.KindModel},
		"busy":         {429, `{}`, "429", providers.KindRateLimit},
		"broken":       {500, `{"error":"boom"}`, "boom", providers.KindAPI},
		"elsewhere":    {302, ``, "redirects", providers.KindAPI},
	} {
		t.Run(name, func(t *testing.T) {
			url, _ := server(t, func(recordedRequest) (int, string) { return c.status, c.answer })
			vectors, err := client(t, embed.Options{BaseURL: url, Key: "sk-secret"}).Embed(t.Context(), []string{"a", "b"})
			require.Empty(t, vectors)
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, "cannot make vectors with m: ")
			require.NotContains(t, err.Error(), "sk-secret")
			require.Equal(t, c.kind, providers.KindOf(err))
		})
	}
}

func TestVectorsOfAllBatchesHaveOneLength(t *testing.T) {
	url, _ := server(t, func(q recordedRequest) (int, string) {
		v := strings.Repeat("1,", len(q.Input)%7) + "1"
		return 200, `{"embeddings":[` + strings.Repeat("["+v+"],", len(q.Input)-1) + `[` + v + `]]}`
	})
	_, err := client(t, embed.Options{BaseURL: url, Dialect: embed.Ollama}).Embed(t.Context(), make([]string, 65))
	require.NoError(t, err)
	_, err = client(t, embed.Options{BaseURL: url, Dialect: embed.Ollama}).Embed(t.Context(), make([]string, 66))
	require.ErrorContains(t, err, "different lengths")
}

func TestItEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	url, _ := server(t, func(recordedRequest) (int, string) {
		cancel()
		<-ctx.Done()
		return 200, ""
	})
	_, err := client(t, embed.Options{BaseURL: url}).Embed(ctx, []string{"a"})
	require.ErrorIs(t, err, context.Canceled)

	gone := httptest.NewServer(nil)
	gone.Close()
	_, err = client(t, embed.Options{BaseURL: gone.URL, Dialect: embed.Ollama}).Embed(t.Context(), []string{"a"})
	require.Equal(t, providers.KindNetwork, providers.KindOf(err))
	require.ErrorContains(t, err, "systemctl status ollama")
}

func TestWhatCannotBeRight(t *testing.T) {
	for want, o := range map[string]embed.Options{
		"no model":          {BaseURL: "http://x"},
		"base_url":          {Model: "m", BaseURL: "ftp://x"},
		"unknown dialect":   {Model: "m", BaseURL: "http://x", Dialect: "latin"},
		"the key contains":  {Model: "m", BaseURL: "http://x", Key: "a b"},
		"user name or pass": {Model: "m", BaseURL: "http://u:p@x"},
	} {
		_, err := embed.New(o)
		require.ErrorContains(t, err, want)
	}
}
