package offline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"
)

// Misses are the requests that the helper did not understand. They stay in a file of the person, so that they can be taught
// (phrases.tsv). They are safe for concurrent use.
type Misses struct {
	Path string
	Now  func() time.Time
	// HasSecret reports whether a request has a password or a key. It is not kept then.
	HasSecret func(string) bool

	mu sync.Mutex
}

// Miss is a request that was not understood.
type Miss struct {
	At   time.Time `json:"at"`
	Text string    `json:"text"`
}

const (
	maxMissFile = 64 << 10 // bytes, before the older half is dropped
	maxMissText = 500      // bytes of a request
)

// Add appends a request. Longer ones are cut; requests that contain other text or secrets are left out.
func (m *Misses) Add(text string) error {
	text = strings.TrimSpace(text)
	if text == "" || strings.Contains(text, "\n") || m.HasSecret(text) {
		return nil
	}
	line, err := json.Marshal(Miss{m.Now().UTC().Truncate(time.Second), strings.ToValidUTF8(text[:min(len(text), maxMissText)], "")})
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	all, err := os.ReadFile(m.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot read what was not understood: %w", err)
	}
	if len(all) > maxMissFile {
		_, all, _ = bytes.Cut(all[len(all)/2:], []byte("\n"))
	}
	all = append(append(all, line...), '\n')
	if err := os.WriteFile(m.Path, all, 0o600); err != nil {
		return fmt.Errorf("cannot save what was not understood: %w", err)
	}
	return nil
}

// List returns the requests, the latest first. Unreadable lines are left out.
func (m *Misses) List() ([]Miss, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	data, err := os.ReadFile(m.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return []Miss{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read what was not understood: %w", err)
	}
	list := []Miss{}
	for line := range bytes.Lines(data) {
		var one Miss
		if json.Unmarshal(line, &one) == nil && one.Text != "" {
			list = append([]Miss{one}, list...)
		}
	}
	return list, nil
}
