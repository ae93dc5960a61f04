package recall

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"

	"github.com/nidoit/blunux-ai/memory"
)

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
