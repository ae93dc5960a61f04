package plan

import (
	"path"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/machine"
)

// packageOptions are the options for which a package command does what its operation says: pacman(8).
type packageOptions struct {
	short map[byte]string // of each operation
	long  []string
}

var pacmanOptions = packageOptions{
	short: map[byte]string{'S': "yu", 'R': "nscu", 'U': ""},
	long:  []string{"--noconfirm", "--needed", "--asdeps", "--asexplicit", "--noprogressbar", RemoveConflicting},
}

// RemoveConflicting is the option of pacman with which --noconfirm removes an installed package that excludes one to install,
// instead of keeping it: src/pacman/callback.c, ALPM_QUESTION_CONFLICT_PKG.
const RemoveConflicting = "--ask=4"

// maxFiles bounds how many package files a verb has: as many as an update of a whole system changes.
const maxFiles = 2000

// helperOptions are those of yay and paru: yay(8), "--sudo", "--sudoflags", "--sudoloop", "--makepkg".
var helperOptions = packageOptions{
	short: pacmanOptions.short,
	long:  append(slices.Clip(pacmanOptions.long), "--sudoloop=false", "--sudo=", "--sudoflags=", "--makepkg="),
}

// longOperations are the long forms of operations and their options, by operation.
var longOperations = map[string]string{
	"--sync": "S", "--remove": "R", "--upgrade": "U", "--refresh": "y", "--sysupgrade": "u",
	"--nosave": "n", "--recursive": "s", "--cascade": "c", "--unneeded": "u",
}

// packageCommand are the parts of a package command.
type packageCommand struct {
	operation byte
	flags     string // the other short options
	operands  []string
}

// parsePackages splits a package command. It refuses options that are not listed, and more than one operation.
func parsePackages(words []string, known packageOptions) (c packageCommand, ok bool) {
	var letters string
	for i, word := range words {
		switch short, isLong := longOperations[word]; {
		case word == "--":
			c.operands = append(c.operands, words[i+1:]...)
			return c.sort(letters, known)
		case isLong:
			letters += short
		case strings.HasPrefix(word, "--"):
			matches := func(option string) bool {
				return word == option || strings.HasSuffix(option, "=") && strings.HasPrefix(word, option)
			}
			if !slices.ContainsFunc(known.long, matches) {
				return c, false
			}
		case strings.HasPrefix(word, "-") && len(word) > 1:
			letters += word[1:]
		default:
			c.operands = append(c.operands, word)
		}
	}
	return c.sort(letters, known)
}

// sort separates the operation from its options.
func (c packageCommand) sort(letters string, known packageOptions) (packageCommand, bool) {
	for i := range len(letters) {
		if _, isOperation := known.short[letters[i]]; isOperation {
			if c.operation != 0 {
				return c, false
			}
			c.operation = letters[i]
			continue
		}
		c.flags += letters[i : i+1]
	}
	return c, c.operation != 0 && strings.Trim(c.flags, known.short[c.operation]) == ""
}

// recognizePackages returns the verb of a package command's words.
func recognizePackages(words []string, known packageOptions) (Verb, bool) {
	c, ok := parsePackages(words, known)
	if !ok || len(c.operands) > maxFiles || c.operation != 'U' && len(c.operands) > maxTargets {
		return Verb{}, false
	}
	switch {
	case c.operation == 'U':
		return recognizeFiles(c.operands)
	case c.operation == 'R':
		names, ok := packageNames(c.operands, false)
		return Verb{Action: Remove, Targets: names}, ok
	case len(c.operands) == 0:
		return Verb{Action: Upgrade}, c.operation == 'S' && strings.Contains(c.flags, "u")
	}
	names, ok := packageNames(c.operands, true)
	return Verb{Action: Install, Targets: names}, ok
}

// packageNames checks operands that name packages, and removes the repositories that precede some.
func packageNames(operands []string, repositories bool) (names []string, ok bool) {
	for _, word := range operands {
		if repo, name, found := strings.Cut(word, "/"); found && repositories && IsPackageName(repo) {
			word = name
		}
		if !IsPackageName(word) {
			return nil, false
		}
		if !slices.Contains(names, word) {
			names = append(names, word)
		}
	}
	return names, len(names) > 0
}

// recognizeFiles returns the verb of an installation of package files, whose names have the form
// NAME-VERSION-RELEASE-ARCHITECTURE.pkg.tar.COMPRESSION (makepkg.conf(5), PKGEXT).
func recognizeFiles(operands []string) (Verb, bool) {
	v := Verb{Action: Install}
	for _, file := range operands {
		stem, compression, ok := strings.Cut(path.Base(file), ".pkg.tar")
		parts := strings.Split(stem, "-")
		n := len(parts)
		if !ok || len(compression) > 0 && !isOf(compression[1:], "", "", 8) || n < 4 {
			return Verb{}, false
		}
		name, version := strings.Join(parts[:n-3], "-"), parts[n-3]+"-"+parts[n-2]
		if !IsPackageName(name) || slices.Contains(v.Targets, name) {
			return Verb{}, false
		}
		v.Targets, v.Versions = append(v.Targets, name), append(v.Versions, version)
	}
	return v, len(v.Targets) > 0
}

// Unattended returns the words of a pacman command without the prefix that raises its rights and with --noconfirm, so
// that it can run without anyone to answer pacman. It returns false for commands that are not recognised, that belong
// to another program, or that have the option already.
func Unattended(argv []string) (command []string, action Action, elevated, ok bool) {
	words, elevated := withoutElevation(argv)
	v, ok := Recognize(argv)
	if !ok || programOf(words[0]) != "pacman" || slices.Contains(words, "--noconfirm") {
		return nil, "", false, false
	}
	operation := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "-") })
	return slices.Insert(slices.Clone(words), operation+1, "--noconfirm"), v.Action, elevated, true
}

func (v Verb) query(names []string) []string { return machine.InstalledProbe(names...) }

// shownQuery is the query as a person would type it.
func shownQuery(names []string) string {
	return "pacman -Q " + strings.Join(names[:min(len(names), maxListed)], " ")
}

// installed are the packages that a query found for the names that it was asked about.
type installed map[string]machine.Package

// readInstalled reads a query for names. pacman -Q prints a row for each name in order, and an error for each one that
// is not installed. The row of a name that an installed package provides is that package's.
func readInstalled(look Look, names []string) (found installed, ok bool) {
	if !look.Ran {
		return nil, false
	}
	missing, err := machine.ParseMissingPackages([]byte(look.Stderr))
	if err != nil {
		return nil, false
	}
	rows, err := machine.ParsePackages([]byte(look.Stdout))
	if err != nil || len(rows)+len(missing) != len(names) || (look.Exit == 0) != (len(missing) == 0) {
		return nil, false
	}
	found = installed{}
	for _, name := range names {
		if slices.Contains(missing, name) {
			continue
		}
		if len(rows) == 0 {
			return nil, false
		}
		found[name], rows = rows[0], rows[1:]
	}
	return found, len(rows) == 0
}

// list lists packages as pacman prints them. The name of one that another package provides comes first.
func (found installed) list(names []string) string {
	rows := make([]string, len(names))
	for i, name := range names {
		p := found[name]
		rows[i] = p.Name + " " + p.Version
		if p.Name != name {
			rows[i] = name + " (" + rows[i] + ")"
		}
	}
	return list(rows)
}

// without returns the names that are not installed.
func (found installed) without(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { _, ok := found[n]; return ok })
}

// nextInstalled returns the looks after an installation: the packages, then whether the names that were not found are
// groups, then the members of these groups; after package files, whether the computer will start again.
func (v Verb) nextInstalled(after []Look) (argv []string, more bool) {
	switch len(after) {
	case 0:
		return v.query(v.Targets), true
	case 1:
		if v.Versions != nil { // package files, as when an upgrade is taken back: a kernel can be among them
			return slices.Clone(machine.NextStartProbe), true
		}
		found, ok := readInstalled(after[0], v.Targets)
		missing := found.without(v.Targets)
		return machine.GroupsProbe(missing...), ok && len(missing) > 0
	case 2:
		if v.Versions != nil {
			return nil, false
		}
		members := membersOf(readGroups(after[1]))
		return v.query(members), len(members) > 0 && len(members) <= maxTargets
	}
	return nil, false
}

// readGroups reads the members of groups. ok is false if it is not known which names are groups.
func readGroups(look Look) (groups map[string][]string, ok bool) {
	if !look.Ran || strings.TrimSpace(look.Stderr) != "" {
		return nil, false
	}
	groups, err := machine.ParseGroups([]byte(look.Stdout))
	return groups, err == nil
}

func membersOf(groups map[string][]string, _ bool) []string {
	var members []string
	for _, g := range groups {
		for _, m := range g {
			if IsPackageName(m) && !slices.Contains(members, m) {
				members = append(members, m)
			}
		}
	}
	slices.Sort(members)
	return members
}

// judgeInstalled judges an installation.
func (v Verb) judgeInstalled(after []Look) []Proof {
	check := shownQuery(v.Targets)
	found, ok := installed(nil), false
	if len(after) > 0 {
		found, ok = readInstalled(after[0], v.Targets)
	}
	if !ok {
		return []Proof{{Subject: list(v.Targets), Outcome: Unproved, Code: NoLook, Check: check}}
	}
	var there, other, absent, unknown []string
	for i, name := range v.Targets {
		p, isThere := found[name]
		switch {
		case isThere && v.Versions != nil && (p.Name != name || p.Version != v.Versions[i]):
			other = append(other, name) // the file's name says something else than its content
		case isThere:
			there = append(there, name)
		case v.Versions != nil:
			unknown = append(unknown, name)
		default:
			absent = append(absent, name)
		}
	}
	proofs := append(forNames(
		Proof{Subject: list(there), Outcome: Done, Code: Installed, State: found.list(there), Check: check},
		Proof{Subject: list(other), Outcome: Unproved, Code: Silent, State: found.list(other), Check: check},
		Proof{Subject: list(unknown), Outcome: Unproved, Code: Silent, State: notFound(unknown), Check: check},
	), v.judgeAbsent(absent, after)...)
	if p, ok := judgeNextStart(findLook(after, machine.NextStartProbe)); ok {
		proofs = append(proofs, p)
	}
	return proofs
}

// judgeAbsent judges the names that no installed package has: those of groups are not packages.
func (v Verb) judgeAbsent(absent []string, after []Look) []Proof {
	if len(absent) == 0 {
		return nil
	}
	unknown := Proof{
		Subject: list(absent), Outcome: Unproved, Code: Silent, State: notFound(absent), Check: shownQuery(absent),
	}
	if len(after) < 2 {
		return []Proof{unknown}
	}
	groups, ok := readGroups(after[1])
	if !ok {
		return []Proof{unknown}
	}
	var proofs []Proof
	missing := slices.DeleteFunc(slices.Clone(absent), func(n string) bool { return len(groups[n]) > 0 })
	if len(missing) > 0 {
		proofs = append(proofs, Proof{
			Subject: list(missing), Outcome: Failed, Code: NotInstalled, Check: shownQuery(missing),
		})
	}
	if len(groups) == 0 {
		return proofs
	}
	names := slices.DeleteFunc(slices.Clone(absent), func(n string) bool { return len(groups[n]) == 0 })
	group := Proof{
		Subject: list(names), Outcome: Unproved, Code: Silent, State: list(names),
		Check: "pacman -Qg " + strings.Join(names, " "),
	}
	if len(after) > 2 {
		members := membersOf(groups, true)
		if found, ok := readInstalled(after[2], members); ok && len(found) == len(members) { // else only some were chosen
			group.Outcome, group.Code = Done, Installed
		}
	}
	return append(proofs, group)
}

// judgeRemoved judges a removal. A name that was not installed before is that of a group, or nothing was removed.
func (v Verb) judgeRemoved(before, after []Look) []Proof {
	check := shownQuery(v.Targets)
	unknown := []Proof{{Subject: list(v.Targets), Outcome: Unproved, Code: NoLook, Check: check}}
	if len(after) == 0 {
		return unknown
	}
	var was installed
	if len(before) > 0 {
		was, _ = readInstalled(before[0], v.Targets)
	}
	is, isOK := readInstalled(after[0], v.Targets)
	if !isOK {
		return unknown
	}
	var still, gone, other []string
	for _, name := range v.Targets {
		switch {
		case is[name].Name == name:
			still = append(still, name)
		case was[name].Name == name:
			gone = append(gone, name)
		default:
			other = append(other, name)
		}
	}
	return forNames(
		Proof{Subject: list(gone), Outcome: Done, Code: Removed, State: notFound(gone), Check: check},
		Proof{Subject: list(other), Outcome: Unproved, Code: Silent, State: notFound(other), Check: check},
		Proof{Subject: list(still), Outcome: Failed, Code: StillInstalled, State: is.list(still), Check: check},
	)
}

// forNames returns the proofs that have a subject.
func forNames(proofs ...Proof) []Proof {
	return slices.DeleteFunc(proofs, func(p Proof) bool { return p.Subject == "" })
}

// notFound is how pacman -Q says that packages are not installed.
func notFound(names []string) string {
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = "package '" + name + "' was not found"
	}
	return list(words)
}
