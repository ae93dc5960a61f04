// Package family decides which commands a person can allow for a conversation as one family: the same program and
// subcommand in the same directory, with options from a list and operands of the same kind.
//
// The families are a table. What is not in it, and what cannot be decided, belongs to none.
package family

import (
	"slices"
	"strings"
	"unicode"
)

// Family is a family as a person is shown it.
type Family struct {
	Words   string // the program, its fixed words and the kinds of its operands: "cp -n FILE… PATH"
	Options string // the options that may be added, separated by blanks
}

// maxOperands bounds the operands of a command.
const maxOperands = 64

// Of returns the family of a command, given as its words. The directory decides which paths belong to it.
func Of(argv []string, in *Directory) (f Family, ok bool) {
	if len(argv) < 2 {
		return Family{}, false
	}
	for _, r := range table() {
		if program, _, _ := strings.Cut(r.words, " "); program == argv[0] && r.matches(argv[1:], in) {
			return Family{Words: r.words, Options: r.options}, true
		}
	}
	return Family{}, false
}

// matches reports whether the words after the program are those of the family.
func (r row) matches(words []string, in *Directory) bool {
	fixed, kinds := r.split()
	options := strings.Fields(r.options)
	for len(words) > 0 {
		switch {
		case len(fixed) > 0 && words[0] == fixed[0]:
			fixed = fixed[1:]
		case !slices.Contains(options, words[0]):
			return len(fixed) == 0 && matchOperands(kinds, words, in)
		}
		words = words[1:]
	}
	return false // a family has an operand
}

// split returns the fixed words after the program, and the kinds of operands.
func (r row) split() (fixed, kinds []string) {
	for _, w := range strings.Fields(r.words)[1:] {
		if unicode.IsUpper(rune(w[0])) {
			kinds = append(kinds, w)
		} else {
			fixed = append(fixed, w)
		}
	}
	return fixed, kinds
}

// more marks a kind of which there can be several operands.
const more = "…"

// matchOperands reports whether operands are of the kinds, in their order.
func matchOperands(kinds, operands []string, in *Directory) bool {
	if len(operands) < len(kinds) || len(operands) > maxOperands {
		return false
	}
	all, target := operands, ""
	if kinds[len(kinds)-1] == "PATH" {
		target = operands[len(operands)-1]
	}
	for i, kind := range kinds {
		one, several := strings.CutSuffix(kind, more)
		n := 1
		if several {
			n = len(operands) - (len(kinds) - 1 - i)
		}
		for _, word := range operands[:n] {
			if !isKind(one, word, in) {
				return false
			}
		}
		operands = operands[n:]
	}
	// What is put into a directory gets a path there.
	return len(operands) == 0 && (target == "" || in.canReceive(all[:len(all)-1], target))
}

// isKind reports whether a word is an operand of a kind.
func isKind(kind, word string, in *Directory) bool {
	if word == "" || word[0] == '-' {
		return false
	}
	switch kind {
	case "PATH":
		return in.contains(word, false)
	case "FILE":
		return in.contains(word, true)
	case "PERCENT":
		return isPercent(word)
	case "LEVEL":
		return isLevel(word)
	case "NAME":
		return isName(word)
	case "SWITCH":
		return slices.Contains([]string{"0", "1", "toggle"}, word)
	}
	return false
}

// isLevel reports whether a word is a number from 0 to 100, with up to two decimals.
func isLevel(word string) bool {
	whole, decimals, point := strings.Cut(word, ".")
	if point != (decimals != "") || len(decimals) > 2 || whole == "" || len(whole) > 3 || !isDigits(whole+decimals) {
		return false
	}
	return len(whole) < 3 || whole == "100" && strings.Trim(decimals, "0") == ""
}

// isPercent reports whether a word is a percentage up to 100, absolute or as a step up or down, or a part of 1.
func isPercent(word string) bool {
	if strings.HasPrefix(word, "0.") || word == "1.0" || word == "1.00" {
		return isLevel(word)
	}
	number := strings.TrimRight(strings.TrimPrefix(word, "+"), "+-")
	number, ok := strings.CutSuffix(number, "%")
	return ok && len(word)-len(number) <= 2 && isLevel(number)
}

func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// isName reports whether a word is a name as programs give them to devices: letters, digits and a few signs that are no
// part of a path.
func isName(word string) bool {
	return len(word) <= 128 && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._@:-") == ""
}
