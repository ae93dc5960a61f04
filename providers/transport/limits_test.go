package transport_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// exchange reads a whole answer of a server with these limits and returns the error.
func exchange(t *testing.T, limits transport.Limits, serve http.HandlerFunc) *providers.Error {
	t.Helper()
	s := httptest.NewServer(serve)
	t.Cleanup(s.Close)
	c, err := transport.New(transport.Options{Provider: "somebody", AuthStyle: transport.AuthNone, Limits: limits})
	require.NoError(t, err)
	k := c.Call(t.Context())
	defer k.End(false)
	req, err := http.NewRequestWithContext(k.Context(), http.MethodPost, s.URL, nil)
	require.NoError(t, err)
	resp, err := k.Do(req)
	if err == nil {
		if _, err = io.ReadAll(resp.Body); err == nil {
			err = transport.ErrCutOff // no end marker was received
		}
	}
	var pe *providers.Error
	require.True(t, errors.As(k.Fail(err), &pe))
	return pe
}

func TestD7AnAnswerThatDoesNotBeginOrStopsIsSaidToBeThat(t *testing.T) {
	const soon = 30 * time.Millisecond
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	headers := func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	begins := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "data: {}\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	for name, row := range map[string]struct {
		limits transport.Limits
		serve  http.HandlerFunc
		want   error
	}{
		"nothing at all":      {transport.Limits{First: soon, Idle: time.Minute}, hang, transport.ErrFirst},
		"headers and no more": {transport.Limits{First: soon, Idle: time.Minute}, headers, transport.ErrFirst},
		"stops in the middle": {transport.Limits{First: time.Minute, Idle: soon}, begins, transport.ErrIdle},
	} {
		t.Run(name, func(t *testing.T) {
			pe := exchange(t, row.limits, row.serve)
			require.ErrorIs(t, pe, row.want)
			require.True(t, pe.Transient(), "the next one in the line is asked")
		})
	}
	require.Equal(t, 30*time.Second, transport.DefaultFirst)
	require.Equal(t, 20*time.Second, transport.DefaultIdle)
}

func TestD7ACutAnswerAndOneThatIsNoneAreTold(t *testing.T) {
	for body, want := range map[string]error{
		"":                             transport.ErrCutOff,
		"data: {\"a\":1}\n\n":          transport.ErrCutOff,
		"event: ping\n":                transport.ErrCutOff,
		"{\"id\":\"x\",\"choi":         transport.ErrCutOff,
		"d":                            transport.ErrCutOff,
		"<!doctype html><html>Log in":  transport.ErrNotProtocol,
		"\n\n  <html>captive portal":   transport.ErrNotProtocol,
		"Bad gateway":                  transport.ErrNotProtocol,
		"\xef\xbb\xbfupstream is gone": transport.ErrNotProtocol,
	} {
		t.Run(body, func(t *testing.T) {
			pe := exchange(t, transport.Limits{}, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
			require.ErrorIs(t, pe, want)
		})
	}
}
