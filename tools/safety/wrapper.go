package safety

import (
	"slices"
	"strings"
	"sync"
)

// wrapper describes a program that runs another one.
type wrapper struct {
	why        string
	safe       bool   // changes nothing itself, so the verdict is that of the inner command
	privileged bool   // gives another user's rights
	flags      string // accepted options without value: letters, and long names with --
	values     string // accepted options with a value
	moreValues string // further options with a value: skipped, never Safe
	skip       int    // operands before the inner command
	assigns    bool   // NAME=value operands before the inner command
	text       string // options whose value is shell text
	joined     bool   // the operands are joined to shell text
	number     bool   // -N is an option (nice -5)
	query      []form // accepted forms that start no program
}

// wrapperTable has the rows by their names.
var wrapperTable = sync.OnceValue(func() map[string]*wrapper {
	table := map[string]*wrapper{}
	for i := range wrappers {
		for _, name := range strings.Fields(wrappers[i].names) {
			table[name] = &wrappers[i].wrapper
		}
	}
	return table
})

// wrappers are data of the program, not code that builds them.
var wrappers = []struct {
	names string
	wrapper
}{
	{"timeout", wrapper{why: "bounds a command in time", safe: true, skip: 1, flags: "v --verbose --foreground --preserve-status f p", values: "s --signal k --kill-after"}},
	{"nice", wrapper{why: "lowers the priority of a command", safe: true, values: "n --adjustment", number: true}},
	{"ionice", wrapper{why: "lowers the disk priority of a command", safe: true, query: []form{{values: "p", kinds: "p=number", longVal: "pid", need: "p,pid"}}, flags: "t --ignore", values: "c --class n --classdata", moreValues: "p P u"}},
	{"stdbuf", wrapper{why: "sets the buffering of a command", safe: true, values: "i o e --input --output --error"}},
	{"time", wrapper{why: "measures a command", safe: true, flags: "p --portability", moreValues: "f o --format --output"}},
	{"command builtin", wrapper{why: "runs a command and not a function", safe: true, flags: "p"}},
	{"env", wrapper{why: "sets variables for a command", safe: true, assigns: true, moreValues: "u --unset C --chdir a --argv0", text: "S --split-string"}},
	{"exec", wrapper{why: "replaces the shell", flags: "c l", moreValues: "a"}},
	{"nohup setsid", wrapper{why: "outlives the request"}},
	{"sudo", wrapper{why: "root rights", privileged: true, assigns: true, moreValues: "u g p C h r t T U D R --user --group --prompt --chdir --chroot --host --role --type --close-from --other-user --command-timeout"}},
	{"doas", wrapper{why: "root rights", privileged: true, moreValues: "u C"}},
	{"pkexec", wrapper{why: "root rights", privileged: true, moreValues: "--user"}},
	{"run0", wrapper{why: "root rights", privileged: true, assigns: true, moreValues: "u g D M --user --group --unit --property --description --slice --chdir --setenv --nice --machine --background"}},
	{"systemd-run", wrapper{why: "runs a command as a unit", privileged: true, assigns: true, moreValues: "u p M t E H C --unit --property --description --slice --working-directory --setenv --nice --machine --background --uid --gid --on-active --on-boot --on-calendar --on-startup --on-unit-active --on-unit-inactive --timer-property --path-property --socket-property --service-type --host --capsule"}},
	{"su runuser", wrapper{why: "another user's rights", privileged: true, moreValues: "u g G s w --user --group --shell --supp-group", text: "c --command --session-command"}},
	{"sg newgrp", wrapper{why: "another group's rights", privileged: true, skip: 1, text: "c", joined: true}},
	{"kdesu gksu gksudo kdesudo lxqt-sudo", wrapper{why: "root rights", privileged: true, joined: true, text: "c"}},
	{"chrt", wrapper{why: "changes scheduling", skip: 1, moreValues: "T P D", query: []form{
		{flags: "pa", long: "pid all-tasks", need: "p,pid", min: 1, max: 1, operand: number}, {flags: "m", long: "max", need: "m,max"},
	}}},
	{"taskset", wrapper{why: "binds to processors", skip: 1, query: []form{{flags: "pac", long: "pid all-tasks cpu-list", need: "p,pid", min: 1, max: 1, operand: number}}}},
	{"numactl", wrapper{why: "binds to memory", moreValues: "N m C i p --cpunodebind --membind --physcpubind --interleave --preferred", query: []form{{flags: "Hs", long: "hardware show", need: "H,s,hardware,show"}}}},
	{"prlimit", wrapper{why: "sets limits", query: []form{{
		values: "po", kinds: "p=number pid=number", longVal: "pid output", need: "p,pid",
		long: "noheadings raw as core cpu data fsize locks memlock msgqueue nice nofile nproc rss rtprio rttime sigpending stack",
	}}}},
	{"choom", wrapper{why: "changes what is killed first", moreValues: "n --adjust", query: []form{{values: "p", kinds: "p=number pid=number", longVal: "pid", need: "p,pid"}}}},
	{"setpriv", wrapper{why: "changes rights", moreValues: "--reuid --regid --ruid --euid --groups --inh-caps --ambient-caps --bounding-set --securebits --pdeathsig", query: []form{{flags: "d", long: "dump", need: "d,dump"}}}},
	{"systemd-inhibit", wrapper{why: "keeps the machine awake", moreValues: "--what --who --why --mode", query: []form{{long: "list no-pager no-legend", need: "list"}}}},
	{"switcherooctl", wrapper{why: "runs on another card", skip: 1, moreValues: "g --gpu", query: []form{{lines: ".\n list"}}}},
	{"pipx", wrapper{why: "runs a program of Python", query: []form{{long: "short json include-injected", lines: "list\n environment"}}}},
	{"mangohud gamemoderun", wrapper{why: "starts another program", query: []form{{long: "version", need: "version"}}}},
	{"flock", wrapper{why: "creates a lock file", skip: 1, moreValues: "w E --timeout --wait --conflict-exit-code", text: "c --command"}},
	{"watch", wrapper{why: "runs without end", moreValues: "n --interval q --equexit", joined: true}},
	{"script", wrapper{why: "writes a transcript", text: "c --command", moreValues: "E I O B T m o --echo --log-in --log-out --log-io --log-timing", skip: 99}},
	{"chroot", wrapper{why: "changes the root directory", skip: 1, privileged: true, moreValues: "--userspec --groups"}},
	{"arch-chroot", wrapper{why: "changes the root directory", skip: 1, privileged: true, moreValues: "u"}},
	{"unshare nsenter", wrapper{why: "changes name spaces", moreValues: "t S G R w --target --setuid --setgid --root --wd --propagation --map-user --map-group --kill-child"}},
	{"capsh setarch linux32 linux64 fakeroot proxychains proxychains4 torsocks torify prime-run dbus-run-session dbus-launch catchsegv unbuffer rlwrap xvfb-run cpulimit trickle softlimit systemd-cat firejail bwrap proot cgexec strace ltrace valgrind perf faketime uwsm-app caffeinate logsave eatmydata tini dumb-init chpst setuidgid envdir start-stop-daemon ssh-agent aoss padsp primusrun optirun uvx npx", wrapper{why: "starts another program", moreValues: "n p o e u s t w l a d --what --who --why --mode --output"}},
	{"busybox toybox", wrapper{why: "applets differ from the programs of the same name"}},
	{"xargs", wrapper{why: "appends its input to a command", safe: true}},
	{"parallel sem", wrapper{why: "runs its operands", moreValues: "j P I S n N a --jobs --colsep --delimiter --arg-file"}},
	{"eval trap", wrapper{why: "runs text", joined: true}},
	{"ssh", wrapper{why: "runs a command on another machine", query: []form{{flags: "V", need: "V"}, {values: "Q", need: "Q"}}, moreValues: "p i l o F J L R D b c E e I m O Q S W w B", skip: 1, joined: true}},
}

// unwrap judges a wrapper and the command inside it.
func (in *invocation) unwrap(w *wrapper) {
	for i := range w.query {
		if w.query[i].match(in) == nil {
			in.s.j.recordAccepted(commandText(in.name, in.args), "shows without starting anything")
			return
		}
	}
	privileged := w.privileged && !in.isOwnUnit()
	in.s.j.privileged = in.s.j.privileged || privileged
	switch in.name {
	case "xargs":
		in.xargs()
		return
	case "parallel", "sem":
		in.args = dropSeparators(in.args)
	case "command":
		if in.isCommandQuery() {
			return
		}
	case "trap":
		in.args = in.args[:min(1, len(in.args))]
	}
	if !w.safe {
		code := "wrapper"
		if privileged {
			code = "sudo"
		}
		in.s.j.refuse(code, commandText(in.name, in.args))
	}
	p := wrapperParse{in: in, w: w}
	p.options()
	in.inner(w, p)
}

// isOwnUnit reports whether systemd-run begins with --user and names no other machine or user anywhere: the person's own
// service manager runs the command, without other rights (systemd-run(1)).
func (in *invocation) isOwnUnit() bool {
	if in.name != "systemd-run" || len(in.args) == 0 {
		return false
	}
	if first, ok := in.args[0].val.lit(); !ok || first != "--user" {
		return false
	}
	return !slices.ContainsFunc(in.args, func(f field) bool {
		text, ok := f.val.lit()
		if long, isLong := strings.CutPrefix(text, "--"); isLong {
			return strings.HasPrefix(long, "ui") || long != "" && strings.Contains("mhsg", long[:1])
		}
		return !ok || f.many || strings.HasPrefix(text, "-") && strings.ContainsAny(text, "MH")
	})
}

func (in *invocation) inner(w *wrapper, p wrapperParse) {
	for i := range p.texts {
		in.innerText(&p.texts[i], p.rest)
	}
	rest := p.rest
	switch {
	case len(rest) == 0 || len(p.texts) > 0:
		if w.safe && (len(p.texts) > 0 || in.name != "env") {
			in.refuse("missing-operand", "")
		} else if in.name == "env" {
			in.s.j.refuse("environment", "env")
		}
	case w.joined:
		joined := joinFields(rest)
		in.s.j.refuse("interpreter", joined.val.String())
		in.innerText(&joined, nil)
		in.s.scanArgv(rest)
	default:
		in.s.argv(rest)
	}
}

func (in *invocation) innerText(text *field, rest []field) {
	source, ok := text.val.lit()
	in.s.j.refuse("interpreter", text.val.String())
	if !ok || text.many {
		in.s.partialScript(text)
		return
	}
	if in.name == "env" && len(rest) > 0 {
		source += " " + commandText("", rest)
	}
	in.s.nested(source, nil)
}

// scanArgv judges operands that are joined to a text as if they were a command, to find blocked patterns of
// several words.
func (s *scope) scanArgv(fields []field) {
	if s.j.nesting < maxWrappers {
		s.argv(fields)
	}
}

// joinFields joins operands with blanks, like eval and ssh.
func joinFields(fields []field) field {
	var out field
	for i, f := range fields {
		if i > 0 {
			out.val = out.val.add(seg{segLit, " "})
		}
		out.val = out.val.join(f.val)
		out.many = out.many || f.many
	}
	return out
}

// dropSeparators removes parallel's :::, so that `parallel rm -rf ::: /` is judged as the command that it runs.
func dropSeparators(args []field) []field {
	var out []field
	for _, f := range args {
		if text := f.val.String(); text != ":::" && text != "{}" && text != ":::+" {
			out = append(out, f)
		}
	}
	return out
}

// isCommandQuery accepts command -v NAME and command -V NAME.
func (in *invocation) isCommandQuery() bool {
	if len(in.args) < 2 {
		return false
	}
	opt, _ := in.args[0].val.lit()
	if opt != "-v" && opt != "-V" {
		return false
	}
	for _, f := range in.args[1:] {
		if f.val.mayBeOption() {
			in.refuse("unproven-operand", f.val.String())
		}
	}
	in.s.j.recordAccepted(commandText(in.name, in.args), "tells where a command is")
	return true
}

// wrapperParse separates the options of a wrapper from the inner command.
type wrapperParse struct {
	in    *invocation
	w     *wrapper
	texts []field
	rest  []field
}

func (p *wrapperParse) options() {
	args := p.in.args
	skip := p.w.skip
	for len(args) > 0 {
		text := args[0].val.prefix()
		switch {
		case text == "--":
			args = args[1:]
			if len(args) > 0 && skip == 0 {
				p.rest = p.afterAssigns(args)
				return
			}
		case strings.HasPrefix(text, "--"):
			args = p.long(args)
		case strings.HasPrefix(text, "-") && len(text) > 1:
			args = p.short(args)
		case text == "-" && (p.in.name == "su" || p.in.name == "env"):
			p.in.refuse("unlisted-option", "-")
			args = args[1:]
		case p.w.assigns && isAssignment(text):
			p.assign(args[0])
			args = args[1:]
		case p.in.name == "su":
			args = args[1:] // the user, and the arguments of the shell
		case skip > 0:
			skip--
			p.operand(args[0])
			args = args[1:]
		default:
			p.rest = args
			return
		}
	}
}

func (p *wrapperParse) afterAssigns(args []field) []field {
	for len(args) > 0 && p.w.assigns && isAssignment(args[0].val.prefix()) {
		p.assign(args[0])
		args = args[1:]
	}
	return args
}

// operand judges an operand before the command. The only wrapper that has one and can be Safe is timeout, with
// its duration.
func (p *wrapperParse) operand(f field) {
	if text, ok := f.val.lit(); p.w.safe && (!ok || f.many || !isDuration(text)) {
		p.in.refuse("operand", f.val.String())
	}
}

func isDuration(s string) bool {
	s = strings.TrimRight(s, "smhd")
	return isDigits(strings.Replace(s, ".", "", 1)) && len(s) < 7
}

func isAssignment(text string) bool {
	name, _, ok := strings.Cut(text, "=")
	return ok && isValidName(name)
}

func isValidName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

func (p *wrapperParse) assign(f field) {
	name, val, _ := strings.Cut(f.val.prefix(), "=")
	if _, ok := f.val.lit(); !ok || !acceptsExport(name, val) {
		p.in.s.j.refuse("assignment", f.val.String())
	}
}

func hasListed(list, option string) bool {
	for o := range strings.FieldsSeq(list) {
		if o == option {
			return true
		}
	}
	return false
}

func (p *wrapperParse) long(args []field) []field {
	text := args[0].val.prefix()
	name, val, attached := strings.Cut(text, "=")
	takes := hasListed(p.w.values, name)
	if !takes && !hasListed(p.w.flags, name) {
		p.in.refuse("unlisted-option", args[0].val.String())
	}
	isText := hasListed(p.w.text, name)
	takes = takes || isText || hasListed(p.w.moreValues, name)
	switch {
	case isText && attached:
		p.texts = append(p.texts, field{val: args[0].val.dropPrefix(len(text) - len(val))})
	case takes && !attached && len(args) > 1:
		if isText {
			p.texts = append(p.texts, args[1])
		}
		return args[2:]
	}
	return args[1:]
}

// short skips a cluster of option letters and the value of the last one.
func (p *wrapperParse) short(args []field) []field {
	text := args[0].val.prefix()
	if p.w.number && isDigits(strings.TrimPrefix(text[1:], "-")) {
		return args[1:]
	}
	for i := 1; i < len(text); i++ {
		letter := text[i : i+1]
		takes := hasListed(p.w.values, letter)
		if !takes && !hasListed(p.w.flags, letter) {
			p.in.refuse("unlisted-option", args[0].val.String())
		}
		isText := hasListed(p.w.text, letter)
		if !takes && !isText && !hasListed(p.w.moreValues, letter) {
			continue
		}
		attached := args[0].val.dropPrefix(i + 1)
		if len(attached) > 0 {
			if isText {
				p.texts = append(p.texts, field{val: attached})
			}
			return args[1:]
		}
		if len(args) > 1 && isText {
			p.texts = append(p.texts, args[1])
		}
		return args[min(2, len(args)):]
	}
	if _, ok := args[0].val.lit(); !ok {
		p.in.refuse("unproven-operand", args[0].val.String())
	}
	return args[1:]
}
