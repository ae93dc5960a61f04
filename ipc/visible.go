package ipc

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The signs of [Visible] text. They are reserved: if the original text contains one of them or a lookalike, it is
// escaped.
const (
	openSign  = "⟨" // U+27E8, begins an escape
	closeSign = "⟩" // U+27E9, ends it
	blankSign = "␣" // U+2423, a blank that would be invisible

	// ApprovalSign begins each line of a command in the chat text of an approval, ApprovalEnd the line below it.
	// No other chat text contains them.
	ApprovalSign = "┃" // U+2503
	ApprovalEnd  = "┗" // U+2517
)

// reserved are the signs above and their lookalikes.
const reserved = openSign + closeSign + blankSign + ApprovalSign + ApprovalEnd +
	"\u2329\u232a\u3008\u3009\u276c\u276d\u2770\u2771\u2039\u203a\ufe3f\ufe40" + // angle brackets
	"\u23b5\u2334\u2420\u2422" + // open boxes and symbols for a blank
	"\u2502\u2551\u2758\u2759\u275a\uffe8\u2595\u258f\u258e\u258d" + // upright lines
	"\u2514\u2515\u2516\u255a\u2558\u2559\u2570" // corners

// longRun is the longest run of blanks that is shown blank by blank.
const longRun = 8

// maxMarks bounds the combining marks of one letter. Vietnamese, Thai and Devanagari need two. More could cover
// adjacent lines.
const maxMarks = 2

// Glyph is a piece of visible text that stays together.
type Glyph struct {
	Text  string // the visible text; "\n" ends a line
	Bytes int    // length of the original text in bytes, at least 1
}

// Visible returns text in a form that a person can judge: every character is visible, none changes how others are
// displayed, and two different texts never look the same.
//
// Invisible characters are written between ⟨ and ⟩: ⟨\t⟩, ⟨\r⟩, ⟨\x1b⟩ for the C0 controls and DEL, ⟨\xff⟩ for a
// byte that is not UTF-8, ⟨\u{202E}⟩ for all others, ⟨\u{200B}×40⟩ for forty of them. A backslash elsewhere is
// therefore always part of the text. A single blank inside a line stays, two to eight are ␣␣, more are ⟨␣×300⟩,
// and one at the beginning or end of a line is ␣. The signs themselves are escaped in the text. A newline stays.
//
// The escaped characters are: controls, format characters (bidirectional, zero width, tags), all other
// default-ignorable code points and variation selectors (DerivedCoreProperties.txt), fillers, every space but
// U+0020, private, unassigned and replacement characters, scripts that are written from right to left (a terminal
// may reorder adjacent text), enclosing and striking-through marks, marks without a letter of their script or
// beyond two a letter, and conjoining jamo that do not compose a syllable.
func Visible(text string) string {
	var b strings.Builder
	for g := range Glyphs(text) {
		b.WriteString(g.Text)
	}
	return b.String()
}

// VisibleLine is [Visible] on one line: a newline is written ⟨\n⟩.
func VisibleLine(text string) string {
	return strings.ReplaceAll(Visible(text), "\n", openSign+`\n`+closeSign)
}

// VisibleProse is [VisibleLine] for names and sentences: emoji keep their variation selector and joiners. It must
// not be used for commands, because two different texts may look the same.
func VisibleProse(text string) string {
	var b strings.Builder
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if r == asEmoji && takesColour(text[:at]) || r == joiner && JoinsEmoji(text[:at], text[at+size:]) {
			b.WriteString(text[at : at+size])
			at += size
			continue
		}
		g := glyphAt(text, at)
		b.WriteString(g.Text)
		at += g.Bytes
	}
	return strings.ReplaceAll(b.String(), "\n", openSign+`\n`+closeSign)
}

// Glyphs yields the pieces of [Visible] text, for breaking lines.
func Glyphs(text string) iter.Seq[Glyph] {
	return func(yield func(Glyph) bool) {
		for at := 0; at < len(text); {
			g := glyphAt(text, at)
			if !yield(g) {
				return
			}
			at += g.Bytes
		}
	}
}

func glyphAt(text string, at int) Glyph {
	rest := text[at:]
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case r == ' ':
		return blankRun(text, at)
	case r == '\n':
		return Glyph{"\n", 1}
	case r == utf8.RuneError && size == 1:
		return escaped(rest, fmt.Sprintf(`\x%02x`, rest[0]), r, size)
	case isVisible(r):
		n := size + marks(r, rest[size:])
		return Glyph{rest[:n], n}
	}
	if n := syllable(rest); n > 0 {
		return Glyph{rest[:n], n}
	}
	return escaped(rest, escape(r), r, size)
}

func blankRun(text string, at int) Glyph {
	n := len(text[at:]) - len(strings.TrimLeft(text[at:], " "))
	end := at + n
	switch {
	case n > longRun:
		return Glyph{fmt.Sprintf("%s%s×%d%s", openSign, blankSign, n, closeSign), n}
	case n > 1, at == 0, end == len(text), text[at-1] == '\n', text[end] == '\n':
		return Glyph{strings.Repeat(blankSign, n), n}
	}
	return Glyph{" ", 1}
}

// escaped writes one character and the length of its run.
func escaped(rest, as string, r rune, size int) Glyph {
	n := 1
	for end := size; ; end += size {
		if next, s := utf8.DecodeRuneInString(rest[end:]); next != r || s != size || rest[end:end+s] != rest[:size] {
			break
		}
		n++
	}
	if n > 1 {
		as = fmt.Sprintf("%s×%d", as, n)
	}
	return Glyph{openSign + as + closeSign, n * size}
}

func escape(r rune) string {
	switch {
	case r == '\t':
		return `\t`
	case r == '\r':
		return `\r`
	case r < utf8.RuneSelf:
		return fmt.Sprintf(`\x%02x`, r)
	}
	return fmt.Sprintf(`\u{%04X}`, r)
}

// isVisible reports whether a character is visible and does not change others.
func isVisible(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && r < 0x7f
	}
	return unicode.IsPrint(r) && !unicode.Is(unicode.M, r) && !jamo(r) && !rightToLeft(r) &&
		!unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) &&
		!strings.ContainsRune(reserved, r) && !strings.ContainsRune(looksEmpty, r)
}

// looksEmpty are symbols that print nothing, or that replace lost text: braille pattern blank, musical null
// notehead, the replacement characters.
const looksEmpty = "\u2800\U0001d159\ufffc\ufffd"

// rightToLeft reports whether a character is in a block of letters that are written from right to left
// (DerivedBidiClass.txt, the defaults R and AL).
func rightToLeft(r rune) bool {
	return r >= 0x0590 && r <= 0x08ff || r >= 0xfb1d && r <= 0xfdff || r >= 0xfe70 && r <= 0xfeff ||
		r >= 0x10800 && r <= 0x10fff || r >= 0x1e800 && r <= 0x1efff
}

// jamo reports whether a character is a conjoining jamo, which is only displayed correctly in a syllable.
func jamo(r rune) bool {
	return r >= 0x1100 && r <= 0x11ff || r >= 0xa960 && r <= 0xa97f || r >= 0xd7b0 && r <= 0xd7ff
}

// syllable returns the length in bytes of a modern Hangul syllable written in jamo at the beginning of text, or 0
// (Unicode, section 3.12).
func syllable(text string) int {
	l, i := utf8.DecodeRuneInString(text)
	v, j := utf8.DecodeRuneInString(text[i:])
	if l < 0x1100 || l > 0x1112 || v < 0x1161 || v > 0x1175 {
		return 0
	}
	if t, k := utf8.DecodeRuneInString(text[i+j:]); t >= 0x11a8 && t <= 0x11c2 {
		return i + j + k
	}
	return i + j
}

// marks returns the length in bytes of a letter's combining marks.
func marks(letter rune, rest string) int {
	n := 0
	for range maxMarks {
		r, size := utf8.DecodeRuneInString(rest[n:])
		if !canCarry(letter, r) {
			break
		}
		n += size
	}
	return n
}

func canCarry(letter, mark rune) bool {
	if mark < 0x300 || !unicode.IsLetter(letter) || !unicode.In(mark, unicode.Mn, unicode.Mc) {
		return false
	}
	strikes := mark >= 0x334 && mark <= 0x338 || mark >= 0x20d0 && mark <= 0x20ff
	ignored := unicode.In(mark, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
	return !strikes && !ignored && (unicode.Is(unicode.Inherited, mark) || script(letter) == script(mark))
}

func script(r rune) string {
	for name, table := range unicode.Scripts {
		if unicode.Is(table, r) {
			return name
		}
	}
	return ""
}

// Clean removes characters that a terminal would act on or that change how others are displayed (see
// [Unprintable]). All text of models, tools and files must pass it on the way to a screen or chat. Our own styling
// is added afterwards. A zero width joiner stays if it joins two emoji (see [JoinsEmoji]).
func Clean(text string) string {
	at := 0
	return strings.Map(func(r rune) rune {
		begin := at
		_, size := utf8.DecodeRuneInString(text[at:]) // 1 for each byte that is not UTF-8
		at += size
		if r == '\n' || r == '\t' || !Unprintable(r) || r == joiner && JoinsEmoji(text[:begin], text[at:]) {
			return r
		}
		return -1
	}, text)
}

// Unprintable reports whether a character is a control or format character, a line or paragraph separator, private
// use, or a Hangul filler.
func Unprintable(r rune) bool {
	if r >= ' ' && r < 0x7f {
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs) ||
		r == '\u115f' || r == '\u1160' || r == '\u3164' || r == '\uffa0'
}

// The codes of [Suspicions].
const (
	WarningMixedScript = "mixed-script"
	WarningDecomposed  = "decomposed"
)

// maxWords bounds the words in one warning.
const maxWords = 3

// Suspicions returns warnings about visible but deceptive text, for [Ask]. Each is a code with its words: words
// that mix Latin with Cyrillic or Greek letters, and letters written in decomposed form, which look like the usual
// ones but are different names to the system. The list of Unicode (UTS 39) is far longer and depends on fonts.
func Suspicions(text string) []string {
	var mixed, parts []string
	for _, word := range words(text) {
		if foreign := foreignLetter(word); foreign != 0 {
			mixed = append(mixed, fmt.Sprintf("%s (%c U+%04X)", shortened(word), foreign, foreign))
		}
		if part := separatePart(word); part != 0 {
			parts = append(parts, fmt.Sprintf("%s (U+%04X)", shortened(word), part))
		}
	}
	return slices.Concat(warning(WarningMixedScript, mixed), warning(WarningDecomposed, parts))
}

// warning lists some words and the number of the others.
func warning(code string, words []string) []string {
	if len(words) == 0 {
		return nil
	}
	words = slices.Compact(words)
	more := ""
	if n := len(words) - maxWords; n > 0 {
		words, more = words[:maxWords], fmt.Sprintf(", … +%d", n)
	}
	return []string{code + ": " + strings.Join(words, ", ") + more}
}

// words returns the runs of letters, digits and marks in text.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r)
	})
}

// foreignLetter returns the first Cyrillic or Greek letter of a word that also has Latin letters, or 0.
func foreignLetter(word string) rune {
	var latin bool
	var foreign rune
	for _, r := range word {
		latin = latin || unicode.Is(unicode.Latin, r)
		if foreign == 0 && unicode.In(r, unicode.Cyrillic, unicode.Greek) {
			foreign = r
		}
	}
	if !latin {
		return 0
	}
	return foreign
}

// separatePart returns the first part of a letter in decomposed form in a word, or 0.
func separatePart(word string) rune {
	for _, r := range word {
		if r >= 0x300 && r <= 0x36f || jamo(r) {
			return r
		}
	}
	return 0
}

// longWord bounds a word in a warning, in characters.
const longWord = 24

func shortened(word string) string {
	if rs := []rune(word); len(rs) > longWord {
		return fmt.Sprintf("%s… +%d", string(rs[:longWord]), len(rs)-longWord)
	}
	return word
}

const (
	joiner       = '\u200d' // zero width joiner
	asEmoji      = '\ufe0f' // variation selector 16: display as an emoji
	emojiContext = 4        // how many preceding characters decide whether a joiner is kept
)

// JoinsEmoji reports whether a zero width joiner between two texts combines the emoji on both sides into one (UTS
// 51, emoji ZWJ sequences). A joiner anywhere else is invisible.
func JoinsEmoji(before, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	return isEmoji(next) && EndsInEmoji(before)
}

// EndsInEmoji reports whether a text ends in an emoji, including its variation selector and skin tone.
func EndsInEmoji(text string) bool {
	r, size := utf8.DecodeLastRuneInString(text)
	for range 2 { // at most a skin tone and a variation selector
		if r != asEmoji && !isSkinTone(r) {
			break
		}
		text = text[:len(text)-size]
		r, size = utf8.DecodeLastRuneInString(text)
	}
	return isEmoji(r)
}

// isEmoji reports whether a character can be part of a joined emoji: pictographs of the supplementary plane, and
// the older symbols in emoji-zwj-sequences.txt.
func isEmoji(r rune) bool {
	return r >= 0x1f300 && r <= 0x1faff && !isSkinTone(r) ||
		strings.ContainsRune("\u2194\u2195\u2620\u2640\u2642\u2695\u2696\u26a7\u26d3\u26f9\u2708\u270a\u270b\u270c\u270d\u2764\u27a1\u2b1b\u2b1c", r)
}

// takesColour reports whether a text ends in a character that variation selector 16 displays as an emoji
// (emoji-variation-sequences.txt, except digits).
func takesColour(before string) bool {
	r, _ := utf8.DecodeLastRuneInString(before)
	return isEmoji(r) || r >= 0x203c && r <= 0x3299 && r != asEmoji && unicode.In(r, unicode.So, unicode.Sm, unicode.Po) && isVisible(r)
}

func isSkinTone(r rune) bool { return r >= 0x1f3fb && r <= 0x1f3ff }

// Cleaner is [Clean] for text that comes in pieces, even if a piece ends within a joined emoji. The zero value is
// ready to use.
type Cleaner struct {
	end string // the last characters so far
}

// Next cleans the next piece. The concatenated results equal the cleaned whole text.
func (c *Cleaner) Next(piece string) string {
	clean := strings.TrimPrefix(Clean(c.end+piece), Clean(c.end))
	c.end += piece
	at := len(c.end)
	for range emojiContext {
		_, size := utf8.DecodeLastRuneInString(c.end[:at])
		at -= size
	}
	c.end = c.end[at:]
	return clean
}
