package transport_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "sk-abcdef0123456789"

// roundTrip is an http.RoundTripper function in place of the network.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func client(t *testing.T, rt http.RoundTripper, style transport.AuthStyle) *transport.Client {
	t.Helper()
	c, err := transport.New(transport.Options{Provider: "p", Key: key, AuthStyle: style, HTTPClient: &http.Client{Transport: rt}})
	require.NoError(t, err)
	return c
}

func request(t *testing.T, k *transport.Call, url string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(k.Context(), http.MethodPost, url, strings.NewReader("{}"))
	require.NoError(t, err)
	return req
}

// body delivers pieces at intervals until the request's context ends.
type body struct {
	ctx   context.Context
	every time.Duration
	left  int
}

func (b *body) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.EOF
	}
	timer := time.NewTimer(b.every)
	defer timer.Stop()
	select {
	case <-b.ctx.Done():
		return 0, b.ctx.Err()
	case <-timer.C:
		b.left--
		return copy(p, "x"), nil
	}
}

func (*body) Close() error { return nil }

func TestDefaultLimits(t *testing.T) {
	for name, c := range map[string]struct {
		every time.Duration
		left  int
		took  time.Duration
		want  string
	}{
		"a piece every 19 s is alive": {19 * time.Second, 2, 38 * time.Second, ""},
		"120 s end it":                {time.Second, 1000, 120 * time.Second, "p: network: no complete answer after 2m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				k := client(t, roundTrip(func(r *http.Request) (*http.Response, error) {
					return &http.Response{StatusCode: 200, Header: http.Header{}, Body: &body{r.Context(), c.every, c.left}}, nil
				}), "").Call(context.Background())
				resp, err := k.Do(request(t, k, "http://model.test/"))
				require.NoError(t, err)
				_, err = io.ReadAll(resp.Body)
				err = k.Fail(err)
				k.End(false)
				require.Equal(t, c.took, time.Since(start))
				if c.want == "" {
					require.NoError(t, err)
					return
				}
				require.EqualError(t, err, c.want)
			})
		})
	}
}

func TestWaitingForTheFirstByteIsNotSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := client(t, roundTrip(func(r *http.Request) (*http.Response, error) {
			time.Sleep(25 * time.Second) // a local model reading a long prompt; fake time
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: &body{r.Context(), time.Second, 1}}, nil
		}), "").Call(context.Background())
		defer k.End(true)
		resp, err := k.Do(request(t, k, "http://model.test/"))
		require.NoError(t, err)
		_, err = io.ReadAll(resp.Body)
		require.NoError(t, err)
	})
}

func TestTheKeyStaysHome(t *testing.T) {
	var elsewhere int
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	defer other.Close()
	server := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	hc := transport.NewHTTPClient()
	defer hc.CloseIdleConnections()
	c, err := transport.New(transport.Options{Provider: "p", Key: key, AuthStyle: transport.AuthXAPIKey, HTTPClient: hc})
	require.NoError(t, err)
	k := c.Call(context.Background())
	defer k.End(false)
	_, err = k.Do(request(t, k, server.URL))
	require.EqualError(t, k.Fail(err), "p: api (HTTP 307): the server redirects elsewhere; check base_url")
	require.Zero(t, elsewhere)
	require.NotContains(t, fmt.Sprintf("%v %+v %#v %+v", c, c, c, k), key)
}

func TestAuthStyles(t *testing.T) {
	for style, want := range map[transport.AuthStyle]string{
		"": "Authorization: Bearer " + key, transport.AuthBearer: "Authorization: Bearer " + key,
		transport.AuthXAPIKey: "X-Api-Key: " + key, transport.AuthNone: "",
	} {
		var sent http.Header
		k := client(t, roundTrip(func(r *http.Request) (*http.Response, error) {
			sent = r.Header
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: http.NoBody}, nil
		}), style).Call(context.Background())
		_, err := k.Do(request(t, k, "http://model.test/"))
		require.NoError(t, err)
		k.End(true)
		var b strings.Builder
		require.NoError(t, sent.Write(&b))
		require.Equal(t, want, strings.TrimSpace(b.String()))
	}
	_, err := transport.New(transport.Options{AuthStyle: "digest"})
	require.ErrorContains(t, err, `unknown auth_style "digest"`)
	_, err = transport.New(transport.Options{Provider: "p", Key: "sk-a b"})
	require.Equal(t, providers.KindAuth, providers.KindOf(err))
	require.NotContains(t, err.Error(), "sk-a")
}

func TestFailSortsErrors(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for name, c := range map[string]struct {
		ctx  context.Context
		err  error
		want string
	}{
		"nothing":           {context.Background(), nil, ""},
		"cancelled":         {cancelled, io.ErrUnexpectedEOF, "p: context canceled"},
		"cut off":           {context.Background(), fmt.Errorf("reading: %w", io.ErrUnexpectedEOF), "p: network: the answer was cut off"},
		"too long":          {context.Background(), transport.ErrTooLong, "p: parse: answer too long"},
		"not the protocol":  {context.Background(), transport.ErrProtocol("block %d", 3), "p: parse: not the expected format: block 3"},
		"a provider's own":  {context.Background(), &providers.Error{Kind: providers.KindEmpty, Provider: "p"}, "p: empty"},
		"with the key in":   {context.Background(), errors.New("proxy said " + key), "p: network: proxy said [key]"},
		"with the key torn": {context.Background(), errors.New("got " + key[:5] + "\x00" + key[5:]), "p: network: got [key]"},
	} {
		t.Run(name, func(t *testing.T) {
			k := client(t, nil, "").Call(c.ctx)
			defer k.End(false)
			err := k.Fail(c.err)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, c.want)
		})
	}
}

func TestMessageFindsTheProvidersOwnWords(t *testing.T) {
	for in, want := range map[string]string{
		`{"error":{"message":"no such model","type":"x"}}`:             "no such model",
		`{"type":"error","error":{"type":"x","message":"Overloaded"}}`: "Overloaded",
		`{"error":"model 'qwen3' not found"}`:                          "model 'qwen3' not found",
		`{"message":"forbidden"}`:                                      "forbidden",
		`{"detail":"Not Found"}`:                                       "Not Found",
		`{"detail":[{"msg":"x"}]}`:                                     "",
		`[{"error":{"code":400,"message":"API key not valid."}}]`:      "API key not valid.",
		`{"base_resp":{"status_code":1004,"status_msg":"login fail"}}`: "login fail",
		`upstream timed out`:                                           "upstream timed out",
		`<html><h1>502</h1>`:                                           "",
		``:                                                             "",
		`{"error":{}}`:                                                 "",
		`"just a string"`:                                              "",

		`{"error":{"message":"잔액이 부족해요","code":"1113"}}`: "잔액이 부족해요",

		`{"error":null,"message":"second"}`:         "second",
		`{"error":{"message":42}}`:                  "",
		"{\"error\":{\"message\":\"two\\nlines\"}}": "two\nlines",
	} {
		require.Equal(t, want, transport.Message([]byte(in)), in)
	}
}

// The message is short, one printable line and without the key for any text that a server sends.
func TestMessagesAreFitForATerminal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := strings.Join(rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.Just(key), rapid.Just("\x1b[2J\u202e"))).Draw(t, "words"), "")
		c, err := transport.New(transport.Options{Provider: "p", Key: key})
		require.NoError(t, err)
		k := c.Call(context.Background())
		defer k.End(false)
		err = k.Error(500, words)
		var e *providers.Error
		require.ErrorAs(t, err, &e)
		require.LessOrEqual(t, len(e.Message), 500)
		require.NotContains(t, e.Message, key)
		require.NotContains(t, e.Message, "\x1b")
		require.NotContains(t, e.Message, "\n")
		require.NotContains(t, e.Message, "\u202e")
	})
}

func TestBaseURL(t *testing.T) {
	for in, want := range map[string]string{
		"https://api.example.com":          "https://api.example.com",
		" http://127.0.0.1:8080/v1/ ":      "http://127.0.0.1:8080/v1",
		"http://[::1]:11434/":              "http://[::1]:11434",
		"https://h/openai?api-version=1#x": "https://h/openai?api-version=1",
	} {
		u, err := transport.BaseURL(in)
		require.NoError(t, err)
		require.Equal(t, want, u.String())
	}
	for _, in := range []string{"", "localhost:8080", "ftp://h", "file:///etc/passwd", "http://", "https://key@h/", "http://a b/", "::"} {
		_, err := transport.BaseURL(in)
		require.Error(t, err, in)
	}
	require.True(t, transport.IsLoopback("http://127.0.0.1:1/v1"))
	require.True(t, transport.IsLoopback("http://localhost:1"))
	require.True(t, transport.IsLoopback("http://[::1]:1"))
	require.False(t, transport.IsLoopback("http://localhost.example.com"))
	require.False(t, transport.IsLoopback("http://10.0.0.1"))
}
