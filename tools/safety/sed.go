package safety

import "strings"

// sedScript judges the script and the files of sed. Several scripts are joined with line feeds (sed(1), -e).
func sedScript(in *invocation, p *parsed) *refusal {
	operands := p.operands
	scripts := p.values("e", "expression")
	if len(scripts) == 0 {
		if len(operands) == 0 {
			return deny("missing-operand", "", 2)
		}
		scripts, operands = operands[:1], operands[1:]
	}
	var lines []string
	for _, f := range scripts {
		line, ok := f.val.lit()
		if !ok || f.many {
			return deny("script", f.val.String(), 2)
		}
		lines = append(lines, line)
	}
	if script := strings.Join(lines, "\n"); !sedReadsOnly(script) {
		return deny("script", script, 2)
	}
	return checkAll(in, read, operands)
}

// sedReadsOnly accepts scripts whose commands only edit and print the pattern space (GNU sed manual, "sed
// scripts"): no e, w, W, r, R, F and no flags e and w of s.
func sedReadsOnly(script string) bool {
	p := sedScanner{text: script}
	for p.skip(" \t\n;"); p.pos < len(p.text); p.skip(" \t\n;") {
		if !p.command() {
			return false
		}
	}
	return p.braces == 0
}

type sedScanner struct {
	text   string
	pos    int
	braces int
}

func (p *sedScanner) skip(set string) {
	for p.pos < len(p.text) && strings.IndexByte(set, p.text[p.pos]) >= 0 {
		p.pos++
	}
}

func (p *sedScanner) next() byte {
	if p.pos >= len(p.text) {
		return 0
	}
	p.pos++
	return p.text[p.pos-1]
}

func (p *sedScanner) peek() byte {
	if p.pos >= len(p.text) {
		return 0
	}
	return p.text[p.pos]
}

func (p *sedScanner) command() bool {
	if !p.addresses() {
		return false
	}
	p.skip(" \t")
	for p.peek() == '!' {
		p.pos++
		p.skip(" \t")
	}
	switch c := p.next(); c {
	case '{':
		p.braces++
		return true
	case '}':
		p.braces--
		return p.braces >= 0 && p.end()
	case 'p', 'P', 'd', 'D', 'n', 'N', 'g', 'G', 'h', 'H', 'x', '=', 'z':
		return p.end()
	case 'q', 'Q', 'l':
		p.skip(" \t")
		p.skip("0123456789")
		return p.end()
	case 'b', 't', 'T', ':':
		return p.label()
	case 's':
		return p.substitute()
	case 'y':
		return p.sections(2) && p.end()
	}
	return false
}

// end requires the end of the command.
func (p *sedScanner) end() bool {
	p.skip(" \t")
	c := p.peek()
	return c == 0 || c == ';' || c == '\n' || c == '}'
}

func (p *sedScanner) label() bool {
	p.skip(" \t")
	for p.pos < len(p.text) && isNameByte(p.text[p.pos]) {
		p.pos++
	}
	return p.end()
}

func (p *sedScanner) addresses() bool {
	if !p.address() {
		return false
	}
	p.skip(" \t")
	if p.peek() != ',' {
		return true
	}
	p.pos++
	p.skip(" \t")
	if c := p.peek(); c == '+' || c == '~' {
		p.pos++
	}
	return p.address()
}

// address skips a line number, $, first~step or a regular expression. The address can be missing.
func (p *sedScanner) address() bool {
	switch c := p.peek(); {
	case c == '$':
		p.pos++
	case c >= '0' && c <= '9':
		p.skip("0123456789")
		if p.peek() == '~' {
			p.pos++
			p.skip("0123456789")
		}
	case c == '/':
		p.pos++
		if !p.section('/') {
			return false
		}
		p.skip("IM")
	case c == '\\':
		p.pos++
		delim := p.next()
		if !isDelimiter(delim) || !p.section(delim) {
			return false
		}
		p.skip("IM")
	}
	return true
}

func isDelimiter(c byte) bool { return c > ' ' && c < 0x7f && c != '\\' && !isNameByte(c) }

// section skips to the delimiter. It refuses a delimiter inside brackets, which ends the section in GNU sed but
// not in others.
func (p *sedScanner) section(delim byte) bool {
	bracket := false
	for p.pos < len(p.text) {
		switch c := p.next(); {
		case c == '\\':
			p.pos++
		case c == delim:
			return !bracket
		case c == '[':
			bracket = true
		case c == ']':
			bracket = false
		case c == '\n':
			return false
		}
	}
	return false
}

func (p *sedScanner) sections(n int) bool {
	delim := p.next()
	if !isDelimiter(delim) {
		return false
	}
	for range n {
		if !p.section(delim) {
			return false
		}
	}
	return true
}

func (p *sedScanner) substitute() bool {
	if !p.sections(2) {
		return false
	}
	p.skip("gpiIM0123456789")
	return p.end()
}
