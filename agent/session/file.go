package session

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/internal/disk"
)

// maxName bounds an escaped key in a file name, in bytes. The limit of file systems is 255 (NAME_MAX,
// limits.h).
const maxName = 200

// cutMark separates the beginning of a key that is too long for a file name from its hash. Escaped keys do not
// contain it, so file names are unambiguous.
const cutMark = "="

// FileName returns the name of a session's file. It escapes keys and cuts long ones, so that no sender can choose
// a path or the file of another key.
func FileName(key string) string {
	name := escape(key)
	if len(name) > maxName {
		sum := sha256.Sum256([]byte(key))
		name = escape(keyPrefix(key)) + cutMark + hex.EncodeToString(sum[:16])
	}
	return name + ".jsonl"
}

// escape keeps letters, digits, "-", "_" and "~", writes a blank as "+" and everything else as %XX.
func escape(s string) string { return strings.ReplaceAll(url.QueryEscape(s), ".", "%2E") }

// keyPrefix returns as much of a long key as fits before its hash. Each byte takes up to three.
func keyPrefix(key string) string {
	n := min(50, len(key))
	for n > 0 && n < len(key) && !utf8.RuneStart(key[n]) {
		n--
	}
	return key[:n]
}

// keyOf returns the key of a file name. Of a cut key it returns the beginning and "…".
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

// ErrUnknown reports a session without a conversation.
var ErrUnknown = errors.New("there is no such conversation")

// isCut reports whether a file's name contains only the beginning of the key.
func isCut(key string) bool { return len(escape(key)) > maxName }

// file returns the file of a session.
func (s *Store) file(key string) string { return filepath.Join(s.dir, FileName(key)) }

// open opens a session's file. It does not follow symbolic links and does not block on named pipes.
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

// openLocked opens a session's file and waits for its lock (flock(2)), because other programs can write to it too.
// Closing the file releases the lock. If the file was deleted while waiting, it is opened again, so that
// nothing is written to a deleted file.
func openLocked(file string, flags int, mode disk.Mode) (*os.File, error) {
	for {
		f, err := open(file, flags)
		if err != nil {
			return nil, err
		}
		fi, err := lockFile(f, mode)
		if err != nil {
			f.Close()
			return nil, err
		}
		if st, ok := fi.Sys().(*syscall.Stat_t); !ok || st.Nlink > 0 {
			return f, nil
		}
		f.Close()
	}
}

func lockFile(f *os.File, mode disk.Mode) (fs.FileInfo, error) {
	if err := disk.Lock(f, mode); err != nil {
		return nil, fmt.Errorf("cannot lock: %w", err)
	}
	return f.Stat()
}

// openReading opens a session's file for reading. It fails with [ErrUnknown] if there is none.
func (s *Store) openReading(key string) (*os.File, int64, error) {
	f, err := open(s.file(key), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, ErrUnknown
	}
	if err != nil {
		return nil, 0, err
	}
	fi, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, fi.Size(), nil
}

// Exists reports whether a session has a conversation.
func (s *Store) Exists(key string) bool {
	fi, err := os.Lstat(s.file(key))
	return err == nil && fi.Mode().IsRegular()
}

// Delete removes a conversation permanently. It fails with [ErrUnknown] if there is none. A concurrent writer
// starts a new file.
func (s *Store) Delete(key string) error {
	f, err := openLocked(s.file(key), os.O_RDONLY, disk.Exclusive)
	if errors.Is(err, fs.ErrNotExist) {
		return ErrUnknown
	}
	if err != nil {
		return fmt.Errorf("cannot delete the conversation: %w", err)
	}
	defer f.Close()
	if err := os.Remove(s.file(key)); err != nil {
		return fmt.Errorf("cannot delete the conversation: %w", err)
	}
	s.cache.drop(s.file(key))
	s.forgetDamage(key)
	return disk.SyncDir(s.dir)
}
