package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// pacmanWorld builds a root, database and repository of small packages with the real pacman once, in the directory
// of the programs under test.
var pacmanWorld = sync.OnceValues(func() (dir string, err error) {
	dir = filepath.Join(binaries, "world")
	out, err := exec.Command("bash", "testenv/pacman-root.sh", dir).CombinedOutput()
	if err != nil {
		return "", errors.Join(err, errors.New(string(out)))
	}
	return dir, nil
})

func needPacmanWorld(t *testing.T) string {
	t.Helper()
	if os.Geteuid() != 0 {
		skip(t, "only root can boot a whole system")
	}
	world, err := pacmanWorld()
	var failed *exec.ExitError
	if errors.As(err, &failed) && failed.ExitCode() == 77 {
		skip(t, "no pacman here: %v", err)
	}
	require.NoError(t, err)
	return world
}

func absolute(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(name)
	require.NoError(t, err)
	return path
}

// onASystemWithPacman runs a script as an ordinary user of a booted system with a working pacman. sudo is the
// rest of the user's line in sudoers(5), vars are additional variables. All changes are discarded with the
// system.
func onASystemWithPacman(t *testing.T, story, sudo string, vars ...string) {
	t.Helper()
	world := needPacmanWorld(t)
	var options []string
	for _, v := range append(vars, "WORLD="+world) {
		options = append(options, "--env", v)
	}
	onABootedSystem(t, story, "packages.before.sh", append([]string{"WORLD=" + world, "SUDO=" + sudo}, vars...), options...)
}

// onABootedSystem runs a script after packages.lib.sh as an ordinary user of a booted system. before is run as
// root first, with the variables in env. options are those of systemd-user.sh.
func onABootedSystem(t *testing.T, story, before string, env []string, options ...string) {
	t.Helper()
	if os.Geteuid() != 0 {
		skip(t, "only root can boot a whole system")
	}
	// The only temporary directory visible in the system is its working directory.
	path := filepath.Join(binaries, t.Name()+".sh")
	writeStory(t, path, automationsOff, "wait.lib.sh", "packages.lib.sh", story)

	args := []string{absolute(t, "testenv/systemd-user.sh"), "--full", "--before", absolute(t, "testdata/systemd/"+before)}
	args = append(args, options...)
	args = append(args, "--env", "BIN="+binaries, "--env", "GORACE="+raceOptions)
	cmd := exec.Command("bash", append(args, "--", "bash", path)...)
	cmd.Dir = binaries
	cmd.Env = append(append(os.Environ(), "LANG=C.UTF-8"), env...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() == 77 {
		skip(t, "no whole system here: %s", out)
	}
	require.NoError(t, err, "%s", out)
	if _, what, missing := strings.Cut(string(out), "not here: "); missing {
		skip(t, "not here: %s", strings.TrimSpace(what))
	}
	require.True(t, strings.HasSuffix(string(out), "story complete\n"), "%s", out)
}

// TestQuestionsAboutPackages: answers in both languages contain the real figures of pacman and interpret its
// exit statuses.
func TestQuestionsAboutPackages(t *testing.T) {
	t.Parallel()
	onASystemWithPacman(t, "packages-ask.sh", "NOPASSWD: ALL")
}

// TestPackagesChangeAfterAYesOnly: packages are really installed, removed and updated after every form of
// approval, and never after a denial.
func TestPackagesChangeAfterAYesOnly(t *testing.T) {
	t.Parallel()
	onASystemWithPacman(t, "packages-change.sh", "NOPASSWD: ALL")
}

// TestAnUpgradeIsShownBeforeItIsAskedAbout: the preview is pacman's own answer about a copy of its lists, in each language, and
// says why there is none.
func TestAnUpgradeIsShownBeforeItIsAskedAbout(t *testing.T) {
	t.Parallel()
	onASystemWithPacman(t, "upgrade.sh", "NOPASSWD: ALL")
}

// TestTheButtonOfAnUpdateNotificationShowsThePreview: of a real notification, about real updates.
func TestTheButtonOfAnUpdateNotificationShowsThePreview(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("dunst"); err != nil {
		skip(t, "there is no notification server to press a button of")
	}
	onASystemWithPacman(t, "upgrade-button.sh", "NOPASSWD: ALL")
}

// TestWhatPacmanRefusesHasAWayOut: files of no package, packages that exclude each other, a foreign and a held package stop real
// updates. The plan for each is carried out after a yes, and undone.
func TestWhatPacmanRefusesHasAWayOut(t *testing.T) {
	t.Parallel()
	onASystemWithPacman(t, "refused.sh", "NOPASSWD: ALL")
}

// TestServicesWithOldLibrariesAreRestartedAfterAYes: a real service goes on with a library that an update replaced.
func TestServicesWithOldLibrariesAreRestartedAfterAYes(t *testing.T) {
	t.Parallel()
	onASystemWithPacman(t, "old-services.sh", "NOPASSWD: ALL")
}

// TestThreat35PackagesAreCheckedAfterAChange: the answer ends with what pacman shows, for real packages, groups and virtual
// packages, for any claim of the model.
func TestThreat35PackagesAreCheckedAfterAChange(t *testing.T) {
	t.Parallel()
	onASystemWithPacman(t, "packages-check.sh", "NOPASSWD: ALL")
}

// TestAPlanIsTakenBackOnARealSystem: packages, files and units are as before after undo.
func TestAPlanIsTakenBackOnARealSystem(t *testing.T) {
	t.Parallel()
	onASystemWithPacman(t, "packages-undo.sh", "NOPASSWD: ALL")
}

// TestAnUpdateIsTakenBackOnARealSystem: packages that need each other's versions go back in one transaction, and one goes back
// alone; cleaning the package cache leaves what that needs.
func TestAnUpdateIsTakenBackOnARealSystem(t *testing.T) {
	t.Parallel()
	onASystemWithPacman(t, "packages-back.sh", "NOPASSWD: ALL")
}

// TestConfigurationFilesAreMergedOnARealSystem: the .pacnew files of real updates are merged with the version that the person's
// file comes from, conflicts are decided in words, a failed check keeps the .pacnew file, and undo brings both files back.
func TestConfigurationFilesAreMergedOnARealSystem(t *testing.T) {
	t.Parallel()
	onASystemWithPacman(t, "pacnew.sh", "NOPASSWD: ALL")
}

// TestAMergeKilledAtAnyPointIsOldOrNew: whenever the daemon dies while it merges a .pacnew file, the configuration file is whole, the
// .pacnew file stays until then, and merging again completes it. TestPut kills the program that replaces the file.
func TestAMergeKilledAtAnyPointIsOldOrNew(t *testing.T) {
	t.Parallel()
	_, err := crashable()
	require.NoError(t, err)
	onASystemWithPacman(t, "pacnew-kill.sh", "NOPASSWD: ALL")
}

// TestBrokenMachinesAreRepairedByTheHelper: the built-in helper alone finds the cause of machines that are really broken,
// repairs it after a yes, shows what the check says, and takes it back.
func TestBrokenMachinesAreRepairedByTheHelper(t *testing.T) {
	t.Parallel()
	world := needPacmanWorld(t)
	onABootedSystem(t, "repairs.sh", "packages.before.sh", []string{"WORLD=" + world, "SUDO=NOPASSWD: ALL"}, "--env", "WORLD="+world, "--group", "systemd-journal")
}

// TestCausesOfBrokenMachinesAreFound: services, timers, rights and logins that are really broken on a booted system.
func TestCausesOfBrokenMachinesAreFound(t *testing.T) {
	t.Parallel()
	world := needPacmanWorld(t)
	onABootedSystem(t, "causes.sh", "packages.before.sh", []string{"WORLD=" + world, "SUDO=NOPASSWD: ALL"}, "--env", "WORLD="+world, "--group", "systemd-journal")
}

// TestMoreBrokenMachinesAreRepaired: a full package cache, a rule that only root sees, a timer without a login, an old Python, a
// real fcitx5 without Korean, and a kernel whose modules are gone.
func TestMoreBrokenMachinesAreRepaired(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/usr/share/fcitx5/inputmethod/hangul.conf"); err != nil {
		skip(t, "fcitx5-hangul is not installed")
	}
	world := needPacmanWorld(t)
	onABootedSystem(t, "broken.sh", "packages.before.sh", []string{"WORLD=" + world, "SUDO=NOPASSWD: ALL"}, "--env", "WORLD="+world, "--group", "systemd-journal")
}

// TestASnapshotHoldsWhatWasDeleted: a real btrfs, full of what a snapshot holds. Nothing is deleted without a yes.
func TestASnapshotHoldsWhatWasDeleted(t *testing.T) {
	t.Parallel()
	needLoopDevice(t)
	cmd := exec.Command("unshare", "--mount", "bash", absolute(t, "testdata/systemd/snapshot.sh"), t.TempDir())
	cmd.Env = append(os.Environ(), "BIN="+binaries)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "story complete")
}

// TestMirrorsAreRankedAgain: of a mirror that refuses connections and one that is behind, the real pacman says what it sees.
func TestMirrorsAreRankedAgain(t *testing.T) {
	t.Parallel()
	onASystemWithPacman(t, "mirrors.sh", "NOPASSWD: ALL")
}

// TestAnUpgradeTakesSnapshots: of a real btrfs by the real snapper. Undo takes from them what the packages of the cache cannot
// take back, and snapper's failure stops no upgrade.
func TestAnUpgradeTakesSnapshots(t *testing.T) {
	t.Parallel()
	needPacmanWorld(t) // pacman and its tools
	needLoopDevice(t)
	if _, err := exec.LookPath("snapper"); err != nil {
		skip(t, "snapper is not installed")
	}
	dir := t.TempDir()
	story := filepath.Join(dir, "story.sh")
	writeStory(t, story, automationsOff, "wait.lib.sh", "packages.lib.sh", "snapper.sh")
	cmd := exec.Command("unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child=KILL",
		"bash", absolute(t, "testdata/systemd/snapper.before.sh"), story, dir)
	cmd.Env = append(os.Environ(), "BIN="+binaries)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "story complete")
}

func needLoopDevice(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		skip(t, "only root can mount a file system")
	}
	if loops, _ := filepath.Glob("/dev/loop[0-9]*"); len(loops) == 0 {
		skip(t, "there is no loop device")
	}
}

// TestThreat29SudoThatWantsAPasswordSaysSo: there is no terminal for a password, so sudo fails immediately, and
// the answer says why.
func TestThreat29SudoThatWantsAPasswordSaysSo(t *testing.T) {
	t.Parallel()
	onASystemWithPacman(t, "packages-password.sh", "ALL", "NEWER=1")
}

// TestThreat29TheWayToRootsRights: sudo, pkexec with a polkit rule, and the explanation if there is neither, by
// a daemon in its unit, which cannot gain privileges.
func TestThreat29TheWayToRootsRights(t *testing.T) {
	t.Parallel()
	units := filepath.Join(binaries, "units") // the only temporary directory visible in the system
	require.NoError(t, os.MkdirAll(units, 0o755))
	installUnits(t, units, binaries)
	onASystemWithPacman(t, "rights.sh", "NOPASSWD: ALL", "UNITS="+units)
}

// TestWhatIsNoPackageNameNeverReachesPacman: options, paths and second commands instead of a name.
func TestWhatIsNoPackageNameNeverReachesPacman(t *testing.T) {
	t.Parallel()
	onASystemWithPacman(t, "packages-names.sh", "NOPASSWD: ALL")
}

// TestRootsRightsInAUnitAndALockWhilePackagesChange: sudo works in the unit of a confirmed command, its
// processes can be ended, and logind inhibits sleep exactly while packages change.
func TestRootsRightsInAUnitAndALockWhilePackagesChange(t *testing.T) {
	t.Parallel()
	onASystemWithPacman(t, "units-root.sh", "NOPASSWD: ALL")
}

// TestThreat35SettingsAreCheckedAfterAChange: the time zone and the host name of a booted system, a default application, a
// mode and the timer of a plan, in two languages.
func TestThreat35SettingsAreCheckedAfterAChange(t *testing.T) {
	t.Parallel()
	onABootedSystem(t, "settings.sh", "offline.before.sh", nil)
}
