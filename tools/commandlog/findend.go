package commandlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// HasEnd reports whether a record already has its result, so that a process that takes over a command does not
// add a second one. It reads backwards to the record itself.
func (l *Log) HasEnd(ref Ref) (bool, error) {
	f, err := openToRead(l.siblingPath(auditName))
	if f == nil || err != nil {
		return false, err
	}
	defer f.Close()
	all, err := size(f)
	if err != nil {
		return false, fmt.Errorf("cannot read the command log: %w", err)
	}
	for piece := int64(64 << 10); ; piece *= 4 {
		piece = min(piece, all)
		data := make([]byte, piece)
		if _, err := f.ReadAt(data, all-piece); err != nil && !errors.Is(err, io.EOF) {
			return false, fmt.Errorf("cannot read the command log: %w", err)
		}
		if found, far := findEnd(data, ref.seq); found || far || piece == all {
			return found, nil
		}
	}
}

// findEnd looks for the result of a record in a piece of the chain, and reports whether the piece reaches back to
// the record. It skips incomplete lines.
func findEnd(data []byte, seq int64) (found, far bool) {
	for line := range bytes.Lines(data) {
		k, err := decode(bytes.TrimSuffix(line, []byte("\n")))
		if err != nil {
			continue
		}
		far = far || k.Seq <= seq
		if k.Event == eventEnd && k.Of == seq {
			return true, true
		}
	}
	return false, far
}
