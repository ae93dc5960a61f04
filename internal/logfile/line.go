package logfile

import (
	"io"
	"strings"
	"time"

	"github.com/rs/zerolog"
)

// Lines returns a writer that formats each event as one line: local time, level, message, then its fields as
// name=value, quoted if they contain blanks or unprintable characters.
//
//	2026-02-20T18:15:32.104+09:00 INF tool call channel=cli class=SAFE task=t1 tool=check_disk
func Lines(to io.Writer) io.Writer {
	return zerolog.ConsoleWriter{
		Out: to, NoColor: true, TimeFormat: "2006-01-02T15:04:05.000Z07:00", TimeLocation: time.Local,
		PartsOrder: []string{zerolog.TimestampFieldName, zerolog.LevelFieldName, zerolog.MessageFieldName},
	}
}

// IsWarning reports whether a line of [Lines] is a warning or worse.
func IsWarning(line string) bool {
	_, rest, _ := strings.Cut(line, " ")
	level, _, _ := strings.Cut(rest, " ")
	switch level {
	case "WRN", "ERR", "FTL", "PNC":
		return true
	}
	return false
}
