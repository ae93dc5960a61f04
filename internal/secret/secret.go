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
)

// Redactor removes secrets from text. It is safe for concurrent use. It examines text line by line; only
// private key blocks span lines. Longer lines than 16 KiB are examined in pieces, split where a secret is
// unlikely.
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
	slices.SortStableFunc(found, func(a, b span) int {
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
