package safety

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// kind is the type of an operand or of an option's value, which determines what must be proven about it.
type kind string

const (
	none   kind = ""       // no operand at all
	text   kind = "text"   // any text: a pattern, a name, a message
	name   kind = "name"   // letters, digits and ._+:@%,-=/ without ..
	number kind = "number" // a number, optionally with a unit
	amount kind = "amount" // a number of bytes below a gigabyte
	attr   kind = "attr"   // a path whose attributes are shown, without anything below it
	meta   kind = "meta"   // a path of which only names and attributes are shown
	read   kind = "read"   // a file whose contents are shown
	plain  kind = "plain"  // one word without a slash
	screen kind = "screen" // an X server on this machine
	tree   kind = "tree"   // a file or directory whose contents are shown recursively
)

// program is one row of the tables.
type program struct {
	names     string // blank-separated names of programs with the same rules
	why       string // its purpose, one line
	forms     []form
	noVersion bool // --version and --help have another meaning
	onlyReads bool // only reads with any options: *.txt can be printed as ./*.txt
	response  bool // reads further arguments from a file given as @FILE
	separates bool // -- ends the options in any position, and the words after it are operands
	script    bool // is a shell, Python or Perl script: its words are restricted (scripted.go)
}

// form is one accepted form of the arguments. An invocation is accepted if one form accepts all of it.
//
// Options are written like in the program: letters without a dash, long names without dashes. Long options must
// be complete.
type form struct {
	flags    string // option letters without value
	values   string // option letters with a value, attached or next
	attached string // option letters with an optional attached value
	long     string // long options without value
	longVal  string // long options with a value: --name=value or --name value
	longOpt  string // long options with an optional value: --name or --name=value
	single   string // options with one dash and a word, such as -show or -auto
	singVal  string // such options with a value in the next argument
	kinds    string // "f=read o=number": kinds of option values, text otherwise
	need     string // groups of options of which one each must be present: "Q,query i,s"
	lines    string // accepted operand sequences, see matchLine; replaces min, max and operand
	first    kind   // kind of the first operand if it differs
	min, max int    // number of operands; many for any number
	operand  kind   // kind of the operands
	only     string // the accepted operands, if there are only a few
	verb     string // required first argument, for verbs whose meaning changes with options before them
	loose    bool   // any argument is harmless (echo)
	posix    bool   // options end at the first operand
	reaches  string // what it reaches: named, local, or fixed hosts (reach.go)
	hands    string // the program to which a script passes its arguments unchanged
	prepare  func([]field) []field
	check    func(*invocation, *parsed) *refusal
}

// many is an unbounded number of operands.
const many = 1 << 20

// refusal is why a form does not accept an invocation. A larger depth means that more of the invocation was
// understood.
type refusal struct {
	code, part string
	depth      int
}

func deny(code, part string, depth int) *refusal { return &refusal{code, part, depth} }

// parsed are the arguments as a form parsed them.
type parsed struct {
	options  []string // accepted options in their canonical spelling
	given    []given  // their values, in order
	operands []field
}

// given is a value with its option.
type given struct {
	option string
	val    field
}

// values returns the values of any of the options, in order. Programs differ in which of several values they
// use, so checks look at all.
func (p *parsed) values(options ...string) []field {
	var out []field
	for _, g := range p.given {
		if slices.Contains(options, g.option) {
			out = append(out, g.val)
		}
	}
	return out
}

func (p *parsed) has(options ...string) bool {
	return slices.ContainsFunc(options, func(o string) bool { return slices.Contains(p.options, o) })
}

// matcher matches the arguments of one invocation against one form.
type matcher struct {
	f    *form
	in   *invocation
	args []field
	out  parsed
	pos  int
}

// match returns nil if the form accepts the invocation.
func (f *form) match(in *invocation) *refusal {
	args := in.args
	if f.loose {
		return nil
	}
	if f.verb != "" {
		if len(args) == 0 || !hasListed(f.verb, args[0].val.String()) {
			return deny("unlisted-verb", commandText("", args), 0)
		}
		args = args[1:]
	}
	if f.prepare != nil {
		args = f.prepare(args)
	}
	m := &matcher{f: f, in: in, args: args}
	if r := m.walk(); r != nil {
		return r
	}
	if r := m.needs(); r != nil {
		return r
	}
	if r := m.operands(); r != nil {
		return r
	}
	if f.check != nil {
		return f.check(in, &m.out)
	}
	return nil
}

// walk separates options and operands.
func (m *matcher) walk() *refusal {
	for m.pos < len(m.args) {
		a := m.args[m.pos]
		prefix := a.val.prefix()
		lit, known := a.val.lit()
		switch {
		case known && lit == "--":
			m.out.operands = append(m.out.operands, m.args[m.pos+1:]...)
			m.pos = len(m.args)
		case prefix == "" && a.val.mayBeOption():
			if !m.in.prefixPattern(&a) && !m.in.separateOperand(&a) {
				return deny("unproven-operand", a.val.String(), m.pos)
			}
			m.out.operands = append(m.out.operands, a)
			m.pos++
		case prefix == "-" && known, !strings.HasPrefix(prefix, "-"):
			m.out.operands = append(m.out.operands, a)
			m.pos++
			if m.f.posix {
				m.out.operands = append(m.out.operands, m.args[m.pos:]...)
				m.pos = len(m.args)
			}
		case a.many && !(strings.HasPrefix(prefix, "--") && strings.Contains(prefix, "=")):
			return deny("unproven-operand", a.val.String(), m.pos)
		default:
			if r := m.option(a, prefix, known); r != nil {
				return r
			}
		}
	}
	return nil
}

func (m *matcher) option(a field, prefix string, known bool) *refusal {
	if known && hasListed(m.f.single, prefix[1:]) {
		m.addOption(prefix[1:])
		m.pos++
		return nil
	}
	if known && hasListed(m.f.singVal, prefix[1:]) {
		m.addOption(prefix[1:])
		m.pos++
		return m.value(prefix[1:])
	}
	if strings.HasPrefix(prefix, "--") {
		return m.longOption(a, prefix[2:], known)
	}
	return m.shortOptions(a, prefix, known)
}

func (m *matcher) addOption(option string) { m.out.options = append(m.out.options, option) }

func (m *matcher) longOption(a field, prefix string, known bool) *refusal {
	name, _, attached := strings.Cut(prefix, "=")
	switch {
	case !attached && !known:
		return deny("unproven-operand", a.val.String(), m.pos)
	case !attached && (hasListed(m.f.long, name) || hasListed(m.f.longOpt, name)):
		m.addOption(name)
		m.pos++
		return nil
	case !attached && hasListed(m.f.longVal, name):
		m.addOption(name)
		m.pos++
		return m.value(name)
	case attached && (hasListed(m.f.longVal, name) || hasListed(m.f.longOpt, name)):
		m.addOption(name)
		m.pos++
		return m.attachedValue(name, field{val: a.val.dropPrefix(len(name) + 3)})
	}
	return deny("unlisted-option", a.val.String(), m.pos)
}

func (m *matcher) shortOptions(a field, prefix string, known bool) *refusal {
	for i := 1; i < len(prefix); i++ {
		letter := prefix[i : i+1]
		switch {
		case strings.Contains(m.f.flags, letter):
			m.addOption(letter)
		case strings.Contains(m.f.attached, letter):
			m.addOption(letter)
			m.pos++
			if rest := a.val.dropPrefix(i + 1); len(rest) > 0 {
				return m.attachedValue(letter, field{val: rest})
			}
			return nil
		case strings.Contains(m.f.values, letter):
			m.addOption(letter)
			m.pos++
			if rest := a.val.dropPrefix(i + 1); len(rest) > 0 {
				return m.attachedValue(letter, field{val: rest})
			}
			return m.value(letter)
		default:
			return deny("unlisted-option", a.val.String(), m.pos)
		}
	}
	if !known {
		return deny("unproven-operand", a.val.String(), m.pos)
	}
	m.pos++
	return nil
}

// value takes the next argument as the value of an option.
func (m *matcher) value(option string) *refusal {
	if m.pos >= len(m.args) {
		return deny("missing-value", option, m.pos)
	}
	m.pos++
	return m.attachedValue(option, m.args[m.pos-1])
}

func (m *matcher) attachedValue(option string, f field) *refusal {
	if f.many && !m.in.quoteVariable(&f) {
		return deny("unproven-operand", f.val.String(), m.pos)
	}
	m.out.given = append(m.out.given, given{option, f})
	k := m.in.freeText(m.f)
	for pair := range strings.FieldsSeq(m.f.kinds) {
		if name, value, _ := strings.Cut(pair, "="); name == option {
			k = kind(value)
		}
	}
	return m.in.checkKind(k, f, m.pos)
}

// needs checks that the required options are present.
func (m *matcher) needs() *refusal {
	for group := range strings.FieldsSeq(m.f.need) {
		if !m.out.has(strings.Split(group, ",")...) {
			return deny("missing-operand", group, m.pos)
		}
	}
	return nil
}

func (m *matcher) operands() *refusal {
	if m.f.lines != "" {
		return m.matchLines()
	}
	n := len(m.out.operands)
	several := slices.ContainsFunc(m.out.operands, func(f field) bool { return f.many })
	if n < m.f.min {
		return deny("missing-value", "", m.pos)
	}
	if n > m.f.max || several && m.f.max < many {
		part := ""
		if n > 0 {
			part = m.out.operands[n-1].val.String()
		}
		return deny("operand-count", part, m.pos)
	}
	for i, f := range m.out.operands {
		k := m.f.operand
		if i == 0 && m.f.first != none {
			k = m.f.first
		}
		if r := m.in.checkKind(k, f, m.pos); r != nil {
			return r
		}
		if word, ok := f.val.lit(); m.f.only != "" && (!ok || !hasListed(m.f.only, word)) {
			return deny("operand", f.val.String(), m.pos)
		}
	}
	return nil
}

// matchLine compares the operands with one accepted sequence. A word of the sequence is a list of alternatives
// "show|list", "*" for any name, "@" for a path whose attributes are shown, "**" for any further names, "&" for
// a host, or "&&" for any further hosts. The sequence "." is the program without operands.
func (m *matcher) matchLine(line string) bool {
	operands := m.out.operands
	if strings.TrimSpace(line) == "." {
		return len(operands) == 0
	}
	for _, want := range strings.Fields(line) {
		if want == "&&" {
			return !slices.ContainsFunc(operands, func(f field) bool { return m.in.checkKind(host, f, 0) != nil })
		}
		if want == "**" {
			return !slices.ContainsFunc(operands, func(f field) bool { return m.in.checkKind(m.in.freeName(m.f), f, 0) != nil })
		}
		if len(operands) == 0 || operands[0].many {
			return false
		}
		word, known := operands[0].val.lit()
		switch {
		case want == "*" && m.in.checkKind(m.in.freeName(m.f), operands[0], 0) == nil:
		case want == "&" && m.in.checkKind(host, operands[0], 0) == nil:
		case want == "@" && m.in.checkKind(meta, operands[0], 0) == nil:
		case known && slices.Contains(strings.Split(want, "|"), word):
		default:
			return false
		}
		operands = operands[1:]
	}
	return len(operands) == 0
}

func (m *matcher) matchLines() *refusal {
	given := len(m.in.hosts)
	for line := range strings.SplitSeq(strings.TrimSpace(m.f.lines), "\n") {
		m.in.hosts = m.in.hosts[:given]
		if m.matchLine(line) {
			return nil
		}
	}
	return deny("unlisted-verb", commandText("", m.out.operands), m.pos)
}

// freeText returns the kind of a value without a kind in the form.
func (in *invocation) freeText(f *form) kind { return in.freeKind(f, text) }

// freeName returns the kind of an operand that a line of the form leaves open.
func (in *invocation) freeName(f *form) kind { return in.freeKind(f, name) }

func (in *invocation) freeKind(f *form, k kind) kind {
	if p := in.s.j.c.programs[in.name]; p != nil && p.script && f.hands == "" {
		return bare
	}
	return k
}

// checkKind checks that an operand or a value has a kind.
func (in *invocation) checkKind(k kind, f field, depth int) *refusal {
	part := f.val.String()
	word, known := f.val.lit()
	if (k == attr || k == meta || k == read || k == tree) && strings.HasPrefix(f.val.prefix(), "-") && word != "-" {
		return deny("operand", part, depth) // after --, which not every program supports
	}
	switch k {
	case text:
		return nil
	case name:
		if known && !isName(word) || !known && (f.val.has(segAny) || f.val.has(segUnits) && !in.separates()) {
			return deny("operand", part, depth)
		}
	case plain:
		if !known || !isPlainWord(word) || word[0] == '.' {
			return deny("operand", part, depth)
		}
	case bare, label, image, media, port, address:
		if !known || f.many || !strictKind(k, word) {
			return deny("operand", part, depth)
		}
	case choice:
	case url:
		if !known || f.many || !in.addURL(word) {
			return deny("network-operand", part, depth)
		}
	case host:
		if !known || f.many || !in.addHost(word) {
			return deny("network-operand", part, depth)
		}
	case screen:
		if !known || !localDisplay.MatchString(word) {
			return deny("operand", part, depth)
		}
	case number:
		if !(known && isNumber(word)) && !f.val.isNumeric() {
			return deny("operand", part, depth)
		}
	case amount:
		if !known || !amountText.MatchString(word) {
			return deny("unbounded", part, depth)
		}
	case attr:
		if !in.s.canName(f) {
			return deny("secret-file", part, depth)
		}
	case meta:
		if !in.s.canList(f) {
			return deny("secret-file", part, depth)
		}
	case read:
		if !in.s.canRead(f) {
			return deny("secret-file", part, depth)
		}
	case tree:
		if !in.s.canReadTree(f) {
			return deny("secret-file", part, depth)
		}
	default:
		if strings.HasPrefix(string(k), "only:") && known && slices.Contains(strings.Split(string(k)[5:], "|"), word) {
			return nil
		}
		return deny("operand", part, depth)
	}
	return nil
}

func (in *invocation) separates() bool {
	p := in.s.j.c.programs[in.name]
	return p != nil && p.separates
}

func isName(s string) bool {
	for i := range len(s) {
		if c := s[i]; !wordByte(c) && c < 0x80 && strings.IndexByte("=/*?[]~^$\\ ", c) < 0 {
			return false
		}
	}
	return s == "" || s[0] != '-'
}

var amountText = lazyregexp.New(`^([0-9]{1,9}|[0-9]{1,6}([kK]B?|KiB)|[0-9]{1,3}(M|MB|MiB))$`)

func isNumber(s string) bool {
	s = strings.TrimLeft(s, "+-")
	s = strings.TrimRight(s, "kKMGTPEBibsmhd%")
	return isDigits(strings.Replace(s, ".", "", 1)) && len(s) < 20
}
