package secret

import (
	"regexp"
	"slices"
	"strings"
)

// statement is a sentence pattern that states a secret. It is matched only near the words that each such
// sentence contains, because matching a megabyte takes seconds.
type statement struct {
	words []string // in lower case
	form  *regexp.Regexp
}

func newStatement(words, form string) statement {
	return statement{strings.Fields(words), regexp.MustCompile(form)}
}

// The number of words to include before and after the matching word.
const (
	wordsBefore = 8
	wordsBehind = 36 // a phrase has 24
)

// findAll returns the matches in a text, like [regexp.Regexp.FindAllStringSubmatchIndex].
func (c statement) findAll(text string) [][]int {
	if strings.ContainsAny(text, "ſ\u212A") { // letters whose lower case is s and k
		return c.form.FindAllStringSubmatchIndex(text, -1)
	}
	var all [][]int
	for _, part := range c.parts(text) {
		for _, m := range c.form.FindAllStringSubmatchIndex(text[part[0]:part[1]], -1) {
			for i := range m {
				m[i] += part[0]
			}
			all = append(all, m)
		}
	}
	return all
}

// parts returns the bounds of the parts of a text that can contain a sentence around one of the words.
func (c statement) parts(text string) [][2]int {
	at := c.wordOffsets(text)
	if len(at) == 0 {
		return nil
	}
	var parts [][2]int
	begins := wordStarts(text)
	word := 0
	for _, place := range at {
		for word+1 < len(begins) && begins[word+1] <= place {
			word++
		}
		first, end := 0, len(text)
		if i := word - wordsBefore; i > 0 {
			first = begins[i]
		}
		if i := word + wordsBehind + 1; i < len(begins) {
			end = begins[i]
		}
		if n := len(parts); n > 0 && first <= parts[n-1][1] {
			parts[n-1][1] = end
			continue
		}
		parts = append(parts, [2]int{first, end})
	}
	return parts
}

// wordOffsets returns the sorted offsets of the words in a text.
func (c statement) wordOffsets(text string) []int {
	var at []int
	small := lowerASCII(text)
	for _, w := range c.words {
		for from := 0; ; {
			i := strings.Index(small[from:], w)
			if i < 0 {
				break
			}
			at = append(at, from+i)
			from += i + len(w)
		}
	}
	slices.Sort(at)
	return at
}

// wordStarts returns the offsets of the whitespace-separated words of a text.
func wordStarts(text string) []int {
	var begins []int
	blank := true
	for i := range len(text) {
		was := blank
		blank = strings.IndexByte(" \t\n\f\r", text[i]) >= 0
		if was && !blank {
			begins = append(begins, i)
		}
	}
	return begins
}

// lowerASCII converts ASCII letters to lower case, which keeps all offsets.
func lowerASCII(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return 'A' <= r && r <= 'Z' }) {
		return text
	}
	small := []byte(text)
	for i, b := range small {
		if 'A' <= b && b <= 'Z' {
			small[i] = b + 'a' - 'A'
		}
	}
	return string(small)
}
