package safety

import "strings"

// xargsFlags and xargsValues are the accepted options of xargs(1).
const (
	xargsFlags  = "0 r x t -null -no-run-if-empty -exit -verbose"
	xargsValues = "n L P d I s a E -max-args -max-lines -max-procs -delimiter -replace -arg-file"
)

// xargs judges the command of xargs with the operands that xargs appends.
func (in *invocation) xargs() {
	x := xargsCall{in: in, args: in.args}
	for len(x.args) > 0 && strings.HasPrefix(x.args[0].val.prefix(), "-") {
		x.option()
	}
	if len(x.args) == 0 {
		return // runs echo
	}
	in.s.j.appending++
	defer func() { in.s.j.appending-- }()
	for _, appended := range x.argumentLists() {
		in.s.argv(appended)
	}
	if x.replace == "" && !x.sure {
		was := in.s.j.vanished
		in.s.j.vanished = true
		in.s.argv(x.args)
		in.s.j.vanished = was
	}
}

// xargsCall is a call of xargs with its parsed options.
type xargsCall struct {
	in      *invocation
	args    []field // not parsed yet
	replace string  // the text that -I replaces
	nul     bool    // -0: items end with a NUL
	single  bool    // one item per call
	sure    bool    // -r: no call without an item
	file    bool    // items come from a file or are separated by other characters
}

// option parses one option argument.
func (x *xargsCall) option() {
	text, known := x.args[0].val.lit()
	x.args = x.args[1:]
	if !known || len(text) < 2 {
		x.in.refuse("unproven-operand", text)
		return
	}
	if text[1] == '-' {
		name, val, attached := strings.Cut(text[1:], "=")
		switch {
		case hasListed(xargsFlags, name) && !attached:
			x.nul = x.nul || name == "-null"
			x.sure = x.sure || name == "-no-run-if-empty"
		case hasListed(xargsValues, name) && attached:
			x.value(name, field{val: litValue(val)})
		case hasListed(xargsValues, name) && name != "-replace" && name != "-max-lines":
			x.next(name)
		default:
			x.in.refuse("unlisted-option", text)
		}
		return
	}
	for i := 1; i < len(text); i++ {
		letter := text[i : i+1]
		switch {
		case hasListed(xargsFlags, letter):
			x.nul = x.nul || letter == "0"
			x.sure = x.sure || letter == "r"
		case hasListed(xargsValues, letter) && i+1 < len(text):
			x.value(letter, field{val: litValue(text[i+1:])})
			return
		case hasListed(xargsValues, letter):
			x.next(letter)
			return
		default:
			x.in.refuse("unlisted-option", text)
			return
		}
	}
}

// next uses the next argument as the value of an option.
func (x *xargsCall) next(name string) {
	if len(x.args) == 0 {
		x.in.refuse("missing-value", name)
		return
	}
	x.value(name, x.args[0])
	x.args = x.args[1:]
}

func (x *xargsCall) value(name string, f field) {
	text, known := f.val.lit()
	if !known || f.many {
		x.in.refuse("unproven-operand", f.val.String())
	}
	switch name {
	case "I", "-replace":
		x.replace, x.single = text, true
	case "n", "-max-args":
		x.single = text == "1"
	case "L", "-max-lines":
		x.single = false
	case "d", "-delimiter", "E":
		x.file = true
	case "a", "-arg-file":
		x.file = true
		if !x.in.s.canRead(f) {
			x.in.refuse("secret-file", text)
		}
	}
}

// argumentLists returns the possible argument lists of the command.
func (x *xargsCall) argumentLists() [][]field {
	items := x.items()
	if x.replace != "" {
		var out [][]field
		for _, item := range items {
			out = append(out, replaceMark(x.args, x.replace, item))
		}
		return out
	}
	var out [][]field
	for _, item := range items {
		list := append(x.args[:len(x.args):len(x.args)], field{val: item, item: true})
		if !x.single {
			list = append(list, field{val: item, many: true, item: true})
		}
		out = append(out, list)
	}
	return out
}

// items returns the possible values of one item of the input. Without input, the command runs once without an item.
func (x *xargsCall) items() []value {
	if x.file || x.in.s.feed == nil {
		return []value{kindValue(segAny)}
	}
	if x.nul {
		return x.in.s.foundBelow(x.in.s.feed)
	}
	switch x.in.s.outputKind(x.in.s.feed) {
	case segWords, segTame:
		return []value{kindValue(segTame)}
	case segNumbers, segUint:
		return []value{kindValue(segUint)}
	case segPath:
		return []value{kindValue(segPath)}
	case segUnits:
		return []value{kindValue(segUnits)}
	}
	return []value{kindValue(segAny)}
}

// replaceMark replaces every mark by an item.
func replaceMark(args []field, mark string, item value) []field {
	out := make([]field, len(args))
	for i, f := range args {
		out[i] = f
		text, ok := f.val.lit()
		if !ok || !strings.Contains(text, mark) {
			continue
		}
		var v value
		for j, part := range strings.Split(text, mark) {
			if j > 0 {
				v = v.join(item)
			}
			v = v.add(seg{segLit, part})
		}
		out[i] = field{val: v, many: f.many, from: f.from}
	}
	return out
}
