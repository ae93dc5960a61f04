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
	offsetFile    = "offset.json"
	maxOffsetFile = 4 << 10
	// offsetTTL is how long an offset is valid. After a week without updates, the server continues
	// with a random number (section "Update"). Without an offset, it returns all unconfirmed
	// updates.
	offsetTTL = 6 * 24 * time.Hour
)

// offset is the number of the next update, and the file it is saved in.
type offset struct {
	path  string
	saved offsetRecord
}

// offsetRecord is the content of the file. Bot is the ID of the bot that received the updates.
type offsetRecord struct {
	Bot  string    `json:"bot"`
	Next int64     `json:"next"`
	At   time.Time `json:"at"`
}

// openOffset reads the saved offset. An unreadable file counts as empty: the server also knows what
// was confirmed, and duplicate messages are recognized.
func openOffset(o Options) *offset {
	id, _, _ := strings.Cut(o.Token, ":")
	of := &offset{saved: offsetRecord{Bot: id}}
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
	data, err := io.ReadAll(io.LimitReader(f, maxOffsetFile))
	if err == nil && json.Unmarshal(data, &kept) == nil && kept.Bot == id && kept.Next > 0 {
		of.saved = kept
	}
	return of
}

// next returns the offset to request; 0 requests all unconfirmed updates.
func (o *offset) next() int64 {
	if age := time.Since(o.saved.At); age > offsetTTL || age < -offsetTTL {
		return 0
	}
	return o.saved.Next
}

// advance records that an update was handled.
func (o *offset) advance(id int64) {
	o.saved.Next, o.saved.At = id+1, time.Now().UTC().Round(time.Second)
}

// save writes the offset to its file.
func (o *offset) save() error {
	if o.path == "" {
		return nil
	}
	data, err := json.Marshal(o.saved)
	if err == nil {
		err = renameio.WriteFile(o.path, append(data, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("cannot save the offset: %w", err)
	}
	return nil
}
