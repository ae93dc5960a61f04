// Package safety judges commands before anything runs them.
//
// A command is [Safe] when it is proven read-only: every program, option,
// operand, assignment, redirection and nested command stands on an accept list.
// It is [Blocked] when it would destroy the system in one of the few ways
// nobody ever means (removing a system tree, writing to a disk, making a file
// system, opening the root directory to everybody, a fork bomb). Everything
// else, and everything the package does not understand, is [Confirm].
//
// How a verdict is made:
//
//   - the text is parsed by a bash grammar; a text that does not parse, that bash
//     would read differently, or that is over a cap, is never Safe (judge.go);
//   - every node of the tree is visited; a node type nobody thought of is never
//     Safe (walk.go);
//   - words are evaluated to abstract values, so quotes, escapes, braces,
//     variables and substitutions are seen the way the shell sees them (value.go,
//     word.go, variable.go);
//   - wrappers such as sudo, env, timeout, xargs and sh -c are unwrapped
//     (wrapper.go);
//   - each simple command is compared with tables of data (table_*.go), with a
//     few small parsers for programs whose operand is itself a program (awk.go,
//     sed.go, find.go, search.go for jq);
//   - files that hold secrets are refused to programs that print contents
//     (secret.go);
//   - the verdict is the worst of all parts, and a Safe verdict carries the
//     canonical print of the very tree that was judged. Where a pattern such as
//     *.txt could find a name that is an option, the print says ./*.txt.
//
// The package touches no file, no environment variable and no process.
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
	Safe    Class = iota // proven read-only, runs unasked
	Confirm              // runs after the user said yes
	Blocked              // never runs, no approval is offered
)

var classNames = [...]string{Safe: "SAFE", Confirm: "CONFIRM", Blocked: "BLOCKED"}

// String returns SAFE, CONFIRM or BLOCKED; an unknown value reads as CONFIRM.
func (c Class) String() string {
	if c < Safe || c > Blocked {
		return classNames[Confirm]
	}
	return classNames[c]
}

// MarshalText writes the word of [Class.String].
func (c Class) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads the word of [Class.String].
func (c *Class) UnmarshalText(text []byte) error {
	for i, name := range classNames {
		if string(text) == name {
			*c = Class(i)
			return nil
		}
	}
	return fmt.Errorf("cannot read verdict class %q: want SAFE, CONFIRM or BLOCKED", text)
}

// Reason tells why a command is not Safe.
type Reason struct {
	Code string `json:"code"` // a stable word such as "unknown-program"
	Part string `json:"part"` // the piece of the command that caused it
}

// Verdict is the outcome for one command.
type Verdict struct {
	Class      Class    `json:"class"`
	Reasons    []Reason `json:"reasons,omitempty"`    // worst first; empty for Safe
	Source     string   `json:"source,omitempty"`     // canonical text to execute, empty when unparsed
	Programs   []string `json:"programs,omitempty"`   // programs found, wrappers included, sorted
	Privileged bool     `json:"privileged,omitempty"` // asks for another user's rights somewhere
	Hosts      []string `json:"hosts,omitempty"`      // other hosts that it reaches, by name or address, sorted
	Parts      []Part   `json:"-"`                    // of a Safe command: what can be started by itself, in order
	Command    string   `json:"command"`              // what was judged
}

// Options configure a [Checker]. Nothing is read from the environment.
type Options struct {
	Home string // the user's home directory; /home/USER when empty
	User string // the user's login name; the last element of Home when empty
	Dir  string // the working directory commands run in; Home when empty

	// SecretPaths are absolute files and directories, besides the built-in
	// list, whose contents no Safe command may print.
	SecretPaths []string

	// EvalSymlinks, when set, resolves a path as [path/filepath.EvalSymlinks]
	// does. A file operand is refused when its resolved path is secret. It may
	// be called from several goroutines.
	EvalSymlinks func(path string) (string, error)

	// Glob, when set, finds the files a pattern stands for as
	// [path/filepath.Glob] does. A pattern is refused when one of them is secret or
	// leads to what is. It may be called from several goroutines.
	Glob func(pattern string) ([]string, error)

	// Mounted, when set, reports whether a block device, a file, a volume
	// ("group/name"), a volume group or a pool is mounted or swapped to, itself or
	// through what lies on it. It may be called from several goroutines.
	Mounted func(name string) bool
}

// Checker judges commands. It is immutable and safe for concurrent use.
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

// Judge classes shell text that would run in the checker's directory.
func (c *Checker) Judge(source string) Verdict { return c.JudgeIn(c.dir, source) }

// JudgeIn classes shell text that would run in dir, an absolute path; a
// relative one is taken below the checker's directory.
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

// JudgeArgv classes a program started without a shell: the same tables, and no
// expansion of any kind. Source is the quoted command line.
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
	case slices.ContainsFunc(argv, func(a string) bool { return !cleanText(a) }):
		j.refuse("control-character", clip(argv[0]))
	default:
		j.source = j.command
		newScope(j, nil).argv(fields)
		for _, u := range j.uses {
			if u.reaches && (u.call != nil || u.indirect) {
				j.refuse("network-condition", u.text())
			}
		}
		j.split = []Part{j.whole()}
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
