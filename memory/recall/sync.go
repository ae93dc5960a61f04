package recall

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/nidoit/blunux-ai/memory"
)

// SyncText updates the index from its sources, without vectors, which depend on a slow server. It reads changed files
// again, and only the new part of growing ones, and removes the notes of deleted files. Each file is a separate
// transaction, so an interrupted update is continued by the next.
func (x *Index) SyncText(ctx context.Context) error {
	if err := x.syncLocked(ctx, x.o.Sources); err != nil {
		return fmt.Errorf("cannot update the index: %w", err)
	}
	return nil
}

// SyncFiles is [Index.SyncText] for a few files, given by the name of their source, after others have been compared once
// since the index was opened. It does not look at other files.
func (x *Index) SyncFiles(ctx context.Context, changed map[string][]string) error {
	x.syncing.Lock()
	defer x.syncing.Unlock()
	err := x.check(ctx)
	if err == nil && !x.whole.Load() {
		err = x.sync(ctx, x.o.Sources)
	} else if err == nil {
		err = x.use(ctx, func(h *handle) error { return x.syncNamed(ctx, h, changed) })
	}
	if err != nil {
		return fmt.Errorf("cannot update the index: %w", err)
	}
	return nil
}

// syncNamed updates the index from a few files.
func (x *Index) syncNamed(ctx context.Context, h *handle, changed map[string][]string) error {
	for _, s := range x.o.Sources {
		for _, name := range changed[s.Name()] {
			f, err := s.Stat(name)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				err = x.removeFile(ctx, h, s, name)
			case err != nil:
				x.warn(Warning{"file-unreadable", name, err})
				continue
			default:
				err = x.syncFile(ctx, h, s, f)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Embed makes missing vectors for as long as an answer can wait for the server, so that notes written a moment
// ago, by hand or by another process, can also be found by their meaning. The next call makes the rest.
func (x *Index) Embed(ctx context.Context) error {
	short, cancel := context.WithTimeout(ctx, embedTimeout)
	defer cancel()
	if err := x.embed(short); err != nil && short.Err() == nil {
		return fmt.Errorf("cannot make vectors: %w", err)
	}
	return ctx.Err()
}

// EmbedAll makes missing vectors. It can take long, and answers do not wait for it.
func (x *Index) EmbedAll(ctx context.Context) error {
	if err := x.embed(ctx); err != nil {
		return fmt.Errorf("cannot make vectors: %w", err)
	}
	return nil
}

// Purge updates the index and rewrites its words, so that it contains no trace of deleted notes: FTS5 only marks
// them as deleted.
func (x *Index) Purge(ctx context.Context) error {
	err := x.SyncText(ctx)
	if err == nil {
		err = x.use(ctx, func(h *handle) error {
			for _, do := range []string{"INSERT INTO words (words) VALUES ('optimize')", "PRAGMA wal_checkpoint(TRUNCATE)"} {
				if _, err := h.db.ExecContext(ctx, do); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("cannot remove deleted notes from the index: %w", err)
	}
	return nil
}

// syncLocked updates the index from its files.
func (x *Index) syncLocked(ctx context.Context, sources []Source) error {
	x.syncing.Lock()
	defer x.syncing.Unlock()
	if err := x.check(ctx); err != nil {
		return err
	}
	return x.sync(ctx, sources)
}

// check verifies an existing index once. Otherwise damaged notes could be missing from answers unnoticed.
func (x *Index) check(ctx context.Context) error {
	if x.checked {
		return nil
	}
	err := x.use(ctx, func(h *handle) error {
		var found string
		if err := h.db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&found); err != nil {
			return err
		}
		if found != "ok" {
			return fmt.Errorf("%w: %s", errDamaged, found)
		}
		_, err := h.db.ExecContext(ctx, "INSERT INTO words (words) VALUES ('integrity-check')")
		return err
	})
	if isBusy(err) {
		return nil // check again later
	}
	x.checked = err == nil
	return err
}

// syncTimeout is the time that an answer waits for an update of the index.
const syncTimeout = 2 * time.Second

// refresh updates the index for an answer, within a time limit. If an update is running already, or another program
// has locked the index, the answer uses the current state.
func (x *Index) refresh(ctx context.Context, q memory.Query) error {
	if !x.syncing.TryLock() {
		return nil
	}
	defer x.syncing.Unlock()
	var sources []Source
	for _, s := range x.o.Sources {
		if s.Holds(q) {
			sources = append(sources, s)
		}
	}
	limit := syncTimeout
	if end, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(end)/2)
	}
	short, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := x.sync(short, sources)
	switch {
	case err == nil || ctx.Err() == nil && short.Err() != nil:
		return ctx.Err()
	case isBusy(err):
		x.warn(Warning{"index-busy", x.file, err})
		return nil
	}
	return err
}

// sync implements Sync. x.syncing must be held.
func (x *Index) sync(ctx context.Context, sources []Source) error {
	err := x.use(ctx, func(h *handle) error {
		for _, s := range sources {
			if err := x.syncSource(ctx, h, s); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && len(sources) == len(x.o.Sources) {
		x.whole.Store(true)
	}
	return err
}

type fileRecord struct {
	id    int64
	stamp string
	mark  Mark
}

func (x *Index) syncSource(ctx context.Context, h *handle, s Source) error {
	files, err := s.Files(ctx)
	if err != nil {
		return err
	}
	old, err := knownFiles(ctx, h.db, s.Name())
	if err != nil {
		return err
	}
	for _, f := range files {
		k, ok := old[f.Name]
		delete(old, f.Name)
		if ok && f.Stamp != "" && k.stamp == f.Stamp {
			continue
		}
		if err := x.syncFile(ctx, h, s, f); err != nil {
			return err
		}
	}
	for name := range old {
		if err := x.removeFile(ctx, h, s, name); err != nil {
			return err
		}
	}
	return nil
}

func knownFiles(ctx context.Context, q querier, source string) (map[string]fileRecord, error) {
	rows, err := q.QueryContext(ctx, "SELECT name, id, stamp, mark FROM files WHERE source = ?", source)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := map[string]fileRecord{}
	for rows.Next() {
		var name string
		var k fileRecord
		if err := rows.Scan(&name, &k.id, &k.stamp, &k.mark); err != nil {
			return nil, err
		}
		all[name] = k
	}
	return all, rows.Err()
}

// syncFile reads a file piece by piece. It skips an unreadable file and keeps its indexed notes.
func (x *Index) syncFile(ctx context.Context, h *handle, s Source, f File) error {
	for {
		more, err := x.syncPiece(ctx, h, s, f)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return x.removeFile(ctx, h, s, f.Name)
		case errors.As(err, new(readError)):
			if ctx.Err() != nil {
				return ctx.Err()
			}
			x.warn(Warning{"file-unreadable", f.Name, err})
			return nil
		case err != nil || !more:
			return err
		}
	}
}

type readError struct{ error }

func (u readError) Unwrap() error { return u.error }

// syncPiece reads and writes one piece in one write transaction.
func (x *Index) syncPiece(ctx context.Context, h *handle, s Source, f File) (more bool, err error) {
	err = h.write(ctx, func(tx *sql.Tx) error {
		k, err := knownFile(ctx, tx, s.Name(), f.Name)
		if err != nil {
			return err
		}
		if f.Stamp != "" && k.stamp == f.Stamp {
			return nil // another program did it meanwhile
		}
		p, err := s.Read(ctx, f, k.mark)
		if err != nil {
			return readError{err}
		}
		if p.Cut {
			x.warn(Warning{"file-cut", f.Name, nil})
		}
		stamp := f.Stamp
		if more = p.More; more {
			stamp = ""
		}
		if k.id, err = writeFile(ctx, tx, s.Name(), f.Name, stamp, p.Mark); err != nil {
			return err
		}
		return write(ctx, tx, k.id, p)
	})
	return more, err
}

// write calls f in an exclusive write transaction.
func (h *handle) write(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := h.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

func knownFile(ctx context.Context, q querier, source, name string) (k fileRecord, err error) {
	err = q.QueryRowContext(ctx, "SELECT id, stamp, mark FROM files WHERE source = ? AND name = ?", source, name).Scan(&k.id, &k.stamp, &k.mark)
	if errors.Is(err, sql.ErrNoRows) {
		return fileRecord{}, nil
	}
	return k, err
}

func writeFile(ctx context.Context, tx *sql.Tx, source, name, stamp string, m Mark) (id int64, err error) {
	err = tx.QueryRowContext(ctx, `INSERT INTO files (source, name, stamp, mark) VALUES (?1, ?2, ?3, ?4)
		ON CONFLICT (source, name) DO UPDATE SET stamp = ?3, mark = ?4 RETURNING id`, source, name, stamp, string(m)).Scan(&id)
	return id, err
}

func (x *Index) removeFile(ctx context.Context, h *handle, s Source, name string) error {
	return h.write(ctx, func(tx *sql.Tx) error {
		k, err := knownFile(ctx, tx, s.Name(), name)
		if err != nil || k.id == 0 {
			return err
		}
		if err := write(ctx, tx, k.id, Piece{Replaces: true}); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "DELETE FROM files WHERE id = ?", k.id)
		return err
	})
}
