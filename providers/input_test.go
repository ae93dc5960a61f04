package providers_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/providers"
)

func TestToolInputIsAlwaysAnObject(t *testing.T) {
	for raw, want := range map[string]string{
		"":                   `{}`,
		"  ":                 `{}`,
		"null":               `{}`,
		`{"name":"htop"}`:    `{"name":"htop"}`,
		" {\"a\":1}\n":       `{"a":1}`,
		`{"name":"ht`:        `{"_malformed":"{\"name\":\"ht"}`,
		`["htop"]`:           `{"_malformed":"[\"htop\"]"}`,
		`name=htop`:          `{"_malformed":"name=htop"}`,
		`{"a":1} {"b":2}`:    `{"_malformed":"{\"a\":1} {\"b\":2}"}`,
		`{"이름":"크롬"}`:        `{"이름":"크롬"}`,
		`{"_malformed":"x"}`: `{"_malformed":"x"}`,
	} {
		require.Equal(t, want, string(providers.ToolInput(raw)), "%q", raw)
	}
}

func TestMalformedInputGivesBackWhatTheModelWrote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.String().Draw(t, "raw")
		input := providers.ToolInput(raw)
		var object map[string]any
		require.NoError(t, json.Unmarshal(input, &object))
		if back, malformed := providers.MalformedInput(input); malformed {
			require.Equal(t, raw, back)
		}
	})
	_, malformed := providers.MalformedInput(json.RawMessage(`{"text":"about _malformed"}`))
	require.False(t, malformed)
}
