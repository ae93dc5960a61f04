package session_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/anthropic"
	"github.com/nidoit/blunux-ai/providers/offline"
	"github.com/nidoit/blunux-ai/providers/openai"
	"github.com/nidoit/blunux-ai/providers/scripted"
	"github.com/nidoit/blunux-ai/providers/transport"
	"github.com/nidoit/blunux-ai/test/providertest"

	"github.com/nidoit/blunux-ai/agent/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// everyModel returns a model of each provider, with servers that reject the same requests as the real ones.
func everyModel(t *testing.T) map[string]providertest.Model {
	t.Helper()
	client := transport.NewHTTPClient()
	t.Cleanup(client.CloseIdleConnections)
	reply := func(int, providertest.Request) providertest.Reply { return providertest.Reply{Text: []string{"ok"}} }
	claude, err := anthropic.New(anthropic.Options{
		Model: "m", Key: providertest.Key, HTTPClient: client, BaseURL: providertest.Anthropic(t, reply).URL,
	})
	require.NoError(t, err)
	chat, err := openai.New(openai.Options{
		Name: "custom", Model: "m", Key: providertest.Key, HTTPClient: client, BaseURL: providertest.ChatCompletions(t, reply).URL,
	})
	require.NoError(t, err)
	script, err := scripted.Parse("plot", []byte("[[step]]\ntext = \"ok\"\nforever = true\n"))
	require.NoError(t, err)
	return map[string]providertest.Model{
		"anthropic": claude, "openai": chat, "scripted": script, "offline": offline.New(offline.Options{Lang: "en"}),
	}
}

func TestEveryProviderAcceptsWhatIsLoaded(t *testing.T) {
	two := providers.Message{Role: providers.RoleAssistant, Content: append(call("a").Content, call("b").Content...)}
	for what, write := range map[string]func(s *session.Store) error{
		"whole turns":          func(s *session.Store) error { return keep(s, key, append(turn(1), turn(2)...)...) },
		"only words":           func(s *session.Store) error { return keep(s, key, providers.UserText("a"), providers.UserText("b")) },
		"killed before a tool": func(s *session.Store) error { return keep(s, key, providers.UserText("a"), two) },
		"killed between tools": func(s *session.Store) error { return keep(s, key, providers.UserText("a"), two, result("b")) },
		"then asked again": func(s *session.Store) error {
			return keep(s, key, providers.UserText("a"), two, result("b"), providers.UserText("and?"), providers.AssistantText("yes"))
		},
		"recovered": func(s *session.Store) error {
			if err := keep(s, key, providers.UserText("a"), two); err != nil {
				return err
			}
			return s.AppendResults(key, session.LateResult{Results: map[string]string{"a": ""}, Text: "I am back."})
		},
		"failed, then said more": func(s *session.Store) error {
			if err := keep(s, key, providers.UserText("a"), two, result("a"), result("b")); err != nil {
				return err
			}
			if err := s.Append(key, session.NewFailure("no network", nil)); err != nil {
				return err
			}
			return keep(s, key, providers.AssistantText("more"))
		},
		"too long for the window": func(s *session.Store) error {
			for n := range 20 {
				if err := keep(s, key, turn(n)...); err != nil {
					return err
				}
			}
			return keep(s, key, providers.UserText("a"), two)
		},
	} {
		t.Run(what, func(t *testing.T) {
			s := session.New(session.Options{Dir: t.TempDir(), Now: newClock().now, Window: 20})
			require.NoError(t, write(s))
			past, err := s.Load(key)
			require.NoError(t, err)
			requireShowable(t, past, 20)
			req := providers.Request{System: "s", Messages: append(past.Messages, providers.UserText("go on")), Tools: []providers.ToolDefinition{
				{Name: "check_disk", Description: "d", InputSchema: []byte(`{"type":"object","properties":{}}`)},
			}}
			for name, m := range everyModel(t) {
				_, err := m.Complete(t.Context(), req, nil)
				require.NoError(t, err, name)
			}
		})
	}
}
