package secret

import "strings"

// The delimiters of a private key block (RFC 7468). Those of OpenSSH and PGP have words before or after PRIVATE KEY.
const (
	beginMark = "-----BEGIN "
	endMark   = "-----END "
	keyMark   = "PRIVATE KEY"
	dashes    = "-----"
)

// blockShape finds a private key's first line, and the whole key if it is on one line, as in JSON.
func blockShape() shape {
	return shape{[]string{"-beg"}, rule{name: "private-key", find: func(s string, at int) (int, int, bool) {
		start := at - len(dashes) + 1
		if start < 0 || !opensBlock(s[start:]) {
			return 0, 0, false
		}
		end := len(strings.TrimRight(s, "\r\n"))
		if behind, ok := blockEnd(s[start:]); ok {
			end = start + behind
		}
		return start, end, true
	}}}
}

// opensBlock reports whether text begins with a private key's first line.
func opensBlock(text string) bool {
	rest, ok := strings.CutPrefix(text, beginMark)
	label, _, closed := strings.Cut(rest, dashes)
	return ok && closed && len(label) <= 64 && strings.Contains(label, keyMark)
}

// blockEnd returns the offset after a block's last line.
func blockEnd(text string) (int, bool) {
	end := strings.Index(text, endMark)
	if end < 0 {
		return 0, false
	}
	if closing := strings.Index(text[end+len(endMark):], dashes); closing >= 0 {
		return end + len(endMark) + closing + len(dashes), true
	}
	return end + len(endMark), true
}

// block is the state of a private key block that spans lines.
type block struct {
	open    bool
	prefix  string // text before the key, such as a timestamp or file name
	headers int    // header lines before the key
	lines   int    // lines of the key
	width   int    // length of the key's first line; the last can be shorter
	last    bool
}

// Limits of a key's lines. A 16384-bit RSA key has about 200 lines of 64 characters.
const (
	minWidth   = 16
	maxLines   = 1000
	maxHeaders = 8
)

// begin checks whether a key block is open at the end of a line.
func (b *block) begin(text string) {
	*b = block{}
	if at := strings.Index(text, puttyMark); at >= 0 && opensPutty(text[at:]) {
		b.open, b.prefix, b.headers = true, strings.TrimSpace(text[:at]), maxHeaders
		return
	}
	for at := strings.Index(text, beginMark); at >= 0; {
		if opensBlock(text[at:]) {
			behind, closed := blockEnd(text[at:])
			if !closed {
				b.open, b.prefix = true, strings.TrimSpace(text[:at])
				return
			}
			at += behind
		} else {
			at += len(beginMark)
		}
		next := strings.Index(text[at:], beginMark)
		if next < 0 {
			return
		}
		at += next
	}
}

// consume processes a line inside a key block and returns the part of it that is not the key. inside is false
// if the line does not belong to the key or continues after its end. The caller must then scan left.
func (b *block) consume(line string) (left string, inside bool) {
	text := strings.TrimRight(line, "\r\n")
	if at := strings.Index(text, endMark); at >= 0 {
		behind, _ := blockEnd(text)
		b.open = false
		left = strings.TrimRight(prefixOf(text[:at]), " \t") + text[behind:]
		if strings.TrimSpace(left) == "" {
			return "", false
		}
		return left + line[len(text):], false
	}
	if b.lines == 0 && b.headers < maxHeaders && isBlockHeader(text) {
		b.headers++
		return "", true
	}
	prefix := prefixOf(text)
	if !b.continues(strings.TrimSpace(prefix)) || !b.takesLine(text[len(prefix):]) {
		b.open = false
		return line, false
	}
	if prefix = strings.TrimSpace(prefix); prefix != "" {
		return prefix + line[len(text):], true
	}
	return "", true
}

// continues reports whether a line's prefix resembles the first one. Its numbers can have more digits.
func (b *block) continues(prefix string) bool {
	return prefix == "" || b.prefix != "" && max(len(prefix), len(b.prefix))-min(len(prefix), len(b.prefix)) <= 2
}

// prefixOf returns the text before the last word of a line: a line number, file name or journal timestamp.
func prefixOf(line string) string {
	return line[:strings.LastIndexAny(line, " \t:|>")+1]
}

// takesLine reports whether a line's last word is the key's next line.
func (b *block) takesLine(word string) bool {
	pgpSum := b.last && len(word) == 5 && word[0] == '='
	if !pgpSum && (b.last || b.lines >= maxLines || len(word) == 0) || strings.Trim(word, base64Digits) != "" {
		return false
	}
	switch {
	case b.lines == 0:
		if len(word) < minWidth {
			return false
		}
		b.width = len(word)
	case len(word) > b.width:
		return false
	}
	b.lines++
	b.last = len(word) < b.width || pgpSum
	return true
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="

// isBlockHeader recognizes the headers of old keys (RFC 1421 section 4.4) and the empty line after them.
func isBlockHeader(line string) bool {
	name, _, ok := strings.Cut(line, ": ")
	return strings.TrimSpace(line) == "" ||
		ok && len(name) <= 20 && (strings.Contains(name, "-") || name == "Comment" || name == "Version" || name == "Hash") &&
			strings.Trim(name, "-"+base64Digits[:52]) == ""
}
