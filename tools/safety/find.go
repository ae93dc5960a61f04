package safety

import "strings"

// findValues are tests and options of find with one value, findPlain those
// without (find(1)). What writes or runs something is not among them.
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
		case findPlain[word]:
			args = args[1:]
		case findValues[word]:
			if len(args) < 2 || args[1].many && !args[1].val.has(segGlob) {
				return deny("missing-operand", word, 3)
			}
			args = args[2:]
		case word == "-exec": // -execdir would run in directories nobody judged
			if args, r = findAction(in, starts, args[1:]); r != nil {
				return r
			}
		default:
			return deny("unlisted-option", word, 3)
		}
	}
	return nil
}

// findStarts takes the directories before the expression.
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
		if args[0].val.maybeOption() {
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

// findAction judges the command of -exec with {} standing for anything below
// the starting directories, and returns what follows it.
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
				v := start.val
				if text, known := v.lit(); known && !strings.Contains(text, "/") {
					v = litValue("./" + text)
				}
				f = field{val: v.add(seg{kind: segBelow}), many: true}
			case strings.Contains(f.val.String(), "{}"):
				f = field{val: kindValue(segAny)}
			}
			f.word = 0
			inner = append(inner, f)
		}
		in.s.argv(inner)
	}
	return args[end+1:], nil
}
