package recall

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"modernc.org/sqlite"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/memory"
)

// Identification of our database (PRAGMA application_id: "BLNX").
const (
	application = 0x424c4e58
	version     = 3 // of schema and terms; other versions are rebuilt
)

const schema = `
CREATE TABLE files (id INTEGER PRIMARY KEY, source TEXT NOT NULL, name TEXT NOT NULL, stamp TEXT NOT NULL, mark TEXT NOT NULL, UNIQUE (source, name));
CREATE TABLE notes (
	id INTEGER PRIMARY KEY, file INTEGER NOT NULL, line INTEGER NOT NULL, key TEXT NOT NULL, text TEXT NOT NULL, category TEXT NOT NULL,
	heading TEXT NOT NULL, source TEXT NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL, hash INTEGER NOT NULL, terms TEXT NOT NULL);
CREATE INDEX notes_of_file ON notes (file);
CREATE VIRTUAL TABLE words USING fts5 (grams, terms, about, content='', contentless_delete=1, tokenize='porter unicode61');
CREATE TABLE vectors (note INTEGER PRIMARY KEY, model TEXT NOT NULL, vector BLOB NOT NULL);
`

// handle is an open database.
type handle struct {
	db     *sql.DB
	inode  uint64
	memory bool // not on disk
}

// openFile opens the index in a file, which it creates if it is missing. It fails with errForeign if something
// else is in its place.
func openFile(ctx context.Context, file string) (*handle, error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, err
	}
	inode, err := prepare(file)
	if err != nil {
		return nil, err
	}
	dsn := (&url.URL{Scheme: "file", OmitHost: true, Path: file}).String()
	db, err := sql.Open("sqlite", dsn+pragmas+"&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(4)
	db.SetMaxIdleConns(2)
	return initTables(ctx, &handle{db: db, inode: inode})
}

// pragmas of every connection. busy_timeout is how long a statement waits for another program's lock, in
// milliseconds. A negative cache_size is in KiB.
const pragmas = "?_txlock=immediate&_pragma=busy_timeout(1000)&_pragma=cache_size(-1024)&_pragma=secure_delete(1)&_pragma=temp_store(2)"

// openMemory opens an index that is lost when it is closed.
func openMemory(ctx context.Context) (*handle, error) {
	db, err := sql.Open("sqlite", "file::memory:"+pragmas)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return initTables(ctx, &handle{db: db, memory: true})
}

// prepare ensures that the file is a regular file that only its owner can access.
func prepare(file string) (inode uint64, err error) {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0o600)
	if errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.EISDIR) || errors.Is(err, syscall.ENXIO) {
		return 0, errForeign
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	fi, err := f.Stat()
	switch {
	case err != nil:
		return 0, err
	case !fi.Mode().IsRegular():
		return 0, errForeign
	case fi.Mode().Perm() != 0o600:
		err = f.Chmod(0o600)
	}
	return inodeOf(fi), err
}

func inodeOf(fi fs.FileInfo) uint64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}

// initTables creates the tables if they are missing.
func initTables(ctx context.Context, h *handle) (*handle, error) {
	err := h.createTables(ctx)
	if err != nil {
		return nil, errors.Join(err, h.db.Close())
	}
	return h, nil
}

func (h *handle) createTables(ctx context.Context) error {
	app, ver, err := h.readVersion(ctx, h.db)
	if err != nil || app == application && ver == version {
		return err
	}
	tx, err := h.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	// Another process may have created them meanwhile.
	if app, ver, err = h.readVersion(ctx, tx); err != nil || app == application && ver == version {
		return err
	}
	var tables int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&tables); err != nil {
		return err
	}
	switch {
	case tables > 0 && app == application && ver > version:
		return errNewer
	case tables > 0 && app == application:
		return errOutdated
	case tables > 0:
		return errForeign
	}
	if _, err := tx.ExecContext(ctx, schema+fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d;", application, version)); err != nil {
		return err
	}
	return tx.Commit()
}

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func (h *handle) readVersion(ctx context.Context, q querier) (app, ver int, err error) {
	err = q.QueryRowContext(ctx, "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version)").Scan(&app, &ver)
	return app, ver, err
}

// errForeign reports that the file is not an index, errOutdated that it is an index of an older version of this
// program, and errNewer that it is one of a newer version, which is left unchanged.
var (
	errNewer    = errors.New("index of a newer version")
	errForeign  = errors.New("not an index")
	errOutdated = errors.New("index of an older version")
)

// errDamaged reports rows that differ from what was written.
var errDamaged = errors.New("the index is damaged")

// SQLite's primary result codes (sqlite.org/rescode.html).
const (
	codeBusy, codeLocked, codeReadOnly, codeIO          = 5, 6, 8, 10
	codeCorrupt, codeFull, codeCannotOpen, codeProtocol = 11, 13, 14, 15
	codeNoDatabase                                      = 26
)

func code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// isDamage reports whether the index must be rebuilt.
func isDamage(err error) bool {
	if errors.Is(err, errForeign) || errors.Is(err, errDamaged) {
		return true
	}
	switch code(err) {
	case codeCorrupt, codeNoDatabase:
		return true
	case 1: // an unexpected table
		return strings.Contains(err.Error(), "no such table") || strings.Contains(err.Error(), "no such column") ||
			strings.Contains(err.Error(), "malformed") || strings.Contains(err.Error(), "has no column")
	}
	return false
}

// isBusy reports whether another program has locked the index.
func isBusy(err error) bool {
	c := code(err)
	return c == codeBusy || c == codeLocked || c == codeProtocol
}

// isNoPlace reports whether the disk does not take an index.
func isNoPlace(err error) bool {
	switch code(err) {
	case codeReadOnly, codeIO, codeFull, codeCannotOpen:
		return true
	}
	for _, e := range []error{fs.ErrPermission, syscall.EROFS, syscall.ENOSPC, syscall.EDQUOT, syscall.ENOTDIR, syscall.EIO, syscall.EMFILE, syscall.ENFILE, syscall.ENAMETOOLONG, fs.ErrNotExist} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// Source is a set of files with notes.
type Source interface {
	// Name identifies the source in the index and never changes.
	Name() string
	// Files lists the existing files. It must be cheap, because it is called before every answer.
	Files(ctx context.Context) ([]File, error)
	// Stat returns one file without looking at others. It fails with [fs.ErrNotExist] if Files would not list it.
	Stat(name string) (File, error)
	// Read returns the notes of a file after a mark, or all notes if the mark is empty or the file has changed
	// otherwise. It fails with [fs.ErrNotExist] if the file no longer exists.
	Read(ctx context.Context, f File, after Mark) (Piece, error)
	// Holds reports whether the source can contain notes for a query.
	Holds(q memory.Query) bool
}

// File is one file of a source.
type File struct {
	Name string
	// Stamp changes whenever the file changes. It is "" for a file that was written just now, which could change
	// again with the same stamp and must be read.
	Stamp string
}

// Mark is how far a file has been read, in a format known only to its source.
type Mark string

// Piece is a part of a file.
type Piece struct {
	Notes    []memory.Note
	Mark     Mark // position after the piece
	Replaces bool // the piece replaces all earlier notes of the file
	More     bool // more follows
	// Cut reports that a part of the file is left out because it is too large.
	Cut bool
}

// Names of the sources.
const (
	NoteSource         = "notes"
	ConversationSource = "conversations"
)

// Bounds of the indexed parts of conversations.
const (
	maxSaid     = 4 << 10 // bytes of a message
	maxResult   = 1 << 10 // bytes of a tool result
	maxPiece    = 1 << 20 // bytes of a file read in one transaction
	markContext = 1 << 10 // bytes before a mark that must be unchanged
)

// Conversations returns the conversations of a store as a source: messages and shortened tool results. The files
// only grow, so only new data is read. A file that shrank or was replaced is read again from the start.
func Conversations(s *session.Store) Source { return conversations{s} }

type conversations struct{ store *session.Store }

func (conversations) Name() string { return ConversationSource }

func (conversations) Holds(q memory.Query) bool { return q.Includes(memory.Conversation) }

func (c conversations) Files(ctx context.Context) ([]File, error) {
	named, err := c.store.Files(ctx)
	if err != nil {
		return nil, err
	}
	files := make([]File, 0, len(named))
	for _, n := range named {
		files = append(files, File{n.Name, stampOf(n.FileInfo)})
	}
	return files, nil
}

func (c conversations) Stat(name string) (File, error) {
	f, err := c.store.Stat(name)
	if err != nil {
		return File{}, err
	}
	return File{f.Name, stampOf(f.FileInfo)}, nil
}

func (c conversations) Read(ctx context.Context, f File, after Mark) (Piece, error) {
	from, err := c.resume(f, after)
	if err != nil {
		return Piece{}, err
	}
	p := Piece{Replaces: from == 0}
	g, err := c.store.ReadSince(f.Name, from, maxPiece, func(at int64, e session.Entry) {
		if n, ok := noteOf(e, at); ok {
			p.Notes = append(p.Notes, n)
		}
	})
	if err != nil {
		return Piece{}, err
	}
	for i := range p.Notes {
		p.Notes[i].Source = g.Key
	}
	sum, err := c.sum(f, g.End)
	p.More, p.Mark = g.More, Mark(fmt.Sprintf("%d %s", g.End, sum))
	if err == nil {
		err = ctx.Err()
	}
	return p, err
}

// resume returns the offset of the mark if the data before it is unchanged, else 0.
func (c conversations) resume(f File, after Mark) (int64, error) {
	at, sum, _ := strings.Cut(string(after), " ")
	from, err := strconv.ParseInt(at, 10, 64)
	if err != nil || from <= 0 {
		return 0, nil
	}
	now, err := c.sum(f, from)
	if err != nil || now != sum {
		return 0, err
	}
	return from, nil
}

// sum hashes the data before an offset. It is "" if the file is shorter.
func (c conversations) sum(f File, before int64) (string, error) {
	data, err := c.store.Tail(f.Name, before, markContext)
	if err != nil || data == nil {
		return "", err
	}
	h := fnv.New64a()
	_, _ = h.Write(data)
	return strconv.FormatUint(h.Sum64(), 36), nil
}

// aboutNotes are the tools whose results only repeat notes or confirm that one was written.
var aboutNotes = []string{"recall", "remember", "forget", "update_user"}

// noteOf converts an entry to a note. ok is false if the entry contains no message.
func noteOf(e session.Entry, at int64) (n memory.Note, ok bool) {
	most := maxSaid
	switch e.Type {
	case session.TypeUser, session.TypeThought:
	case session.TypeResult:
		most = maxResult
		if e.Metadata != nil && slices.Contains(aboutNotes, e.Metadata.Tool) {
			return n, false
		}
	default:
		return n, false
	}
	text := strings.TrimSpace(strings.ToValidUTF8(clip(e.Content, most), "\ufffd"))
	if text == "" {
		return n, false
	}
	when := time.UnixMilli(e.Timestamp)
	return memory.Note{
		Key: string(e.Type) + "-" + strconv.FormatInt(at, 36), Text: text, Category: memory.Conversation, Created: when, Updated: when,
	}, true
}
