package safety

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// substitution says what is known about the output of $(…): the few programs
// below print words that can be neither an option nor a secret path.
func (s *scope) substitution(c *syntax.CmdSubst) value {
	if len(c.Stmts) == 1 {
		return value{{kind: s.outputKind(c.Stmts[0])}}
	}
	return kindValue(segAny)
}

func (s *scope) outputKind(st *syntax.Stmt) segKind {
	for _, r := range st.Redirs {
		if r.Op != syntax.RdrOut || r.N == nil || r.N.Value != "2" || r.Word.Lit() != "/dev/null" {
			return segAny
		}
	}
	switch cmd := st.Cmd.(type) {
	case *syntax.BinaryCmd:
		if cmd.Op == syntax.Pipe {
			return s.pipeKind(cmd)
		}
	case *syntax.CallExpr:
		if argv, ok := s.knownArgv(cmd); ok {
			return programOutput(argv)
		}
	}
	return segAny
}

func (s *scope) knownArgv(call *syntax.CallExpr) ([]string, bool) {
	if len(call.Assigns) > 0 || len(call.Args) == 0 {
		return nil, false
	}
	lists := s.arguments(call.Args)
	if len(lists) != 1 {
		return nil, false
	}
	var argv []string
	for _, f := range lists[0].fields {
		text, ok := f.val.lit()
		switch {
		case ok && !f.many:
		case f.val.has(segPath) && len(f.val) == 1:
			text = "/usr/bin/…"
		default:
			return nil, false
		}
		argv = append(argv, text)
	}
	if len(argv) > 0 && s.funcs[argv[0]] != nil {
		return nil, false
	}
	return argv, len(argv) > 0
}

// pipeKind follows word lists through filters that only drop or reorder lines.
func (s *scope) pipeKind(b *syntax.BinaryCmd) segKind {
	call, ok := b.Y.Cmd.(*syntax.CallExpr)
	if !ok || len(b.Y.Redirs) > 0 {
		return segAny
	}
	argv, ok := s.knownArgv(call)
	if !ok {
		return segAny
	}
	if len(argv) == 2 && argv[0] == "wc" && strings.Contains("-l -w -c -m", argv[1]) {
		return segUint
	}
	first := s.outputKind(b.X)
	if first == segPath && argv[0] == "grep" && len(argv) == 2 && plainWord(argv[1]) {
		return segPath
	}
	if first != segWords && first != segTame {
		return segAny
	}
	switch argv[0] {
	case "head", "tail", "sort", "uniq":
		for _, a := range argv[1:] {
			if !strings.HasPrefix(a, "-") && !digits(a) || strings.HasPrefix(a, "-c") {
				return segAny
			}
		}
		return segWords
	}
	return segAny
}

// programOutput knows the shape of what a few programs print.
func programOutput(argv []string) segKind {
	line := strings.Join(argv, " ")
	switch line {
	case "uname -r", "uname -m", "uname -n", "uname -s", "uname -p", "uname", "uname --kernel-release", "arch",
		"whoami", "id -un", "id -gn", "logname", "hostname", "hostname -s", "systemd-detect-virt", "cat /proc/sys/kernel/osrelease",
		"cat /etc/hostname", "hostnamectl hostname", "tty -s":
		return segTame
	case "upower -e":
		return segPath
	case "nproc", "id -u", "id -g", "getconf _NPROCESSORS_ONLN", "date +%s":
		return segUint
	}
	args := argv[1:]
	switch argv[0] {
	case "date":
		if len(args) == 1 && strings.HasPrefix(args[0], "+%") && plainWord(args[0][2:]) {
			return segTame
		}
	case "pgrep", "pidof":
		return numberList(args)
	case "command", "which", "type":
		if len(args) == 2 && (args[0] == "-v" || args[0] == "-P") && plainWord(args[1]) || argv[0] == "which" && len(args) == 1 && plainWord(args[0]) {
			return segPath
		}
	case "readlink", "realpath":
		if line == "readlink -f /usr/bin/…" || line == "realpath /usr/bin/…" {
			return segPath
		}
	case "pacman", "yay", "paru":
		return packageNames(args)
	}
	return segAny
}

func numberList(args []string) segKind {
	kind := segWords
	for _, a := range args {
		switch a {
		case "-s", "-n", "-o":
			kind = segUint
		case "-d,":
			return segTame
		}
		if strings.HasPrefix(a, "-") && (len(a) != 2 || !strings.Contains("xonsfiu", a[1:])) {
			return segAny
		}
	}
	return kind
}

// packageNames recognises the quiet queries, which print one name a line.
func packageNames(args []string) segKind {
	if len(args) == 0 || !strings.HasPrefix(args[0], "-Q") || !strings.Contains(args[0], "q") ||
		strings.Trim(args[0][2:], "qedtmnu") != "" {
		return segAny
	}
	for _, a := range args[1:] {
		if !plainWord(a) {
			return segAny
		}
	}
	return segWords
}
