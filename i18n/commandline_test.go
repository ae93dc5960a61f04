package i18n

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheCommandLinesLanguageComesBeforeTheEnvironments(t *testing.T) {
	env := map[string]string{"LANG": "zh_CN.UTF-8"}
	getenv := func(name string) string { return env[name] }
	require.Equal(t, Chinese, CommandLineLang([]string{"ask"}, getenv))
	env["BLUNUX_AI_LANG"] = "en"
	require.Equal(t, English, CommandLineLang([]string{"ask"}, getenv))
	require.Equal(t, Korean, CommandLineLang([]string{"ask", "--lang", "ko"}, getenv))
	require.Equal(t, Korean, CommandLineLang([]string{"--lang=zh", "ask", "--lang=ko"}, getenv))
	require.Equal(t, English, CommandLineLang([]string{"ask", "--", "--lang=ko"}, getenv), "what follows -- is the question")
	require.Equal(t, English, CommandLineLang([]string{"--lang"}, getenv))
}
