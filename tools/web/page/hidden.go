package page

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// hiding are the style rules of a page that hide what has a class or an id.
type hiding struct{ classes, ids map[string]bool }

// hidingOf collects the rules of the page's own style sheets. Only simple selectors are understood.
func hidingOf(root *html.Node) hiding {
	h := hiding{map[string]bool{}, map[string]bool{}}
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
func (h hiding) add(css string) {
	for css != "" {
		selector, rest, ok := strings.Cut(css, "{")
		if !ok {
			return
		}
		selector = strings.TrimSpace(withoutComments(selector))
		if i := strings.LastIndexByte(selector, ';'); i >= 0 { // after @import or @charset
			selector = strings.TrimSpace(selector[i+1:])
		}
		if strings.HasPrefix(selector, "@") {
			css = afterBlock(rest)
			continue
		}
		var declarations string
		declarations, css, _ = strings.Cut(rest, "}")
		if !hides(declarations) {
			continue
		}
		for one := range strings.SplitSeq(selector, ",") {
			one = strings.TrimSpace(one)
			if name, ok := strings.CutPrefix(one, "."); ok && isPlain(name) {
				h.classes[name] = true
			} else if name, ok := strings.CutPrefix(one, "#"); ok && isPlain(name) {
				h.ids[name] = true
			}
		}
	}
}

// isPlain reports whether a selector is one name.
func isPlain(name string) bool { return name != "" && !strings.ContainsAny(name, " .#:>+~[*()\t\r\n") }

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
	for {
		before, rest, ok := strings.Cut(css, "/*")
		if !ok {
			return css
		}
		_, after, _ := strings.Cut(rest, "*/")
		css = before + after
	}
}

// hides reports whether style declarations make text invisible. Colours and places off the screen are not understood.
func hides(declarations string) bool {
	for d := range strings.SplitSeq(strings.ToLower(withoutComments(declarations)), ";") {
		name, value, ok := strings.Cut(d, ":")
		if !ok {
			continue
		}
		value, _, _ = strings.Cut(value, "!")
		switch value = strings.TrimSpace(value); strings.TrimSpace(name) {
		case "display":
			if value == "none" {
				return true
			}
		case "visibility", "content-visibility":
			if value == "hidden" || value == "collapse" {
				return true
			}
		case "font-size", "opacity", "max-height":
			if strings.HasPrefix(value, "0") && strings.Trim(value, "0.pxremt%") == "" {
				return true
			}
		}
	}
	return false
}

// isHidden reports whether people do not see an element.
func (h hiding) isHidden(n *html.Node) bool {
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
			if h.ids[a.Val] {
				return true
			}
		case "class":
			for c := range strings.FieldsSeq(a.Val) {
				if h.classes[c] {
					return true
				}
			}
		}
	}
	return false
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}
