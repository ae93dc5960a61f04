package safety

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// findValues are find's tests and options with one value, findPlain those without (find(1)). Actions that write
// or run something are left out.
var findValues = words(`-name -iname -path -ipath -wholename -iwholename -regex -iregex -type -xtype -size -mtime -atime -ctime -mmin -amin -cmin
	-user -group -uid -gid -perm -maxdepth -mindepth -links -inum -fstype -lname -ilname -used -printf -regextype -context -newer -anewer -cnewer -samefile
	-newermt -newerat -newerct -newermm -neweram -newerma -newercc -newerBt`)

var findPlain = words(`-empty -readable -writable -executable -true -false -print -print0 -ls -prune -quit -not -a -and -o -or ! ( ) , -xdev -mount -depth
	-d -daystart -follow -noleaf -ignore_readdir_race -noignore_readdir_race -nouser -nogroup -warn -nowarn -H -L -P -O1 -O2 -O3`)

// findExpression judges the arguments of find.
func findExpression(in *invocation, p *parsed) *refusal {
	args := p.operands
	starts, args, r := findStarts(in, args)
	if r != nil {
		return r
	}
	for len(args) > 0 {
		word, ok := args[0].val.lit()
		switch {
		case !ok || args[0].many:
			return deny("unproven-operand", args[0].val.String(), 3)
		case findPlain.has(word):
			args = args[1:]
		case findValues.has(word):
			if len(args) < 2 || args[1].many && !harmlessPattern(args[1].val) {
				return deny("missing-operand", word, 3)
			}
			args = args[2:]
		case word == "-exec": // -execdir would run in directories that were not judged
			if args, r = findAction(in, starts, args[1:]); r != nil {
				return r
			}
		default:
			return deny("unlisted-option", word, 3)
		}
	}
	return nil
}

// findActions are the actions on found files.
var findActions = strings.Fields("-delete -exec -execdir -ok -okdir -fls -fprint -fprint0 -fprintf -files0-from")

// harmlessPattern accepts an unquoted pattern as a value: the shell can replace it by file names, none of which
// can be an action.
func harmlessPattern(v value) bool {
	pattern, ok := v.pattern()
	return ok && v.has(segGlob) && !slices.ContainsFunc(findActions, func(a string) bool { return intersects(pattern, a, false) })
}

// foundBelow returns what find … -print0 can print: paths below its starting directories.
func (s *scope) foundBelow(st *syntax.Stmt) []value {
	unknown := []value{kindValue(segAny)}
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 || call.Args[0].Lit() != "find" || s.funcs["find"] != nil {
		return unknown
	}
	lists := s.arguments(call.Args)
	if len(lists) != 1 {
		return unknown
	}
	in := &invocation{s: s, name: "find", args: lists[0].fields[1:]}
	starts, rest, r := findStarts(in, in.args)
	if r != nil {
		return unknown
	}
	print0 := false
	for i := 0; i < len(rest); i++ {
		word, known := rest[i].val.lit()
		switch {
		case findValues.has(word) && word != "-printf" && known:
			i++
		case word == "-print0":
			print0 = true
		case !known || word == "-print" || word == "-ls" || !findPlain.has(word):
			return unknown
		}
	}
	if !print0 {
		return unknown
	}
	var out []value
	for _, start := range starts {
		out = append(out, belowStart(start.val))
	}
	return out
}

// belowStart returns the path that find prints for a file below a starting directory.
func belowStart(start value) value {
	if text, known := start.lit(); known && !strings.Contains(text, "/") {
		start = litValue("./" + text)
	}
	return start.add(seg{kind: segBelow})
}

// findStarts splits off the directories before the expression.
func findStarts(in *invocation, args []field) ([]field, []field, *refusal) {
	var starts []field
	for len(args) > 0 {
		prefix := args[0].val.prefix()
		if prefix == "-H" || prefix == "-L" || prefix == "-P" {
			args = args[1:]
			continue
		}
		if strings.HasPrefix(prefix, "-") || prefix == "(" || prefix == "!" {
			break
		}
		if args[0].val.mayBeOption() {
			return nil, nil, deny("unproven-operand", args[0].val.String(), 2)
		}
		if r := in.checkKind(meta, args[0], 2); r != nil {
			return nil, nil, r
		}
		starts = append(starts, args[0])
		args = args[1:]
	}
	if len(starts) == 0 {
		starts = []field{{val: litValue(".")}}
	}
	return starts, args, nil
}

// findAction judges the command of -exec, with {} for any file below the starting directories, and returns the
// arguments after it.
func findAction(in *invocation, starts, args []field) ([]field, *refusal) {
	end := -1
	for i, f := range args {
		if word, ok := f.val.lit(); ok && (word == ";" || word == "+" && i > 0 && args[i-1].val.String() == "{}") {
			end = i
			break
		}
	}
	if end < 1 {
		return nil, deny("missing-operand", "-exec", 3)
	}
	for _, start := range starts {
		var inner []field
		for _, f := range args[:end] {
			word, ok := f.val.lit()
			switch {
			case ok && word == "{}":
				f = field{val: belowStart(start.val), many: true}
			case strings.Contains(f.val.String(), "{}"):
				f = field{val: kindValue(segAny)}
			}
			f.word, f.from = 0, 0
			inner = append(inner, f)
		}
		in.s.j.appending++
		in.s.argv(inner)
		in.s.j.appending--
	}
	return args[end+1:], nil
}
