package providertest

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
)

// Recorded asks a model for what a file of recorded traffic answers: a stream,
// after lines that begin with # and name where it comes from. It returns the
// completion, which has passed the checks of every answer.
func Recorded(t *testing.T, file string, connect func(url string) Model) providers.Completion {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	source, body, _ := strings.Cut(string(text), "\n")
	require.True(t, strings.HasPrefix(source, "# "), "%s does not say where it comes from", file)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		out := &flusher{w: w, chop: 100}
		out.write(body)
	}))
	t.Cleanup(server.Close)
	done, pieces, err := complete(connect(server.URL), ask("?"))
	require.NoError(t, err)
	requireForm(t, done, pieces)
	return done
}
