package tui

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/secret"
)

// mostHistory bounds how much of the file is read, in bytes: of a longer one the end.
const mostHistory = 8 << 20

// HistoryFile keeps typed lines in a file (mode 0600), one JSON string a line, the
// latest 1,000 of them. A line that begins with a blank is not kept, and of others
// nothing that has the shape of a key or password (see [secret.Redactor]). A link in
// the file's place is refused. Chats beside one another may share it. "" keeps nothing.
func HistoryFile(path string) History {
	if path == "" {
		return nil
	}
	return &historyFile{path: path, hide: secret.NewRedactor(nil)}
}

type historyFile struct {
	path string
	hide *secret.Redactor
	mu   sync.Mutex
}

// Load reads the file. A line that is none is passed over; a file that is not
// there is empty. One that has grown to twice its bound is written anew.
func (h *historyFile) Load() ([]string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f, err := h.open(os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read what was typed before: %w", err)
	}
	defer f.Close()
	lines, err := readHistory(f)
	if err != nil {
		return nil, fmt.Errorf("cannot read what was typed before: %w", err)
	}
	if over := len(lines) - mostRecalled; over > 0 {
		lines = lines[over:]
		if over > mostRecalled {
			err = h.rewrite(lines)
		}
	}
	return lines, err
}

// open opens the file and holds it against other chats until it is closed. One that
// another chat has replaced meanwhile is opened anew.
func (h *historyFile) open(flags int) (*os.File, error) {
	for {
		f, err := os.OpenFile(h.path, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0o600)
		if err != nil {
			return nil, err
		}
		same, err := hold(f, h.path)
		if same && err == nil {
			return f, nil
		}
		f.Close()
		if err != nil {
			return nil, err
		}
	}
}

// hold locks a file, and reports whether it still is the one with that name.
func hold(f *os.File, path string) (bool, error) {
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	if !info.Mode().IsRegular() {
		return false, fmt.Errorf("%s is no regular file", path)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		return false, fmt.Errorf("cannot lock %s: %w", path, err)
	}
	now, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(info, now), err
}

// readHistory reads the lines at the end of a file.
func readHistory(f *os.File) ([]string, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	from := max(info.Size()-mostHistory, 0) // a line that is cut is no JSON
	data, err := io.ReadAll(io.NewSectionReader(f, from, mostHistory))
	if err != nil {
		return nil, err
	}
	var lines []string
	for part := range bytes.Lines(data) {
		var line string
		if len(part) <= 8*longestRecalled && json.Unmarshal(part, &line) == nil && line != "" {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

// rewrite replaces the file by one with these lines.
func (h *historyFile) rewrite(lines []string) error {
	var b bytes.Buffer
	for _, line := range lines {
		b.Write(jsonLine(line))
	}
	next, err := renameio.NewPendingFile(h.path, renameio.WithStaticPermissions(0o600))
	if err != nil {
		return fmt.Errorf("cannot shorten what was typed before: %w", err)
	}
	_, err = next.Write(b.Bytes())
	if err == nil {
		err = next.CloseAtomicallyReplace()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("cannot shorten what was typed before: %w", err), next.Cleanup())
	}
	return nil
}

// Append adds a line at the end of the file, in one write.
func (h *historyFile) Append(line string) error {
	if strings.HasPrefix(line, " ") {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	f, err := h.open(os.O_CREATE | os.O_APPEND | os.O_WRONLY)
	if err != nil {
		return fmt.Errorf("cannot keep what was typed: %w", err)
	}
	if _, err = f.Write(jsonLine(h.hide.Redact(line))); err != nil {
		f.Close()
		return fmt.Errorf("cannot keep what was typed: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("cannot keep what was typed: %w", err)
	}
	return nil
}

func jsonLine(line string) []byte {
	data, err := json.Marshal(line)
	if err != nil { // no string is unmarshallable
		panic(err)
	}
	return append(data, '\n')
}
