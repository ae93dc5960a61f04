package safety

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// expandBraces returns the words that {a,b} and {1..3} expand to, and false if there are too many or the braces
// are not supported.
func expandBraces(w *syntax.Word) ([]*syntax.Word, bool) {
	if !hasBrace(w) {
		return []*syntax.Word{w}, true
	}
	split := &syntax.Word{Parts: append([]syntax.WordPart(nil), w.Parts...)}
	syntax.SplitBraces(split)
	words, ok := braceWords(split.Parts)
	words = dropEmpty(words)
	for _, word := range words {
		ok = ok && !leftoverBrace(word) && !mergesWithName(word)
	}
	return words, ok && len(words) <= maxAlternatives
}

// mergesWithName reports whether braces put a dollar or a variable next to the text of its name: bash expands braces
// first, so $v{a,b} reads $va and $vb.
func mergesWithName(w *syntax.Word) bool {
	for i := range len(w.Parts) - 1 {
		next, _ := w.Parts[i+1].(*syntax.Lit)
		switch p := w.Parts[i].(type) {
		case *syntax.ParamExp:
			if p.Short && next != nil && next.Value != "" && (isNameByte(next.Value[0]) || next.Value[0] == '[') {
				return true
			}
		case *syntax.Lit:
			if strings.HasSuffix(p.Value, "$") {
				return true
			}
		}
	}
	return false
}

func hasBrace(w *syntax.Word) bool {
	for _, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); ok && strings.Contains(l.Value, "{") {
			return true
		}
	}
	return false
}

// leftoverBrace reports whether remaining braces could be an expansion for another shell.
func leftoverBrace(w *syntax.Word) bool {
	var b strings.Builder
	for _, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); ok {
			b.WriteString(l.Value)
		} else {
			b.WriteByte('x')
		}
	}
	text := strings.NewReplacer(`\{`, "", `\}`, "", `\,`, "").Replace(b.String())
	open := strings.IndexByte(text, '{')
	return open >= 0 && (strings.Contains(text[open:], ",") || strings.Contains(text[open:], ".."))
}

func braceWords(parts []syntax.WordPart) ([]*syntax.Word, bool) {
	words := []*syntax.Word{{}}
	for _, part := range parts {
		brace, ok := part.(*syntax.BraceExp)
		if !ok {
			for _, w := range words {
				w.Parts = append(w.Parts, part)
			}
			continue
		}
		elems, ok := braceElems(brace)
		if !ok || len(words)*len(elems) > maxAlternatives {
			return nil, false
		}
		var next []*syntax.Word
		for _, w := range words {
			for _, e := range elems {
				next = append(next, &syntax.Word{Parts: append(w.Parts[:len(w.Parts):len(w.Parts)], e.Parts...)})
			}
		}
		words = next
	}
	return words, true
}

// dropEmpty removes words without parts, like the shell does.
func dropEmpty(words []*syntax.Word) []*syntax.Word {
	var out []*syntax.Word
	for _, w := range words {
		if len(w.Parts) > 0 {
			out = append(out, w)
		}
	}
	return out
}

func braceElems(b *syntax.BraceExp) ([]*syntax.Word, bool) {
	if b.Sequence {
		return braceSequence(b)
	}
	var out []*syntax.Word
	for _, e := range b.Elems {
		words, ok := braceWords(e.Parts)
		if !ok {
			return nil, false
		}
		out = append(out, words...)
	}
	return out, len(out) <= maxAlternatives
}

// braceSequence expands {1..9} and {1..9..2}. It does not support letters and padded numbers.
func braceSequence(b *syntax.BraceExp) ([]*syntax.Word, bool) {
	var n [3]int
	n[2] = 1
	for i, e := range b.Elems {
		text := e.Lit()
		num, err := strconv.Atoi(text)
		if err != nil || (len(text) > 1 && text[0] == '0') || num > 1<<20 || num < -(1<<20) {
			return nil, false
		}
		n[i] = num
	}
	from, to, step := n[0], n[1], max(n[2], -n[2], 1)
	if (max(from, to)-min(from, to))/step >= maxAlternatives {
		return nil, false
	}
	var out []*syntax.Word
	for i := 0; i*step <= max(from, to)-min(from, to); i++ {
		num := from + i*step
		if to < from {
			num = from - i*step
		}
		out = append(out, &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: strconv.Itoa(num)}}})
	}
	return out, true
}
