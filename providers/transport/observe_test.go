package transport_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers/transport"
)

type taskKey struct{}

// recordExchanges makes one call and returns what the observer received.
func recordExchanges(t *testing.T, bodies bool, rt roundTrip) []transport.Exchange {
	t.Helper()
	var seen []transport.Exchange
	c, err := transport.New(transport.Options{
		Provider: "p", Model: "m-1", Key: key, HTTPClient: &http.Client{Transport: rt},
		Observer: transport.Observer{Bodies: bodies, OnEnd: func(ctx context.Context, e transport.Exchange) {
			require.Equal(t, "t1", ctx.Value(taskKey{}))
			seen = append(seen, e)
		}},
	})
	require.NoError(t, err)
	k := c.Call(context.WithValue(t.Context(), taskKey{}, "t1"))
	resp, err := k.Do(request(t, k, "https://host/v1/messages?api_key="+key))
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
	}
	_ = k.Fail(err)
	k.End(err == nil)
	k.End(err == nil) // reported once, however often End is called
	return seen
}

func answering(status int, text string) roundTrip {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(text)), Request: r}, nil
	}
}

func TestAnObserverIsToldOfEveryExchangeWithoutTheKey(t *testing.T) {
	for name, c := range map[string]struct {
		answer roundTrip
		status int
		bytes  int64
		err    string
	}{
		"answered":    {answering(200, "hello"), 200, 5, ""},
		"refused":     {answering(401, `{"error":{"message":"no `+key+`"}}`), 401, 46, "p: auth"},
		"unreachable": {func(*http.Request) (*http.Response, error) { return nil, errors.New("no route") }, 0, 0, "no route"},
	} {
		t.Run(name, func(t *testing.T) {
			seen := recordExchanges(t, false, c.answer)
			require.Len(t, seen, 1)
			e := seen[0]
			require.Equal(t, "p m-1 POST https://host/v1/messages", strings.Join([]string{e.Provider, e.Model, e.Method, e.URL}, " "))
			require.Equal(t, c.status, e.Status)
			require.Equal(t, c.bytes, e.Bytes)
			require.Nil(t, e.Request)
			require.Nil(t, e.Answer)
			if c.err == "" {
				require.NoError(t, e.Err)
			} else {
				require.ErrorContains(t, e.Err, c.err)
			}
			require.NotContains(t, fmt.Sprintf("%+v", e), key)
		})
	}
}

func TestAnObserverSeesBodiesOnlyWhenItWantsThemAndNotEndlessly(t *testing.T) {
	seen := recordExchanges(t, true, answering(200, "hello"))
	require.Equal(t, "{}", string(seen[0].Request))
	require.Equal(t, "hello", string(seen[0].Answer))
	seen = recordExchanges(t, true, answering(200, strings.Repeat("x", 1<<20)))
	require.Len(t, seen[0].Answer, 256<<10)
	require.Equal(t, int64(1<<20), seen[0].Bytes)
}
