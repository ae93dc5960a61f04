package page

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// hiding are the selectors of a page's style rules that hide elements, by a class, an id or a tag that the element has:
// ".x", "#x" or "x".
type hiding struct {
	rules map[string][]selector
	steps int // comparisons of an element with a part of a selector
}

// maxSteps bounds the comparisons for one page. Usual pages take less than a hundredth of it.
const maxSteps = 10_000_000

// selector matches an element by its last part, and elements around it by those before.
type selector []compound

// compound is what one element has.
type compound struct {
	tag, id string
	classes []string
}

// hidingOf collects the rules of the page's own style sheets. Selectors of tags, classes, ids and what is inside what
// are understood.
func hidingOf(root *html.Node) *hiding {
	h := &hiding{rules: map[string][]selector{}}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.DataAtom == atom.Style && n.FirstChild != nil && appliesToScreens(attr(n, "media")) {
			h.add(n.FirstChild.Data)
		}
	}
	return h
}

func appliesToScreens(media string) bool {
	return media == "" || strings.Contains(media, "screen") || strings.Contains(media, "all")
}

// add reads a style sheet. Rules inside @media and other blocks do not count: they apply only sometimes.
func (h *hiding) add(css string) {
	for css != "" {
		selectors, rest, ok := strings.Cut(css, "{")
		if !ok {
			return
		}
		selectors = strings.TrimSpace(withoutComments(selectors))
		if i := strings.LastIndexByte(selectors, ';'); i >= 0 { // after @import or @charset
			selectors = strings.TrimSpace(selectors[i+1:])
		}
		if strings.HasPrefix(selectors, "@") {
			css = afterBlock(rest)
			continue
		}
		var declarations string
		declarations, css, _ = strings.Cut(rest, "}")
		if !hides(declarations) {
			continue
		}
		for text := range strings.SplitSeq(selectors, ",") {
			if one := parseSelector(text); one != nil {
				key := one[len(one)-1].key()
				h.rules[key] = append(h.rules[key], one)
			}
		}
	}
}

// parseSelector returns a selector, or nil if it is not understood.
func parseSelector(text string) selector {
	if strings.ContainsAny(text, ":[*+~()\\") {
		return nil
	}
	var all selector
	for part := range strings.FieldsSeq(strings.ReplaceAll(text, ">", " ")) {
		var c compound
		for len(part) > 0 {
			kind := part[0]
			if kind == '.' || kind == '#' {
				part = part[1:]
			}
			end := strings.IndexAny(part, ".#")
			if end < 0 {
				end = len(part)
			}
			switch name := part[:end]; {
			case name == "":
				return nil
			case kind == '.':
				c.classes = append(c.classes, name)
			case kind == '#':
				c.id = name
			default:
				c.tag = strings.ToLower(name)
			}
			part = part[end:]
		}
		all = append(all, c)
	}
	return all
}

// key returns by what the rules for an element are found.
func (c compound) key() string {
	switch {
	case c.id != "":
		return "#" + c.id
	case len(c.classes) > 0:
		return "." + c.classes[0]
	}
	return c.tag
}

func (c compound) matches(n *html.Node) bool {
	if n.Type != html.ElementNode || c.tag != "" && c.tag != n.Data || c.id != "" && c.id != attr(n, "id") {
		return false
	}
	for _, class := range c.classes {
		if !hasWord(attr(n, "class"), class) {
			return false
		}
	}
	return true
}

// hasWord reports whether a list of words has one.
func hasWord(list, word string) bool {
	for one := range strings.FieldsSeq(list) {
		if one == word {
			return true
		}
	}
	return false
}

// matches reports whether a rule for a key hides an element.
func (h *hiding) matches(key string, n *html.Node) bool {
	return slices.ContainsFunc(h.rules[key], func(s selector) bool { return h.match(s, n) })
}

func (h *hiding) match(s selector, n *html.Node) bool {
	last := len(s) - 1
	if h.steps++; h.isExhausted() || !s[last].matches(n) {
		return false
	}
	for last--; last >= 0; last-- {
		for n = n.Parent; n != nil && !s[last].matches(n); n = n.Parent {
			if h.steps++; h.isExhausted() {
				return false
			}
		}
		if n == nil {
			return false
		}
	}
	return true
}

// isExhausted reports whether the page has so many rules that what they hide is not known.
func (h *hiding) isExhausted() bool { return h.steps > maxSteps }

// afterBlock returns what follows a block whose opening brace was read.
func afterBlock(css string) string {
	depth := 1
	for i := range len(css) {
		switch css[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return css[i+1:]
			}
		}
	}
	return ""
}

func withoutComments(css string) string {
	var text strings.Builder
	for {
		before, rest, ok := strings.Cut(css, "/*")
		text.WriteString(before)
		if !ok {
			return text.String()
		}
		_, css, _ = strings.Cut(rest, "*/")
	}
}

// isHidden reports whether people do not see an element.
func (h *hiding) isHidden(n *html.Node) bool {
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return true
		case "aria-hidden":
			if strings.EqualFold(strings.TrimSpace(a.Val), "true") {
				return true
			}
		case "style":
			if hides(a.Val) {
				return true
			}
		case "id":
			if h.matches("#"+a.Val, n) {
				return true
			}
		case "class":
			for c := range strings.FieldsSeq(a.Val) {
				if h.matches("."+c, n) {
					return true
				}
			}
		}
	}
	return h.matches(n.Data, n)
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// visible returns a text without characters that people do not see, in which a text for models can be written: format
// characters such as zero-width blanks and tags, fillers, and the selectors of variants that no font has.
func visible(text string) string {
	if !strings.ContainsFunc(text, isInvisible) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if isInvisible(r) {
			return -1
		}
		return r
	}, text)
}

func isInvisible(r rune) bool {
	switch {
	case r < 0x80:
		return false
	case unicode.Is(unicode.Cf, r), 0xe0000 <= r && r <= 0xe0fff:
		return true
	}
	return slices.Contains([]rune{0x115f, 0x1160, 0x3164, 0xffa0, 0x2800}, r)
}
