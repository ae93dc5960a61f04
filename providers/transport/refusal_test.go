package transport_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// refusalOf asks a server that answers with this error, and returns the provider error.
func refusalOf(t *testing.T, status int, body string) *providers.Error {
	t.Helper()
	k := client(t, roundTrip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, nil
	}), "").Call(context.Background())
	defer k.End(false)
	_, err := k.Do(request(t, k, "http://model.test/"))
	var e *providers.Error
	require.True(t, errors.As(err, &e))
	return e
}

func TestRefusalsAreSortedByWhatHelps(t *testing.T) {
	text, err := os.ReadFile("testdata/refusals.txt")
	require.NoError(t, err)
	n := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		status, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		kind, body, _ := strings.Cut(rest, " ")
		code, err := strconv.Atoi(status)
		require.NoError(t, err)
		e := refusalOf(t, code, body)
		require.Equal(t, providers.Kind(kind), e.Kind, body)
		require.NotEmpty(t, e.Message)
		require.Equal(t, strings.HasPrefix(body, "<") || strings.HasPrefix(body, "404"), strings.Contains(e.Message, "check base_url"), body)
		n++
	}
	require.Greater(t, n, 40)
}

// secrets matches keys: Anthropic's and OpenAI's, Google's, Z.AI's and other tokens.
var secrets = regexp.MustCompile(`\bsk-[A-Za-z0-9_]*[0-9][A-Za-z0-9_-]{7,}|AIza[A-Za-z0-9_-]{20,}|[0-9a-f]{32}\.[A-Za-z0-9]{16}|eyJ[A-Za-z0-9_-]{10,}\.|(?i)(bearer|x-api-key|authorization)["']?[:= ]+["']?[A-Za-z0-9_-]{12,}`)

func TestNoKeySitsInARecording(t *testing.T) {
	require.Regexp(t, secrets, key)
	require.Regexp(t, secrets, "Authorization: Bearer abcdefghijklmnop")
	seen := 0
	require.NoError(t, filepath.WalkDir("..", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(path, "testdata") {
			return err
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Empty(t, secrets.FindString(string(text)), path)
		seen++
		return nil
	}))
	require.Greater(t, seen, 4)
}

// Servers can repeat the key: in a message (a proxy that logs headers), inside a stream and in a redirect
// address. The key must not appear in the error or in what the observer gets.
func TestNoKeyIsInErrorsOrLogs(t *testing.T) {
	for name, body := range map[string]string{
		"words": `{"error":{"message":"bad key ` + key + `"}}`, "no JSON": "Authorization: Bearer " + key, "split": `{"error":{"message":"` + key[:6] + `\u0007` + key[6:] + `"}}`,
		"a page": "<html>" + key, "hidden": `{"message":"prompt is too long, ` + key + `"}`,
	} {
		for _, status := range []int{302, 400, 401, 404, 429, 500} {
			var told transport.Exchange
			c, err := transport.New(transport.Options{
				Provider: "p", Key: key, Observer: transport.Observer{OnEnd: func(_ context.Context, e transport.Exchange) { told = e }},
				HTTPClient: &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
					return &http.Response{StatusCode: status, Header: http.Header{"Location": {"http://x.test/" + key}}, Body: io.NopCloser(strings.NewReader(body))}, nil
				})},
			})
			require.NoError(t, err)
			k := c.Call(context.Background())
			_, err = k.Do(request(t, k, "http://model.test/v1?key="+key))
			err = k.Fail(err)
			inside := k.Fail(k.Error(status, transport.Message([]byte(body))))
			k.End(false)
			for _, text := range []string{err.Error(), inside.Error(), told.URL, told.Err.Error()} {
				require.NotContains(t, text, key, name)
			}
		}
	}
}
