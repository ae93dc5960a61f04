package i18n

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheCommandLinesLanguageComesBeforeTheEnvironments(t *testing.T) {
	env := map[string]string{"LANG": "zh_CN.UTF-8"}
	getenv := func(name string) string { return env[name] }
	require.Equal(t, Chinese, Spoken([]string{"ask"}, getenv))
	env["BLUNUX_AI_LANG"] = "en"
	require.Equal(t, English, Spoken([]string{"ask"}, getenv))
	require.Equal(t, Korean, Spoken([]string{"ask", "--lang", "ko"}, getenv))
	require.Equal(t, Korean, Spoken([]string{"--lang=zh", "ask", "--lang=ko"}, getenv))
	require.Equal(t, English, Spoken([]string{"ask", "--", "--lang=ko"}, getenv), "what follows -- is the question")
	require.Equal(t, English, Spoken([]string{"--lang"}, getenv))
}
