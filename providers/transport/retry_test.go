package transport_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers/transport"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 2, 20, 9, 15, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"":                              0,
		"30":                            30 * time.Second,
		"-1":                            0,
		"soon":                          0,
		"Fri, 20 Feb 2026 09:16:00 GMT": time.Minute,
		"Fri, 20 Feb 2026 09:14:00 GMT": 0,
		"99999999999999":                transport.MaxRetryAfter,
		"Fri, 20 Feb 2099 09:14:00 GMT": transport.MaxRetryAfter,
	} {
		h := http.Header{}
		h.Set("Retry-After", value)
		require.Equal(t, want, transport.RetryAfter(h, now), "%q", value)
	}
}
