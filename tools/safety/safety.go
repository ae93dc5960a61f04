// Package safety judges commands before they run. It accesses no files, environment variables or processes.
//
// A command is [Safe] if it is proven read-only: every program, option, operand, assignment, redirection and nested
// command is on an accept list. It is [Blocked] if it would destroy the system in one of the few ways that no one wants
// (removing a system tree, writing to a disk, making a file system, opening the root directory to everyone, a fork
// bomb). Everything else, including everything that the package does not understand, is [Confirm].
//
// [Checker.Judge] parses a command (judge.go), visits every node (walk.go) and compares its simple commands
// with tables of accepted arguments (table_*.go).
package safety

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Class is a verdict. The classes are ordered: a larger one is worse.
type Class int

// The verdicts.
const (
	Safe    Class = iota // proven read-only, runs without a confirmation
	Confirm              // runs after a confirmation
	Blocked              // never runs, cannot be confirmed
)

var classNames = [...]string{Safe: "SAFE", Confirm: "CONFIRM", Blocked: "BLOCKED"}

// String returns SAFE, CONFIRM or BLOCKED, and CONFIRM for an unknown value.
func (c Class) String() string {
	if c < Safe || c > Blocked {
		return classNames[Confirm]
	}
	return classNames[c]
}

// MarshalText returns the word of [Class.String].
func (c Class) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText parses the word of [Class.String].
func (c *Class) UnmarshalText(text []byte) error {
	for i, name := range classNames {
		if string(text) == name {
			*c = Class(i)
			return nil
		}
	}
	return fmt.Errorf("cannot read verdict class %q: want SAFE, CONFIRM or BLOCKED", text)
}

// Reason is why a command is not Safe.
type Reason struct {
	Code string `json:"code"` // a stable word such as "unknown-program"
	Part string `json:"part"` // the piece of the command that caused it
}

// Verdict is the result for one command.
type Verdict struct {
	Class      Class    `json:"class"`
	Reasons    []Reason `json:"reasons,omitempty"`    // worst first; empty for Safe
	Source     string   `json:"source,omitempty"`     // canonical text to execute, empty if not parsed
	Programs   []string `json:"programs,omitempty"`   // found programs including wrappers, sorted
	Privileged bool     `json:"privileged,omitempty"` // some part runs with another user's rights
	Hosts      []string `json:"hosts,omitempty"`      // other hosts that it contacts, names or addresses, sorted
	Parts      []Part   `json:"-"`                    // of a Safe command: parts that can be started separately, in order
	Command    string   `json:"command"`              // the judged text
}

// Options configures a [Checker]. Nothing is read from the environment.
type Options struct {
	Home string // the user's home directory; default /home/USER
	User string // the user's login name; default the last element of Home
	Dir  string // the working directory of commands; default Home

	// SecretPaths are absolute paths of files and directories, in addition to the built-in list, whose contents
	// no Safe command can print.
	SecretPaths []string

	// EvalSymlinks, if set, resolves a path like [path/filepath.EvalSymlinks]. A file operand is refused if its
	// resolved path is secret. It must be safe for concurrent use.
	EvalSymlinks func(path string) (string, error)

	// Glob, if set, finds the files that match a pattern like [path/filepath.Glob]. A pattern is refused if one
	// of them is secret or links to a secret file. It must be safe for concurrent use.
	Glob func(pattern string) ([]string, error)

	// Mounted, if set, reports whether a block device, a file, a volume ("group/name"), a volume group or a pool is
	// mounted or used as swap, either itself or through a device on top of it. It must be safe for concurrent use.
	Mounted func(name string) bool
}

// Checker judges commands. It is immutable and safe for concurrent use.
//
// It makes a verdict as follows:
//
//   - It parses the text with a bash grammar. A text that does not parse, that bash would read differently, or that
//     is over a cap is never Safe (judge.go).
//   - It visits every node of the tree. An unknown node type is never Safe (walk.go).
//   - It evaluates words to abstract values, so that it sees quotes, escapes, braces, variables and substitutions
//     like the shell does (value.go, word.go, variable.go).
//   - It unwraps wrappers such as sudo, env, timeout, xargs and sh -c (wrapper.go).
//   - It compares each simple command with tables (table_*.go). Programs whose operand is itself a program have
//     small parsers (awk.go, sed.go, find.go, and search.go for jq).
//   - It refuses files with secrets to programs that print contents (secret.go).
//   - The verdict is the worst of all parts. A Safe verdict has the canonical print of the judged tree. If a pattern
//     such as *.txt could match a name that is an option, the print has ./*.txt instead.
type Checker struct {
	home, user, dir string
	secrets         *secretList
	programs        map[string]*program
	evalSymlinks    func(string) (string, error)
	glob            func(string) ([]string, error)
	mounted         func(string) bool
}

// New returns a checker.
func New(o Options) *Checker {
	c := &Checker{home: o.Home, user: o.User, dir: o.Dir, evalSymlinks: o.EvalSymlinks, glob: o.Glob, mounted: o.Mounted, programs: buildPrograms()}
	if c.home == "" && c.user != "" {
		c.home = "/home/" + c.user
	}
	if c.home == "" {
		c.home = "/home/user"
	}
	c.home = path.Clean("/" + c.home)
	if c.user == "" {
		c.user = path.Base(c.home)
	}
	if c.dir == "" {
		c.dir = c.home
	}
	c.dir = path.Clean("/" + c.dir)
	c.secrets = newSecretList(c.home, o.SecretPaths)
	return c
}

// Judge judges shell text for the checker's directory.
func (c *Checker) Judge(source string) Verdict { return c.JudgeIn(c.dir, source) }

// JudgeIn judges shell text for the absolute path dir. A relative dir is relative to the checker's directory.
func (c *Checker) JudgeIn(dir, source string) Verdict {
	v, _ := c.judge(dir, source, false)
	return v
}

// Step is one part of a command with the rule that accepted or refused it.
type Step struct {
	Part  string `json:"part"`
	Class Class  `json:"class"`
	Rule  string `json:"rule"` // a reason code, or "listed" for an accepted part
	Why   string `json:"why"`  // one line for a person
}

// Explain judges source like [Checker.Judge] and returns the verdict of each part.
func (c *Checker) Explain(source string) []Step {
	_, steps := c.judge(c.dir, source, true)
	return steps
}

// JudgeArgv judges a program that is started without a shell: with the same tables, but without any expansion.
// Source is the quoted command line.
func (c *Checker) JudgeArgv(dir string, argv []string) Verdict {
	j := newJudge(c, c.resolveDir(dir))
	quoted := make([]string, len(argv))
	fields := make([]field, len(argv))
	size := 0
	for i, arg := range argv {
		quoted[i] = quoteArg(arg)
		fields[i] = field{val: litValue(arg)}
		size += len(arg) + 1
	}
	j.command = strings.Join(quoted, " ")
	switch {
	case len(argv) == 0 || argv[0] == "":
		j.refuse("empty", "")
	case size > maxSource || len(argv) > maxNodes:
		j.refuse("too-long", clip(argv[0]))
		j.literalScan(strings.Join(argv, " "))
	case slices.ContainsFunc(argv, func(a string) bool { return !isClean(a) }):
		j.refuse("control-character", clip(argv[0]))
	default:
		j.source = j.command
		newScope(j, nil).argv(fields)
		for _, u := range j.uses {
			if u.reaches && (u.call != nil || u.indirect) {
				j.refuse("network-condition", u.text())
			}
		}
		j.split = []Part{j.wholePart()}
	}
	return j.verdict()
}

func (c *Checker) resolveDir(dir string) string {
	switch {
	case dir == "":
		return c.dir
	case strings.HasPrefix(dir, "/"):
		return path.Clean(dir)
	default:
		return path.Join(c.dir, dir)
	}
}
