package anthropic_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/nidoit/blunux-ai/providers/anthropic"
	"github.com/nidoit/blunux-ai/providers/transport"
	"github.com/nidoit/blunux-ai/test/providertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func start(t *testing.T, script providertest.Script, o anthropic.Options) (*anthropic.Model, *providertest.Server) {
	t.Helper()
	server := providertest.Anthropic(t, script)
	client := transport.NewHTTPClient()
	t.Cleanup(client.CloseIdleConnections)
	o.Model, o.Key, o.HTTPClient = "claude-sonnet-4-6", providertest.Key, client
	if o.BaseURL == "" {
		o.BaseURL = server.URL
	}
	m, err := anthropic.New(o)
	require.NoError(t, err)
	return m, server
}

func TestConformance(t *testing.T) {
	providertest.Run(t, providertest.Subject{Wire: true, New: func(t *testing.T, replies []providertest.Reply, s providertest.Settings) providertest.Fixture {
		m, server := start(t, providertest.Replies(replies...), anthropic.Options{Limits: s.Limits, Images: s.Images})
		return providertest.Fixture{Model: m, Server: server}
	}})
}
