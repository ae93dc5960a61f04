package safety

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// A program that reaches other hosts can send data: in the name it looks up, and by whether it looks it up at
// all. So it is only Safe with literal words and unconditionally: as the whole command, as the first one of a
// pipe into filters, or as a member of a list in which no earlier member can have read a file. This does not
// decide which hosts it can contact: [Verdict.Hosts] lists them.

// What a form reaches, in [form.reaches]. Other values are names of fixed hosts.
const (
	named = "named" // hosts in its operands and values
	local = "local" // services of this machine, the bus, or the whole local network
)

// host is the kind of a host's name or address, which the verdict lists.
const host kind = "host"

var hostText = lazyregexp.New(`^(//)?[A-Za-z0-9_:]([A-Za-z0-9._:-]*[A-Za-z0-9._:])?(%[A-Za-z0-9._-]+)?$`)

// url is the kind of a URL.
const url kind = "url"

var urlText = lazyregexp.New(`^https?://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(:[0-9]{1,5})?(/[A-Za-z0-9._~%/+-]*)?$`)

// addURL adds the host of a URL, or the whole URL if it has a port or a path, because those can carry data.
func (in *invocation) addURL(text string) bool {
	m := urlText.FindStringSubmatch(text)
	switch {
	case m == nil:
		return false
	case m[2] == "" && (m[3] == "" || m[3] == "/"):
		return in.addHost(strings.Trim(m[1], "[]"))
	}
	in.hosts = append(in.hosts, text)
	return true
}

// addHost adds a host in the arguments.
func (in *invocation) addHost(text string) bool {
	if !hostText.MatchString(text) || len(text) > 253 {
		return false
	}
	in.hosts = append(in.hosts, strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(text, "//"), ".")))
	return true
}

// recordReach records that an accepted form reaches other hosts.
func (in *invocation) recordReach(f *form) {
	j := in.s.j
	j.use.reaches = true
	j.use.indirect = j.use.indirect || j.appending > 0
	hosts := in.hosts
	if f.reaches != named && f.reaches != local {
		hosts = append(hosts, strings.Fields(f.reaches)...)
	}
	for _, h := range hosts {
		if !slices.Contains(j.hosts, h) {
			j.hosts = append(j.hosts, h)
		}
	}
}

// checkReach refuses programs that reach other hosts in any other way than unconditionally with literal words.
func (j *judge) checkReach(file *syntax.File) {
	if !slices.ContainsFunc(j.uses, func(u *commandUse) bool { return u.reaches }) {
		return
	}
	list, _ := members(file)
	shared := len(list) > 1 && sharesState(list)
	plain := map[*commandUse]bool{}
	calm := true
	for i, m := range list {
		for _, u := range j.usesIn(m.stmt) {
			if !u.reaches {
				continue
			}
			first := len(m.pipe) > 0 && m.pipe[0] == u.call && j.outer[u.call] == u.call
			plain[u] = first && calm && !shared && !u.indirect && m.after != "&&" && !m.stmt.Negated && j.isFiltered(m) && (m.after != "||" || j.hasPlainStatus(list[:i]))
			if plain[u] && !isLiteral(u.call) {
				j.refuse("network-operand", printNode(u.call))
			}
		}
		calm = calm && j.readsNoFile(m)
	}
	for _, u := range j.uses {
		if u.reaches && !plain[u] {
			j.refuse("network-condition", u.text())
		}
	}
}

func (u *commandUse) text() string {
	if u.call == nil {
		return strings.Join(u.programs, " ")
	}
	return printNode(u.call)
}

// usesIn returns the simple commands in a statement, including those of nested texts.
func (j *judge) usesIn(st *syntax.Stmt) []*commandUse {
	var out []*commandUse
	for _, u := range j.uses {
		if c := j.outer[u.call]; c != nil && isInside(c, st) {
			out = append(out, u)
		}
	}
	return out
}

// isFiltered reports whether all commands after the first one of a pipeline only process their input, and nothing
// else is read.
func (j *judge) isFiltered(m member) bool {
	if readsOrRuns(m.stmt) {
		return false
	}
	for _, u := range j.usesIn(m.stmt) {
		if u.call != m.pipe[0] && !u.neutral() {
			return false
		}
	}
	return true
}

// readsNoFile reports whether a member reads no file and decides nothing: simple commands that show the network, print
// their words or filter.
func (j *judge) readsNoFile(m member) bool {
	if m.pipe == nil || readsOrRuns(m.stmt) {
		return false
	}
	for _, u := range j.usesIn(m.stmt) {
		if !u.reaches && !u.neutral() && (u.hasPath || slices.ContainsFunc(u.programs, func(p string) bool { return !networkViewers.has(p) && !neutralNames.has(p) })) {
			return false
		}
	}
	return true
}

// hasPlainStatus reports whether the members of the last statement only reach other hosts or print their words, so
// that their exit status reveals nothing else.
func (j *judge) hasPlainStatus(list []member) bool {
	for i := len(list) - 1; i >= 0; i-- {
		for _, u := range j.usesIn(list[i].stmt) {
			if !u.reaches && !slices.Equal(u.programs, []string{"echo"}) {
				return false
			}
		}
		if list[i].first {
			break
		}
	}
	return true
}

// networkViewers are programs that show the network and the machine's state, and read no file given in their arguments.
var networkViewers = words(`ip ss nmcli networkctl resolvectl iw iwconfig iwgetid iwctl ifconfig route arp rfkill ethtool netstat nm-online mmcli
	bluetoothctl hostname hostnamectl uname whoami id uptime systemctl timedatectl`)

// readsOrRuns reports whether a statement redirects input from a file or has a substitution.
func readsOrRuns(st *syntax.Stmt) bool {
	found := false
	syntax.Walk(st, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			found = true
		case *syntax.Redirect:
			found = found || n.Op == syntax.RdrIn || n.Op == syntax.RdrInOut
		}
		return true
	})
	return found
}

// isLiteral reports whether every word of a command is literally passed to the program.
func isLiteral(c *syntax.CallExpr) bool {
	if c == nil {
		return true
	}
	for _, a := range c.Assigns {
		if a.Value != nil && !literalWord(a.Value) {
			return false
		}
	}
	return !slices.ContainsFunc(c.Args, func(w *syntax.Word) bool { return !literalWord(w) })
}

func literalWord(w *syntax.Word) bool {
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(part.Value, "*?[{~\\") {
				return false
			}
		case *syntax.SglQuoted:
			if part.Dollar {
				return false
			}
		case *syntax.DblQuoted:
			if part.Dollar || slices.ContainsFunc(part.Parts, func(p syntax.WordPart) bool { _, lit := p.(*syntax.Lit); return !lit }) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// recordTypes are the accepted record types of a DNS query.
var recordTypes = words("a aaaa any caa cname dnskey ds https mx ns ptr soa srv svcb txt naptr tlsa sshfp")

// numberedType matches a numeric type or class.
var numberedType = lazyregexp.New(`^(type|class)[0-9]+$`)

// digOptions matches dig's options for output and timeouts.
var digOptions = lazyregexp.New(`^\+(no)?(all|answer|short|trace|tcp|vc|dnssec|cmd|comments|stats|multiline|question|authority|additional|ttlid|ttlunits|class|recurse|rec|identify|search|nssearch|crypto|onesoa|qr|yaml|besteffort|cdflag|adflag)$|^\+(time|timeout|tries|retry)=[0-9]{1,2}$`)

// dnsQuestion judges the words of dig and drill: names, @SERVER, types and options.
func dnsQuestion(in *invocation, p *parsed) *refusal {
	for _, f := range p.operands {
		text, known := f.val.lit()
		lower := strings.ToLower(text)
		switch {
		case !known || f.many:
			return deny("network-operand", f.val.String(), 2)
		case strings.HasPrefix(text, "+") && digOptions.MatchString(text), recordTypes.has(lower), lower == "in", lower == "ch":
		case numberedType.MatchString(lower), strings.HasPrefix(text, "+") || !in.addHost(strings.TrimPrefix(text, "@")):
			return deny("operand", text, 2)
		}
	}
	return nil
}

// socketWords are the words of the filters of ss(8).
var (
	socketWords   = words("state exclude connected synchronized bucket big established syn-sent syn-recv fin-wait-1 fin-wait-2 time-wait closed close-wait last-ack listening listen closing all src dst dev fwmark cgroup autobound and or not = == != > < >= <= eq ne gt lt ge le ! & && | || ( )")
	comparisons   = words("= == != > < >= <= eq ne gt lt ge le")
	portNumber    = lazyregexp.New(`^[0-9]{1,5}$`)
	socketAddress = lazyregexp.New(`^(\[?[0-9A-Fa-f]*:[0-9A-Fa-f:.]*\]?|[0-9]{1,3}(\.[0-9]{1,3}){0,3}|\*)?(/[0-9]{1,3})?(:([0-9]{1,5}|\*|[a-z][a-z0-9-]{0,14}))?$`)
	splitSocket   = lazyregexp.New(`[()]|[^\s()]+`)
)

// numericFilter accepts filters of ss with numeric addresses, because names would be looked up.
func numericFilter(_ *invocation, p *parsed) *refusal {
	port := false // the next word is a port, which can lack its colon
	for _, f := range p.operands {
		text, known := f.val.lit()
		if !known || f.many {
			return deny("network-operand", f.val.String(), 1)
		}
		for _, w := range splitSocket.FindAllString(text, -1) {
			switch {
			case w == "sport", w == "dport":
				port = true
			case port && comparisons.has(w):
			case port && portNumber.MatchString(w), socketWords.has(w), socketAddress.MatchString(w):
				port = false
			default:
				return deny("network-operand", w, 1)
			}
		}
	}
	return nil
}

// inetFiles matches a value of lsof -i with a numeric address.
var inetFiles = lazyregexp.New(`^[46]?(?i:tcp|udp)?(@([0-9]{1,3}(\.[0-9]{1,3}){3}|\[[0-9A-Fa-f:.]+\]))?(:[A-Za-z0-9,-]+)?$`)

// numericAddresses refuses operands or values of lsof that would be looked up.
func numericAddresses(in *invocation, p *parsed) *refusal {
	for _, f := range p.values("i") {
		if text, known := f.val.lit(); !known || !inetFiles.MatchString(text) {
			return deny("network-operand", f.val.String(), 1)
		}
	}
	for _, f := range p.operands {
		text, known := f.val.lit()
		if p.has("i") && !known || strings.Contains(text, "@") && !inetFiles.MatchString(text) {
			return deny("network-operand", f.val.String(), 1)
		}
	}
	return lsofSwitches(in, p)
}
