package report

import (
	"path"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// The repairs of known causes. Each is a pure function of the facts that its chain found, and has everything that may be
// done about the cause: no other change is offered.

// lockFile is pacman's lock: pacman.conf(5), DBPath.
const lockFile = "/var/lib/pacman/db.lck"

// packageManagers lists the programs that lock pacman's database, if they run: ps(1), which fails if none does.
const packageManagers = "ps -C pacman,yay,paru,pikaur,trizen,pamac,pamac-daemon,pamac-manager,packagekitd,makepkg -o pid=,comm="

// removeLock removes a lock that nothing holds, if that is still so when the person has answered. What only root can read
// cannot be put back.
func removeLock(readable bool) diagnose.Repair {
	return diagnose.Repair{
		Goal: i18n.HelperRepairLockGoal,
		Steps: []diagnose.Step{
			{Step: plan.Step{
				ID: "idle", Verb: "run", Args: map[string]string{"command": packageManagers}, Check: "! " + packageManagers,
			}, About: i18n.HelperRepairLockIdle},
			{Step: plan.Step{
				ID: "remove", Verb: "remove_file", Args: map[string]string{"path": lockFile}, Check: "pacman -Dk", DependsOn: []string{"idle"},
			}, About: i18n.HelperRepairLockRemove, Lost: !readable},
		},
	}
}

// removeOrphans removes exactly these packages. lost are those whose files are not in the cache any more.
func removeOrphans(names, lost []string) diagnose.Repair {
	step := diagnose.Step{
		Step:  plan.Step{Verb: "remove", Args: map[string]string{"name": strings.Join(names, " "), "only": "true"}},
		About: i18n.HelperRepairOrphans(strings.Join(names, ", ")), Lost: len(lost) > 0,
	}
	return diagnose.Repair{Goal: i18n.HelperRepairOrphansGoal, Steps: []diagnose.Step{step}}
}

// generateLocale switches a locale on in locale.gen(5), whose line is given, "" if it is on already, and generates it.
func generateLocale(name, line string) diagnose.Repair {
	// locale -a prints the codeset in lower case and without a hyphen.
	language, codeset, _ := strings.Cut(name, ".")
	made := language + "." + strings.ReplaceAll(strings.ToLower(codeset), "-", "")
	p := diagnose.Repair{Goal: i18n.HelperRepairLocaleGoal(name)}
	if line != "" {
		p.Steps = append(p.Steps, diagnose.Step{
			Step: plan.Step{ID: "list", Verb: "edit_file", Args: map[string]string{
				"path": localeGen, "old": line, "new": name + " " + codeset,
			}}, About: i18n.HelperRepairLocaleList(name),
		})
	}
	p.Steps = append(p.Steps, diagnose.Step{
		Step: plan.Step{
			ID: "generate", Verb: "run", Args: map[string]string{"command": "sudo -n locale-gen"},
			Check: "locale -a", Expect: made, Undo: "sudo -n localedef --delete-from-archive " + made,
		}, About: i18n.HelperRepairLocaleMake,
	})
	return p
}

// localeGen lists the locales to generate: locale.gen(5).
const localeGen = "/etc/locale.gen"

// wrongOwner is a directory or file that a service cannot use because another user owns it.
type wrongOwner struct {
	machine.Owner
	unit, user, group string // the service, and whom it runs as
	limited           bool   // systemd has given up starting it
}

// giveBack gives exactly this path to the user of the service, and starts the service. A service that somebody else controls
// could put a link in the place of the path meanwhile, so chown does not follow one.
func (w wrongOwner) giveBack() diagnose.Repair {
	word, owner := quoteWord(w.Path), w.user+":"+w.group
	p := diagnose.Repair{
		Goal: i18n.HelperRepairOwnerGoal(w.unit),
		Steps: []diagnose.Step{{
			Step: plan.Step{
				ID: "owner", Verb: "run", Args: map[string]string{"command": "sudo -n chown -h " + owner + " -- " + word},
				Check: "stat -c %U:%G -- " + word, Expect: owner, Undo: "sudo -n chown -h " + w.User + ":" + w.Group + " -- " + word,
			}, About: i18n.HelperRepairOwnerChange(w.Path, w.user),
		}},
	}
	if w.limited {
		p.Steps = append(p.Steps, diagnose.Step{
			Step:  plan.Step{ID: "reset", Verb: "run", Args: map[string]string{"command": "sudo -n systemctl reset-failed " + w.unit}},
			About: i18n.HelperRepairOwnerReset,
		})
	}
	p.Steps = append(p.Steps, diagnose.Step{
		Step: plan.Step{
			ID: "start", Verb: "unit", Args: map[string]string{"action": "start", "name": w.unit},
			Check: "systemctl is-active " + w.unit, Expect: "active",
		}, About: i18n.HelperRepairOwnerStart(w.unit),
	})
	return p
}

// stateRoots are the directories below which services keep their own data: systemd.exec(5), StateDirectory= and the like,
// and file-hierarchy(7).
var stateRoots = []string{"/var/lib/", "/var/cache/", "/var/log/", "/var/spool/", "/srv/", "/run/"}

// pathsOf returns the paths that the user of a service must be able to use, each with the directories above it that are the
// service's own, outermost first: the paths in its error messages, then the directories of its unit.
func pathsOf(unit string, d map[string]string, lines []string) (chains [][]string) {
	own := ownDirectories(unit, d)
	for _, line := range lines {
		if !isDenied(line) {
			continue
		}
		for _, m := range absolutePath().FindAllString(line, -1) {
			if chain := chainTo(strings.TrimRight(m, ".:,;)"), own); chain != nil && len(chains) < maxChains {
				chains = append(chains, chain)
			}
		}
	}
	for _, dir := range own {
		if len(chains) < 2*maxChains {
			chains = append(chains, []string{dir})
		}
	}
	return chains
}

// maxChains bounds how many paths of a log, and how many directories of a unit, are looked at.
const maxChains = 4

var absolutePath = pattern(`/(?:var|srv|run)/[^\s'"’”<>|]+`)

// ownDirectories returns the directories that are a service's own: those of its unit, and those with its name or its user's.
func ownDirectories(unit string, d map[string]string) (own []string) {
	add := func(dir string) {
		if dir = path.Clean(dir); quoteWord(dir) != "" && isBelow(dir) && !slices.Contains(own, dir) {
			own = append(own, dir)
		}
	}
	for _, kind := range []struct{ property, root string }{
		{"StateDirectory", "/var/lib/"}, {"CacheDirectory", "/var/cache/"}, {"LogsDirectory", "/var/log/"}, {"RuntimeDirectory", "/run/"},
	} {
		for name := range strings.FieldsSeq(d[kind.property]) {
			add(kind.root + name)
		}
	}
	add(strings.TrimPrefix(d["WorkingDirectory"], "!"))
	for _, root := range stateRoots {
		for _, name := range []string{unit, d["User"]} {
			if name != "" && !strings.Contains(name, "/") {
				add(root + name)
			}
		}
	}
	return own
}

// chainTo returns the directories from a service's own one down to a path, nil if the path is in none of them.
func chainTo(p string, own []string) (chain []string) {
	p = path.Clean(p)
	for _, dir := range own {
		if quoteWord(p) == "" || p != dir && !strings.HasPrefix(p, dir+"/") {
			continue
		}
		for ; len(p) >= len(dir); p = path.Dir(p) {
			chain = append(chain, p)
		}
		slices.Reverse(chain)
		return chain
	}
	return nil
}

// isBelow reports whether a path is inside one of the [stateRoots].
func isBelow(p string) bool {
	return slices.ContainsFunc(stateRoots, func(root string) bool {
		rest, ok := strings.CutPrefix(p, root)
		return ok && strings.Trim(rest, "/") != ""
	})
}

// isDenied reports whether a line of a log says that the permissions of a file do not allow something: errno(3), EACCES.
func isDenied(line string) bool { return strings.Contains(strings.ToLower(line), "permission denied") }

// firstWrong returns the first path that is in the way of a user: a directory that it cannot enter, or the last path that
// exists, if it cannot write there. Only a service's own directory and what is directly in it count, and no links: the
// service could exchange everything below for something else.
func firstWrong(chains [][]string, owners []machine.Owner, user string) (machine.Owner, bool) {
	for _, chain := range chains {
		var last machine.Owner
		for k, p := range chain {
			i := slices.IndexFunc(owners, func(o machine.Owner) bool { return o.Path == p })
			if i < 0 {
				break
			}
			if owners[i].Link || k > 1 {
				last = machine.Owner{}
				break
			}
			if last = owners[i]; last.Directory && !last.Allows(user, machine.MayEnter) {
				return last, true
			}
		}
		if last.Path != "" && !last.Allows(user, machine.MayWrite) {
			return last, true
		}
	}
	return machine.Owner{}, false
}
