package safety

import (
	"strings"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// awkForbidden are words that run commands, read other files or the environment, or change the list of files
// (gawk manual, "I/O Functions", "Getline", "Built-in Variables"), and words after which awk implementations
// disagree about the meaning of a slash.
var awkForbidden = words(`system getline ENVIRON ARGV ARGC ARGIND SYMTAB FUNCTAB PROCINFO extension close fflush
	switch case default include load namespace eval`)

// awkKeywords are words after which a slash starts a regular expression.
var awkKeywords = words("print printf return if while for else do in exit delete function func BEGIN END BEGINFILE ENDFILE")

// awkFunctions are functions that some awk implementations call without parentheses. A slash after one of them
// divides in some and starts a regular expression in others.
var awkFunctions = words(`length rand srand time systime substr index split sub gsub gensub match sprintf sin cos atan2 exp log sqrt int
	tolower toupper strftime mktime toupper asort asorti and or xor lshift rshift compl strtonum patsplit typeof isarray nextfile next`)

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

// awkReadsOnly tokenises an awk program and accepts it if it can only compute and print: no system, getline,
// pipe, output redirection or @-directive.
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
	unsure   bool // a slash after the last token can be either
	printing bool // inside a print statement
	depth    int  // parentheses opened since print
}

func (a *awkScanner) token() bool {
	c := a.text[a.pos]
	switch {
	case c == ' ' || c == '\t':
		a.pos++
		return true
	case c == '\n':
		return a.newline()
	case strings.HasPrefix(a.text[a.pos:], "\\\n"):
		a.pos += 2
		return true
	case c == '"':
		return a.str()
	case c == '/' && !a.operand:
		return a.regexp()
	case c == '/' && a.unsure && strings.Contains(a.text[a.pos+1:], "/"):
		return false
	case c >= '0' && c <= '9':
		return a.number()
	case isNameByte(c):
		return a.word()
	}
	return a.operator(c)
}

// newline ends the statement, unless an operator or a comma continues it.
func (a *awkScanner) newline() bool {
	a.pos++
	if a.operand {
		if a.depth > 0 {
			return false
		}
		a.printing = false
	}
	a.operand, a.unsure = false, false
	return true
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

var awkNumber = lazyregexp.New(`^[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?`)

// number skips a decimal number. A name directly after it would be a second operand: 1system("id") is a call.
func (a *awkScanner) number() bool {
	a.pos += len(awkNumber.FindString(a.text[a.pos:]))
	a.operand, a.unsure = true, false
	return a.pos == len(a.text) || !isNameByte(a.text[a.pos]) && a.text[a.pos] != '.'
}

func (a *awkScanner) word() bool {
	start := a.pos
	for a.pos < len(a.text) && isNameByte(a.text[a.pos]) {
		a.pos++
	}
	word := a.text[start:a.pos]
	if awkForbidden.has(word) {
		return false
	}
	if word == "print" || word == "printf" {
		a.printing, a.depth = true, 0
	}
	a.operand, a.unsure = !awkKeywords.has(word), awkFunctions.has(word)
	return true
}

// str skips a string constant.
func (a *awkScanner) str() bool {
	for a.pos++; a.pos < len(a.text); a.pos++ {
		switch a.text[a.pos] {
		case '\\':
			a.pos++
		case '\n':
			return false
		case '"':
			a.pos++
			a.operand, a.unsure = true, false
			return true
		}
	}
	return false
}

// regexp skips a regular expression constant.
func (a *awkScanner) regexp() bool {
	for a.pos++; a.pos < len(a.text); a.pos++ {
		switch a.text[a.pos] {
		case '\\':
			a.pos++
		case '\n':
			return false
		case '[':
			n := len(awkBracket.FindString(a.text[a.pos:]))
			if n == 0 {
				return false
			}
			a.pos += n - 1
		case '/':
			a.pos++
			a.operand, a.unsure = true, false
			return true
		}
	}
	return false
}

// awkBracket matches a bracket expression whose end is the same in every awk. A slash in it would end the
// regular expression in some, and a ] at its start is an ordinary character in some.
var awkBracket = lazyregexp.New(`^\[\^?(\[:[a-z]+:\]|\\[^\n/]|[^\]\[\\/\n^])(\[:[a-z]+:\]|\\[^\n/]|[^\]\[\\/\n])*\]`)

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
		return false // gawk's @, # comments, backslashes and others
	}
	if (c == '+' || c == '-') && len(rest) > 1 && rest[1] == c {
		a.pos += 2 // x++ keeps the operand before it
		return true
	}
	a.pos += n
	a.operand, a.unsure = c == ')' || c == ']', c == ')'
	return true
}
