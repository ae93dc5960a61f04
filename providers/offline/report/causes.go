package report

import (
	"strings"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
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
