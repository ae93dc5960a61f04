package memory

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// Bounds for the search of repetitions of a note.
const (
	minEcho = 6  // characters of a text of one word; shorter words occur in too many other texts
	minCut  = 12 // characters that a truncated part of a line must share with the text
)

// Echoes returns the other notes that repeat a note: those with the same text, and the lines of turns in days and
// months that contain its text.
func (m *Memory) Echoes(ctx context.Context, n Note) []Note {
	notes, _ := m.Notes(ctx) // unreadable files are skipped
	var echoes []Note
	for _, o := range notes {
		itself := o.Source == n.Source && o.Key == n.Key && o.Text == n.Text
		if !itself && o.Source != systemFile && repeatsText(o, n.Text) {
			echoes = append(echoes, o)
		}
	}
	return echoes
}

func repeatsText(n Note, text string) bool {
	if flatten(n.Text) == flatten(text) {
		return true
	}
	return isTurn(n) && (ContainsText(n.Text, text) || asksFor(n.Text, text))
}

// memoryWords matches the argument of a `blunux-ai memory` command in a day's line.
var memoryWords = lazyregexp.New(`blunux-ai memory [^;·]*?-- ('[^']*'|[^;· ]+)`)

// asksFor reports whether a turn searched the notes for most of a text.
func asksFor(line, text string) bool {
	text = flatten(text)
	return slices.ContainsFunc(memoryWords.FindAllStringSubmatch(line, -1), func(m []string) bool {
		words := flatten(strings.Trim(m[1], "'"))
		n := utf8.RuneCountInString(words)
		return n >= minEcho && 2*n >= utf8.RuneCountInString(text) && strings.Contains(text, words)
	})
}

// isTurn reports whether a note is the line that the program wrote for a turn: request, commands, result.
func isTurn(n Note) bool { return n.Category == Daily && strings.Count(n.Text, " · ") >= 2 }

// ContainsText reports whether a line of a day contains a text as a whole, or its beginning where the line was
// truncated. It ignores texts that are a single short word.
func ContainsText(line, text string) bool {
	line, text = flatten(line), flatten(text)
	if text == "" || !strings.Contains(text, " ") && utf8.RuneCountInString(text) < minEcho {
		return false
	}
	for at := 0; ; {
		i := strings.Index(line[at:], text)
		if i < 0 {
			break
		}
		if at += i; isWholeWord(line, at, at+len(text)) {
			return true
		}
		_, n := utf8.DecodeRuneInString(line[at:])
		at += n
	}
	return holdsBeginning(line, text)
}

// holdsBeginning reports whether a truncated part of a line ends with the beginning of a text.
func holdsBeginning(line, text string) bool {
	for part := range strings.SplitSeq(line, " · ") {
		said, wasCut := strings.CutSuffix(strings.TrimSpace(part), "…")
		for at := range said {
			if wasCut && strings.HasPrefix(text, said[at:]) && utf8.RuneCountInString(said[at:]) >= minCut {
				return true
			}
		}
	}
	return false
}

// flatten returns a text in its form for comparison: on one line, in lower case.
func flatten(text string) string { return foldCase(strings.Join(strings.Fields(text), " ")) }

// isWholeWord reports whether line[from:to] begins and ends at word boundaries. Korean and Chinese words need no
// boundary, because particles are attached to them.
func isWholeWord(line string, from, to int) bool {
	first, _ := utf8.DecodeRuneInString(line[from:])
	last, _ := utf8.DecodeLastRuneInString(line[:to])
	before, _ := utf8.DecodeLastRuneInString(line[:from])
	after, _ := utf8.DecodeRuneInString(line[to:])
	return !(isLetter(first) && isLetter(before) || isLetter(last) && isLetter(after))
}

func isLetter(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unicode.In(r, unicode.Hangul, unicode.Han)
}

// forgetEchoes removes a text from all files of the notes, including the backups (FILE~), and records the changed
// files in change.
func (m *Memory) forgetEchoes(ctx context.Context, n Note, change *Change) {
	names, err := m.names(ctx)
	if err != nil {
		change.Still = append(change.Still, "daily")
	}
	for _, name := range append(names, userFile+backupSuffix, memoryFile+backupSuffix) {
		if name == systemFile {
			continue
		}
		gone := 0
		err := m.editExisting(ctx, name, func(old content) (string, error) {
			p := newPage(strings.TrimSuffix(name, backupSuffix), old)
			gone = 0
			for i, o := range p.notes {
				if repeatsText(o, n.Text) {
					gone += len(p.linesOf(i))
					p.remove(i)
				}
			}
			if gone == 0 {
				return old.text, nil
			}
			return p.render()
		})
		switch {
		case err != nil: // an unreadable file can contain it
			change.Still = append(change.Still, name)
		case gone > 0:
			change.Also = append(change.Also, FileLines{name, gone})
		}
	}
}

func (m *Memory) editExisting(ctx context.Context, name string, change func(content) (string, error)) error {
	if _, err := os.Lstat(m.path(name)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return m.edit(ctx, name, maxFile, change)
}
