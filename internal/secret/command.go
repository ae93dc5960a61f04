package secret

import (
	"path"
	"slices"
	"strings"
)

// option is a command line option that takes a password.
type option struct {
	flag           string
	joined         bool   // the value may follow the flag without a blank
	separate       bool   // it can be the next argument
	valueSeparator string // text before the password within the value, "" for none
}

// passwordProgram is a group of programs that take a password with the same options.
type passwordProgram struct {
	programs   string
	subcommand string // the subcommand that takes it, "" for any
	options    []option
}

// passwordPrograms follow the programs' manuals.
var passwordPrograms = []passwordProgram{
	{programs: "mysql mysqldump mysqladmin mysqlimport mysqlshow mysqlcheck mysqlbinlog mysqlpump mysqlslap mysqlsh mycli mariadb mariadb-dump mariadb-admin " +
		"mariadb-import mariadb-show mariadb-check mariadb-binlog mariadb-backup", options: []option{{flag: "-p", joined: true}}},
	{programs: "sshpass", options: []option{{flag: "-p", joined: true, separate: true}}},
	{programs: "7z 7za 7zr 7zz rar unrar", options: []option{{flag: "-p", joined: true}, {flag: "-hp", joined: true}}},
	{programs: "unzip zip zipcloak", options: []option{{flag: "-P", joined: true, separate: true}}},
	{programs: "ldapsearch ldapadd ldapmodify ldapdelete ldappasswd ldapwhoami ldapcompare ldapmodrdn", options: []option{{flag: "-w", joined: true, separate: true}, {flag: "-s", separate: true}}},
	{programs: "iwctl", options: []option{{flag: "-P", joined: true, separate: true}, {flag: "--passphrase", separate: true}}},
	{programs: "redis-cli valkey-cli", options: []option{{flag: "-a", separate: true}, {flag: "--pass", separate: true}}},
	{programs: "mongo mongosh mongodump mongorestore mongoexport mongoimport cqlsh rdesktop", options: []option{{flag: "-p", joined: true, separate: true}}},
	{programs: "openssl", subcommand: "enc", options: []option{{flag: "-k", separate: true}}},
	{programs: "openssl", options: []option{{flag: "pass:", joined: true}}},
	{programs: "curl", options: []option{
		{flag: "-u", joined: true, separate: true, valueSeparator: ":"},
		{flag: "-U", joined: true, separate: true, valueSeparator: ":"},
		{flag: "-b", joined: true, separate: true, valueSeparator: "="},
		{flag: "--cookie", separate: true, valueSeparator: "="},
	}},
	{programs: "smbclient smbget rpcclient net", options: []option{{flag: "-U", joined: true, separate: true, valueSeparator: "%"}, {flag: "--user", separate: true, valueSeparator: "%"}, {flag: "--user=", joined: true, valueSeparator: "%"}}},
	{programs: "xfreerdp xfreerdp3 wlfreerdp wlfreerdp3 sdl-freerdp sdl-freerdp3", options: []option{{flag: "/p:", joined: true}}},
	{programs: "lftp", options: []option{{flag: "-u", joined: true, separate: true, valueSeparator: ","}}},
	{programs: "ipmitool mosquitto_pub mosquitto_sub sqlcmd bcp", options: []option{{flag: "-P", joined: true, separate: true}}},
	{programs: "useradd usermod", options: []option{{flag: "-p", joined: true, separate: true}}},
	{programs: "snmpwalk snmpget snmpset", options: []option{{flag: "-A", separate: true}, {flag: "-X", separate: true}}},
	{programs: "x11vnc", options: []option{{flag: "-passwd", separate: true}}},
	{programs: "pdftotext pdfinfo pdftoppm", options: []option{{flag: "-upw", separate: true}, {flag: "-opw", separate: true}}},
	{programs: "docker podman nerdctl skopeo buildah helm crane oc az", subcommand: "login", options: []option{{flag: "-p", separate: true}}},
}

// commandShapes finds passwords on command lines: after a program's option, as a positional argument, and where echo
// or a here-string passes one to a program that reads it.
func commandShapes() []shape {
	all := []shape{
		{[]string{"echo", "prin"}, rule{name: "password", find: findPiped, isWide: true}},
		{[]string{"<<< ", "<<<'", `<<<"`, "<<<$"}, rule{name: "password", find: findHereString, isWide: true}},
	}
	byName := map[string][]passwordProgram{}
	for _, t := range passwordPrograms {
		for name := range strings.FieldsSeq(t.programs) {
			byName[name] = append(byName[name], t)
		}
	}
	for _, name := range []string{"wpa_passphrase", "htpasswd"} {
		byName[name] = nil
	}
	for name, takers := range byName {
		kind := "password"
		if name == "curl" {
			kind = "url-password"
		}
		all = append(all, shape{anchorsOf(name + " "), rule{name: kind, isWide: true, find: func(s string, at int) (int, int, bool) {
			return findArgument(s, at, name, takers)
		}}})
	}
	return all
}

// findArgument finds the password among the arguments of the program at an offset.
func findArgument(s string, at int, name string, takers []passwordProgram) (start, end int, ok bool) {
	if !strings.HasPrefix(s[at:], name) || at > 0 && isName(s[at-1]) {
		return 0, 0, false
	}
	args, _ := argumentsOf(s, at)
	if len(args) < 2 || args[0].text(s) != name {
		return 0, 0, false
	}
	for _, t := range takers {
		if t.subcommand != "" && !slices.ContainsFunc(args[1:], func(a argument) bool { return a.text(s) == t.subcommand }) {
			continue
		}
		for i := range args {
			for _, o := range t.options {
				if start, end, ok := o.value(s, args[i:], name == "curl"); ok {
					return start, end, true
				}
			}
		}
	}
	return findPositional(s, name, args)
}

func findPositional(s, name string, args []argument) (start, end int, ok bool) {
	last := args[len(args)-1]
	switch {
	case name == "wpa_passphrase" && len(args) == 3:
	case name == "htpasswd" && len(args) > 3 && strings.HasPrefix(args[1].text(s), "-") && strings.Contains(args[1].text(s), "b"):
	case name == "openssl" && len(args) > 2 && args[1].text(s) == "passwd" && !strings.HasPrefix(last.text(s), "-"):
	default:
		return 0, 0, false
	}
	return last.start, last.end, isPassword(last.text(s))
}

// value returns the password of an option at the beginning of args. clusters allows other one-letter options
// before it in the same argument.
func (o option) value(s string, args []argument, clusters bool) (start, end int, ok bool) {
	text, at := args[0].text(s), args[0]
	switch {
	case o.separate && len(args) > 1 && (text == o.flag || clusters && isCluster(text, o.flag)):
		start, end = args[1].start, args[1].end
	case o.joined && len(text) > len(o.flag) && strings.HasPrefix(text, o.flag):
		start, end = trimQuotes(s, at.start+len(o.flag), at.end)
	default:
		return 0, 0, false
	}
	if o.valueSeparator != "" {
		i := strings.Index(s[start:end], o.valueSeparator)
		if i < 0 {
			return 0, 0, false
		}
		start += i + len(o.valueSeparator)
	}
	return start, end, isPassword(s[start:end])
}

// isCluster reports whether text is a group of one-letter options that ends with flag.
func isCluster(text, flag string) bool {
	return len(flag) == 2 && len(text) > 2 && len(text) < 8 && text[0] == '-' && text[len(text)-1] == flag[1] &&
		!strings.ContainsFunc(text[1:], func(r rune) bool { return r > 0x7f || !isWord(byte(r)) || r == '-' })
}

// isPassword reports whether an argument is a password, and not a reference to one, a placeholder in a manual, or
// a marker.
func isPassword(v string) bool {
	return v != "" && !strings.Contains(v, markerStart) && !isPlaceholder(v) && !strings.HasPrefix(v, "-")
}

// argument is the position of an argument without its quotes.
type argument struct{ start, end int }

func (a argument) text(s string) string { return s[a.start:a.end] }

// maxArguments bounds how many arguments of a command are examined.
const maxArguments = 64

// argumentsOf splits the simple command at an offset like a shell and returns its end.
func argumentsOf(s string, at int) (args []argument, end int) {
	limit := min(len(s), at+2*maxValue)
	for at < limit && len(args) < maxArguments {
		switch c := s[at]; {
		case c == ' ' || c == '\t':
			at++
			continue
		case strings.IndexByte("|;&\n\r)`", c) >= 0:
			return args, at
		}
		start := at
		at = argumentEnd(s, at, limit)
		from, to := trimQuotes(s, start, at)
		args = append(args, argument{from, to})
	}
	return args, at
}

func argumentEnd(s string, at, limit int) int {
	for at < limit {
		switch c := s[at]; {
		case c == '\\':
			at++
		case c == '\'' || c == '"':
			if closing := strings.IndexByte(s[at+1:limit], c); closing >= 0 {
				at += closing + 1
			}
		case strings.IndexByte(" \t|;&\n\r)`", c) >= 0:
			return at
		}
		at++
	}
	return min(at, limit)
}

// trimQuotes excludes one pair of quotes around a text.
func trimQuotes(s string, start, end int) (from, to int) {
	if end-start >= 2 && (s[start] == '\'' || s[start] == '"') && s[end-1] == s[start] && strings.IndexByte(s[start+1:end-1], s[start]) < 0 {
		return start + 1, end - 1
	}
	return start, end
}

// findPiped finds a password that echo or printf writes to a program that reads one.
func findPiped(s string, at int) (start, end int, ok bool) {
	if !hasPrefixFold(s[at:], "echo ") && !hasPrefixFold(s[at:], "printf ") || at > 0 && isName(s[at-1]) {
		return 0, 0, false
	}
	args, stop := argumentsOf(s, at)
	if stop >= len(s) || s[stop] != '|' || strings.HasPrefix(s[stop:], "||") {
		return 0, 0, false
	}
	readers, _ := argumentsOf(s, skipBlanks(s, stop+1))
	if !readsPassword(s, readers) {
		return 0, 0, false
	}
	args = args[1:]
	for len(args) > 0 && (isFlagOf(args[0].text(s)) || len(args) > 1 && strings.Contains(args[0].text(s), "%")) {
		args = args[1:]
	}
	if len(args) == 0 {
		return 0, 0, false
	}
	start, end = args[0].start, args[len(args)-1].end
	return start, end, isPasswordInput(s[start:end])
}

// isFlagOf reports whether an argument of echo is an option.
func isFlagOf(arg string) bool {
	return len(arg) > 1 && arg[0] == '-' && strings.Trim(arg[1:], "neE-") == ""
}

// isPasswordInput reports whether a program's input is a password, and not a variable or a "yes" for a prompt.
func isPasswordInput(v string) bool {
	switch strings.ToLower(v) {
	case "", "y", "yes", "n", "no":
		return false
	}
	return !strings.Contains(v, markerStart) && !isReference(v)
}

// findHereString finds a password in a here-string for a program that reads one.
func findHereString(s string, at int) (start, end int, ok bool) {
	begin := strings.LastIndexAny(s[:at], "|;&\n(`") + 1
	readers, _ := argumentsOf(s[:at], skipBlanks(s, begin))
	if !readsPassword(s, readers) {
		return 0, 0, false
	}
	from := skipBlanks(s, at+len("<<<"))
	start, end = trimQuotes(s, from, argumentEnd(s, from, len(s)))
	return start, end, isPasswordInput(s[start:end])
}

// readsPassword reports whether a command reads a password from its input.
func readsPassword(s string, args []argument) bool {
	sudo := false
	for i, a := range args {
		text := a.text(s)
		switch name := path.Base(text); {
		case slices.Contains(passwordReaders, name) && (i == 0 || sudo):
			return true
		case name == "sudo" || name == "doas":
			sudo = true
		case slices.Contains(stdinOptions, text):
			return true
		case sudo && len(text) > 1 && text[0] == '-' && text[1] != '-' && strings.Contains(text, "S"):
			return true
		}
	}
	return false
}

var (
	passwordReaders = []string{
		"cryptsetup", "chpasswd", "smbpasswd", "veracrypt", "kinit", "vncpasswd", "passwd", "su", "keepassxc-cli", "ecryptfs-unwrap-passphrase",
		"ecryptfs-add-passphrase", "wpa_passphrase", "systemd-creds", "systemd-tty-ask-password-agent", "bioctl", "zfs", "bcachefs", "fscrypt", "mkpasswd",
	}
	stdinOptions = []string{"--password-stdin", "--passphrase-fd", "--passphrase-fd=0", "--passwd-on-stdin", "--stdin", "--password-fd", "--pass-stdin"}
)
