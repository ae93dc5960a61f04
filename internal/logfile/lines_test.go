package logfile_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/internal/logfile"
)

// console is zerolog's own formatter, which decodes each event.
func console(to *bytes.Buffer) zerolog.ConsoleWriter {
	return zerolog.ConsoleWriter{
		Out: to, NoColor: true, TimeFormat: "2006-01-02T15:04:05.000Z07:00", TimeLocation: time.Local,
		PartsOrder: []string{zerolog.TimestampFieldName, zerolog.LevelFieldName, zerolog.MessageFieldName},
	}
}

func TestALineIsTheOneOfTheConsoleWriter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var ours, theirs bytes.Buffer
		level := rapid.SampledFrom([]zerolog.Level{zerolog.TraceLevel, zerolog.DebugLevel, zerolog.InfoLevel, zerolog.WarnLevel, zerolog.ErrorLevel}).Draw(t, "level")
		message := rapid.StringMatching(`[a-z]([a-z:'" 한]|\\n){0,20}`).Draw(t, "message")
		at := time.UnixMilli(rapid.Int64Range(0, 4e12).Draw(t, "at")).Format("2006-01-02T15:04:05.000Z07:00")
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z_]{1,6}`), 0, 6, func(s string) string { return s }).Draw(t, "names")
		values := rapid.SliceOfN(rapid.String(), 6, 6).Draw(t, "values")
		number := rapid.Float64Range(-1e9, 1e9).Draw(t, "number")
		failed := rapid.Bool().Draw(t, "failed")
		write := func(log zerolog.Logger) {
			e := log.WithLevel(level)
			for i, name := range names {
				if name == zerolog.TimestampFieldName || name == zerolog.LevelFieldName || name == zerolog.ErrorFieldName {
					continue
				}
				e = e.Str(name, values[i])
			}
			if failed {
				e = e.Err(errors.New(values[0]))
			}
			e.Float64("0number", number).Int("0int", -3).Bool("0yes", true).Strs("0list", []string{"a b", "]"}).
				Dict("0dict", zerolog.Dict().Str("x", "}")).Str(zerolog.TimestampFieldName, at).Msg(message)
		}
		write(zerolog.New(logfile.Lines(&ours)))
		write(zerolog.New(console(&theirs)))
		require.Equal(t, theirs.String(), ours.String())
	})
}

func TestAnEventThatCannotBeReadIsWrittenUnchanged(t *testing.T) {
	for _, text := range []string{"", "plain\n", `{"a":`, `{"a":1`, `{"a" 1}`, `{"a":"\u12"}` + "\n", `{"a":{]}`, `[1]`} {
		var out bytes.Buffer
		n, err := logfile.Lines(&out).Write([]byte(text))
		require.NoError(t, err)
		require.Equal(t, len(text), n)
		require.Equal(t, text, out.String())
	}
}

func BenchmarkLine(b *testing.B) {
	log := zerolog.New(logfile.Lines(new(bytes.Buffer)))
	for b.Loop() {
		log.Info().Str("task", "t1").Str("session", "agent:main:session:cli/default").Str("channel", "cli").Str("tool", "check_disk").
			Str("class", "SAFE").Int("exit", 0).Str("time", "2026-02-20T18:15:32.104+09:00").Msg("tool call")
	}
}
