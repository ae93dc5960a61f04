package i18n

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// pluralPart matches a verb of [fmt.Sprintf], or a pair {line|lines}.
var pluralPart = regexp.MustCompile(`%(?:\[(\d+)\])?[-+ #0]*\d*(?:\.\d+)?([a-zA-Z%])|\{([^{}|%]*)\|([^{}|%]*)\}`)

// plurals resolves the pairs of an English text, such as "%d {line|lines}" or "{it needs|they need}", by the
// argument of the verb before them (in "{is|are} %d" of the first verb). The first form is the singular. Pairs
// inside arguments are not resolved.
func plurals(sentence string, args []any) string {
	if !strings.Contains(sentence, "|") {
		return sentence
	}
	var b strings.Builder
	next, last, end := 0, -1, 0
	for _, at := range pluralPart.FindAllStringSubmatchIndex(sentence, -1) {
		if at[4] >= 0 { // a format verb
			if sentence[at[4]:at[5]] != "%" {
				last, next = verbArgument(sentence, at, next)
			}
			continue
		}
		form := sentence[at[8]:at[9]]
		if of := max(last, 0); of < len(args) && isOne(args[of]) {
			form = sentence[at[6]:at[7]]
		}
		b.WriteString(sentence[end:at[0]] + form)
		end = at[1]
	}
	return b.String() + sentence[end:]
}

// verbArgument returns the index of a verb's argument, and of the next one.
func verbArgument(sentence string, at []int, next int) (of, then int) {
	if at[2] >= 0 {
		if n, err := strconv.Atoi(sentence[at[2]:at[3]]); err == nil {
			next = n - 1
		}
	}
	return next, next + 1
}

// isOne reports whether a number takes the singular. For a string, its leading number counts.
func isOne(n any) bool {
	text := strings.TrimSpace(fmt.Sprint(n))
	first, _, _ := strings.Cut(text, " ")
	return first == "1"
}

// Plural returns a number with the matching form of an English word: 1 line, 2 lines.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(int64(n)) + " " + many
}
