package chat

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

	"github.com/nidoit/blunux-ai/internal/disk"
	"github.com/nidoit/blunux-ai/internal/secret"
)

// maxHistoryRead is how many bytes of the file are read at most, from its end.
const maxHistoryRead = 8 << 20

// HistoryFile stores typed lines in a file with mode 0600, as one JSON string per line. It keeps
// the latest 1,000. Lines that start with a blank are not stored, and text that looks like a key or
// password is redacted (see [secret.Redactor]). The file must not be a symbolic link. Several chats
// can share it. If path is "", nothing is stored.
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

// Load reads the file. It skips invalid lines, and treats a missing file as empty. A file of more
// than twice the maximum number of lines is rewritten.
func (h *historyFile) Load() ([]string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f, err := h.open(os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the input history: %w", err)
	}
	defer f.Close()
	lines, err := readHistory(f)
	if err != nil {
		return nil, fmt.Errorf("cannot read the input history: %w", err)
	}
	if over := len(lines) - maxRecalled; over > 0 {
		lines = lines[over:]
		if over > maxRecalled {
			err = h.rewrite(lines)
		}
	}
	return lines, err
}

// open opens and locks the file until it is closed. If another chat has replaced it meanwhile, it opens the new one.
func (h *historyFile) open(flags int) (*os.File, error) {
	for {
		f, err := os.OpenFile(h.path, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0o600)
		if err != nil {
			return nil, err
		}
		same, err := lockFile(f, h.path)
		if same && err == nil {
			return f, nil
		}
		f.Close()
		if err != nil {
			return nil, err
		}
	}
}

// lockFile locks a file, and reports whether path still refers to it.
func lockFile(f *os.File, path string) (bool, error) {
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	if !info.Mode().IsRegular() {
		return false, fmt.Errorf("%s is not a regular file", path)
	}
	if err := disk.Lock(f, disk.Exclusive); err != nil {
		return false, fmt.Errorf("cannot lock %s: %w", path, err)
	}
	now, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(info, now), err
}

func readHistory(f *os.File) ([]string, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	from := max(info.Size()-maxHistoryRead, 0) // a partial first line is invalid JSON and skipped
	data, err := io.ReadAll(io.NewSectionReader(f, from, maxHistoryRead))
	if err != nil {
		return nil, err
	}
	var lines []string
	for part := range bytes.Lines(data) {
		var line string
		if len(part) <= 8*maxRecalledLength && json.Unmarshal(part, &line) == nil && line != "" {
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
		return fmt.Errorf("cannot shorten the input history: %w", err)
	}
	_, err = next.Write(b.Bytes())
	if err == nil {
		err = next.CloseAtomicallyReplace()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("cannot shorten the input history: %w", err), next.Cleanup())
	}
	return nil
}

// Append appends a line to the file in one write.
func (h *historyFile) Append(line string) error {
	if strings.HasPrefix(line, " ") {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	f, err := h.open(os.O_CREATE | os.O_APPEND | os.O_WRONLY)
	if err != nil {
		return fmt.Errorf("cannot save the input history: %w", err)
	}
	_, err = f.Write(jsonLine(h.hide.Redact(line)))
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("cannot save the input history: %w", err)
	}
	return nil
}

func jsonLine(line string) []byte {
	data, err := json.Marshal(line)
	if err != nil { // strings can always be marshalled
		panic(err)
	}
	return append(data, '\n')
}

// maxRecalled is how many lines are kept, maxRecalledLength the maximum length of a kept line in bytes.
const (
	maxRecalled       = 1000
	maxRecalledLength = 16 << 10
)

// inputHistory is the input history and the position in it.
type inputHistory struct {
	lines []string
	at    int    // len(lines) if no line is recalled
	draft string // the input before the first recall
}

func (r *inputHistory) load(lines []string) {
	r.lines = append(lines[:len(lines):len(lines)], r.lines...)
	r.at = len(r.lines)
}

// add adds a line, and reports whether to save it.
func (r *inputHistory) add(line string) bool {
	defer func() { r.at, r.draft = len(r.lines), "" }()
	if strings.TrimSpace(line) == "" || len(r.lines) > 0 && r.lines[len(r.lines)-1] == line {
		return false
	}
	r.lines = append(r.lines, line)
	if over := len(r.lines) - maxRecalled; over > 0 {
		r.lines = append([]string(nil), r.lines[over:]...)
	}
	return len(line) <= maxRecalledLength
}

// older and newer return the adjacent line. now is the current input.
func (r *inputHistory) older(now string) (string, bool) {
	if r.at == 0 {
		return now, false
	}
	if r.at == len(r.lines) {
		r.draft = now
	}
	r.at--
	if r.at > 0 && r.lines[r.at] == now { // a question that was returned to the input
		r.at--
	}
	return r.lines[r.at], true
}

func (r *inputHistory) newer(now string) (string, bool) {
	if r.at >= len(r.lines) {
		return now, false
	}
	if r.at++; r.at == len(r.lines) {
		return r.draft, true
	}
	return r.lines[r.at], true
}

// find returns the index of the latest line before index before that contains words, or -1.
func (r *inputHistory) find(words string, before int) int {
	for i := min(before, len(r.lines)) - 1; i >= 0; i-- {
		if strings.Contains(strings.ToLower(r.lines[i]), strings.ToLower(words)) {
			return i
		}
	}
	return -1
}
