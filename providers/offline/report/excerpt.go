package report

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// joinBlocks joins the non-empty parts with newlines.
func joinBlocks(parts ...string) string {
	return strings.Join(filter(parts, func(p string) bool { return p != "" }), "\n")
}

// paragraphs joins the non-empty parts with blank lines.
func paragraphs(parts ...string) string {
	return strings.Join(filter(parts, func(p string) bool { return p != "" }), "\n\n")
}

func firstParagraph(s string) string {
	head, _, _ := strings.Cut(s, "\n\n")
	return head
}

func bullets(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return "- " + strings.Join(lines, "\n- ")
}

// quote indents program output by two blanks.
func quote(s string) string {
	if s = strings.Trim(s, "\n"); s == "" {
		return ""
	}
	return "  " + strings.ReplaceAll(s, "\n", "\n  ")
}

// excerpt returns the first lines of an output and the number of omitted ones.
func excerpt(s string, limit int) string {
	lines := machine.Lines(s)
	if len(lines) <= limit {
		return strings.Join(lines, "\n")
	}
	head := lines[:limit-1]
	return strings.Join(head, "\n") + "\n… (+" + itoa(len(lines)-len(head)) + ")"
}

// essentialLines returns the last meaningful lines: those with errors if there are any, or else the end.
func essentialLines(s string, limit int) string {
	lines := machine.Lines(s)
	bad := filter(lines, func(l string) bool {
		return containsAny(strings.ToLower(l), "error", "fail", "cannot", "unable", "not found", "denied", "conflict",
			"invalid", "오류", "실패", "错误")
	})
	if len(bad) == 0 {
		bad = lines
	}
	return strings.Join(bad[max(0, len(bad)-limit):], "\n")
}

// toLowerLimited lower-cases the end of a long text, which contains the errors.
func toLowerLimited(s string) string {
	const limit = 16 << 10
	if len(s) > limit {
		s = s[len(s)-limit:]
	}
	return strings.ToLower(s)
}

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

func containsAny(s string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}

// pattern compiles a regular expression when it is first used. If it were inlined, each variable would have its own code.
//
//go:noinline
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// translate returns the text for a word of a program, or else the word.
func translate(texts map[string]i18n.Text, word string, lang i18n.Lang) string {
	if text, ok := texts[word]; ok {
		return text.In(lang)
	}
	return word
}

// names lists the first items in one line.
func names[T any](list []T, limit int, name func(T) string) string {
	return strings.Join(each(list[:min(limit, len(list))], name), ", ")
}

func firstOf(list []string, limit int) string {
	return strings.Join(list[:min(limit, len(list))], ", ")
}

// each returns f of every item.
func each[T, U any](list []T, f func(T) U) []U {
	var out []U
	for _, item := range list {
		out = append(out, f(item))
	}
	return out
}

// filter returns the items that are kept.
func filter[T any](list []T, keep func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(item T) bool { return !keep(item) })
}

func itoa(n int) string { return strconv.Itoa(n) }

// formatSize formats bytes in the largest fitting binary unit.
func formatSize(n float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	i := 0
	for n >= 1024 && i < len(units)-1 {
		n /= 1024
		i++
	}
	if i == 0 || n >= 100 {
		return fmt.Sprintf("%.0f %s", n, units[i])
	}
	return fmt.Sprintf("%.1f %s", n, units[i])
}

// read returns what could be read of an output. Callers that find nothing show the output itself.
func read[T any](parse func([]byte) (T, error), output string) T {
	v, _ := parse([]byte(output))
	return v
}

// tryRead returns the value in an output, and whether it could be read.
func tryRead[T any](parse func([]byte) (T, error), output string) (T, bool) {
	v, err := parse([]byte(output))
	return v, err == nil
}
