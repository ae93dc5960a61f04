package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// page is a parsed document.
type page struct {
	path     string // relative to the repository's root
	raw      []string
	headings []heading
	links    []spot
	spans    []spot // `code` in prose
	blocks   []*block
}

type heading struct {
	level  int
	anchor string
}

// spot is a piece of text with its line, from 1.
type spot struct {
	line int
	text string
}

// block is a fenced or an indented piece of a document. Its mark decides how it is tested:
//
//   - console: a transcript. What follows "$ " is typed, and the lines below are its output. All
//     transcripts of a page are played in order on one fresh machine. Numbers, times, sizes and codes
//     can differ; a line "…" matches any lines.
//   - sh: commands to type. Our commands are run and must succeed if they need no person, no network
//     and no placeholder. The others must exist.
//   - no mark: lines that begin with one of our programs are tested like sh. Lines that begin with make,
//     go or systemctl must exist.
//
// <!-- not run: REASON --> before a block has it only checked for existence; <!-- exit N --> is the
// status of its last command.
type block struct {
	line   int    // of its first line of text
	fenced bool   // false if indented
	lang   string // console, sh, toml, json, or ""
	mark   string // the comment before the block
	indent string
	lines  []string
}

var (
	linkOf    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	spanOf    = regexp.MustCompile("`([^`]+)`")
	commentOf = regexp.MustCompile(`^<!--\s*(.*?)\s*-->$`)
	fenceOf   = regexp.MustCompile("^( *)```(\\w*)$")
)

// readPage parses a document below root.
func readPage(root, path string) (*page, error) {
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		return nil, err
	}
	p := &page{path: path, raw: strings.Split(string(text), "\n")}
	anchors := map[string]int{}
	for i, mark := 0, ""; i < len(p.raw); i++ {
		line := p.raw[i]
		switch {
		case fenceOf.MatchString(line):
			m := fenceOf.FindStringSubmatch(line)
			b := &block{line: i + 2, fenced: true, lang: m[2], mark: mark, indent: m[1]}
			for i++; i < len(p.raw) && strings.TrimSpace(p.raw[i]) != "```"; i++ {
				b.lines = append(b.lines, strings.TrimPrefix(p.raw[i], m[1]))
			}
			p.blocks, mark = append(p.blocks, b), ""
		case strings.HasPrefix(line, "    ") && (i == 0 || strings.TrimSpace(p.raw[i-1]) == "" || commentOf.MatchString(p.raw[i-1])):
			b := &block{line: i + 1, mark: mark}
			b.indent = line[:len(line)-len(strings.TrimLeft(line, " "))]
			for ; i < len(p.raw) && (strings.HasPrefix(p.raw[i], "    ") || strings.TrimSpace(p.raw[i]) == ""); i++ {
				b.lines = append(b.lines, strings.TrimPrefix(p.raw[i], b.indent))
			}
			i--
			p.blocks, mark = append(p.blocks, b), ""
		case commentOf.MatchString(line):
			mark = commentOf.FindStringSubmatch(line)[1]
		default:
			if strings.TrimSpace(line) != "" {
				mark = ""
			}
			p.prose(i+1, line, anchors)
		}
	}
	return p, nil
}

// prose extracts headings, links and `code` from a line.
func (p *page) prose(number int, line string, anchors map[string]int) {
	if level := len(line) - len(strings.TrimLeft(line, "#")); level > 0 && level < 7 && strings.HasPrefix(line[level:], " ") {
		p.headings = append(p.headings, heading{level, anchor(line[level+1:], anchors)})
	}
	for _, m := range spanOf.FindAllStringSubmatch(line, -1) {
		p.spans = append(p.spans, spot{number, m[1]})
	}
	for _, m := range linkOf.FindAllStringSubmatch(spanOf.ReplaceAllString(line, ""), -1) {
		p.links = append(p.links, spot{number, m[1]})
	}
}

// anchor returns the link target of a heading, as GitHub generates it.
func anchor(title string, before map[string]int) string {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(title)) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			b.WriteRune(r)
		case r == ' ':
			b.WriteByte('-')
		}
	}
	name := b.String()
	before[name]++
	if n := before[name]; n > 1 {
		name += "-" + string(rune('0'+n-1))
	}
	return name
}

// commands returns the command lines of a block. A here-document and a line continued with a backslash are one
// command line.
func (b *block) commands() []spot {
	var all []spot
	switch b.lang {
	case "console":
		for i, line := range b.lines {
			if cmd, ok := strings.CutPrefix(line, "$ "); ok {
				all = append(all, spot{b.line + i, cmd})
			}
		}
	case "sh":
		for i, line := range b.lines {
			if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
				all = append(all, spot{b.line + i, line})
			}
		}
	case "":
		for i, line := range b.lines {
			if first, _, _ := strings.Cut(line, " "); slices.Contains(ours, first) {
				all = append(all, spot{b.line + i, line})
			}
		}
	}
	return all
}

var tableHead = regexp.MustCompile(`^\[\[?[a-z][\w."-]*\]\]?`)

// toml returns our settings in a block. Keys of units begin with a capital and are skipped.
func (b *block) toml() string {
	if b.lang != "" && b.lang != "toml" {
		return ""
	}
	for i, line := range b.lines {
		if tableHead.MatchString(line) {
			return strings.Join(b.lines[i:], "\n")
		}
	}
	return ""
}

// json reports whether a block is JSON.
func (b *block) json() bool {
	return b.lang == "json" || b.lang == "" && len(b.lines) > 0 && strings.HasPrefix(b.lines[0], "{")
}

// runnable reports whether the block's commands may be run.
func (b *block) runnable() bool { return !strings.HasPrefix(b.mark, "not run: ") }
