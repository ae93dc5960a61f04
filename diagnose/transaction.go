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
		{"mirror-behind", mirrorBehind},
		{"lists-old", oldLists},
		{"no-sandbox-user", noSandboxUser},
		{"multilib-off", multilibOff},
		{"held", heldPackage},
		{"mirror-gone", mirrorGone},
		{"mirror-silent", mirrorSilent},
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
	if !f.quotes("404", "failed retrieving file", "failed to retrieve") || mirrorBehind(f) != nil {
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

// archList returns the list of a repository of Arch Linux, "" if there is none: other repositories can have no news for long.
func (f *Facts) archList() string {
	all := f.lines(machine.RepositoriesProbe)
	for _, name := range []string{"extra", "core"} {
		if slices.Contains(all, name) {
			return "/var/lib/pacman/sync/" + name + ".db"
		}
	}
	return ""
}

// mirrorBehind finds a mirror that sends old lists: wiki.archlinux.org, "Mirrors". A list has the time that the mirror gives it.
func mirrorBehind(f *Facts) *Finding {
	list := f.archList()
	if list == "" {
		return nil
	}
	if preview := machine.PreviewProbe(false); f.mentions(i18n.UpdateWordsMirror) && !f.quotes("failed retrieving file") {
		if days, err := parse(f, preview, machine.ParseListAge); err == nil && days >= machine.StaleMirror {
			return f.rank(proved(i18n.TransactionMirrorBehind(days), see(preview, i18n.TransactionMirrorNow)))
		}
	}
	look := machine.TimesProbe(list)
	made, unread := strconv.ParseInt(strings.TrimSpace(f.stdout(look)), 10, 64)
	fetched, err := parse(f, machine.ListsFetchedProbe, machine.ParseListsFetched)
	days := int(fetched.Sub(time.Unix(made, 0)).Hours() / 24)
	if unread != nil || err != nil || fetched.IsZero() || days < machine.StaleMirror {
		return nil
	}
	day := func(t time.Time) string { return t.UTC().Format("2006-01-02") }
	return f.rank(proved(i18n.TransactionMirrorBehind(days), see(machine.ListsFetchedProbe, i18n.TransactionMirrorFetched(day(fetched))),
		see(look, i18n.TransactionMirrorMade(list, day(time.Unix(made, 0))))))
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
	if isOnly {
		return f.rank(found)
	}
	lines := f.lines(machine.MirrorLinesProbe(host))
	if len(lines) != 1 {
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

// mirrorSilent finds that a configured server whose name is found does not send what pacman asks for, by pacman's message.
func mirrorSilent(f *Facts) *Finding {
	host, _ := f.mirror()
	if host == "" || plain(host) != host || !strings.Contains(f.Text, host) || !f.quotes("failed retrieving file") ||
		!f.quotes("timed out", "timeout", "too slow", "refused", "failed to connect", "could not connect", "returned error: 5") {
		return nil
	}
	look := machine.HostProbe(host)
	line := f.stdout(look)
	if line == "" {
		return nil
	}
	return f.rank(likely(i18n.TransactionMirrorSilent(host), seeLine(look, line)))
}

// rank offers to rank the mirrors again, and keeps the list: wiki.archlinux.org, "Reflector" and "Mirrors", Ranking an existing
// mirror list.
func (f *Facts) rank(found *Finding) *Finding {
	const list, kept = machine.MirrorList, machine.MirrorList + ".old"
	for _, way := range [][2]string{
		{"reflector", "sudo -n reflector --protocol https --age 12 --latest 20 --sort rate --save " + list},
		{"rankmirrors", "sudo -n sh -c 'rankmirrors -n 6 " + kept + " >" + list + "'"},
	} {
		if f.stdout(machine.FileProbe("/usr/bin/"+way[0])) == "" {
			continue
		}
		return found.advise(i18n.Text{}).offer(i18n.TransactionRankGoal,
			run(i18n.TransactionRankKeep(kept), "sudo -n cp -a -- "+list+" "+kept, "stat -c %n -- "+kept, kept, ""),
			run(i18n.TransactionRankStep(way[0]), way[1], "grep -m 1 ^Server "+list, "Server", "sudo -n cp -a -- "+kept+" "+list),
			upgrade(i18n.UpdateListFetch))
	}
	return found.advise(i18n.TransactionRankAdvice)
}
