package safety

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// operandPrefix accepts operands that start with one of the prefixes, with no unknown segment before its end.
func operandPrefix(prefixes ...string) func(*invocation, *parsed) *refusal {
	return func(_ *invocation, p *parsed) *refusal {
		for _, f := range p.operands {
			ok := false
			for _, prefix := range prefixes {
				ok = ok || strings.HasPrefix(f.val.prefix(), prefix)
			}
			if !ok {
				return deny("operand", f.val.String(), 1)
			}
		}
		return nil
	}
}

// noOperandWith refuses operands that contain or can contain one of the characters.
func noOperandWith(marks string) func(*invocation, *parsed) *refusal {
	return func(_ *invocation, p *parsed) *refusal {
		for _, f := range p.operands {
			word, ok := f.val.lit()
			if !ok || strings.ContainsAny(word, marks) {
				return deny("operand", f.val.String(), 1)
			}
		}
		return nil
	}
}

// noAddresses refuses operands that pacman would fetch, or read from its input: src/pacman/upgrade.c, src/pacman/pacman.c.
func noAddresses(_ *invocation, p *parsed) *refusal {
	for _, f := range p.operands {
		if word, ok := f.val.lit(); !ok || word == "-" || strings.Contains(word, "://") {
			return deny("operand", f.val.String(), 1)
		}
	}
	return nil
}

// noPaths refuses paths as operands where names are expected.
func noPaths(_ *invocation, p *parsed) *refusal {
	for _, f := range p.operands {
		if word := f.val.prefix(); word == "" || strings.ContainsAny(word[:1], "/.~") {
			return deny("operand", f.val.String(), 1)
		}
	}
	return nil
}

func harmlessNames(_ *invocation, p *parsed) *refusal {
	for _, f := range p.operands {
		word, ok := f.val.lit()
		if !ok || !harmlessVariable(word) {
			return deny("environment", f.val.String(), 1)
		}
	}
	return nil
}

// shortSleep limits a pause to less than ten minutes.
func shortSleep(_ *invocation, p *parsed) *refusal {
	word, ok := p.operands[0].val.lit()
	if !ok || len(strings.TrimRight(word, "s")) > 3 || strings.ContainsAny(word, "mhdkKMGTPEB%") {
		return deny("unbounded", p.operands[0].val.String(), 1)
	}
	return nil
}

// storesCountPattern matches %n, with which bash's printf sets the variable named by its argument.
var storesCountPattern = lazyregexp.New(`%[-+ #0'*.0-9hljztL]*n`)

// literalFormat requires a known format, because an unknown one could be -v NAME.
func literalFormat(_ *invocation, p *parsed) *refusal {
	format, ok := p.operands[0].val.lit()
	if !ok || p.operands[0].many {
		return deny("unproven-operand", p.operands[0].val.String(), 1)
	}
	if storesCountPattern.MatchString(strings.ReplaceAll(format, "%%", "")) {
		return deny("assignment", format, 1)
	}
	return nil
}

// asOperands inserts -- before the arguments of test, because its operators look like options.
func asOperands(args []field) []field {
	return append([]field{{val: litValue("--")}}, args...)
}

func testOperands(_ *invocation, p *parsed) *refusal {
	if !testExpression(p.operands) {
		return deny("unlisted-expression", "", 1)
	}
	return nil
}

func bracketOperands(_ *invocation, p *parsed) *refusal {
	last := len(p.operands) - 1
	if word, _ := p.operands[last].val.lit(); word != "]" || !testExpression(p.operands[:last]) {
		return deny("unlisted-expression", "", 1)
	}
	return nil
}

// localNamesOnly requires plain variable names, because a subscript would be evaluated. The collector must see
// the assignment, so read must be spelled plainly.
func localNamesOnly(in *invocation, p *parsed) *refusal {
	for _, f := range p.operands {
		word, ok := f.val.lit()
		b := in.s.vars[word]
		if !ok || !isLocalName(word) && word != "_" || b == nil || !b.unknown {
			return deny("assignment", f.val.String(), 1)
		}
	}
	return nil
}

// checkBounded requires a count for an interval: zero or two numbers.
func checkBounded(_ *invocation, p *parsed) *refusal {
	numbers := 0
	for _, f := range p.operands {
		if word, ok := f.val.lit(); ok && isDigits(word) {
			numbers++
		}
	}
	if numbers == 1 || numbers > 2 {
		return deny("unbounded", "interval without count", 1)
	}
	return nil
}

// requireBoth requires the second option if the first is given.
func requireBoth(first, second string) func(*invocation, *parsed) *refusal {
	return func(_ *invocation, p *parsed) *refusal {
		if p.has(strings.Split(first, ",")...) && !p.has(strings.Split(second, ",")...) {
			return deny("unbounded", "-"+first+" without -"+second, 1)
		}
		return nil
	}
}

// fewPackets limits the count of ping.
func fewPackets(_ *invocation, p *parsed) *refusal {
	for _, f := range p.values("c", "count", "w", "deadline") {
		if word, known := f.val.lit(); !known || !isDigits(word) || len(word) > 3 {
			return deny("unbounded", f.val.String(), 1)
		}
	}
	return nil
}

// noEnvironmentIn refuses values that name or can name an environment.
func noEnvironmentIn(vals []field) *refusal {
	for _, f := range vals {
		if word, known := f.val.lit(); !known || strings.Contains(strings.ToLower(word), "env") {
			return deny("environment", f.val.String(), 1)
		}
	}
	return nil
}

// noEnvironment refuses properties that print environments.
func noEnvironment(_ *invocation, p *parsed) *refusal {
	if r := noEnvironmentIn(p.values("p", "property", "P", "o", "format", "O", "F", "field", "output-fields")); r != nil {
		return r
	}
	for _, f := range p.operands {
		if prefix := f.val.prefix(); strings.HasPrefix(prefix, ".") || strings.HasPrefix(prefix, "/") {
			return deny("operand", f.val.String(), 1)
		}
	}
	first := ""
	if len(p.operands) > 0 {
		first, _ = p.operands[0].val.lit()
	}
	if first == "show" && len(p.operands) == 1 && !p.has("p", "property", "P") {
		return deny("environment", "show", 1)
	}
	return nil
}

// localFile refuses operands that a program could parse as an address or a protocol: with a colon before the
// first slash.
func localFile(_ *invocation, p *parsed) *refusal {
	for _, f := range p.operands {
		start, _, colon := strings.Cut(f.val.prefix(), ":")
		_, known := f.val.lit()
		if (colon || !known) && !strings.Contains(start, "/") {
			return deny("operand", f.val.String(), 1)
		}
	}
	return nil
}

// certificateFile accepts one file for openssl x509 -in, which also accepts addresses: it fetches http://, and looks up
// the text before the first colon as the scheme of a store: file:, pkcs11:, org.openssl.engine: (OpenSSL 3.0,
// apps/lib/apps.c load_cert_pass; crypto/store/store_lib.c OSSL_STORE_open_ex). A path that starts with / or ./ is none
// of these. Only the requested parts of the file's first certificate are shown, so the file can also contain a key.
func certificateFile(in *invocation, p *parsed) *refusal {
	files := p.values("in")
	if len(files) != 1 {
		return deny("operand-count", "-in", 1)
	}
	f := files[0]
	known := !slices.ContainsFunc(f.val, func(s seg) bool { return s.kind != segLit && s.kind != segGlob })
	start := f.val.prefix()
	if !known || !strings.HasPrefix(start, "/") && !strings.HasPrefix(start, "./") || !in.s.allPaths(f, isOnDisk) {
		return deny("operand", f.val.String(), 1)
	}
	return nil
}

// isOnDisk reports whether a path cannot be in the directories of the kernel and of services, where reading some
// files triggers actions, blocks or consumes data.
func isOnDisk(p string) bool {
	first := components(p)[0]
	return !hasWildcard(first) && !slices.Contains([]string{"dev", "proc", "sys", "run"}, first)
}

// secondIsOutput requires standard output as the second operand.
func secondIsOutput(_ *invocation, p *parsed) *refusal {
	if word, ok := p.operands[1].val.lit(); !ok || word != "-" {
		return deny("operand", p.operands[1].val.String(), 1)
	}
	return nil
}

// plainMembers requires complete names of archive members, none of them a secret file.
func plainMembers(in *invocation, p *parsed) *refusal {
	for _, f := range p.operands[1:] {
		word, ok := f.val.lit()
		if !ok || f.many || strings.ContainsAny(word, `*?[\`) {
			return deny("operand", f.val.String(), 1)
		}
		if r := in.checkKind(read, field{val: litValue("/" + word)}, 1); r != nil {
			return r
		}
	}
	return nil
}

// packageCache has the packages that pacman fetched. Only root writes there.
const packageCache = "/var/cache/pacman/pkg/"

// cachedMember requires a complete name of a member, and a package of pacman's cache: in another archive, an entry could name a
// file outside of it (libarchive-formats(5), mtree, "contents").
func cachedMember(in *invocation, p *parsed) *refusal {
	for _, f := range p.values("f") {
		name, ok := f.val.lit()
		base, below := strings.CutPrefix(name, packageCache)
		if !ok || f.many || !below || strings.Contains(base, "/") || !strings.Contains(base, ".pkg.tar") {
			return deny("operand", f.val.String(), 1)
		}
	}
	word, ok := p.operands[0].val.lit()
	if !ok || p.operands[0].many || strings.ContainsAny(word, `*?[\`) {
		return deny("operand", p.operands[0].val.String(), 1)
	}
	return in.checkKind(read, field{val: litValue("/" + word)}, 1)
}

// noSecretResource refuses the secrets of a cluster and templates in files, which are printed if they are no templates.
func noSecretResource(_ *invocation, p *parsed) *refusal {
	for _, f := range append(p.operands[:len(p.operands):len(p.operands)], p.values("o", "output")...) {
		word, ok := f.val.lit()
		if word = strings.ToLower(word); !ok || strings.Contains(word, "secret") || strings.Contains(word, "-file") || strings.Contains(word, ".data") {
			return deny("secret-file", f.val.String(), 1)
		}
	}
	return nil
}

var systemdConf = lazyregexp.New(`^systemd/[a-z0-9-]+\.conf$`)

// systemdSettings limits cat-config to systemd's own settings, because it prints any file below /etc.
func systemdSettings(_ *invocation, p *parsed) *refusal {
	for _, f := range p.operands[1:] {
		if word, ok := f.val.lit(); !ok || !systemdConf.MatchString(word) {
			return deny("secret-file", f.val.String(), 1)
		}
	}
	return nil
}

var secretProperty = lazyregexp.New(`(?i)env|secret|psk|pass|key|token|cred`)

// noEnvironmentProperty refuses properties of the bus with environments or secrets.
func noEnvironmentProperty(_ *invocation, p *parsed) *refusal {
	if len(p.operands) == 0 || p.operands[0].val.String() != "get-property" {
		return nil
	}
	for _, f := range p.operands[3:] {
		if word, ok := f.val.lit(); !ok || secretProperty.MatchString(word) {
			return deny("environment", f.val.String(), 1)
		}
	}
	return nil
}

// publicKey accepts the files of public keys.
func publicKey(_ *invocation, p *parsed) *refusal {
	for _, f := range p.values("f") {
		if word, ok := f.val.lit(); !ok || !strings.HasSuffix(word, ".pub") {
			return deny("secret-file", f.val.String(), 1)
		}
	}
	return nil
}

// busQuestions are methods of the bus that only read (D-Bus Specification, "Standard Interfaces" and "Message
// Bus Messages").
var busQuestions = words(`org.freedesktop.DBus.ListNames org.freedesktop.DBus.ListActivatableNames org.freedesktop.DBus.NameHasOwner
	org.freedesktop.DBus.GetNameOwner org.freedesktop.DBus.GetConnectionUnixProcessID org.freedesktop.DBus.GetConnectionUnixUser
	org.freedesktop.DBus.Introspectable.Introspect org.freedesktop.DBus.Properties.Get org.freedesktop.DBus.Peer.Ping
	org.freedesktop.DBus.Peer.GetMachineId`)

// busQuestion accepts calls of reading methods that wait for a reply.
func busQuestion(_ *invocation, p *parsed) *refusal {
	if method, ok := p.operands[1].val.lit(); !ok || !busQuestions.has(method) || !p.has("print-reply") {
		return deny("unlisted-verb", p.operands[1].val.String(), 1)
	}
	for _, f := range p.operands[2:] {
		if word, ok := f.val.lit(); !ok || secretProperty.MatchString(word) {
			return deny("environment", f.val.String(), 1)
		}
	}
	return nil
}

// unitFiles requires readable files for systemd-analyze verify, because it prints lines that it cannot parse.
func unitFiles(in *invocation, p *parsed) *refusal { return checkAll(in, read, p.operands[1:]) }
