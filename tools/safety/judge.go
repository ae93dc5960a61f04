package safety

import (
	"errors"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// Caps (security policy, "How the checker should be built"). A text over one of them is never Safe.
const (
	maxSource   = 8 << 10 // bytes of shell text; nested texts count as part of the outer one
	maxNodes    = 200     // statements, words, assignments and redirections of all nested texts together
	maxDepth    = 32      // nested statements
	maxWrappers = 16      // sudo env timeout … around one command, and nesting of texts
	maxReasons  = 16      // reasons kept in a verdict
	maxWork     = 20000   // evaluated argument lists, which limits combinations of alternatives
)

// judge collects the verdicts on all parts of one command.
type judge struct {
	c       *Checker
	dir     string
	command string
	source  string
	explain bool
	steps   []Step
	split   []Part
	findings
	effort
	rewriting
	nullglob bool             // nullglob is set somewhere in the text: patterns without a match vanish
	top      *syntax.CallExpr // the current simple command of the outermost text
}

// findings are what a judge has found about a text.
type findings struct {
	class      Class
	reasons    []Reason
	worst      []Class // class of each reason
	programs   map[string]bool
	privileged bool
	phantom    bool          // the command only exists if a variable is still unset
	vanished   bool          // an argument is missing because a substitution was empty
	use        *commandUse   // the current simple command
	uses       []*commandUse // all simple commands
	hosts      []string      // their hosts
}

// effort is what a judge has done so far, which is limited.
type effort struct {
	nodes     int
	nesting   int // nesting depth of texts
	work      int // judged argument lists
	lookups   int // evaluated variables
	appending int // inside xargs or find
}

// rewriting is how the print of a text differs from it.
type rewriting struct {
	// outer maps each simple command to the one of the outermost text that contains it.
	outer    map[*syntax.CallExpr]*syntax.CallExpr
	rewrites []func()                            // nested shell texts replaced by their canonical print
	prefixed map[*syntax.Word]bool               // patterns to print with ./ in front
	moved    map[*syntax.CallExpr][]*syntax.Word // words to print at the end, after --
	quotes   map[*syntax.Word]bool               // variables to print with quotes
}

func newJudge(c *Checker, dir string) *judge {
	return &judge{c: c, dir: dir, findings: findings{programs: map[string]bool{}}, rewriting: rewriting{
		outer: map[*syntax.CallExpr]*syntax.CallExpr{}, prefixed: map[*syntax.Word]bool{},
		moved: map[*syntax.CallExpr][]*syntax.Word{}, quotes: map[*syntax.Word]bool{},
	}}
}

// judge parses, judges and prints source, and proves that the print gets the same verdict.
func (c *Checker) judge(dir, source string, explain bool) (Verdict, []Step) {
	j := newJudge(c, c.resolveDir(dir))
	j.explain, j.command = explain, source
	j.judgeText(source)
	for range 3 {
		if j.class != Safe || j.source == strings.TrimRight(source, "\n") {
			return j.verdict(), j.steps // a canonical text gets the same verdict again
		}
		again := newJudge(c, j.dir)
		again.judgeText(j.source)
		if again.class == Safe && again.source == j.source {
			return j.verdict(), j.steps
		}
		j.class, j.reasons, j.worst = again.class, again.reasons, again.worst
		j.source, j.split = again.source, again.split
	}
	if j.class == Safe {
		j.refuse("unstable-print", clip(source))
	}
	return j.verdict(), j.steps
}

// judgeText judges a whole source text.
func (j *judge) judgeText(source string) {
	if code := sourceProblem(source); code != "" {
		j.refuse(code, clip(source))
		j.literalScan(source)
		return
	}
	file, err := parse(source)
	if err != nil {
		j.refuse("unparsed", clip(err.Error()))
		j.literalScan(source)
		return
	}
	if len(file.Stmts) == 0 {
		j.refuse("empty", "")
		return
	}
	if j.exceedsCaps(file) {
		j.refuse("too-long", clip(source))
		j.literalScan(source)
		return
	}
	j.nullglob = setsNullglob(file)
	s := newScope(j, nil)
	s.file(file)
	j.checkReach(file)
	if j.work > maxWork {
		j.literalScan(source)
	}
	if j.class == Safe {
		for word := range j.prefixed {
			word.Parts = append([]syntax.WordPart{&syntax.Lit{Value: "./"}}, word.Parts...)
		}
		for word := range j.quotes {
			word.Parts = []syntax.WordPart{&syntax.DblQuoted{Parts: word.Parts}}
		}
		for call, last := range j.moved {
			moveBehindDashes(call, last)
		}
		for _, rewrite := range j.rewrites {
			rewrite()
		}
	}
	j.source = printLike(source, file)
	if j.source == "" {
		j.refuse("unprintable", clip(source))
	}
	if j.class == Safe {
		j.split = j.parts(file)
	}
}

func parse(source string) (*syntax.File, error) {
	source, err := parseUnambiguous(source)
	if err != nil {
		return nil, err
	}
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(source), "")
}

// parseUnambiguous returns a text that the parser reads like bash, or an error.
//
// bash ends a comment with its line, while the parser continues it after a backslash. In a few places the
// parser starts a comment inside a word, or reads backslashes between backquotes differently.
func parseUnambiguous(source string) (string, error) {
	if n := len(source) - len(strings.TrimRight(source, `\`)); n%2 == 1 {
		return "", errors.New("a backslash at the end of the text")
	}
	for range strings.Count(source, "\\\n") + 1 {
		if !strings.ContainsAny(source, "#`") {
			break
		}
		file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(source), "")
		if err != nil {
			break // the caller gets the same error
		}
		end, problem := findAmbiguity(file, source)
		if problem != nil {
			return "", problem
		}
		if end < 0 {
			break
		}
		source = strings.TrimRight(source[:end], `\`) + source[end:]
	}
	return source, nil
}

// findAmbiguity returns the end of a line whose comment ends with a backslash, or -1, and an error for text that
// bash reads differently in any case.
func findAmbiguity(file *syntax.File, source string) (end int, problem error) {
	end = -1
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Comment:
			start := int(n.Hash.Offset())
			if start > 0 && strings.IndexByte(" \t\n;&|(", source[start-1]) < 0 {
				problem = errors.New("a comment without a blank before it")
			}
			if nl := strings.IndexByte(source[start:], '\n'); end < 0 && nl > 0 && source[start+nl-1] == '\\' {
				end = start + nl
			}
		case *syntax.CmdSubst:
			if n.Backquotes && strings.Contains(source[n.Pos().Offset():n.End().Offset()], `\`) {
				problem = errors.New("a backslash between backquotes")
			}
		}
		return true
	})
	return end, problem
}

// printLike prints a text on one line if it was written on one, so that a person sees what they typed. The
// line must parse to the same tree. If it does not, as with a background command, the usual print is used.
func printLike(source string, file *syntax.File) string {
	usual := printNode(file)
	if strings.Contains(strings.TrimRight(source, "\n"), "\n") {
		return usual
	}
	line := onOneLine(file)
	again, err := parse(line)
	if err != nil || printNode(again) != usual || onOneLine(again) != line {
		return usual
	}
	return line
}

func onOneLine(file *syntax.File) string {
	var b strings.Builder
	if err := syntax.NewPrinter(syntax.SingleLine(true)).Print(&b, file); err != nil {
		return ""
	}
	return strings.TrimRight(b.String(), "\n")
}

func printNode(node syntax.Node) string {
	var b strings.Builder
	if err := syntax.NewPrinter(syntax.Indent(2)).Print(&b, node); err != nil {
		return ""
	}
	return strings.TrimRight(b.String(), "\n")
}

// sourceProblem returns the code of the problem that prevents parsing a text.
func sourceProblem(source string) string {
	switch {
	case len(source) > maxSource:
		return "too-long"
	case !isClean(source):
		return "control-character"
	case bracketDepth(source) > 2*maxDepth:
		return "too-long"
	}
	return ""
}

// isClean refuses characters that are invisible in a prompt or that shells read differently: invalid UTF-8,
// control and format characters, unusual blanks, fillers.
func isClean(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t' || r >= ' ' && r < 0x7f:
		case r < 0xa0, r == utf8.RuneError, unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r):
			return false
		case unicode.IsSpace(r), r == 0x3164, r == 0x115f, r == 0x1160, r == 0xffa0, r == 0x2800, r == 0x034f:
			return false
		case unicode.Is(unicode.Variation_Selector, r), r == 0x2028, r == 0x2029:
			return false
		}
	}
	return true
}

// bracketDepth returns an upper limit of the syntactic nesting, without parsing.
func bracketDepth(s string) int {
	depth, most := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '(', '{':
			depth++
			most = max(most, depth)
		case ')', '}':
			depth = max(depth-1, 0)
		}
	}
	return most
}

// exceedsCaps reports whether a parsed text has too many nodes or levels.
func (j *judge) exceedsCaps(file *syntax.File) bool {
	depth, deepest := 0, 0
	var open []bool
	syntax.Walk(file, func(n syntax.Node) bool {
		if n == nil {
			if open[len(open)-1] {
				depth--
			}
			open = open[:len(open)-1]
			return true
		}
		deepens := false
		switch n.(type) {
		case *syntax.Stmt:
			deepens = true
			j.nodes++
		case *syntax.Word, *syntax.Assign, *syntax.Redirect, *syntax.BinaryArithm, *syntax.ParenArithm, *syntax.UnaryArithm,
			*syntax.BinaryTest, *syntax.ParenTest, *syntax.UnaryTest:
			j.nodes++
		}
		if deepens {
			depth++
			deepest = max(deepest, depth)
		}
		open = append(open, deepens)
		return true
	})
	return j.nodes > maxNodes || deepest > maxDepth
}

// refuse records a part that needs a confirmation.
func (j *judge) refuse(code, part string) { j.record(Confirm, code, part) }

// block records a part that must never run.
func (j *judge) block(code, part string) {
	if j.phantom {
		j.refuse(code, part)
		return
	}
	j.record(Blocked, code, part)
}

func (j *judge) record(class Class, code, part string) {
	j.class = max(j.class, class)
	r := Reason{Code: code, Part: clip(part)}
	if slices.Contains(j.reasons, r) {
		return
	}
	j.step(class, code, part)
	if len(j.reasons) < maxReasons || class == Blocked {
		j.reasons = append(j.reasons, r)
		j.worst = append(j.worst, class)
	}
}

func (j *judge) step(class Class, rule, part string) {
	if j.explain {
		j.steps = append(j.steps, Step{Part: clip(part), Class: class, Rule: rule, Why: explanation(rule)})
	}
}

// recordAccepted records a part that a table row allows, for Explain.
func (j *judge) recordAccepted(part, why string) {
	if j.explain {
		j.steps = append(j.steps, Step{Part: clip(part), Class: Safe, Rule: "listed", Why: why})
	}
}

func (j *judge) verdict() Verdict {
	v := Verdict{Class: j.class, Source: j.source, Privileged: j.privileged, Command: j.command}
	for _, class := range []Class{Blocked, Confirm} {
		for i, r := range j.reasons {
			if j.worst[i] == class {
				v.Reasons = append(v.Reasons, r)
			}
		}
	}
	for name := range j.programs {
		v.Programs = append(v.Programs, name)
	}
	sort.Strings(v.Programs)
	v.Hosts = slices.Sorted(slices.Values(j.hosts))
	v.Parts = j.split
	return v
}
