package wire

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/rs/zerolog"
	"github.com/rs/zerolog/journald"

	"github.com/nidoit/blunux-ai/internal/logfile"
	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/ipc"
)

// The default levels, without BLUNUX_AI_LOG: the file has details for later diagnosis, the journal has events,
// a terminal only has problems.
const (
	fileLevel    = zerolog.DebugLevel
	journalLevel = zerolog.InfoLevel
	stderrLevel  = zerolog.WarnLevel
)

// eventLog writes the daemon's log to a file per day, and also to the journal with fields (if the service manager reads
// standard error) or to standard error. Keys are removed from each line just before it is written, at every level.
type eventLog struct {
	zerolog.Logger
	file  *logfile.File
	place ipc.LogTarget
	keys  *knownKeys
}

// newEventLog returns the log of a process with its files in the directory logs.
func newEventLog(logs string, getenv func(string) string, stderr *os.File) *eventLog {
	e := &eventLog{keys: newKnownKeys()}
	level, mistake := levelFrom(getenv)
	main := stderrLevel
	var out io.Writer = logfile.Lines(e.keys.writer(stderr))
	e.place.To = "stderr"
	if isJournal(getenv("JOURNAL_STREAM"), stderr) {
		main, out, e.place.To = journalLevel, e.keys.writerOfJSON(journald.NewJournalDWriter()), "journal"
	}
	file := fileLevel
	if level != zerolog.NoLevel {
		main, file = level, level
	}
	mainWriter := filterLevel(main, out)
	mainLog := zerolog.New(mainWriter).Hook(timestampHook)
	e.file = logfile.New(logfile.Options{Dir: logs, OnError: func(err error) {
		mainLog.Warn().Err(err).Msg("cannot write log file")
	}})
	e.Logger = zerolog.New(zerolog.MultiLevelWriter(mainWriter, filterLevel(file, logfile.Lines(e.keys.writer(e.file))))).
		Level(min(main, file)).Hook(timestampHook)
	e.place.Level, e.place.FileLevel = main.String(), file.String()
	if mistake != "" {
		e.Warn().Str("BLUNUX_AI_LOG", mistake).Msg("unknown log level ignored; use trace, debug, info, warn or error")
	}
	return e
}

// timestampHook adds the time to each line, in milliseconds. zerolog's own timestamps have whole seconds or a global
// setting.
var timestampHook = zerolog.HookFunc(func(e *zerolog.Event, _ zerolog.Level, _ string) {
	e.Str(zerolog.TimestampFieldName, time.Now().Format("2006-01-02T15:04:05.000Z07:00"))
})

// filterLevel filters out lines below a level.
func filterLevel(level zerolog.Level, w io.Writer) zerolog.LevelWriter {
	return &zerolog.FilteredLevelWriter{Writer: zerolog.LevelWriterAdapter{Writer: w}, Level: level}
}

// levelFrom reads BLUNUX_AI_LOG. It returns NoLevel if the variable is empty, and the text as mistake if it is
// not a level.
func levelFrom(getenv func(string) string) (level zerolog.Level, mistake string) {
	text := strings.TrimSpace(getenv("BLUNUX_AI_LOG"))
	switch strings.ToLower(text) {
	case "":
		return zerolog.NoLevel, ""
	case "trace", "debug", "info", "warn", "error":
		level, _ = zerolog.ParseLevel(strings.ToLower(text))
		return level, ""
	}
	return zerolog.NoLevel, text
}

// isJournal reports whether standard error is the journal's stream. $JOURNAL_STREAM names the stream by device and
// inode (systemd.exec(5)). The variable alone proves nothing, because programs with another standard error inherit it.
func isJournal(stream string, stderr *os.File) bool {
	fi, err := stderr.Stat()
	if err != nil {
		return false
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && stream == fmt.Sprintf("%d:%d", st.Dev, st.Ino)
}

// AddSecrets adds keys whose values must not be logged.
func (e *eventLog) AddSecrets(keys []string) { e.keys.add(keys) }

// Place returns where the log goes, and whether its file can be written.
func (e *eventLog) Place() ipc.LogTarget {
	p := e.place
	p.File = e.file.Path()
	if err := e.file.Err(); err != nil {
		p.Problem = err.Error()
	}
	return p
}

// Close closes the file; lines are not buffered.
func (e *eventLog) Close() { _ = e.file.Close() }

// knownKeys holds the values of all keys that this process has been given. A replaced key stays, because a
// running turn may still use it.
type knownKeys struct {
	redactor atomic.Pointer[secret.Redactor]

	mu   sync.Mutex
	keys []string
}

func newKnownKeys() *knownKeys {
	k := &knownKeys{}
	k.redactor.Store(secret.NewRedactor(nil))
	return k
}

func (k *knownKeys) add(keys []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	had := len(k.keys)
	for _, key := range keys {
		if !slices.Contains(k.keys, key) {
			k.keys = append(k.keys, key)
		}
	}
	if len(k.keys) > had {
		k.redactor.Store(secret.NewRedactor(k.keys))
	}
}

// writer returns a writer that removes secrets from lines.
func (k *knownKeys) writer(to io.Writer) io.Writer {
	return redactingWriter{k, to, func(clean string) []byte { return []byte(strings.TrimSuffix(clean, "\n") + "\n") }}
}

// writerOfJSON is writer for lines in JSON. If removing a secret breaks the syntax, the rest becomes the
// message of a new line.
func (k *knownKeys) writerOfJSON(to io.Writer) io.Writer {
	return redactingWriter{k, to, func(clean string) []byte {
		if json.Valid([]byte(clean)) {
			return []byte(clean)
		}
		line, err := json.Marshal(map[string]string{
			zerolog.LevelFieldName: zerolog.WarnLevel.String(), zerolog.MessageFieldName: clean,
			zerolog.TimestampFieldName: time.Now().Format(time.RFC3339),
		})
		if err != nil { // impossible for strings
			return nil
		}
		return append(line, '\n')
	}}
}

// redactingWriter removes secrets from each line. A line comes in one write.
type redactingWriter struct {
	keys *knownKeys
	to   io.Writer
	form func(clean string) []byte
}

// Write writes a line without its secrets.
func (r redactingWriter) Write(line []byte) (int, error) {
	text := string(line)
	if clean := r.keys.redactor.Load().Redact(text); clean != text {
		if _, err := r.to.Write(r.form(clean)); err != nil {
			return 0, err
		}
		return len(line), nil
	}
	return r.to.Write(line)
}
