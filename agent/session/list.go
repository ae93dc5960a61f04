package session

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/internal/sorting"
)

// Info describes a conversation.
type Info struct {
	// Key is the session's key. If the whole key is neither in the file name nor in the file, it is its
	// beginning and "…".
	Key      string    `json:"key"`
	Modified time.Time `json:"modified"`
	Bytes    int64     `json:"bytes"`
	// Messages counts the user's messages and the answers. nil means that counting would take too long.
	Messages *int `json:"messages,omitempty"`
	// Title is the beginning of the user's last message.
	Title string `json:"title,omitempty"`
	Health
}

const (
	maxListed  = 10_000    // latest conversations to examine
	maxPage    = 200       // of a list
	maxCounted = 256 << 10 // size of the largest file whose messages are counted in a list, in bytes
	maxTitle   = 80        // of a title, in bytes
	dirPiece   = 256       // directory entries to read at a time
)

// Listing selects the conversations to list.
type Listing struct {
	Prefix string // of the keys; "" for all
	Page   int    // from 1
	Limit  int    // size of a page, 1 to 200; 0 means 50
}

// List returns a page of the 10,000 latest conversations, the latest first. Page and limit bound its memory.
func (s *Store) List(l Listing) ([]Info, error) {
	if l.Limit <= 0 {
		l.Limit = 50
	}
	l.Limit = min(l.Limit, maxPage)
	first := (max(min(l.Page, maxListed), 1) - 1) * l.Limit
	files, err := s.newestFiles(l.Prefix, min(first+l.Limit, maxListed))
	if err != nil {
		return nil, fmt.Errorf("cannot list the conversations: %w", err)
	}
	infos := []Info{}
	for _, f := range files[min(first, len(files)):] {
		if info, err := s.briefInfo(f); err == nil { // otherwise it was removed in the meantime
			infos = append(infos, info)
		}
	}
	return infos, nil
}

// conversationFile is a conversation's file in the directory.
type conversationFile struct {
	name, key string
	modified  time.Time
	size      int64
	info      fs.FileInfo
}

// newestFiles returns the n files changed last, the latest first. It reads the directory in pieces and holds at most
// about 2n entries.
func (s *Store) newestFiles(prefix string, n int) ([]conversationFile, error) {
	dir, err := os.Open(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	var files []conversationFile
	for {
		entries, err := dir.ReadDir(dirPiece)
		for _, e := range entries {
			if f, ok := conversationOf(e, prefix); ok {
				files = append(files, f)
			}
		}
		if len(files) > 2*n || err != nil {
			sorting.By(files, func(a, b conversationFile) int {
				return cmp.Or(b.modified.Compare(a.modified), strings.Compare(a.name, b.name))
			})
			files = files[:min(n, len(files))]
		}
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// conversationOf returns the conversation file of a directory entry, if it is one.
func conversationOf(e fs.DirEntry, prefix string) (conversationFile, bool) {
	key, ok := keyOf(e.Name())
	if !ok || !e.Type().IsRegular() || !strings.HasPrefix(key, prefix) {
		return conversationFile{}, false
	}
	fi, err := e.Info()
	if err != nil { // it was removed in the meantime
		return conversationFile{}, false
	}
	return conversationFile{e.Name(), key, fi.ModTime(), fi.Size(), fi}, true
}

// briefInfo describes a file as far as that is fast.
func (s *Store) briefInfo(at conversationFile) (Info, error) {
	info := Info{Key: at.key, Modified: at.modified, Bytes: at.size}
	f, err := s.openFound(at)
	if err != nil {
		return info, err
	}
	defer f.Close()
	if strings.HasSuffix(at.key, "…") {
		info.Key = wholeKey(f, at)
	}
	if at.size > maxCounted {
		info.Title = lastTitle(f, at.size)
		return info, nil
	}
	n := 0
	info.Health, err = walk(io.NewSectionReader(f, 0, at.size), func(e Entry) error {
		n += e.messageCount()
		info.Title = cmp.Or(e.title(), info.Title)
		return nil
	})
	info.Messages = &n
	s.recordDamage(info.Key, info.Damaged)
	return info, err
}

// messageCount returns how many messages an entry counts as for users.
func (e Entry) messageCount() int {
	if e.Type == TypeUser || e.Type == TypeThought || e.Type == TypeError {
		return 1
	}
	return 0
}

// title returns the beginning of a user's message, "" for other entries.
func (e Entry) title() string {
	if e.Type != TypeUser {
		return ""
	}
	return cut(strings.Join(strings.Fields(cut(ownText(e.Content), 4*maxTitle)), " "), maxTitle)
}

// lastTitle returns the user's last message near the end of a large file.
func lastTitle(f *os.File, size int64) string {
	r := backwardReader{timeout: never}
	from := size - min(size, maxCounted)
	data := make([]byte, size-from)
	if _, err := f.ReadAt(data, from); err != nil && !errors.Is(err, io.EOF) {
		return ""
	}
	r.read(data, from)
	for _, e := range r.entries { // the latest first
		if title := e.title(); title != "" {
			return title
		}
	}
	return ""
}

// wholeKey returns the key of a file whose name is cut, from its first entry. A key that does not match the
// file name is ignored.
func wholeKey(f *os.File, at conversationFile) string {
	l, err := newLineReader(io.NewSectionReader(f, 0, at.size)).next()
	if err != nil {
		return at.key
	}
	e, ok := decode(l.text)
	if !ok || e.Metadata == nil || FileName(e.Metadata.Key) != at.name {
		return at.key
	}
	return e.Metadata.Key
}
