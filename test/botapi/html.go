package botapi

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// entity is a formatted range of text, in UTF-16 code units.
type entity struct {
	Type     string `json:"type"`
	Offset   int    `json:"offset"`
	Length   int    `json:"length"`
	URL      string `json:"url,omitempty"`
	Language string `json:"language,omitempty"`
}

// tags maps the tags of section "HTML style" to entity types.
var tags = map[string]string{
	"b": "bold", "strong": "bold", "i": "italic", "em": "italic", "u": "underline", "ins": "underline", "s": "strikethrough", "strike": "strikethrough", "del": "strikethrough",
	"tg-spoiler": "spoiler", "span": "spoiler", "a": "text_link", "code": "code", "pre": "pre", "blockquote": "blockquote", "tg-emoji": "custom_emoji",
}

// reader parses HTML like the server. Unknown tags, tags that are not closed in order and a bare <
// are errors. A bare & is text.
type reader struct {
	in       string
	at       int
	out      strings.Builder
	units    int
	open     []openTag
	entities []entity
}

// htmlError returns the server's error for invalid HTML.
func htmlError(format string, args ...any) error {
	return badRequest("can't parse entities: "+format, args...)
}

type openTag struct {
	tag string
	entity
}

// parseHTML returns the visible text and its entities.
func parseHTML(in string) (string, []entity, error) {
	p := &reader{in: in}
	for p.at < len(p.in) {
		if err := p.step(); err != nil {
			return "", nil, err
		}
	}
	if n := len(p.open); n > 0 {
		return "", nil, htmlError("Can't find end tag corresponding to start tag %q", p.open[n-1].tag)
	}
	slices.SortStableFunc(p.entities, func(a, b entity) int { return a.Offset - b.Offset })
	return p.out.String(), p.entities, nil
}

func (p *reader) step() error {
	switch rest := p.in[p.at:]; {
	case rest[0] == '<' && strings.HasPrefix(rest, "</"):
		return p.parseEndTag()
	case rest[0] == '<':
		return p.parseStartTag()
	case rest[0] == '&':
		if r, n := parseReference(rest); n > 0 {
			p.put(r)
			p.at += n
			return nil
		}
	}
	r, n := utf8.DecodeRuneInString(p.in[p.at:])
	p.put(r)
	p.at += n
	return nil
}

func (p *reader) put(r rune) {
	p.out.WriteRune(r)
	p.units += utf16.RuneLen(r)
}

// parseReference parses &lt; &gt; &amp; &quot; and numeric references. Anything else that starts with &
// is text.
func parseReference(s string) (rune, int) {
	end := strings.IndexByte(s[:min(len(s), 12)], ';')
	if end < 0 {
		return 0, 0
	}
	name := s[1:end]
	if r, ok := map[string]rune{"lt": '<', "gt": '>', "amp": '&', "quot": '"'}[name]; ok {
		return r, end + 1
	}
	digits, ok := strings.CutPrefix(name, "#")
	if !ok {
		return 0, 0
	}
	base := 10
	if hex, ok := strings.CutPrefix(digits, "x"); ok {
		digits, base = hex, 16
	}
	n, err := strconv.ParseUint(digits, base, 21)
	if err != nil || n == 0 || n > utf8.MaxRune {
		return 0, 0
	}
	return rune(n), end + 1
}

// parseStartTag parses a start tag.
func (p *reader) parseStartTag() error {
	begin := p.at
	length := strings.IndexByte(p.in[begin:], '>')
	if length < 0 {
		return htmlError("Unclosed start tag at byte offset %d", begin)
	}
	tag, attributes, _ := strings.Cut(p.in[begin+1:begin+length], " ")
	tag = strings.ToLower(tag)
	kind, ok := tags[tag]
	if !ok {
		return htmlError("Unsupported start tag %q at byte offset %d", tag, begin)
	}
	p.at += length + 1
	e := entity{Type: kind, Offset: p.units}
	switch {
	case tag == "span" && attributeValue(attributes, "class") != "tg-spoiler":
		return htmlError("Tag \"span\" must have class \"tg-spoiler\" at byte offset %d", begin)
	case tag == "a":
		e.URL = attributeValue(attributes, "href")
	case tag == "code":
		e.Language = strings.TrimPrefix(attributeValue(attributes, "class"), "language-")
	}
	p.open = append(p.open, openTag{tag, e})
	return nil
}

// attributeValue returns the value of an attribute, with its references resolved.
func attributeValue(attributes, name string) string {
	_, rest, ok := strings.Cut(attributes, name+"=")
	if !ok || rest == "" {
		return ""
	}
	value := rest
	if quote := rest[0]; quote == '"' || quote == '\'' {
		value, _, _ = strings.Cut(rest[1:], string(quote))
	} else {
		value, _, _ = strings.Cut(rest, " ")
	}
	var b strings.Builder
	for len(value) > 0 {
		if r, n := parseReference(value); value[0] == '&' && n > 0 {
			b.WriteRune(r)
			value = value[n:]
			continue
		}
		b.WriteByte(value[0])
		value = value[1:]
	}
	return b.String()
}

// parseEndTag parses an end tag.
func (p *reader) parseEndTag() error {
	begin := p.at
	length := strings.IndexByte(p.in[begin:], '>')
	if length < 0 {
		return htmlError("Unclosed end tag at byte offset %d", begin)
	}
	if len(p.open) == 0 {
		return htmlError("Unexpected end tag at byte offset %d", begin)
	}
	last := p.open[len(p.open)-1]
	tag := strings.ToLower(strings.TrimSpace(p.in[begin+2 : begin+length]))
	if tag != "" && tag != last.tag {
		return htmlError("Unmatched end tag at byte offset %d, expected \"</%s>\", found \"</%s>\"", begin, last.tag, tag)
	}
	p.at += length + 1
	p.open = p.open[:len(p.open)-1]
	last.Length = p.units - last.Offset
	if last.Length > 0 && (last.Type != "text_link" || last.URL != "") {
		p.entities = append(p.entities, last.entity)
	}
	return nil
}

// normalize normalizes text like the server: control characters become blanks. Line separators,
// direction overrides and blanks at both ends are removed.
func normalize(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\r' || r >= 0x2028 && r <= 0x202e:
			return -1
		case r < ' ' && r != '\n':
			return ' '
		}
		return r
	}, s)
	return strings.Trim(s, " \n\t")
}

// units returns the length of text in UTF-16 code units, as the server counts.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}
