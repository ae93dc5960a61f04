package session

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// maxName bounds an escaped key in a file name, in bytes. File systems take
// 255 (NAME_MAX, limits.h).
const maxName = 200

// cutMark stands between the beginning of a key that is too long for a file
// name and its hash. No escaped key contains it, so none can pass for another.
const cutMark = "="

// fileName returns the file name of a session. Keys are escaped, and long
// ones cut, so that no sender can choose a path or somebody else's file.
func fileName(key string) string {
	name := escape(key)
	if len(name) > maxName {
		sum := sha256.Sum256([]byte(key))
		name = escape(beginning(key)) + cutMark + hex.EncodeToString(sum[:16])
	}
	return name + ".jsonl"
}

// escape leaves letters, digits, "-", "_" and "~" and writes the rest as %XX,
// a blank as "+".
func escape(s string) string { return strings.ReplaceAll(url.QueryEscape(s), ".", "%2E") }

// beginning returns as much of a long key as fits beside its hash: at most
// three bytes a byte.
func beginning(key string) string {
	n := min(50, len(key))
	for n > 0 && n < len(key) && !utf8.RuneStart(key[n]) {
		n--
	}
	return key[:n]
}

// keyOf returns the key a file name was made of. Of a key that was cut it
// returns the beginning and "…".
func keyOf(name string) (string, bool) {
	name, ok := strings.CutSuffix(name, ".jsonl")
	if !ok {
		return "", false
	}
	name, _, cut := strings.Cut(name, cutMark)
	key, err := url.QueryUnescape(name)
	if err != nil || escape(key) != name {
		return "", false
	}
	if cut {
		key += "…"
	}
	return key, true
}

// Info describes a conversation.
type Info struct {
	// Key is the session's key; of one longer than about 60 bytes that was cut
	// for the file name, its beginning and "…".
	Key      string    `json:"key"`
	Modified time.Time `json:"modified"`
	Bytes    int64     `json:"bytes"`
}

// List returns the conversations, the latest first.
func (s *Store) List() ([]Info, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot list the conversations: %w", err)
	}
	infos := []Info{}
	for _, e := range entries {
		key, ok := keyOf(e.Name())
		if !ok || !e.Type().IsRegular() {
			continue // not one of ours
		}
		if fi, err := e.Info(); err == nil { // else it was removed meanwhile
			infos = append(infos, Info{key, fi.ModTime(), fi.Size()})
		}
	}
	slices.SortFunc(infos, func(a, b Info) int { return b.Modified.Compare(a.Modified) })
	return infos, nil
}
