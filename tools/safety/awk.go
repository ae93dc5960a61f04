package safety

import "strings"

// awkForbidden are words that run commands, read other files or the
// environment, or change the list of files (gawk manual, "I/O Functions",
// "Getline", "Built-in Variables").
var awkForbidden = words("system getline ENVIRON ARGV ARGC ARGIND SYMTAB FUNCTAB PROCINFO extension close fflush")

// awkKeywords are words after which a slash starts a regular expression.
var awkKeywords = words("print printf return if while for else do in case exit delete function func BEGIN END")

// awkProgram judges awk PROGRAM FILE….
func awkProgram(in *invocation, p *parsed) *refusal {
	program, ok := p.operands[0].val.lit()
	if !ok || p.operands[0].many || !awkReadsOnly(program) {
		return deny("script", p.operands[0].val.String(), 2)
	}
	for _, f := range p.operands[1:] {
		if r := in.checkKind(read, f, 2); r != nil {
			return r
		}
	}
	return nil
}

// awkReadsOnly tokenises an awk program and accepts it when it can only
// compute and print: no system, getline, pipe, output redirection, @-directive.
func awkReadsOnly(program string) bool {
	a := awkScanner{text: program}
	for a.pos < len(a.text) {
		if !a.token() {
			return false
		}
	}
	return true
}

type awkScanner struct {
	text     string
	pos      int
	operand  bool // the last token was an operand, so a slash divides
	closed   bool // the last token was a closing parenthesis
	printing bool // inside a print statement
	depth    int  // parentheses opened since print
}

func (a *awkScanner) token() bool {
	c := a.text[a.pos]
	switch {
	case c == ' ' || c == '\t' || c == '\n' || c == '\\' && strings.HasPrefix(a.text[a.pos:], "\\\n"):
		a.pos++
		return true
	case c == '"':
		return a.str()
	case c == '/' && !a.operand:
		return a.regexp()
	case c == '/' && a.closed && strings.Contains(a.text[a.pos+1:], "/"):
		return false // after a condition it could be a regular expression
	case nameByte(c):
		return a.word()
	}
	return a.operator(c)
}

func nameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (a *awkScanner) word() bool {
	start := a.pos
	for a.pos < len(a.text) && (nameByte(a.text[a.pos]) || a.text[a.pos] == '.' && digits(a.text[start:a.pos])) {
		a.pos++
	}
	word := a.text[start:a.pos]
	if awkForbidden[word] {
		return false
	}
	if word == "print" || word == "printf" {
		a.printing, a.depth = true, 0
	}
	a.operand, a.closed = !awkKeywords[word], false
	return true
}

// str steps over a string constant.
func (a *awkScanner) str() bool {
	for a.pos++; a.pos < len(a.text); a.pos++ {
		switch a.text[a.pos] {
		case '\\':
			a.pos++
		case '\n':
			return false
		case '"':
			a.pos++
			a.operand, a.closed = true, false
			return true
		}
	}
	return false
}

// regexp steps over a regular expression constant. Quotes and slashes in
// brackets are left to a person: awks differ about them.
func (a *awkScanner) regexp() bool {
	bracket := false
	for a.pos++; a.pos < len(a.text); a.pos++ {
		switch a.text[a.pos] {
		case '\\':
			a.pos++
		case '\n', '"':
			return false
		case '[':
			bracket = true
		case ']':
			bracket = false
		case '/':
			if bracket {
				return false
			}
			a.pos++
			a.operand, a.closed = true, false
			return true
		}
	}
	return false
}

func (a *awkScanner) operator(c byte) bool {
	rest := a.text[a.pos:]
	n := 1
	switch c {
	case '|':
		if !strings.HasPrefix(rest, "||") {
			return false
		}
		n = 2
	case '>':
		if strings.HasPrefix(rest, ">>") || a.printing && a.depth == 0 {
			return false
		}
	case '(':
		a.depth++
	case ')':
		a.depth = max(a.depth-1, 0)
	case ';', '{', '}':
		a.printing, a.depth = false, 0
	case '$', '+', '-', '*', '/', '%', '^', '=', '<', '!', '~', '?', ':', ',', '[', ']', '&', '.':
	default:
		return false // @ of gawk, # comments, backslashes and the like
	}
	if (c == '+' || c == '-') && len(rest) > 1 && rest[1] == c {
		a.pos += 2 // x++ keeps the operand before it
		return true
	}
	a.pos += n
	a.operand, a.closed = c == ')' || c == ']', c == ')'
	return true
}
