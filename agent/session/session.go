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
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// file returns the file of a session. Names are escaped, and long ones cut,
// so that no sender can choose a path.
func (s *Store) file(key string) string {
	name := url.QueryEscape(key)
	if len(name) > 200 {
		name = name[:160] + fmt.Sprintf("-%x", fnv64(key))
	}
	return filepath.Join(s.dir, strings.ReplaceAll(name, ".", "%2E")+".jsonl")
}

func fnv64(s string) uint64 { // FNV-1a
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// Append adds messages and returns when they are on the disk.
func (s *Store) Append(key string, messages ...providers.Message) error {
	entries := make([]Entry, len(messages))
	for i, m := range messages {
		entries[i] = Entry{Type: typeOf(m), Content: m.Text(), Timestamp: s.now().UnixMilli(), Message: &messages[i]}
	}
	return s.write(key, entries)
}

// Reset starts the conversation anew; its file is kept.
func (s *Store) Reset(key string) error {
	return s.write(key, []Entry{{Type: TypeReset, Timestamp: s.now().UnixMilli()}})
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

func (s *Store) write(key string, entries []Entry) error {
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
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("cannot keep the message: %w", err)
	}
	f, err := os.OpenFile(s.file(key), os.O_CREATE|os.O_RDWR|os.O_APPEND|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return fmt.Errorf("cannot keep the message: %w", err)
	}
	defer f.Close()
	line := buf.Bytes()
	if endsTorn(f) { // the machine died in the middle of a line: end it
		line = append([]byte{'\n'}, line...)
	}
	if _, err := f.Write(line); err != nil {
		return fmt.Errorf("cannot keep the message: %w", err)
	}
	if err := syscall.Fdatasync(int(f.Fd())); err != nil {
		return fmt.Errorf("cannot sync the conversation: %w", err)
	}
	return nil
}

func endsTorn(f *os.File) bool {
	fi, err := f.Stat()
	if err != nil || fi.Size() == 0 {
		return false
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], fi.Size()-1)
	return err == nil && last[0] != '\n'
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
	for len(messages) > 0 && typeOf(messages[0]) != TypeUser {
		messages = messages[1:]
	}
	return messages, nil
}

// tail reads the entries at the end of a session's file. A line that cannot
// be read is passed over: only a machine that died while writing leaves one.
func (s *Store) tail(key string) ([]Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := os.OpenFile(s.file(key), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
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
	skipped := fi.Size() > tailSize
	if skipped {
		if _, err := f.Seek(-tailSize, io.SeekEnd); err != nil {
			return nil, err
		}
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	lines := bytes.Split(data, []byte{'\n'})
	if skipped {
		lines = lines[1:] // the end of a line that began before
	}
	var entries []Entry
	for _, line := range lines {
		var e Entry
		if len(line) > 0 && json.Unmarshal(line, &e) == nil {
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// Info describes a conversation.
type Info struct {
	Key      string    `json:"key"`
	Modified time.Time `json:"modified"`
	Bytes    int64     `json:"bytes"`
}

// List returns the conversations, the latest first.
func (s *Store) List() ([]Info, error) {
	files, err := filepath.Glob(filepath.Join(s.dir, "*.jsonl"))
	if err != nil {
		return nil, err
	}
	infos := []Info{}
	for _, file := range files {
		fi, err := os.Stat(file)
		if err != nil {
			continue // removed meanwhile
		}
		key, err := url.QueryUnescape(strings.TrimSuffix(filepath.Base(file), ".jsonl"))
		if err != nil {
			continue // not one of ours
		}
		infos = append(infos, Info{key, fi.ModTime(), fi.Size()})
	}
	slices.SortFunc(infos, func(a, b Info) int { return b.Modified.Compare(a.Modified) })
	return infos, nil
}
