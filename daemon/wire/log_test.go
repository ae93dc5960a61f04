package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"
)

// newTestLog returns a log, its standard error and its file.
func newTestLog(t *testing.T, env map[string]string) (log *eventLog, stderr, file func() string) {
	t.Helper()
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "stderr"))
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	log = newEventLog(filepath.Join(dir, "logs"), func(name string) string { return env[name] }, f)
	t.Cleanup(log.Close)
	read := func(path func() string) func() string {
		return func() string {
			text, err := os.ReadFile(path())
			if !os.IsNotExist(err) {
				require.NoError(t, err)
			}
			return string(text)
		}
	}
	return log, read(f.Name), read(log.file.Path)
}

func TestTheLevelDecidesWhatIsWrittenWhere(t *testing.T) {
	levels := []zerolog.Level{zerolog.TraceLevel, zerolog.DebugLevel, zerolog.InfoLevel, zerolog.WarnLevel, zerolog.ErrorLevel}
	for env, want := range map[string]struct{ stderr, file int }{
		"": {3, 1}, "trace": {0, 0}, "debug": {1, 1}, "INFO": {2, 2}, "warn": {3, 3}, "error": {4, 4}, "loud": {3, 1}, "fatal": {3, 1}, "0": {3, 1},
	} {
		log, stderr, file := newTestLog(t, map[string]string{"BLUNUX_AI_LOG": env})
		for _, l := range levels {
			log.WithLevel(l).Msg("at " + l.String())
		}
		for i, l := range levels {
			require.Equal(t, i >= want.stderr, strings.Contains(stderr(), "at "+l.String()), "%q: %s to stderr", env, l)
			require.Equal(t, i >= want.file, strings.Contains(file(), "at "+l.String()), "%q: %s to the file", env, l)
		}
		mistakes := strings.Count(stderr(), "unknown log level ignored; use trace, debug, info, warn or error")
		require.Equal(t, env == "loud" || env == "fatal" || env == "0", mistakes == 1, env)
	}
}

func TestALogWithoutItsFileGoesOnAndSaysSoOnce(t *testing.T) {
	dir := t.TempDir()
	stderr, err := os.Create(filepath.Join(dir, "stderr"))
	require.NoError(t, err)
	defer stderr.Close()
	log := newEventLog(filepath.Join(dir, "stderr", "logs"), func(string) string { return "" }, stderr)
	log.Warn().Msg("one")
	log.Warn().Msg("two")
	said, err := os.ReadFile(stderr.Name())
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(said), "cannot write log file"), string(said))
	require.Contains(t, string(said), "one")
	require.Contains(t, string(said), "two")
	require.NotEmpty(t, log.Place().Problem)
}

const logKey = "markerkey-0c6f4b1d9a7e25f38b40"

func TestThreat18NoKeyIsLoggedAtAnyLevel(t *testing.T) {
	log, stderr, file := newTestLog(t, map[string]string{"BLUNUX_AI_LOG": "trace"})
	log.AddSecrets([]string{logKey})
	log.AddSecrets([]string{"another-key-9981273645"}) // the first one may still be in use
	token := "ghp_mArKeR0123456789abcdefghijklmnopqrst"
	log.Trace().Bytes("request", []byte(`{"messages":[{"content":"`+logKey+` and \"`+logKey+`\" `+token+`"}]}`)).Msg("bodies")
	log.Error().Str("error", "bad key "+logKey).Str("header", "Authorization: Bearer "+token).Msg("failed with " + logKey)
	for where, text := range map[string]string{"stderr": stderr(), "file": file()} {
		require.Equal(t, 2, strings.Count(text, "\n"), where)
		require.Contains(t, text, "bodies")
		require.Contains(t, text, "[redacted:")
		require.NotContains(t, text, logKey[:16], where)
		require.NotContains(t, text, token[:16], where)
	}
}

func TestThreat18TheJournalGetsWholeEventsWithoutKeys(t *testing.T) {
	keys := newKnownKeys()
	keys.add([]string{logKey})
	block := "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ\n"
	for _, text := range []string{"plain", "key " + logKey, block, `password="` + logKey + `\"x`, "token=" + logKey + `\`} {
		var out bytes.Buffer
		log := zerolog.New(keys.writerOfJSON(&out))
		log.Warn().Str("task", "t1").Str("error", text).Msg("failed")
		var event map[string]any
		require.NoError(t, json.Unmarshal(out.Bytes(), &event), out.String())
		require.Equal(t, "warn", event["level"])
		require.NotContains(t, out.String(), logKey[:16])
		require.NotContains(t, out.String(), "MIIEvQ")
		require.Equal(t, 1, strings.Count(out.String(), "\n"))
	}
}

func TestOnlyTheJournalsOwnStreamIsTheJournal(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	require.NoError(t, err)
	defer f.Close()
	fi, err := f.Stat()
	require.NoError(t, err)
	st := fi.Sys().(*syscall.Stat_t)
	require.True(t, isJournal(fmt.Sprintf("%d:%d", st.Dev, st.Ino), f))
	for _, inherited := range []string{"", "8:1", fmt.Sprintf("%d:%d", st.Dev, st.Ino+1)} {
		require.False(t, isJournal(inherited, f), inherited)
	}
}
