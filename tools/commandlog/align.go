package commandlog

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"slices"
)

// alignment compares commands.log line by line with the records of the chain. It decides about a line that
// differs when it knows the next one: edited, removed or added.
type alignment struct {
	f      io.ReaderAt
	size   int64
	report func(file string, line int, seq int64, what Flaw)

	in         *bufio.Reader
	lookahead  []text // lines that were read but not taken, at most two
	at         int64  // offset of ahead
	count      int    // number of lines before them
	open       *expected
	hasProblem bool // a problem was reported
	// unknown is the number of records missing at this point. The same number of lines without a record can
	// follow here.
	unknown int64
}

type text struct {
	line string
	size int64 // of the whole line, even if line is shortened
}

// expected is a line that was not found at its place.
type expected struct {
	seq  int64
	line string
}

// peek returns the i-th line from here with its line feed, or "" after the end.
func (a *alignment) peek(i int) (string, error) {
	if a.in == nil {
		a.in = bufio.NewReaderSize(io.NewSectionReader(a.f, a.at, max(a.size-a.at, 0)), 64<<10)
	}
	for len(a.lookahead) <= i {
		line, n, err := readLine(a.in)
		if n == 0 {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return "", err
		}
		a.lookahead = append(a.lookahead, text{string(line), n})
	}
	return a.lookahead[i].line, nil
}

// take moves to the next line.
func (a *alignment) take() {
	a.at += a.lookahead[0].size
	a.count++
	a.lookahead = a.lookahead[:copy(a.lookahead, a.lookahead[1:])]
}

// seek moves to an offset with count lines before it.
func (a *alignment) seek(at int64, count int) {
	a.at, a.count, a.in, a.lookahead = at, count, nil, a.lookahead[:0]
}

func (a *alignment) problem(seq int64, what Flaw) {
	a.hasProblem = true
	a.report(logName, a.count+1, seq, what)
}

// expect takes the line of a record.
func (a *alignment) expect(seq int64, want string) error {
	if a.open != nil {
		if err := a.judge(want); err != nil {
			return err
		}
	}
	here, err := a.peek(0)
	if err != nil {
		return err
	}
	if here != want {
		if found, err := a.find(want); !found || err != nil {
			a.open = &expected{seq, want}
			return err
		}
	}
	a.unknown = 0
	a.take()
	return nil
}

// find looks for a line after the lines of missing records.
func (a *alignment) find(want string) (bool, error) {
	at, count := a.at, a.count
	for ; a.unknown > 0; a.unknown-- {
		here, err := a.peek(0)
		if err != nil || here == "" {
			break
		}
		if here == want {
			return true, nil
		}
		a.take()
	}
	here, err := a.peek(0)
	if here == want || err != nil {
		return here == want, err
	}
	a.seek(at, count)
	a.unknown = 0
	return false, nil
}

// judge reports what happened to the line that was not at its place. next is the line after it, or "" if it is
// not known.
func (a *alignment) judge(next string) error {
	o := *a.open
	a.open = nil
	here, err := a.peek(0)
	if err != nil {
		return err
	}
	if here == "" || here == next {
		a.problem(o.seq, Removed)
		return nil
	}
	behind, err := a.peek(1)
	if err != nil {
		return err
	}
	if behind == o.line {
		a.problem(o.seq, Added)
		a.take()
	} else {
		a.problem(o.seq, Edited)
	}
	a.take()
	return nil
}

// resolve reports an open difference without knowing the next line.
func (a *alignment) resolve() error {
	if a.open == nil {
		return nil
	}
	return a.judge("")
}

// skipSpan takes a part of the file with known length and hash, and returns its number of lines.
func (a *alignment) skipSpan(seq int64, s span) (int, error) {
	if err := a.resolve(); err != nil {
		return 0, err
	}
	sum := sha256.New()
	n, err := io.Copy(sum, io.NewSectionReader(a.f, a.at, min(s.Bytes, max(a.size-a.at, 0))))
	if err != nil {
		return 0, err
	}
	lines, err := countLines(a.f, a.at, a.at+n)
	if err != nil {
		return 0, err
	}
	if n != s.Bytes || hex.EncodeToString(sum.Sum(nil)) != s.SHA256 {
		a.problem(seq, Edited)
	}
	a.seek(a.at+n, a.count+lines)
	return lines, nil
}

// resume continues at an offset.
func (a *alignment) resume(at int64) error {
	if err := a.resolve(); err != nil {
		return err
	}
	at = min(at, a.size)
	if at == a.at {
		return nil
	}
	lines, err := countLines(a.f, 0, at)
	a.seek(at, lines)
	return err
}

// finish takes the rest after the last record's line, and reports whether a crash explains it.
func (a *alignment) finish(s state) (excused bool, err error) {
	if s.short > 0 && a.open != nil && a.open.seq == s.last.Seq {
		a.open = nil
		if here, err := a.peek(0); here != "" || err != nil {
			a.take()
			return false, err
		}
	}
	if err := a.resolve(); err != nil {
		return false, err
	}
	from := a.count
	lines, err := countLines(a.f, a.at, max(a.size, a.at))
	if err != nil || lines == 0 {
		return false, err
	}
	excused = lines == 1 && !a.hasProblem && s.extra > 0 && !slices.Contains(s.damage, Damage{logName, Added})
	if s.last.Seq > 0 && !excused {
		a.problem(s.last.Seq, Added)
	}
	a.count = from + lines
	return excused, nil
}
