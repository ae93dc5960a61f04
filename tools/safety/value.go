package safety

import (
	"slices"
	"strings"
)

// segKind is what is known about a segment of text.
type segKind uint8

const (
	segLit     segKind = iota // exactly this text
	segAny                    // nothing is known
	segTame                   // one word of letters, digits and ._+:@- that does not start with a dash
	segUint                   // decimal digits
	segInt                    // decimal digits, optionally with a sign
	segGlob                   // * or ?, which the shell replaces by parts of file names
	segWords                  // tame words separated by white space; several fields if unquoted
	segNumbers                // decimal numbers separated by white space; several fields if unquoted
	segPath                   // an absolute path below /usr without white space
	segBelow                  // any path below the one in the segment before it, from find
	segUnits                  // unit names, possibly with a leading dash, separated by white space; several fields if unquoted
)

type seg struct {
	kind segKind
	text string // segLit: the text; segGlob: one of the patterns below; else hollow or empty
}

// Patterns of file names. openGlob and listGlob only occur while a word is being assembled.
const (
	anyGlob    = "*"
	oneGlob    = "?"
	letterGlob = "w"  // one letter or digit of a list, such as [sS]
	sameGlob   = "1"  // the only letter of a list: [s]
	openGlob   = "["  // a bracket that can be closed later in the word
	listGlob   = "[]" // any other bracket expression
)

// displayText returns the text for a person and for path patterns.
func (s seg) displayText() string {
	if s.kind == segGlob && s.text != anyGlob {
		return oneGlob
	}
	return s.text
}

// hollow marks a segment that can be empty, such as the output of a command that fails. If unquoted and empty,
// it makes no field.
const hollow = "?"

// value is a string with known and unknown segments.
type value []seg

func litValue(s string) value {
	if s == "" {
		return value{}
	}
	return value{{kind: segLit, text: s}}
}

func kindValue(k segKind) value { return value{{kind: k}} }

// add appends a segment and merges adjacent literals.
func (v value) add(s seg) value {
	if s.kind == segLit {
		if s.text == "" {
			return v
		}
		if n := len(v); n > 0 && v[n-1].kind == segLit {
			out := append(value(nil), v...)
			out[n-1].text += s.text
			return out
		}
	}
	return append(v[:len(v):len(v)], s)
}

func (v value) join(w value) value {
	for _, s := range w {
		v = v.add(s)
	}
	return v
}

// lit returns the text if all of it is known.
func (v value) lit() (string, bool) {
	switch {
	case len(v) == 0:
		return "", true
	case len(v) == 1 && v[0].kind == segLit:
		return v[0].text, true
	}
	return "", false
}

// size returns the number of known bytes.
func (v value) size() int {
	n := 0
	for _, s := range v {
		n += len(s.text)
	}
	return n
}

// mayBeEmpty reports whether the value can be empty.
func (v value) mayBeEmpty() bool {
	return !slices.ContainsFunc(v, func(s seg) bool { return s.kind == segLit || s.text != hollow })
}

// prefix returns the known text at the start.
func (v value) prefix() string {
	if len(v) > 0 && v[0].kind == segLit {
		return v[0].text
	}
	return ""
}

// dropPrefix returns the value without its first n literal bytes.
func (v value) dropPrefix(n int) value {
	if n == 0 || len(v) == 0 {
		return v
	}
	rest := v[0].text[n:]
	if rest == "" {
		return v[1:]
	}
	return append(value{{kind: segLit, text: rest}}, v[1:]...)
}

func (v value) has(kinds ...segKind) bool {
	for _, s := range v {
		for _, k := range kinds {
			if s.kind == k {
				return true
			}
		}
	}
	return false
}

// mayBeOption reports whether a program could parse the value as an option.
func (v value) mayBeOption() bool {
	for _, s := range v {
		switch s.kind {
		case segLit:
			return s.text[0] == '-'
		case segAny, segInt, segUnits:
			return true
		case segGlob:
			return s.text != letterGlob && s.text != sameGlob
		case segPath, segBelow:
			return false
		}
	}
	return false
}

// isNumeric reports whether the value is always an integer.
func (v value) isNumeric() bool {
	if len(v) == 0 {
		return false
	}
	for i, s := range v {
		switch s.kind {
		case segUint:
		case segInt:
			if i > 0 {
				return false
			}
		case segLit:
			t := s.text
			if i == 0 {
				t = strings.TrimPrefix(t, "-")
			}
			if !isDigits(t) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// String formats the value for a person, with ellipses for unknown segments.
func (v value) String() string {
	var b strings.Builder
	for _, s := range v {
		switch s.kind {
		case segLit, segGlob:
			b.WriteString(s.displayText())
		default:
			b.WriteString("…")
		}
	}
	return b.String()
}

// field is one argument of a command, or several of the same form.
type field struct {
	val  value
	many bool // none, one or several arguments
	word int  // 1 + index of the source word that made exactly this field; 0 if there is none
	from int  // 1 + index of the source word that made this field and possibly others; 0 if there is none
	item bool // xargs appends it to its command
}

// fieldList is an argument list. A phantom list only exists if a variable is still unset where it is used, or
// if a substitution is empty. It can make a verdict Confirm, but not Blocked.
type fieldList struct {
	fields    []field
	phantom   bool
	vanished  bool // a substitution or a pattern was empty, so an argument is missing
	unmatched bool // it was a pattern, under nullglob
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// unknownFields returns the result for too many alternatives: nothing is known.
func unknownFields() []fieldList {
	return []fieldList{{fields: []field{{val: kindValue(segAny), many: true}}}}
}
