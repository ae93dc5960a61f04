package diagnose

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// transactionCauses are what stops a transaction of libalpm after its packages are chosen: rights, room, fetching and
// the local
// database. Where the person quotes pacman's message (lib/libalpm/error.c), a look must show the same.
func transactionCauses() []cause {
	return []cause{
		{"not-root", updateWithoutRoot},
		{"read-only", updateReadOnly},
		{"boot-full", bootFull},
		{"damaged-entry", damagedEntry},
		{"interrupted", interruptedUpdate},
		{"clock-behind", clockPast},
		{"lists-old", oldLists},
		{"no-sandbox-user", noSandboxUser},
		{"multilib-off", multilibOff},
		{"held", heldPackage},
		{"mirror-gone", mirrorGone},
		{"server-unknown", serverUnknown},
	}
}

// upgrade updates everything.
func upgrade(about i18n.Text) Step {
	return Step{Step: plan.Step{Verb: "upgrade", Args: map[string]string{}}, About: about}
}

// quotes reports whether the person's message contains one of the words of pacman.
func (f *Facts) quotes(words ...string) bool {
	low := strings.ToLower(f.Text)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(low, w) })
}

// updateWithoutRoot finds a command of pacman that was typed without sudo.
func updateWithoutRoot(f *Facts) *Finding {
	if !f.quotes("you cannot perform this operation unless you are root") {
		return nil
	}
	look := machine.IDProbe
	id, err := parse(f, look, machine.ParseID)
	if err != nil || id.UID == 0 {
		return nil
	}
	return proved(i18n.TransactionNotRoot, see(look, i18n.TransactionUser(id.User))).advise(i18n.TransactionNotRootAdvice)
}

// updateReadOnly finds that the file system of pacman's database cannot be written.
func updateReadOnly(f *Facts) *Finding {
	look := machine.MountOfProbe("/var/lib/pacman")
	m, err := parse(f, look, machine.ParseMountOf)
	if err != nil || !slices.Contains(m.Options, "ro") {
		return nil
	}
	return proved(i18n.TransactionReadOnly(m.Target), seeLine(look, f.stdout(look))).advise(i18n.TransactionReadOnlyAdvice)
}

// staleLists is the age from which mirrors no longer have the packages that lists name.
const staleLists = 7 * 24 * time.Hour

// oldLists finds that a package is fetched by a list that is older than what mirrors keep: error 404.
func oldLists(f *Facts) *Finding {
	if !f.quotes("404", "failed retrieving file", "failed to retrieve") {
		return nil
	}
	repositories := f.lines(machine.RepositoriesProbe)
	if len(repositories) == 0 || plain(repositories[0]) == "" {
		return nil
	}
	list := "/var/lib/pacman/sync/" + plain(repositories[0]) + ".db"
	look := machine.TimesProbe(list)
	now, errNow := strconv.ParseInt(strings.TrimSpace(f.stdout(machine.NowProbe)), 10, 64)
	then, errThen := strconv.ParseInt(strings.TrimSpace(f.stdout(look)), 10, 64)
	age := time.Duration(now-then) * time.Second
	if errNow != nil || errThen != nil || age < staleLists {
		return nil
	}
	written := time.Unix(then, 0).UTC().Format("2006-01-02")
	return proved(i18n.TransactionListsOld(int(age.Hours()/24)), see(look, i18n.TransactionListsWritten(list, written))).
		offer(i18n.TransactionListsOldGoal, upgrade(i18n.TransactionListsOldStep))
}

// noSandboxUser finds a pacman.conf that fetches as a user who does not exist (pacman.conf(5), DownloadUser).
func noSandboxUser(f *Facts) *Finding {
	look := machine.DownloadUserProbe
	name := strings.TrimSpace(f.stdout(look))
	if name == "" || plain(name) != name {
		return nil
	}
	account := machine.AccountProbe(name)
	out, known := f.output(account)
	if !known || out.Exit != 2 {
		return nil
	}
	return proved(i18n.TransactionNoUser(name), seeLine(look, "DownloadUser = "+name),
		see(account, i18n.TransactionNoUserSeen(name))).
		offer(i18n.TransactionNoUserGoal(name), run(i18n.TransactionNoUserStep(name), "sudo -n systemd-sysusers",
			"getent passwd "+name, name, ""))
}

// multilibOff finds that a package of multilib is wanted, which is not in pacman.conf: wiki.archlinux.org, "Official
// repositories".
func multilibOff(f *Facts) *Finding {
	if !f.quotes("target not found") || !f.quotes("lib32-", "steam", "wine") {
		return nil
	}
	look := machine.RepositoriesProbe
	names := strings.Fields(f.stdout(look))
	if len(names) == 0 || slices.Contains(names, "multilib") {
		return nil
	}
	return proved(i18n.TransactionMultilib, see(look, i18n.DiagnoseLine(strings.Join(names, " ")))).
		advise(i18n.TransactionMultilibAdvice)
}

// heldPackage finds that the package of the question is one that updates leave out: pacman.conf(5), IgnorePkg.
func heldPackage(f *Facts) *Finding {
	look := machine.HeldProbe
	for _, name := range strings.Fields(f.stdout(look)) {
		if plain(name) == name && f.quotes(strings.ToLower(name)) {
			return proved(i18n.TransactionHeld(name), seeLine(look, "IgnorePkg = "+name)).advise(i18n.UpdateHeldAdvice(name))
		}
	}
	return nil
}

// serverUnknown finds that the names of servers are not known: the internet is what is wrong.
func serverUnknown(f *Facts) *Finding {
	if !f.quotes("could not resolve host", "temporary failure in name resolution", "could not connect to server") ||
		mirrorGone(f) != nil {
		return nil
	}
	look := machine.DefaultRouteProbe
	out, known := f.output(look)
	if routes, err := machine.ParseRoutesJSON([]byte(out.Stdout)); !known || out.Exit != 0 || err == nil &&
		len(routes) > 0 {
		return likely(i18n.TransactionServerUnknown).advise(i18n.TransactionServerUnknownAdvice)
	}
	return proved(i18n.TransactionNoRoute, see(look, i18n.TransactionNoRouteSeen)).
		advise(i18n.TransactionServerUnknownAdvice)
}

// mirror returns the server that stops an update: the one of the person's message if it is configured, or the only one.
func (f *Facts) mirror() (host string, isOnly bool) {
	name, _ := f.list()
	if name == "" {
		return "", false
	}
	var hosts []string
	for _, line := range f.lines(machine.ServersProbe(name)) {
		if u, err := url.Parse(line); err == nil {
			hosts = append(hosts, u.Hostname())
		}
	}
	if m := failedServer.FindStringSubmatch(f.Text); m != nil && slices.Contains(hosts, cmp.Or(m[1], m[2])) {
		return cmp.Or(m[1], m[2]), len(hosts) == 1
	}
	if len(hosts) == 1 {
		return hosts[0], true
	}
	return "", false
}

// failedServer finds the server in pacman's message (lib/libalpm/dload.c) and in curl's.
var failedServer = regexp.MustCompile(
	`(?i)failed retrieving file '[^']*' from ([\w.-]+)|could not resolve host: ([\w.-]*\w)`)

// mirrorGone finds a server whose name is not found, while other names are: wiki.archlinux.org, "Mirrors". With its line
// off, pacman uses the others of the list.
func mirrorGone(f *Facts) *Finding {
	host, isOnly := f.mirror()
	if host == "" || plain(host) != host || !strings.Contains(host, ".") || strings.Trim(host, "0123456789.") == "" {
		return nil
	}
	look := machine.HostProbe(host)
	if out, known := f.output(look); !known || out.Exit != 2 || f.stdout(machine.NameProbe) == "" {
		return nil
	}
	found := proved(i18n.TransactionMirrorGone(host), see(look, i18n.TransactionMirrorGoneSeen),
		seeLine(machine.NameProbe, f.stdout(machine.NameProbe))).advise(i18n.TransactionMirrorGoneAdvice)
	lines := f.lines(machine.MirrorLinesProbe(host))
	if len(lines) != 1 || isOnly {
		return found
	}
	file, number, text := numbered(lines[0])
	if file != machine.MirrorList || !strings.HasPrefix(text, "Server") {
		return found
	}
	goal := i18n.TransactionMirrorGoneGoal(host, number)
	off := plan.Step{Verb: "edit_file", Args: map[string]string{"path": file, "old": text, "new": "#" + text}}
	return found.offer(goal, Step{Step: off, About: goal}, upgrade(i18n.TransactionListsOldStep))
}
