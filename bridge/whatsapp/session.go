package whatsapp

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/store/sqlstore"
	waLog "go.mau.fi/whatsmeow/util/log"
	"golang.org/x/sys/unix"
	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/nidoit/blunux-ai/internal/disk"
)

// Files and directories in the channel's directory.
const (
	sessionDir = "session"
	newDir     = "session.new" // of a login in progress
	oldDir     = "session.old" // replaced by a login
	storeFile  = "store.db"
)

var (
	// ErrNoSession reports that no account is linked.
	ErrNoSession = errors.New("no account is linked")
	// ErrBroken reports that the session data cannot be read.
	ErrBroken = errors.New("the session cannot be read")
	// ErrDiskFull reports that the disk is full.
	ErrDiskFull = errors.New("the disk is full")
)

// session is the link to an account: keys and the state of the conversations' ratchets.
type session struct {
	db        *sql.DB
	container *sqlstore.Container
	device    *store.Device
}

// openSession opens the session in a bridge's directory. Its errors are ErrNoSession, ErrBroken and
// ErrNoRoom. The server cannot cause the device's deletion: only login and logout remove a session.
func openSession(ctx context.Context, dir string) (*session, error) {
	path := filepath.Join(dir, sessionDir, storeFile)
	fi, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrNoSession
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	case !fi.Mode().IsRegular():
		return nil, fmt.Errorf("%w: %s is not a file", ErrBroken, path)
	}
	s, err := openStore(ctx, path)
	if err != nil {
		return nil, err
	}
	if s.device.ID == nil {
		s.close()
		return nil, ErrNoSession
	}
	s.device.Container = undeletableStore{s.container}
	return s, nil
}

// newSession creates a session in a separate directory, next to an existing one.
func newSession(ctx context.Context, dir string) (*session, error) {
	place := filepath.Join(dir, newDir)
	err := os.RemoveAll(place)
	if err == nil {
		err = os.MkdirAll(place, 0o700)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot create the session's directory: %w", wrapDiskFull(err))
	}
	return openStore(ctx, filepath.Join(place, storeFile))
}

// openStore opens a store's file, and creates it if necessary.
func openStore(ctx context.Context, path string) (*session, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot open the session: %w", wrapDiskFull(err))
	}
	err = errors.Join(f.Chmod(0o600), f.Close())
	if err != nil {
		return nil, fmt.Errorf("cannot open the session: %w", err)
	}
	db, err := sql.Open("sqlite", dsn(path))
	if err != nil {
		return nil, fmt.Errorf("cannot open the session: %w", err)
	}
	// Keep one idle connection, because each has its own cache.
	db.SetMaxOpenConns(4)
	db.SetMaxIdleConns(1)
	s := &session{db: db, container: sqlstore.NewWithDB(db, "sqlite3", waLog.Noop)}
	if err := s.load(ctx); err != nil {
		db.Close()
		return nil, err
	}
	return s, nil
}

// dsn returns the options for the database. Commits must be synced to disk, because a ratchet that
// goes back after a power failure would use a key twice.
func dsn(path string) string {
	q := url.Values{"_pragma": {
		"foreign_keys(1)", "busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)", "cache_size(-256)", "journal_size_limit(1048576)",
	}, "_txlock": {"immediate"}}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

// load checks the file's integrity and reads the device.
func (s *session) load(ctx context.Context) error {
	var verdict string
	err := s.db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict)
	if err == nil && verdict != "ok" {
		return fmt.Errorf("%w: %s", ErrBroken, verdict)
	}
	if err == nil {
		err = s.container.Upgrade(ctx)
	}
	if err == nil {
		s.device, err = s.container.GetFirstDevice(ctx)
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(wrapDiskFull(err), ErrDiskFull):
		return wrapDiskFull(err)
	}
	return fmt.Errorf("%w: %w", ErrBroken, err)
}

func (s *session) close() error { return s.container.Close() }

// wrapDiskFull wraps an error that was caused by a full disk in [ErrDiskFull].
func wrapDiskFull(err error) error {
	var e *sqlite.Error
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.As(err, &e) && e.Code()&0xff == lib.SQLITE_FULL {
		return fmt.Errorf("%w: %w", ErrDiskFull, err)
	}
	return err
}

// undeletableStore is a store that does not delete the device at the server's request.
type undeletableStore struct{ *sqlstore.Container }

var errNotDeleted = errors.New("only blunux-wa-bridge logout deletes a session")

// DeleteDevice always fails with errNotDeleted.
func (undeletableStore) DeleteDevice(context.Context, *store.Device) error { return errNotDeleted }

// installSession replaces the session with the new one. It keeps the old one in a separate directory until
// the next login.
func installSession(dir string) error {
	place, fresh, aside := filepath.Join(dir, sessionDir), filepath.Join(dir, newDir), filepath.Join(dir, oldDir)
	err := unix.Renameat2(unix.AT_FDCWD, fresh, unix.AT_FDCWD, place, unix.RENAME_EXCHANGE)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = os.Rename(fresh, place)
	case err == nil:
		if err = os.RemoveAll(aside); err == nil {
			err = os.Rename(fresh, aside)
		}
	}
	if err == nil {
		err = disk.SyncDir(dir)
	}
	if err != nil {
		return fmt.Errorf("cannot install the new session: %w", err)
	}
	return nil
}

// removeSessions deletes all sessions in a directory.
func removeSessions(dir string) error {
	var all []error
	for _, name := range []string{sessionDir, newDir, oldDir} {
		all = append(all, os.RemoveAll(filepath.Join(dir, name)))
	}
	if err := errors.Join(append(all, disk.SyncDir(dir))...); err != nil {
		return fmt.Errorf("cannot remove the session: %w", err)
	}
	return nil
}

// freeSpace returns the available bytes of a directory's file system.
func freeSpace(dir string) (uint64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return st.Bavail * uint64(st.Bsize), nil
}

// isNumber reports whether s is a phone number in WhatsApp's format.
func isNumber(s string) bool {
	return len(s) >= 5 && len(s) <= 20 && strings.Trim(s, "0123456789") == ""
}
