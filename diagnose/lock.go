package diagnose

import (
	"strings"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// lockFile is pacman's lock: pacman.conf(5), DBPath.
const lockFile = "/var/lib/pacman/db.lck"

var (
	lockProbe   = machine.Probe{"ls", "-l", "--time-style=long-iso", lockFile}
	holderProbe = machine.Probe{"fuser", lockFile}
)

// lock returns the line that shows the lock, "" if there is none, and the package programs that run. known is false if
// these cannot
// be seen.
func (f *Facts) lock() (line, running string, known bool) {
	line = strings.TrimSpace(f.stdout(lockProbe))
	if line == "" {
		return "", "", false
	}
	out, known := f.output(machine.PackageProgramsProbe)
	return line, strings.Join(machine.Lines(out.Stdout), ", "), known && out.Exit <= 1
}

// databaseBusy finds that a package program holds the lock.
func databaseBusy(f *Facts) *Finding {
	line, running, known := f.lock()
	if !known || running == "" {
		return nil
	}
	return proved(i18n.UpdateLockHeld(machine.CleanLine(strings.TrimSpace(running))), seeLine(lockProbe, line),
		seeLine(machine.PackageProgramsProbe, running))
}

// lockOpen finds that another program has the lock open: fuser(1) exits with 0 then.
func lockOpen(f *Facts) *Finding {
	line, running, known := f.lock()
	if !known || running != "" {
		return nil
	}
	held := strings.TrimSpace(f.stdout(holderProbe))
	if held == "" {
		return nil
	}
	return proved(i18n.UpdateLockOpen(machine.CleanLine(held)), seeLine(lockProbe, line), seeLine(holderProbe, held))
}

// lockLeft finds a lock that nothing holds. It is removed only if that is still so once the person has answered. An
// interrupted transaction has more to repair than its lock.
func lockLeft(f *Facts) *Finding {
	line, steps := f.staleLock()
	if steps == nil || interruptedUpdate(f) != nil {
		return nil
	}
	steps[1].Check = "pacman -Dk"
	return proved(i18n.UpdateLockLeft, seeLine(lockProbe, line), see(machine.PackageProgramsProbe, i18n.TransactionNobody),
		see(holderProbe, i18n.UpdateLockFree)).advise(i18n.UpdateLockNever).offer(i18n.UpdateLockGoal, steps...)
}

// staleLock returns the line that shows a lock that nothing holds, and the steps that remove it, nil if there is none. What
// only root can read cannot be put back.
func (f *Facts) staleLock() (line string, steps []Step) {
	line, running, known := f.lock()
	if out, seen := f.output(holderProbe); !known || running != "" || !seen || strings.TrimSpace(out.Stdout) != "" {
		return "", nil
	}
	return line, []Step{idle(), {
		Step: plan.Step{
			ID: "remove", Verb: "remove_file", Args: map[string]string{"path": lockFile}, DependsOn: []string{"idle"},
		},
		About: i18n.UpdateLockRemove, Lost: len(line) < 8 || line[7] != 'r',
	}}
}

// idle looks again that no package program runs.
func idle() Step {
	command := machine.PackageProgramsProbe.String()
	return Step{
		Step:  plan.Step{ID: "idle", Verb: "run", Args: map[string]string{"command": command}, Check: "! " + command},
		About: i18n.UpdateLockIdle,
	}
}

// signature reports whether the person's message is about signatures of packages.
func (f *Facts) signature() bool {
	return f.mentions(i18n.UpdateWordsSignature)
}

const pubring = "/etc/pacman.d/gnupg/pubring.gpg"

// keyringMissing finds that pacman has no keyring, although it checks signatures: pacman-key(8).
func keyringMissing(f *Facts) *Finding {
	level := f.stdout(machine.SigLevelProbe)
	if level == "" || f.stdout(machine.AllInstalledProbe) == "" || strings.Contains(level, "PackageNever") ||
		!f.absent(pubring) {
		return nil
	}
	return proved(i18n.UpdateKeyringMissing, absentSeen(pubring),
		seeLine(machine.SigLevelProbe, strings.Join(machine.Lines(level), " "))).
		offer(i18n.UpdateKeyringGoal,
			run(i18n.UpdateKeyringInit, "sudo -n pacman-key --init", "stat -c %n -- "+pubring, pubring, ""),
			run(i18n.UpdateKeyringPopulate, "sudo -n pacman-key --populate", "stat -c %s -- "+pubring, "", ""))
}

// keyringOld finds that the keyring is older than what the lists name.
func keyringOld(f *Facts) *Finding {
	if !f.signature() {
		return nil
	}
	look := machine.KnownUpdatesProbe
	line := lineWith(f.lines(look), "archlinux-keyring ")
	if line == "" {
		return nil
	}
	return proved(i18n.UpdateKeyringOld, seeLine(look, line)).
		offer(i18n.UpdateKeyringOldGoal, install(i18n.UpdateKeyringStep, "archlinux-keyring"),
			upgrade(i18n.TransactionListsOldStep))
}

// badSignature is what remains of a message about signatures.
func badSignature(f *Facts) *Finding {
	if !f.signature() || keyringMissing(f) != nil || keyringOld(f) != nil || listDamaged(f) != nil {
		return nil
	}
	return likely(i18n.UpdateSignature).advise(i18n.UpdateSignatureAdvice)
}

// list returns the first repository and the file of its list.
func (f *Facts) list() (repository, file string) {
	names := f.lines(machine.RepositoriesProbe)
	if len(names) == 0 || plain(names[0]) != names[0] {
		return "", ""
	}
	return names[0], "/var/lib/pacman/sync/" + names[0] + ".db"
}

// listMissing finds that the list of a repository was never fetched.
func listMissing(f *Facts) *Finding {
	name, file := f.list()
	if name == "" || !f.absent(file) || mirrorSilent(f) != nil { // it would be fetched from that mirror
		return nil
	}
	return proved(i18n.UpdateListMissing(name), absentSeen(file)).
		offer(i18n.TransactionListsOldGoal, upgrade(i18n.UpdateListFetch))
}

// listDamaged finds a list that pacman refuses: "database '%s' is not valid" (lib/libalpm/be_sync.c).
func listDamaged(f *Facts) *Finding {
	look := machine.DownloadsProbe
	out, _ := f.output(look)
	line := lineWith(machine.Lines(out.Stderr+"\n"+out.Stdout), "is not valid", "unrecognized archive format", "truncated")
	name, file := f.list()
	if line == "" || out.Exit == 0 || name == "" {
		return nil
	}
	if _, quoted, ok := strings.Cut(line, "'"); ok {
		if other, _, ok := strings.Cut(quoted, "'"); ok && plain(other) == other && !strings.Contains(other, "/") {
			name, file = other, "/var/lib/pacman/sync/"+other+".db"
		}
	}
	found := proved(i18n.UpdateListDamaged(name), seeLine(look, line))
	head := machine.FileHeadProbe(file)
	if text := f.stdout(head); machine.IsPage(text) {
		begin, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
		found = proved(i18n.UpdateListPage(name), seeLine(look, line), seeLine(head, begin)).advise(i18n.UpdateListPageAdvice)
	}
	return found.offer(i18n.TransactionListsOldGoal, run(i18n.UpdateListRemove(name), "sudo -n rm -- "+file,
		"test -e "+file+" || echo gone", "gone", ""), upgrade(i18n.UpdateListFetch))
}

// updateSound reports that pacman's database is not locked.
func updateSound(f *Facts) *Finding {
	if out, known := f.output(lockProbe); !known || !strings.Contains(out.Stderr, "No such file") {
		return nil
	}
	return proved(i18n.UpdateLockNone)
}
