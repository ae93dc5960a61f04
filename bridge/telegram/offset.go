package telegram

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/google/renameio/v2"
)

const (
	offsetFile = "offset.json"
	mostOffset = 4 << 10
	// offsetLast is how long an offset counts: after a week without updates the
	// server begins anew with a number of its choice (section "Update"). Without one it
	// puts up what was not confirmed.
	offsetLast = 6 * 24 * time.Hour
)

// offset is the number of the next update, and what it is kept in.
type offset struct {
	path string
	kept offsetRecord
}

// offsetRecord is the file. Bot is whose updates are numbered.
type offsetRecord struct {
	Bot  string    `json:"bot"`
	Next int64     `json:"next"`
	At   time.Time `json:"at"`
}

// openOffset reads what a former run has kept. What cannot be read is as nothing:
// the server has it too, and messages are told from their copies.
func openOffset(o Options) *offset {
	id, _, _ := strings.Cut(o.Token, ":")
	of := &offset{kept: offsetRecord{Bot: id}}
	if o.Dir == "" {
		return of
	}
	of.path = filepath.Join(o.Dir, offsetFile)
	f, err := os.OpenFile(of.path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return of
	}
	defer f.Close()
	var kept offsetRecord
	data, err := io.ReadAll(io.LimitReader(f, mostOffset))
	if err == nil && json.Unmarshal(data, &kept) == nil && kept.Bot == id && kept.Next > 0 {
		of.kept = kept
	}
	return of
}

// next is what to ask for; 0 for whatever was not confirmed.
func (o *offset) next() int64 {
	if age := time.Since(o.kept.At); age > offsetLast || age < -offsetLast {
		return 0
	}
	return o.kept.Next
}

// pass notes that an update is dealt with.
func (o *offset) pass(id int64) { o.kept.Next, o.kept.At = id+1, time.Now().UTC().Round(time.Second) }

// save writes it down.
func (o *offset) save() error {
	if o.path == "" {
		return nil
	}
	data, err := json.Marshal(o.kept)
	if err == nil {
		err = renameio.WriteFile(o.path, append(data, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("cannot write down which messages are taken: %w", err)
	}
	return nil
}
