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

// RunRecording sends a request to a server that answers with a recorded stream. The file begins with lines that
// start with # and name its source. Recorded checks the form of the completion and returns it.
func RunRecording(t *testing.T, file string, connect func(url string) Model) providers.Completion {
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
	done, pieces, err := complete(connect(server.URL), newRequest("?"))
	require.NoError(t, err)
	requireForm(t, done, pieces)
	return done
}
