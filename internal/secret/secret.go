// Package secret removes keys and passwords from text: output of commands, logs, prompts and replies. It
// replaces them with markers such as [redacted:github-token].
//
// A [Redactor] finds known values, such as the program's own keys, in any form (also in base64, URLs and JSON),
// and shapes: tokens with a vendor prefix, private key blocks, passwords in URLs and headers, and assignments
// to names such as password or api_key. Precision matters as much as recall, because users must be able to read
// checksums, UUIDs, versions and git hashes. A shape therefore needs more than randomness. Passwords that are
// ordinary words in prose are not found.
//
// Source of the token shapes: the vendors' documentation, and gitleaks' rules (github.com/gitleaks/gitleaks, MIT).
package secret

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/internal/sorting"
)

// Redactor removes secrets from text. It is safe for concurrent use. It examines text line by line; only private key
// blocks span lines. Longer lines than 16 KiB are examined in pieces, split where a secret is unlikely.
type Redactor struct {
	filter filter
	rules  map[uint32][]rule // by their anchors
	known  []string          // known values and their forms
	reach  int               // length of the longest of known
}

// rule finds a secret around an anchor.
type rule struct {
	name string
	// find returns the bounds of the secret whose anchor is at an offset of s.
	find func(s string, at int) (start, end int, ok bool)
	// isWide marks a rule that matches the value after a name. Wide rules are not tried inside secrets already
	// found, and a narrower rule at the same place determines the marker.
	isWide bool
}

// span is the position of a secret in a text.
type span struct {
	start, end int
	name       string
	wide       bool
}

// NewRedactor returns a redactor that also removes the values in known. It ignores values shorter than 8 bytes,
// which are too likely to occur in other text. For values with several lines, it removes each line.
func NewRedactor(known []string) *Redactor {
	base := shapeRedactor()
	r := &Redactor{filter: base.filter, rules: maps.Clone(base.rules)}
	for _, form := range formsOf(known) {
		r.known = append(r.known, form)
		r.reach = max(r.reach, len(form))
		r.add(form[:anchorLen], rule{name: knownName, find: func(s string, at int) (int, int, bool) {
			return at, at + len(form), strings.HasPrefix(s[at:], form)
		}})
	}
	return r
}

// shapeRedactor is the redactor without known values. It is shared and must not be modified.
var shapeRedactor = sync.OnceValue(func() *Redactor {
	r := &Redactor{rules: map[uint32][]rule{}}
	for _, shape := range shapes() {
		for _, anchor := range shape.anchors {
			r.add(anchor, shape.rule)
		}
	}
	return r
})

func (r *Redactor) add(anchor string, a rule) {
	g := gramOf(anchor)
	r.filter.add(g)
	r.rules[g] = append(slices.Clip(r.rules[g]), a)
}

// Redact returns text with a marker in place of each secret. It is idempotent and returns text without secrets
// unchanged.
func (r *Redactor) Redact(text string) string {
	var out strings.Builder
	s := scanner{Redactor: r}
	whole := s.scan(text, &out)
	if whole {
		return text
	}
	return out.String()
}

// scanner redacts consecutive text and keeps the state that spans lines.
type scanner struct {
	*Redactor
	block block
}

// stringWriter receives redacted text.
type stringWriter interface {
	WriteString(s string) (int, error)
}

// scan writes text without its secrets. The text must consist of whole lines or pieces. If it has no secrets,
// scan writes nothing and returns true.
func (s *scanner) scan(text string, out stringWriter) (whole bool) {
	done := 0 // end of the text written so far
	put := func(start, end int, instead string) {
		_, _ = out.WriteString(text[done:start])
		_, _ = out.WriteString(instead)
		done = end
	}
	whole = true
	for pos := 0; pos < len(text); {
		start, end, hit := pos, 0, 0
		if s.block.open {
			end = s.pieceAt(text, pos)
		} else {
			if hit = s.filter.next(text, pos); hit < 0 {
				break
			}
			start, end = s.pieceAround(text, pos, hit)
			hit -= start
		}
		piece := text[start:end]
		if clean := s.redactLine(piece, hit); clean != piece {
			put(start, end, clean)
			whole = false
		}
		pos = end
	}
	if !whole {
		put(len(text), len(text), "")
	}
	return whole
}

// redactLine returns a line or piece without its secrets. No secret begins before offset from.
func (s *scanner) redactLine(text string, from int) string {
	if s.block.open {
		left, inside := s.block.consume(text)
		if inside {
			return left
		}
		text, from = left, 0
	}
	clean := s.redactPiece(text, from)
	s.block.begin(text)
	return clean
}

// redactPiece removes secrets until none is found, because removing one can reveal another.
func (r *Redactor) redactPiece(text string, from int) string {
	for range 8 {
		found := r.find(text, from)
		if len(found) == 0 {
			return text
		}
		text = replace(text, found)
		from = 0
	}
	return text
}

// find returns the secrets of a piece. Overlapping ones are merged.
func (r *Redactor) find(text string, from int) []span {
	var found []span
	until := 0
	for at := r.filter.next(text, from); at >= 0; at = r.filter.next(text, at+1) {
		for _, rule := range r.rules[gramAt(text, at)] {
			if at < until && rule.isWide {
				continue
			}
			if start, end, ok := rule.find(text, at); ok {
				found = append(found, span{start, end, rule.name, rule.isWide})
				until = max(until, end)
			}
		}
		if start, end, ok := findDiscordToken(text, at); ok {
			found = append(found, span{start, end, discordName, false})
		}
		if start, end, ok := findVaultToken(text, at); ok {
			found = append(found, span{start, end, "vault-token", false})
		}
	}
	return merge(found)
}

// merge joins overlapping spans. The one that begins first has the name. At the same offset, narrow rules take
// precedence over wide ones.
func merge(found []span) []span {
	sorting.Stably(found, func(a, b span) int {
		if a.start == b.start && a.wide != b.wide {
			if a.wide {
				return 1
			}
			return -1
		}
		return a.start - b.start
	})
	var out []span
	for _, s := range found {
		if n := len(out); n > 0 && s.start < out[n-1].end {
			out[n-1].end = max(out[n-1].end, s.end)
			continue
		}
		out = append(out, s)
	}
	return out
}

func replace(text string, found []span) string {
	var b strings.Builder
	at := 0
	for _, s := range found {
		b.WriteString(text[at:s.start])
		b.WriteString(marker(s.name))
		at = s.end
	}
	b.WriteString(text[at:])
	return b.String()
}

const markerStart = "[redacted:"

func marker(name string) string { return markerStart + name + "]" }

// isMarker reports whether text is exactly a marker.
func isMarker(text string) bool {
	name, ok := strings.CutPrefix(text, markerStart)
	name, end := strings.CutSuffix(name, "]")
	return ok && end && name != "" && !strings.ContainsFunc(name, func(r rune) bool { return r != '-' && (r < 'a' || r > 'z') })
}

// anchorLen is the length of an anchor: bytes that trigger a rule.
const anchorLen = 4

// filter finds offsets where a rule may apply, in one pass over the text. It is a Bloom filter of the
// case-folded anchors of all rules. A false positive (about one in two hundred) costs a map lookup.
type filter struct {
	bits [1 << 11]uint32
}

// fold makes the case of letters equal. It also merges some other characters, which only costs time.
const fold = 0x20

func gramAt(s string, at int) uint32 {
	return uint32(s[at]|fold) | uint32(s[at+1]|fold)<<8 | uint32(s[at+2]|fold)<<16 | uint32(s[at+3]|fold)<<24
}

func gramOf(anchor string) uint32 { return gramAt(anchor, 0) }

func hashOf(gram uint32) uint32 { return gram * 0x9E3779B1 >> 16 }

func (f *filter) add(gram uint32) {
	h := hashOf(gram)
	f.bits[h>>5] |= 1 << (h & 31)
}

// next returns the first offset at which a rule may apply, or -1. Discord tokens have no anchor, but two dots
// at a fixed distance, and older Vault tokens have one dot.
func (f *filter) next(s string, from int) int {
	if from < 0 || from+anchorLen > len(s) {
		return -1
	}
	gram := gramAt(s, from) << 8
	for i := from; i+anchorLen <= len(s); i++ {
		gram = gram>>8 | uint32(s[i+3]|fold)<<24
		h := hashOf(gram)
		if f.bits[h>>5]&(1<<(h&31)) != 0 || byte(gram) == '.' && (isDiscordDot(s, i) || followsS(s, i)) {
			return i
		}
	}
	return -1
}

// maxPiece is how much of a line is examined together, in bytes.
const maxPiece = 16 << 10

// pieceAt returns the end of the line, or of the piece of a very long line, at an offset.
func (r *Redactor) pieceAt(text string, start int) int {
	end := len(text)
	if n := strings.IndexByte(text[start:min(len(text), start+maxPiece)], '\n'); n >= 0 {
		return start + n + 1
	}
	if end-start > maxPiece {
		return start + r.cut(text[start:start+maxPiece])
	}
	return end
}

// pieceAround returns the bounds of the line or piece that contains an offset. pos is the beginning of an earlier one.
func (r *Redactor) pieceAround(text string, pos, at int) (start, end int) {
	start = pos + strings.LastIndexByte(text[pos:at], '\n') + 1
	for {
		if end = r.pieceAt(text, start); end > at {
			return start, end
		}
		start = end
	}
}

// cut returns where to split a window of a very long line: in its last quarter, at a separator if possible,
// else at the end of a word, and never inside a known value.
func (r *Redactor) cut(window string) int {
	low, high := len(window)*3/4, len(window)-min(r.reach, len(window)/8)
	at := lastWhere(window, low, high, func(i int) bool { return isSeparator(window, i) })
	if at < 0 {
		at = lastWhere(window, low, high, func(i int) bool { return !isWord(window[i]) })
	}
	if at < 0 {
		at = low
	}
	return r.cutOutsideKnown(window, at)
}

func lastWhere(s string, low, high int, ok func(int) bool) int {
	for i := high - 1; i >= low; i-- {
		if ok(i) {
			return i + 1
		}
	}
	return -1
}

// isSeparator reports whether the texts before and after an offset are independent.
func isSeparator(s string, at int) bool {
	switch s[at] {
	case ',', ';', '&', '{', '}', '[', ']', '\r':
		return true
	case ' ', '\t':
		before, behind := strings.TrimRight(s[:at], " \t"), strings.TrimLeft(s[at:], " \t")
		if before == "" || behind == "" || strings.IndexByte("=:", before[len(before)-1]) >= 0 || strings.IndexByte("=:", behind[0]) >= 0 {
			return false
		}
		start, end := nameAround(before, len(before))
		name := before[start:end]
		return secretKindOf(name) == notSecret && !hasPrefixFold(name, "bearer") && !hasPrefixFold(name, "basic")
	}
	return false
}

// cutOutsideKnown moves a cut to the beginning of the known value that contains it.
func (r *Redactor) cutOutsideKnown(window string, at int) int {
	for _, form := range r.known {
		from := max(at-len(form)+1, len(window)/2+1)
		if from >= at {
			continue
		}
		if i := strings.Index(window[from:min(len(window), at+len(form)-1)], form); i >= 0 {
			return from + i
		}
	}
	return at
}
