// Package secret takes keys and passwords out of text: out of the output of
// commands, logs, prompts and replies.
//
// Two kinds are found. Known values, the keys this program was given, wherever
// and however they stand (also in base64, in a URL, in JSON). And shapes:
// tokens with a maker's prefix, private key blocks, passwords in URLs and
// headers, assignments to names like password or api_key. A marker such as
// [redacted:github-token] takes their place; what was taken is not kept.
//
// Precision counts as much as recall: whoever asks about checksums, UUIDs,
// package versions or git hashes must read them. So a shape needs more than
// randomness: a prefix, a name before it, or a form that means something. A
// password that is an ordinary word in running text is not found, and neither
// is a secret that no rule knows.
//
// The token shapes follow what their makers document, and the rules of
// gitleaks (https://github.com/gitleaks/gitleaks, MIT), which were read for
// lengths and alphabets; no expression is used as it is there.
//
// Text is looked at line by line; only private key blocks span lines. Lines
// beyond 16 KiB are looked at in pieces, cut where no secret should be.
package secret

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// Redactor takes secrets out of text. It is safe for concurrent use.
type Redactor struct {
	filter filter
	rules  map[uint32][]rule // by the four bytes that call for them
	known  []string          // known values and their forms
	reach  int               // length of the longest of them
}

// rule finds a secret around an anchor.
type rule struct {
	name string
	// find returns where the secret is that has its anchor at an offset of s.
	find func(s string, at int) (start, end int, ok bool)
	// wide rules take what stands behind a name. They are not tried inside of
	// what was found already, and leave the name to a rule that knows better.
	wide bool
}

// span is a secret in a piece of text.
type span struct {
	start, end int
	name       string
	wide       bool
}

// NewRedactor returns a redactor that also knows the values in known. Values
// shorter than 8 bytes are too likely to stand for something else and are not
// used; of values with several lines each line is.
func NewRedactor(known []string) *Redactor {
	base := knowing()
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

// knowing is a redactor that knows the shapes and no value. It is made once and
// not changed.
var knowing = sync.OnceValue(func() *Redactor {
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

// Redact returns text with a marker in place of each secret. Done again it
// changes nothing. Text without secrets is returned as it is.
func (r *Redactor) Redact(text string) string {
	var out strings.Builder
	s := scanner{Redactor: r}
	whole := s.scan(text, &out)
	if whole {
		return text
	}
	return out.String()
}

// scanner goes through text and keeps what spans lines.
type scanner struct {
	*Redactor
	block block
}

// stringWriter is where redacted text goes.
type stringWriter interface {
	WriteString(s string) (int, error)
}

// scan writes text, which must consist of whole pieces, without its secrets.
// It writes nothing and returns true when there are none.
func (s *scanner) scan(text string, out stringWriter) (whole bool) {
	done := 0 // written so far
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
		if clean := s.piece(piece, hit); clean != piece {
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

// piece returns a line, or a piece of a very long one, without its secrets.
// Nothing before the offset from can be one.
func (s *scanner) piece(text string, from int) string {
	if s.block.open {
		left, inside := s.block.swallow(text)
		if inside {
			return left
		}
		text, from = left, 0
	}
	clean := s.fix(text, from)
	s.block.begin(text)
	return clean
}

// fix takes secrets out until there are none: one may only show when another
// beside it has gone.
func (r *Redactor) fix(text string, from int) string {
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

// find returns the secrets of a piece, those that overlap as one.
func (r *Redactor) find(text string, from int) []span {
	var found []span
	until := 0
	for at := r.filter.next(text, from); at >= 0; at = r.filter.next(text, at+1) {
		for _, rule := range r.rules[gramAt(text, at)] {
			if at < until && rule.wide {
				continue
			}
			if start, end, ok := rule.find(text, at); ok {
				found = append(found, span{start, end, rule.name, rule.wide})
				until = max(until, end)
			}
		}
		if start, end, ok := discord(text, at); ok {
			found = append(found, span{start, end, discordName, false})
		}
		if start, end, ok := vaultToken(text, at); ok {
			found = append(found, span{start, end, "vault-token", false})
		}
	}
	return merge(found)
}

// merge joins spans that overlap; the one that begins first, and of these the
// first rule, gives the name.
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

// isMarker reports whether text is a marker and nothing else.
func isMarker(text string) bool {
	name, ok := strings.CutPrefix(text, markerStart)
	name, end := strings.CutSuffix(name, "]")
	return ok && end && name != "" && !strings.ContainsFunc(name, func(r rune) bool { return r != '-' && (r < 'a' || r > 'z') })
}
