// Package session keeps conversations: one append-only JSON-lines file a
// session, synced before anybody is told that a message was taken.
//
// A line is an [Entry] (Moonbot specification section 7.3: type, content,
// timestamp) with the message itself as the model saw it. Nothing is ever
// rewritten: a reset is an entry, and a model is shown only what stands after
// the last one. Reading looks at the end of a file only, so neither memory
// nor time grow with the length of a conversation.
package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/nidoit/blunux-ai/providers"
)

// Type says what an entry is.
type Type string

// The types. A reset starts the conversation anew.
const (
	TypeUser    Type = "user"    // a person's words
	TypeThought Type = "thought" // the model's words
	TypeTool    Type = "tool"    // the model's tool calls
	TypeResult  Type = "result"  // what they brought
	TypeReset   Type = "reset"
)

// Entry is one line of a conversation's file.
type Entry struct {
	Type      Type               `json:"type"`
	Content   string             `json:"content"`
	Timestamp int64              `json:"timestamp"` // milliseconds since 1970, UTC
	Message   *providers.Message `json:"message,omitempty"`
}

// Store keeps the conversations of one directory. It is safe for concurrent
// use.
type Store struct {
	dir     string
	window  int
	timeout time.Duration
	now     func() time.Time
	mu      sync.Mutex
}

// Options makes a [Store].
type Options struct {
	Dir string
	// Window is how many messages a model is shown at most, default 50.
	Window int
	// Timeout is how long a conversation may pause before the next message
	// starts it anew, default one hour. The file keeps everything.
	Timeout time.Duration
	Now     func() time.Time
}

// New returns a store; its directory is made when first written.
func New(o Options) *Store {
	if o.Window == 0 {
		o.Window = 50
	}
	if o.Timeout == 0 {
		o.Timeout = time.Hour
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Store{dir: o.Dir, window: o.Window, timeout: o.Timeout, now: o.Now}
}

// Key returns the key of a channel's session: agent:<id>:session:<name>
// (Moonbot specification section 7.2).
func Key(agent, channel, name string) string {
	return "agent:" + agent + ":session:" + channel + "/" + name
}

// file returns the file of a session.
func (s *Store) file(key string) string { return filepath.Join(s.dir, fileName(key)) }

// Append adds messages. Those that end a turn, the model's words, are on the
// disk when it returns, and everything before them: a person is told nothing
// that a power cut could take back. The steps of a turn that still runs are
// safe from the end of the program, and reach the disk with its answer.
func (s *Store) Append(key string, messages ...providers.Message) error {
	entries := make([]Entry, len(messages))
	for i, m := range messages {
		entries[i] = Entry{Type: typeOf(m), Content: m.Text(), Timestamp: s.now().UnixMilli(), Message: &messages[i]}
	}
	ends := len(messages) > 0 && entries[len(entries)-1].Type == TypeThought
	return s.write(key, entries, ends)
}

// Reset starts the conversation anew; its file is kept.
func (s *Store) Reset(key string) error {
	return s.write(key, []Entry{{Type: TypeReset, Timestamp: s.now().UnixMilli()}}, true)
}

func typeOf(m providers.Message) Type {
	for _, b := range m.Content {
		switch b.Type {
		case providers.BlockToolUse:
			return TypeTool
		case providers.BlockToolResult:
			return TypeResult
		}
	}
	if m.Role == providers.RoleUser {
		return TypeUser
	}
	return TypeThought
}

func (s *Store) write(key string, entries []Entry, sync bool) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	for _, e := range entries {
		if err := enc.Encode(e); err != nil {
			return fmt.Errorf("cannot keep the message: %w", err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.append(key, buf.Bytes(), sync); err != nil {
		return fmt.Errorf("cannot keep the message: %w", err)
	}
	return nil
}

// append adds lines to a session's file; with sync it returns when the whole
// file is on the disk.
func (s *Store) append(key string, lines []byte, sync bool) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	f, err := open(s.file(key), os.O_CREATE|os.O_RDWR|os.O_APPEND)
	if err != nil {
		return err
	}
	defer f.Close()
	torn, err := endsTorn(f)
	if err != nil {
		return err
	}
	if torn { // the machine died in the middle of a line: end it
		lines = append([]byte{'\n'}, lines...)
	}
	if _, err := f.Write(lines); err != nil {
		return err
	}
	if !sync {
		return nil
	}
	// A full sync also makes a new file's name last, on the file systems
	// Linux desktops use (ext4, btrfs, xfs, f2fs).
	return f.Sync()
}

// open opens a session's file. It never follows a link, which could lead
// anywhere, and never waits, as opening a named pipe would.
func open(file string, flags int) (*os.File, error) {
	f, err := os.OpenFile(file, flags|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// endsTorn reports whether a file ends in the middle of a line.
func endsTorn(f *os.File) (bool, error) {
	fi, err := f.Stat()
	if err != nil || fi.Size() == 0 {
		return false, err
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], fi.Size()-1)
	return last[0] != '\n', err
}

// tailSize is how much of a file's end is read: 50 messages with their tool
// output, cut to limits, fit many times over.
const tailSize = 4 << 20

// Load returns the messages a model should see: at most the window's number,
// since the last reset or long pause, starting with a person's words so that
// no tool result stands without its call.
func (s *Store) Load(key string) ([]providers.Message, error) {
	entries, err := s.tail(key)
	if err != nil {
		return nil, err
	}
	var messages []providers.Message
	last := s.now()
	for i := len(entries) - 1; i >= 0 && len(messages) < s.window; i-- {
		e := entries[i]
		at := time.UnixMilli(e.Timestamp)
		if e.Type == TypeReset || e.Message == nil || last.Sub(at) > s.timeout {
			break
		}
		messages, last = append(messages, *e.Message), at
	}
	slices.Reverse(messages)
	messages = paired(messages)
	for len(messages) > 0 && typeOf(messages[0]) != TypeUser {
		messages = messages[1:]
	}
	return messages, nil
}

// paired drops calls that have no results and results that have no calls: a
// machine that died while writing leaves one without the other, and every
// provider refuses a conversation that has such a thing in it.
func paired(messages []providers.Message) []providers.Message {
	kept := messages[:0]
	for i := 0; i < len(messages); i++ {
		switch typeOf(messages[i]) {
		case TypeTool:
			if i+1 < len(messages) && answers(messages[i], messages[i+1]) {
				kept = append(kept, messages[i], messages[i+1])
				i++
			}
		case TypeResult: // its call is not before it
		default:
			kept = append(kept, messages[i])
		}
	}
	return kept
}

// answers reports whether results has exactly the results of calls' calls.
func answers(calls, results providers.Message) bool {
	waiting := map[string]int{}
	for _, b := range calls.Content {
		if b.Type == providers.BlockToolUse {
			waiting[b.ID]++
		}
	}
	for _, b := range results.Content {
		if b.Type == providers.BlockToolResult {
			waiting[b.ToolUseID]--
		}
	}
	for _, n := range waiting {
		if n != 0 {
			return false
		}
	}
	return true
}

// tail reads the last entries of a session's file, at most the window's
// number, the oldest first. A line that cannot be read is passed over: only a
// machine that died while writing leaves one.
func (s *Store) tail(key string) ([]Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := open(s.file(key), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	// Most windows fit a small piece of the end; only a long one costs more.
	for piece := int64(64 << 10); ; piece *= 4 {
		piece = min(piece, tailSize, fi.Size())
		entries, err := s.lastEntries(f, fi.Size(), piece)
		if err != nil || len(entries) == s.window || piece == fi.Size() || piece == tailSize {
			return entries, err
		}
	}
}

// lastEntries decodes at most a window of entries from the last bytes of a
// file.
func (s *Store) lastEntries(f *os.File, size, piece int64) ([]Entry, error) {
	data := make([]byte, piece)
	if _, err := f.ReadAt(data, size-piece); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	lines := bytes.Split(data, []byte{'\n'})
	if piece < size {
		lines = lines[1:] // the end of a line that began before
	}
	var entries []Entry
	for i := len(lines) - 1; i >= 0 && len(entries) < s.window; i-- {
		var e Entry
		if len(lines[i]) > 0 && json.Unmarshal(lines[i], &e) == nil {
			entries = append(entries, e)
		}
	}
	slices.Reverse(entries)
	return entries, nil
}
