package diagnose

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// maxAgain bounds the packages that one command installs again.
const maxAgain = 100

// interruptedUpdate finds a transaction that began and did not end: lib/libalpm/trans.c logs both. All packages that it
// changed are installed again, so that the hooks run that did not: the image for booting is one of them.
func interruptedUpdate(f *Facts) *Finding {
	look := machine.TransactionsProbe
	last := ""
	if lines := f.lines(look); len(lines) > 0 {
		last = lines[len(lines)-1]
	}
	if !strings.Contains(last, "transaction started") && !strings.Contains(last, "transaction interrupted") {
		return nil
	}
	running := machine.PackageProgramsProbe
	if out, known := f.output(running); !known || strings.TrimSpace(out.Stdout) != "" {
		return nil // it is at work, or that is not known
	}
	found := proved(i18n.TransactionInterrupted, seeLine(look, last), see(running, i18n.TransactionNobody))
	line, steps := f.staleLock()
	switch {
	case steps != nil:
		found.Evidence = append(found.Evidence, seeLine(lockProbe, line), see(holderProbe, i18n.UpdateLockFree))
	case !f.absentLock():
		return found // somebody has it open, or that is not known
	}
	b := f.brokenEntries()
	b.again = f.changedSince(last)
	if steps == nil && len(b.damaged)+len(b.lost)+len(b.again) == 0 && f.complete(last) {
		return nil // it ended before it changed anything, or somebody has repaired it
	}
	return b.repair(f, found, i18n.TransactionInterruptedGoal, steps)
}

// complete reports whether the looks for what is half installed were seen, and found nothing.
func (f *Facts) complete(line string) bool {
	when, ok := machine.ParseLogTime(line)
	for _, look := range []machine.Probe{
		machine.ConsistencyProbe, machine.EmptyEntriesProbe, machine.MissingFilesProbe, machine.ChangedEntriesProbe(when),
	} {
		out, known := f.output(look)
		ok = ok && known && out.Exit == 0 && !out.Cut
	}
	return ok
}

// absentLock reports whether there is no lock.
func (f *Facts) absentLock() bool {
	out, known := f.output(lockProbe)
	return known && out.Exit != 0
}

// damagedEntry finds installed packages whose entries lack a file: "could not open file /var/lib/pacman/local/…/desc".
func damagedEntry(f *Facts) *Finding {
	b := f.brokenEntries()
	if len(b.damaged) == 0 || interruptedUpdate(f) != nil {
		return nil
	}
	e := b.damaged[0]
	found := proved(i18n.TransactionDamaged(e.Name, machine.LocalEntries+e.Dir))
	return b.repair(f, found, i18n.TransactionDamagedGoal(e.Name), nil)
}

// broken are the packages that a transaction did not finish.
type broken struct {
	damaged []machine.LocalEntry
	lost    []string // have no entry any more
	again   []string // have one, and are to be installed again
	seen    []Evidence
}

// brokenEntries looks for what is half installed.
func (f *Facts) brokenEntries() (b broken) {
	out, known := f.output(machine.ConsistencyProbe)
	if text := out.Stdout + "\n" + out.Stderr; known && out.Exit != 0 {
		b.damaged = machine.ParseDamagedEntries([]byte(text))
	}
	for _, e := range b.damaged {
		b.seen = append(b.seen, seeLine(machine.ConsistencyProbe, "'"+e.Dir+"'"))
	}
	empty, _ := parse(f, machine.EmptyEntriesProbe, machine.ParseFindSizes)
	for _, file := range empty {
		if e, ok := machine.ParseLocalEntry(file.Path); ok && !slices.Contains(b.damaged, e) {
			b.damaged = append(b.damaged, e)
			b.seen = append(b.seen, seeLine(machine.EmptyEntriesProbe, file.Path))
		}
	}
	b.lost = f.lostPackages()
	for _, name := range b.lost {
		b.seen = append(b.seen, see(machine.AllInstalledProbe, i18n.TransactionLost(name)))
	}
	return b
}

// lostPackages returns the packages that pacman's log shows as installed, and that are not.
func (f *Facts) lostPackages() (names []string) {
	if !strings.Contains(f.stdout(machine.TransactionsProbe), "transaction") {
		return nil
	}
	changes, err := parse(f, machine.PackageLogProbe, machine.ParsePackageLog)
	installed, errNow := parse(f, machine.AllInstalledProbe, machine.ParsePackages)
	if err != nil || errNow != nil {
		return nil
	}
	last := map[string]string{}
	for _, c := range changes {
		last[c.Name] = c.Verb
	}
	for _, p := range installed {
		delete(last, p.Name)
	}
	for name, verb := range last {
		if verb != "removed" && plain(name) == name {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// changedSince returns the packages that changed after a line of the log, or that lack files.
func (f *Facts) changedSince(line string) (names []string) {
	if when, ok := machine.ParseLogTime(line); ok {
		entries, _ := parse(f, machine.ChangedEntriesProbe(when), machine.ParseFindSizes)
		for _, file := range entries {
			if e, ok := machine.ParseLocalEntry(file.Path); ok {
				names = append(names, e.Name)
			}
		}
	}
	out, _ := f.output(machine.MissingFilesProbe)
	return append(names, machine.ParseMissingFiles([]byte(out.Stdout))...)
}

// repair offers to write the entries again, and then to install the packages again: their files may be missing, cut or
// old. Everything is updated with them, so that nothing is upgraded in part.
func (b broken) repair(f *Facts, found *Finding, goal i18n.Text, steps []Step) *Finding {
	found.Evidence = append(found.Evidence, b.seen...)
	var entries, again, foreign []string
	for _, e := range b.damaged {
		entries = append(entries, e.Name)
		from, to := machine.LocalEntries+e.Dir, "/var/lib/pacman/"+e.Dir+".damaged"
		steps = append(steps, run(i18n.TransactionDamagedAside(e.Dir), "sudo -n mv -n -- "+from+" "+to, "stat -c %n -- "+to, to,
			"sudo -n mv -n -- "+to+" "+from))
	}
	entries = append(entries, b.lost...)
	for _, name := range sorted(append(b.again, entries...)) {
		switch out, known := f.output(machine.FromRepositoryProbe(name)); {
		case !known || out.Exit != 0:
			foreign = append(foreign, name)
		default:
			again = append(again, name)
		}
	}
	entries = slices.DeleteFunc(sorted(entries), func(name string) bool { return slices.Contains(foreign, name) })
	if len(foreign) > 0 {
		found.Advice = i18n.TransactionForeign(strings.Join(foreign[:min(len(foreign), 5)], " "))
		if !slices.ContainsFunc(b.damaged, func(e machine.LocalEntry) bool { return !slices.Contains(foreign, e.Name) }) && len(again) == 0 {
			return found
		}
	}
	if len(entries) > 0 {
		names := strings.Join(entries, " ")
		steps = append(steps, run(i18n.TransactionDamagedEntry(names), "sudo -n pacman -S --dbonly --noconfirm -- "+names,
			machine.InstalledProbe(entries...).String(), cmp.Or(entries[0], " "), ""))
	}
	for names := range slices.Chunk(again, maxAgain) {
		steps = append(steps, run(i18n.TransactionAgain(len(names)), "sudo -n pacman -Syu --noconfirm -- "+strings.Join(names, " "),
			machine.ConsistencyProbe.String(), "", ""))
	}
	if len(again) == 0 {
		steps = append(steps, upgrade(i18n.TransactionInterruptedStep))
	}
	return found.offer(goal, steps...)
}

// sorted returns the names in order, each once.
func sorted(names []string) []string {
	names = slices.Clone(names)
	slices.Sort(names)
	return slices.Compact(names)
}
