package recall

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/memory"
)

// firstConversationID is the first id of conversation notes. They are many, and searched only on request.
const firstConversationID = int64(1) << 40

type indexedNote struct {
	id      int64
	line    int
	updated int64
}

// write adds a piece of a file to the index. If the piece is the whole file, only differences are written.
func write(ctx context.Context, tx *sql.Tx, file int64, p Piece) error {
	var old map[int64][]indexedNote
	var err error
	if p.Replaces {
		if old, err = indexedNotes(ctx, tx, file); err != nil {
			return err
		}
	}
	w, err := newWriter(ctx, tx, file)
	if err != nil {
		return err
	}
	defer w.close()
	for _, n := range p.Notes {
		n.Text = clip(n.Text, maxText)
		hash := hashOf(n)
		if same := old[hash]; len(same) > 0 {
			old[hash] = same[1:]
			err = w.move(ctx, same[0], n)
		} else {
			err = w.insert(ctx, n, hash)
		}
		if err != nil {
			return err
		}
	}
	for _, gone := range old {
		for _, k := range gone {
			if err := w.remove(ctx, k.id); err != nil {
				return err
			}
		}
	}
	return nil
}

// hashOf identifies a note by its indexed fields.
func hashOf(n memory.Note) int64 {
	h := fnv.New64a()
	for _, s := range []string{n.Text, n.Key, string(n.Category), n.Heading, n.Source} {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	_ = binary.Write(h, binary.LittleEndian, nanos(n.Created))
	return int64(h.Sum64())
}

func indexedNotes(ctx context.Context, tx *sql.Tx, file int64) (map[int64][]indexedNote, error) {
	rows, err := tx.QueryContext(ctx, "SELECT id, line, updated, hash FROM notes WHERE file = ? ORDER BY id", file)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := map[int64][]indexedNote{}
	for rows.Next() {
		var k indexedNote
		var hash int64
		if err := rows.Scan(&k.id, &k.line, &k.updated, &hash); err != nil {
			return nil, err
		}
		all[hash] = append(all[hash], k)
	}
	return all, rows.Err()
}

// writer writes the notes of one file.
type writer struct {
	file       int64
	statements []*sql.Stmt
	next       [2]int64 // free ids: for notes, for conversations
}

const (
	insertNote = iota
	insertWords
	moveNote
	removeNote
	removeWords
	removeVector
)

var writes = []string{
	insertNote:   "INSERT INTO notes (id, file, line, key, text, category, heading, source, created, updated, hash, terms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	insertWords:  "INSERT INTO words (rowid, grams, terms, about) VALUES (?, ?, ?, ?)",
	moveNote:     "UPDATE notes SET line = ?, updated = ? WHERE id = ?",
	removeNote:   "DELETE FROM notes WHERE id = ?",
	removeWords:  "DELETE FROM words WHERE rowid = ?",
	removeVector: "DELETE FROM vectors WHERE note = ?",
}

func newWriter(ctx context.Context, tx *sql.Tx, file int64) (*writer, error) {
	w := &writer{file: file}
	for _, text := range writes {
		s, err := tx.PrepareContext(ctx, text)
		if err != nil {
			w.close()
			return nil, err
		}
		w.statements = append(w.statements, s)
	}
	err := tx.QueryRowContext(ctx, `SELECT (SELECT coalesce(max(id), 0) + 1 FROM notes WHERE id < ?1), (SELECT coalesce(max(id), ?1 - 1) + 1 FROM notes WHERE id >= ?1)`, firstConversationID).Scan(&w.next[0], &w.next[1])
	if err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

func (w *writer) close() {
	for _, s := range w.statements {
		s.Close()
	}
}

func (w *writer) do(ctx context.Context, statement int, args ...any) error {
	_, err := w.statements[statement].ExecContext(ctx, args...)
	return err
}

func (w *writer) insert(ctx context.Context, n memory.Note, hash int64) error {
	at := &w.next[0]
	if n.Category == memory.Conversation {
		at = &w.next[1]
	}
	id := *at
	*at++
	text, about := rowOf(n.Text), rowOf(contextOf(n))
	err := w.do(ctx, insertNote, id, w.file, n.Line, n.Key, n.Text, string(n.Category), n.Heading, n.Source, nanos(n.Created), nanos(n.Updated), hash, text.terms)
	if err != nil {
		return err
	}
	return w.do(ctx, insertWords, id, text.grams, text.terms, about.grams+about.terms)
}

// contextOf returns the context of a note: the headings above it, and its key if a person chose it.
func contextOf(n memory.Note) string {
	if madeKey.MatchString(n.Key) || n.Category == memory.Conversation {
		return n.Heading
	}
	return strings.TrimSpace(n.Heading + "\n" + strings.ReplaceAll(n.Key, "-", " "))
}

// madeKey matches keys that were made from the text.
var madeKey = regexp.MustCompile(`^[a-z]*[2-7][a-z2-7]*$`)

func (w *writer) move(ctx context.Context, k indexedNote, n memory.Note) error {
	if k.line == n.Line && k.updated == nanos(n.Updated) {
		return nil
	}
	return w.do(ctx, moveNote, n.Line, nanos(n.Updated), k.id)
}

func (w *writer) remove(ctx context.Context, id int64) error {
	for _, statement := range []int{removeNote, removeWords, removeVector} {
		if err := w.do(ctx, statement, id); err != nil {
			return err
		}
	}
	return nil
}

// nanos encodes a time as nanoseconds since 1970. It is 0 for the zero time and for years out of range.
func nanos(t time.Time) int64 {
	if t.Year() < 1900 || t.Year() > 2200 {
		return 0
	}
	return t.UnixNano()
}

func timeOf(nanos int64) time.Time {
	if nanos == 0 {
		return time.Time{}
	}
	return time.Unix(0, nanos)
}

// A day's note gets a line for every turn. If only such lines were added, only these are read: reading the whole
// file after each turn would cost more with every turn.
var (
	dayName  = regexp.MustCompile(`^daily/\d{4}-\d{2}-\d{2}\.md$`)
	turnLine = regexp.MustCompile(`^- ([01]\d|2[0-3]):[0-5]\d · [^\n]*\n$`)
)

var errNotAppended = errors.New("the file was not only appended to")

// growthMark encodes how far a day's note was read: its size, its number of lines, and a hash of its text. It is
// "" if an added line could continue the last note.
func growthMark(name string, text []byte, notes []memory.Note) Mark {
	lines := bytes.Count(text, []byte{'\n'})
	if !dayName.MatchString(name) || len(notes) == 0 || len(text) == 0 || text[len(text)-1] != '\n' {
		return ""
	}
	last := notes[len(notes)-1]
	end := text[bytes.LastIndexByte(text[:len(text)-1], '\n')+1:]
	if last.Line != lines || last.Heading != "" || !turnLine.Match(end) {
		return ""
	}
	return markOf(int64(len(text)), lines, sha256.Sum256(text))
}

func markOf(size int64, lines int, sum [sha256.Size]byte) Mark {
	return Mark(fmt.Sprintf("%d %d %s", size, lines, hex.EncodeToString(sum[:])))
}

// readAppended returns the lines added to a day's note after a mark. It fails with errNotAppended if anything
// else has changed.
func (m markdown) readAppended(ctx context.Context, name string, after Mark) (Piece, error) {
	var size int64
	var lines int
	var sum string
	if _, err := fmt.Sscanf(string(after), "%d %d %s", &size, &lines, &sum); err != nil || !dayName.MatchString(name) {
		return Piece{}, errNotAppended
	}
	f, err := openRegular(filepath.Join(m.dir, filepath.FromSlash(name)))
	if err != nil {
		return Piece{}, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return Piece{}, err
	}
	h := sha256.New()
	if _, err := io.CopyN(h, f, size); err != nil || hex.EncodeToString(h.Sum(nil)) != sum {
		return Piece{}, errNotAppended
	}
	added, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return Piece{}, err
	}
	count := 0
	for line := range bytes.Lines(added) {
		if count++; !turnLine.Match(line) || bytes.Contains(line, []byte("-->")) { // the latter could end an earlier comment
			return Piece{}, errNotAppended
		}
	}
	if lines+count > maxNotes || size+int64(len(added)) > maxFile {
		return Piece{}, errNotAppended // the file must be cut
	}
	notes := memory.Split(name, string(added), fi.ModTime())
	for i := range notes {
		notes[i].Line += lines
	}
	h.Write(added)
	return Piece{Notes: notes, Mark: markOf(size+int64(len(added)), lines+count, [sha256.Size]byte(h.Sum(nil)))}, ctx.Err()
}
