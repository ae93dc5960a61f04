package setup

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/catalog"
)

func TestAKeyDoesNotGoInClearUnasked(t *testing.T) {
	s := &Setup{
		Lang: i18n.English, Paths: config.Paths{Home: t.TempDir()}, Getenv: func(string) string { return "" },
		Verify: nil,
	}
	s.Source = config.NewSource(s.Paths, s.Getenv)
	s.Source.Distribution, s.Source.System = "", ""
	order := Order{Answers: Answers{Provider: "custom", Model: "m", BaseURL: "http://10.1.2.3:8080/v1", Key: "sk-0123456789"}, NoVerify: true}
	_, _, err := s.Direct(t.Context(), order)
	require.ErrorIs(t, err, ErrUsage)
	require.ErrorContains(t, err, "10.1.2.3:8080 unencrypted")
	order.Insecure = true
	_, _, err = s.Direct(t.Context(), order)
	require.NoError(t, err)
	for _, fine := range []string{"https://10.1.2.3/v1", "http://127.0.0.1:8080/v1"} {
		order.Insecure, order.BaseURL = false, fine
		_, _, err = s.Direct(t.Context(), order)
		require.NoError(t, err, fine)
	}
	for _, bad := range []string{"ftp://x", "https://hong:pw@x.example"} {
		order.BaseURL = bad
		s.Lang = i18n.Korean
		_, _, err = s.Direct(t.Context(), order)
		require.ErrorIs(t, err, ErrUsage)
		require.NotContains(t, err.Error(), "cannot")
		require.NotContains(t, err.Error(), "hong")
	}
	order.BaseURL = "https://x.example"
	for _, bad := range []string{"foo\nbar", "a\x1b]0;OWN\a", "a b"} {
		order.Model = bad
		_, _, err = s.Direct(t.Context(), order)
		require.ErrorIs(t, err, ErrUsage, "%q", bad)
	}
}

func TestThreat18AServersWordsHoldNoPieceOfTheKey(t *testing.T) {
	s := &Setup{Lang: i18n.English}
	e, _ := catalog.Lookup("openai")
	const key = "sk-FAKEFAKEFAKEFAKE0123"
	for n := 8; n <= len(key); n++ {
		told := s.FormatVerdict(e, key, Check{Verdict: Refused, Words: "no such key: " + key[:n] + " (…)"})
		require.NotContains(t, told, key[:8])
	}
}

func TestDirectoriesStayAsTheyWereWhereNothingIsWritten(t *testing.T) {
	paths := config.Paths{Home: t.TempDir()}
	dir := filepath.Join(paths.Home, "config.d")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "x.toml"), 0o755)) // a directory blocks the file
	require.NoError(t, os.Chmod(dir, 0o755))
	require.Error(t, WriteFiles(paths, []File{{filepath.Join(dir, "x.toml"), []byte("x")}}))
	fi, err := os.Stat(dir)
	require.NoError(t, err)
	require.EqualValues(t, 0o755, fi.Mode().Perm())
}
