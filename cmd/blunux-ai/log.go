package main

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

	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/logfile"
	"github.com/nidoit/blunux-ai/secret"
)

// The levels where BLUNUX_AI_LOG says nothing: a file that explains what went
// wrong yesterday, a journal that tells what happened, a terminal that only
// tells what is wrong.
const (
	fileLevel    = zerolog.DebugLevel
	journalLevel = zerolog.InfoLevel
	stderrLevel  = zerolog.WarnLevel
)

// eventLog is where the daemon's log goes: the journal with fields when the
// service manager reads standard error, else standard error, and a file of the
// day. Whatever the level, keys are taken out of a line as the last thing
// before it is written.
type eventLog struct {
	zerolog.Logger
	file  *logfile.File
	place ipc.LogPlace
	keys  *knownKeys
}

// newEventLog returns the log of a process; its files stand in logs.
func newEventLog(logs string, getenv func(string) string, stderr *os.File) *eventLog {
	e := &eventLog{keys: newKnownKeys()}
	level, mistake := levelFrom(getenv)
	main := stderrLevel
	var out io.Writer = logfile.Lines(e.keys.writer(stderr))
	e.place.To = "stderr"
	if toJournal(getenv("JOURNAL_STREAM"), stderr) {
		main, out, e.place.To = journalLevel, e.keys.writerOfJSON(journald.NewJournalDWriter()), "journal"
	}
	file := fileLevel
	if level != zerolog.NoLevel {
		main, file = level, level
	}
	mainWriter := at(main, out)
	mainLog := zerolog.New(mainWriter).Hook(timed)
	e.file = logfile.New(logfile.Options{Dir: logs, Tell: func(err error) {
		mainLog.Warn().Err(err).Msg("the log goes on without its file")
	}})
	e.Logger = zerolog.New(zerolog.MultiLevelWriter(mainWriter, at(file, logfile.Lines(e.keys.writer(e.file))))).
		Level(min(main, file)).Hook(timed)
	e.place.Level, e.place.FileLevel = main.String(), file.String()
	if mistake != "" {
		e.Warn().Str("BLUNUX_AI_LOG", mistake).Msg("no such level: use trace, debug, info, warn or error; the usual levels are used")
	}
	return e
}

// timed gives each line its time, to the millisecond: zerolog's own way to do so
// has whole seconds, or one setting for the whole process.
var timed = zerolog.HookFunc(func(e *zerolog.Event, _ zerolog.Level, _ string) {
	e.Str(zerolog.TimestampFieldName, time.Now().Format("2006-01-02T15:04:05.000Z07:00"))
})

// at lets lines of a level and above pass.
func at(level zerolog.Level, w io.Writer) zerolog.LevelWriter {
	return &zerolog.FilteredLevelWriter{Writer: zerolog.LevelWriterAdapter{Writer: w}, Level: level}
}

// levelFrom reads BLUNUX_AI_LOG: NoLevel where it says nothing, and what it
// says where that is no level.
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

// toJournal reports whether standard error is the journal's stream, which
// $JOURNAL_STREAM names by device and inode (systemd.exec(5)): the variable
// alone is inherited by programs that write elsewhere.
func toJournal(stream string, stderr *os.File) bool {
	fi, err := stderr.Stat()
	if err != nil {
		return false
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && stream == fmt.Sprintf("%d:%d", st.Dev, st.Ino)
}

// Know takes the values of keys that may show up nowhere.
func (e *eventLog) Know(keys []string) { e.keys.add(keys) }

// Place tells where the log goes, and whether its file can be written.
func (e *eventLog) Place() ipc.LogPlace {
	p := e.place
	p.File = e.file.Path()
	if err := e.file.Err(); err != nil {
		p.Problem = err.Error()
	}
	return p
}

// Close closes the file.
func (e *eventLog) Close() { _ = e.file.Close() } // every line is written already

// knownKeys are the values of all keys this process has been given: one that
// was replaced may still be in use by a turn that runs.
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

// writer returns a writer of lines without secrets.
func (k *knownKeys) writer(to io.Writer) io.Writer {
	return redacted{k, to, func(clean string) []byte { return []byte(strings.TrimSuffix(clean, "\n") + "\n") }}
}

// writerOfJSON is writer for lines that are JSON. Where a secret took a part of
// the form with it, what is left becomes the message.
func (k *knownKeys) writerOfJSON(to io.Writer) io.Writer {
	return redacted{k, to, func(clean string) []byte {
		if json.Valid([]byte(clean)) {
			return []byte(clean)
		}
		line, err := json.Marshal(map[string]string{
			zerolog.LevelFieldName: zerolog.WarnLevel.String(), zerolog.MessageFieldName: clean,
			zerolog.TimestampFieldName: time.Now().Format(time.RFC3339),
		})
		if err != nil { // never, of strings
			return nil
		}
		return append(line, '\n')
	}}
}

// redacted takes secrets out of each line, which comes in one write.
type redacted struct {
	keys *knownKeys
	to   io.Writer
	form func(clean string) []byte
}

// Write writes a line without its secrets.
func (r redacted) Write(line []byte) (int, error) {
	text := string(line)
	if clean := r.keys.redactor.Load().Redact(text); clean != text {
		if _, err := r.to.Write(r.form(clean)); err != nil {
			return 0, err
		}
		return len(line), nil
	}
	return r.to.Write(line)
}
