package docs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/nidoit/blunux-ai/internal/channel"
)

// ours lists our programs.
var ours = func() []string {
	all := []string{"blunux-ai", "blunux-aictl"}
	for _, c := range channel.WithBridge() {
		all = append(all, c.Program)
	}
	if installed == "" { // the main packages do not bring them
		all = append(all, "blunux-fleet", "blunux-fleet-bridge")
	}
	return all
}()

// others lists other programs that documents may use.
var others = strings.Fields(`sudo setsid pacman makepkg git go make bash cd ls cat cp mv rm mkdir chmod ln printf echo export source umask test true
	systemctl journalctl loginctl systemd-analyze systemd-run npm claude tmux ssh pass curl tar sha256sum paru yay touch df bsdtar install-ai-agent.sh blunux-fleet blunux-fleet-bridge`)

// hiddenNames lists commands and flags that help does not show, and their purpose.
var hiddenNames = map[string]string{
	"blunux-ai mcp --turn":            "the claude that the daemon starts",
	"blunux-ai daemon --provider":     "whoever tries something",
	"blunux-ai automations":           "log and questions, for what is set up by chat",
	"blunux-ai status":                "a former spelling",
	"blunux-aictl memory":             "a former spelling",
	"blunux-aictl log --daemon":       "a former spelling",
	"blunux-ai man":                   "make man",
	"blunux-aictl man":                "make man",
	"blunux-telegram-bridge --server": "who runs a server of their own",
}

// foreign lists flags of other programs that documents name.
var foreign = map[string]string{
	"--tools": "claude", "--local": "the Bot API's server", "--sudo": "yay", "--sudoflags": "yay", "--makepkg": "yay", "--no-ask-password": "systemctl", "--noconfirm": "pacman",
	"--user": "systemctl", "--now": "systemctl", "--full": "systemctl", "--needed": "pacman", "--packagelist": "makepkg", "--from": "the card's script", "--purge": "the card's script", "--bridge": "the card's script", "--uninstall": "the card's script",
}

// checker compares documents with a repository and its programs.
type checker struct {
	root      string
	help      func(path ...string) (help, bool)
	pages     map[string]*page
	targets   map[string]bool // of the Makefile
	variables map[string]bool // of the Makefile
	units     map[string]bool
	flags     map[string]bool // of all our commands
	found     []string
}

func newChecker(root string, help func(...string) (help, bool)) (*checker, error) {
	c := &checker{root: root, help: help, pages: map[string]*page{}, targets: map[string]bool{}, variables: map[string]bool{}, units: map[string]bool{}, flags: map[string]bool{}}
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			path, err := filepath.Rel(root, file)
			if err != nil {
				return nil, err
			}
			if c.pages[path], err = readPage(root, path); err != nil {
				return nil, err
			}
		}
	}
	units, err := filepath.Glob(filepath.Join(root, "systemd", "*.*"))
	fleet, _ := filepath.Glob(filepath.Join(root, "fleet", "*.service")) // the pattern is good
	for _, u := range append(units, fleet...) {
		c.units[filepath.Base(u)] = true
	}
	return c, errors.Join(err, c.readMakefile())
}

var (
	targetOf   = regexp.MustCompile(`(?m)^([.a-zA-Z][\w.-]*(?: [a-z][a-z0-9-]*)*):(?:[^=]|$)`)
	variableOf = regexp.MustCompile(`(?m)^(?:export )?([A-Z_]+) *[?:]?=|\$\(([A-Z_]+)\)`)
)

func (c *checker) readMakefile() error {
	text, err := os.ReadFile(filepath.Join(c.root, "Makefile"))
	for _, m := range targetOf.FindAllStringSubmatch(string(text), -1) {
		for name := range strings.FieldsSeq(m[1]) {
			c.targets[name] = true
		}
	}
	for _, m := range variableOf.FindAllStringSubmatch(string(text), -1) {
		c.variables[m[1]+m[2]] = true
	}
	return err
}

func (c *checker) sorted() []*page {
	var all []*page
	for _, p := range c.pages {
		all = append(all, p)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].path < all[j].path })
	return all
}

// addFinding adds a finding.
func (c *checker) addFinding(p *page, line int, format string, args ...any) {
	c.found = append(c.found, fmt.Sprintf("%s:%d: ", p.path, line)+fmt.Sprintf(format, args...))
}

// check makes all checks that do not run commands.
func (c *checker) check() []string {
	c.found = nil
	for _, program := range ours {
		c.collect(program)
	}
	for _, p := range c.sorted() {
		for _, b := range p.blocks {
			c.block(p, b)
		}
		for _, s := range p.spans {
			c.span(p, s)
		}
		for _, l := range p.links {
			c.link(p, l)
		}
		for i, line := range p.raw {
			c.unitNames(p, i+1, line)
		}
		c.longLines(p)
	}
	c.manuals()
	c.reachable()
	return c.found
}

var (
	bold     = regexp.MustCompile(`\*\*(blunux-[^*]+|\\-\\-[^*]+)\*\*`)
	unescape = strings.NewReplacer(`\`, "")
)

// manuals checks the commands and flags in man pages, which are in bold.
func (c *checker) manuals() {
	files, err := filepath.Glob(filepath.Join(c.root, "docs/man/*.md"))
	if err != nil {
		panic(err) // the pattern is wrong
	}
	for _, file := range files {
		p, err := readPage(c.root, "docs/man/"+filepath.Base(file))
		if err != nil {
			c.found = append(c.found, err.Error())
			continue
		}
		for i, line := range p.raw {
			for _, m := range bold.FindAllStringSubmatch(line, -1) {
				c.span(p, spot{i + 1, unescape.Replace(m[1])})
			}
		}
	}
}

// collect gathers the flags of a command and its subcommands.
func (c *checker) collect(path ...string) {
	h, ok := c.help(path...)
	if !ok {
		return
	}
	for _, f := range h.flags {
		c.flags[f.name] = true
	}
	for _, sub := range h.commands {
		if sub != "help" && sub != "completion" {
			c.collect(append(slices.Clone(path), sub)...)
		}
	}
}

func (c *checker) block(p *page, b *block) {
	if b.json() && b.runnable() {
		for dec := json.NewDecoder(strings.NewReader(strings.Join(b.lines, "\n"))); ; {
			var v any
			if err := dec.Decode(&v); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				c.addFinding(p, b.line, "this is no JSON: %v", err)
				break
			}
		}
		return
	}
	if typed := b.commands(); b.lang == "console" || b.lang == "sh" {
		for _, l := range typed {
			c.commandLine(p, l, true, true)
		}
		return
	}
	for i, line := range b.lines {
		line = strings.TrimPrefix(strings.TrimPrefix(line, "$ "), "> ")
		if first, _, _ := strings.Cut(line, " "); slices.Contains(ours, strings.TrimPrefix(strings.TrimPrefix(first, "./"), "bin/")) || first == "make" || first == "systemctl" || first == "go" {
			c.commandLine(p, spot{b.line + i, line}, false, true)
		}
	}
}

var (
	loneFlag = regexp.MustCompile(`^(--[a-z][\w-]*)(?:[= ].*)?$`)
	sources  = regexp.MustCompile(`^(?:\./)?((?:[\w.-]+/)+[\w.-]+\.(?:go|md|sh|mjs|ya?ml|json))$`)
	ownPlace = regexp.MustCompile(`^(?:config\.d|credentials|memory|daily|logs|sessions|usage|automations(?:\.d)?|approvals|session|runs|src|DIR)/|^gateway/tokens\.json$`)
)

// span checks `code`: one of our commands, a flag, or a source file.
func (c *checker) span(p *page, s spot) {
	first, _, _ := strings.Cut(s.text, " ")
	switch m := loneFlag.FindStringSubmatch(s.text); {
	case slices.Contains(ours, filepath.Base(first)), first == "make" && s.text != "make" && !strings.Contains(s.text, "=>"), first == "systemctl":
		c.commandLine(p, s, false, false)
	case m != nil && !c.flags[m[1]] && foreign[m[1]] == "":
		for key := range hiddenNames {
			if strings.HasSuffix(key, " "+m[1]) {
				return
			}
		}
		c.addFinding(p, s.line, "no command of ours has a flag %s", m[1])
	}
	if m := sources.FindStringSubmatch(s.text); m != nil && !ownPlace.MatchString(m[1]) {
		if !c.there(m[1]) && !c.there(filepath.Join("docs", m[1])) {
			c.addFinding(p, s.line, "there is no file %s", m[1])
		}
	}
}

func (c *checker) there(path string) bool {
	_, err := os.Stat(filepath.Join(c.root, path))
	return err == nil
}

var synopsis = regexp.MustCompile(`\[[^\]]*\]|…|\.\.\.`)

// commandLine checks a command line. With strict, every program in it must be known. whole means that no
// argument was left out.
func (c *checker) commandLine(p *page, l spot, strict, whole bool) {
	text := l.text
	if !strict && synopsis.MatchString(text) {
		whole = false
		text = synopsis.ReplaceAllString(text, " ")
	}
	calls, err := parse(text)
	if err != nil {
		c.addFinding(p, l.line, "%q cannot be read: %v", l.text, err)
		return
	}
	for _, words := range calls {
		for len(words) > 1 && (words[0] == "sudo" || words[0] == "setsid") {
			words = words[1:]
			for len(words) > 1 && strings.HasPrefix(words[0], "-") {
				words = words[1:]
			}
		}
		switch program := filepath.Base(words[0]); {
		case slices.Contains(ours, program):
			if mistake := c.ours(program, words[1:], whole); mistake != "" {
				c.addFinding(p, l.line, "%s: %s", strings.Join(words, " "), mistake)
			}
		case program == "make":
			c.make(p, l, words[1:])
		case program == "systemctl":
			c.systemctl(p, l, words[1:])
		case program == "go":
			c.goTest(p, l, words[1:])
		case strict && !slices.Contains(others, program):
			c.addFinding(p, l.line, "nobody said what %s is", program)
		}
	}
}

// parse returns the words of each program that a line starts.
func parse(line string) ([][]string, error) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		return nil, err
	}
	var calls [][]string
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			var words []string
			for _, w := range call.Args {
				text, err := expand.Literal(&expand.Config{Env: expand.FuncEnviron(func(string) string { return "x" })}, w)
				if err != nil { // $(…): its value is unknown
					text = "x"
				}
				words = append(words, text)
			}
			calls = append(calls, words)
		}
		return true
	})
	return calls, nil
}

// ours returns what is wrong with a call of one of our programs, or "".
func (c *checker) ours(program string, args []string, whole bool) string {
	path := []string{program}
	h, ok := c.help(program)
	if !ok {
		return "there is no such program"
	}
	flags, count := h.flags, 0
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			count += len(args) - i - 1
			i = len(args)
		case len(arg) > 1 && arg[0] == '-':
			name, _, given := strings.Cut(arg, "=")
			at := slices.IndexFunc(flags, func(f flagOf) bool { return f.name == name })
			if at < 0 && len(name) > 2 && name[1] != '-' { // -n20
				at = slices.IndexFunc(flags, func(f flagOf) bool { return f.name == name[:2] && f.value })
				given = at >= 0
			}
			if at < 0 {
				if hiddenNames[strings.Join(append(slices.Clone(path), name), " ")] != "" || hiddenNames[program+" "+name] != "" {
					i++
					continue
				}
				return fmt.Sprintf("%s has no flag %s", strings.Join(path, " "), name)
			}
			if flags[at].value && !given {
				i++
			}
		case count == 0 && slices.Contains(h.commands, arg):
			path = append(path, arg)
			if arg == "help" {
				return ""
			}
			if h, ok = c.help(path...); !ok {
				return "there is no " + strings.Join(path, " ")
			}
			flags = append(slices.Clone(flags), h.flags...)
		case count == 0 && hiddenNames[strings.Join(append(slices.Clone(path), arg), " ")] != "":
			return ""
		case count == 0 && len(h.commands) > 0 && h.most == 0:
			return fmt.Sprintf("%s has no command %s", strings.Join(path, " "), arg)
		default:
			count++
		}
	}
	switch {
	case h.most >= 0 && count > h.most:
		return fmt.Sprintf("%s takes %d arguments, not %d", strings.Join(path, " "), h.most, count)
	case whole && count < h.least:
		return fmt.Sprintf("%s wants %d arguments, not %d", strings.Join(path, " "), h.least, count)
	}
	return ""
}

func (c *checker) make(p *page, l spot, args []string) {
	for _, arg := range args {
		name, _, variable := strings.Cut(arg, "=")
		switch {
		case strings.HasPrefix(arg, "-"), arg == "X":
		case variable && !c.variables[name]:
			c.addFinding(p, l.line, "the Makefile has no variable %s", name)
		case !variable && !c.targets[name]:
			c.addFinding(p, l.line, "there is no make %s", name)
		}
	}
}

func (c *checker) systemctl(p *page, l spot, args []string) {
	for _, arg := range args {
		if strings.HasPrefix(arg, "blunux-") && !strings.Contains(arg, ".") && !c.units[arg+".service"] {
			c.addFinding(p, l.line, "there is no unit %s", arg)
		}
	}
}

var unitName = regexp.MustCompile(`\bblunux-[a-z-]+\.(?:service|socket|timer|path)\b`)

func (c *checker) unitNames(p *page, number int, line string) {
	for _, name := range unitName.FindAllString(line, -1) {
		if !c.units[name] {
			c.addFinding(p, number, "there is no unit %s", name)
		}
	}
}

// goTest checks that the package and a test of that name exist.
func (c *checker) goTest(p *page, l spot, args []string) {
	if len(args) == 0 || args[0] != "test" {
		return
	}
	dir, pattern := "", ""
	for i, arg := range args {
		switch {
		case strings.HasPrefix(arg, "./"):
			dir = strings.TrimSuffix(arg, "/...")
		case arg == "-run" && i+1 < len(args):
			pattern, _, _ = strings.Cut(args[i+1], "/")
		}
	}
	if dir == "" || dir == "." {
		return
	}
	files, err := filepath.Glob(filepath.Join(c.root, dir, "*_test.go"))
	if err != nil || len(files) == 0 {
		c.addFinding(p, l.line, "there are no tests in %s", dir)
		return
	}
	name, err := regexp.Compile(`(?m)^func (Test\w*` + strings.TrimPrefix(strings.TrimPrefix(strings.TrimSuffix(pattern, "$"), "^"), "Test") + `)`)
	if err != nil {
		c.addFinding(p, l.line, "-run %s: %v", pattern, err)
		return
	}
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil && name.Match(text) {
			return
		}
	}
	c.addFinding(p, l.line, "%s has no test %s", dir, pattern)
}

// link checks the target of a link inside the repository.
func (c *checker) link(p *page, l spot) {
	if strings.Contains(l.text, "://") || strings.HasPrefix(l.text, "mailto:") {
		return
	}
	file, fragment, _ := strings.Cut(l.text, "#")
	path := p.path
	if file != "" {
		path = filepath.Join(filepath.Dir(p.path), file)
	}
	if _, err := fs.Stat(os.DirFS(c.root), filepath.ToSlash(path)); err != nil {
		c.addFinding(p, l.line, "the link to %s leads nowhere", l.text)
		return
	}
	to := c.pages[path]
	if fragment != "" && (to == nil || !slices.ContainsFunc(to.headings, func(h heading) bool { return h.anchor == fragment })) {
		c.addFinding(p, l.line, "%s has no heading #%s", path, fragment)
	}
}

// maxLine is the number of characters that a line of a document can have.
const maxLine = 160

// longLines reports lines that are too long. Transcripts are excepted, because
// programs print them.
func (c *checker) longLines(p *page) {
	printed := map[int]bool{}
	for _, b := range p.blocks {
		for i := range b.lines {
			printed[b.line+i] = b.lang == "console"
		}
	}
	for i, line := range p.raw {
		if n := utf8.RuneCountInString(line); n > maxLine && !printed[i+1] {
			c.addFinding(p, i+1, "the line has %d characters, more than %d", n, maxLine)
		}
	}
}

// reachable checks that every document can be reached from the README.
func (c *checker) reachable() {
	seen, next := map[string]bool{}, []string{"README.md"}
	for len(next) > 0 {
		path := next[0]
		next = next[1:]
		p := c.pages[path]
		if seen[path] || p == nil {
			continue
		}
		seen[path] = true
		for _, l := range p.links {
			if file, _, _ := strings.Cut(l.text, "#"); file != "" && !strings.Contains(file, "://") {
				next = append(next, filepath.Join(filepath.Dir(path), file))
			}
		}
	}
	for _, p := range c.sorted() {
		if !seen[p.path] {
			c.addFinding(p, 1, "no document that README.md leads to leads here")
		}
	}
}
