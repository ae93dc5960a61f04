package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/i18n"
)

// path returns a path below the machine's root.
func (p Machine) path(path string) string { return filepath.Join("/", p.Root, path) }

// isInstalled reports whether a program is installed.
func (p Machine) isInstalled(program string) bool {
	for _, dir := range []string{"usr/bin", "usr/local/bin", "bin"} {
		if unix.Access(p.path(filepath.Join(dir, program)), unix.X_OK) == nil {
			return true
		}
	}
	return false
}

func pacman(_ context.Context, p Machine) Finding {
	if !p.isInstalled("pacman") {
		return p.finding(Warn, "cat /etc/os-release", i18n.DoctorNoPacman)
	}
	return p.finding(OK, "", i18n.DoctorPacman)
}

// packagers are the programs that lock the package database.
var packagers = []string{"pacman", "yay", "paru", "pamac", "pamac-daemon", "packagekitd", "octopi-helper"}

// dbLock is pacman's lock file, pacman(8).
const dbLock = "/var/lib/pacman/db.lck"

// lock checks for a stale lock, left for example by a power failure during an update. The doctor never removes
// it, because removing a lock in use would damage the database.
func lock(_ context.Context, p Machine) Finding {
	if _, err := os.Lstat(p.path(dbLock)); err != nil {
		return p.finding(OK, "", i18n.DoctorLock)
	}
	if who := p.packager(); who != "" {
		return p.finding(OK, "", i18n.DoctorLockHeld(who))
	}
	return p.finding(Warn, "sudo rm "+dbLock, i18n.DoctorLockStale(dbLock))
}

// packager returns the name of a running program that changes packages (proc_pid_comm(5)), or "".
func (p Machine) packager() string {
	names, _ := filepath.Glob(p.path("proc/[0-9]*/comm"))
	for _, name := range names {
		text, err := os.ReadFile(name)
		if comm := strings.TrimSpace(string(text)); err == nil && slices.Contains(packagers, comm) {
			return comm
		}
	}
	return ""
}

// keyring checks that pacman has its keys, pacman-key(8).
func keyring(_ context.Context, p Machine) Finding {
	if !p.isInstalled("pacman") {
		return p.finding(OK, "", i18n.DoctorNoPacman)
	}
	dir := "/etc/pacman.d/gnupg"
	for _, name := range []string{"pubring.gpg", "pubring.kbx"} {
		fi, err := os.Stat(p.path(filepath.Join(dir, name)))
		if errors.Is(err, fs.ErrPermission) || err == nil && fi.Size() > 0 {
			return p.finding(OK, "", i18n.DoctorKeyring)
		}
	}
	return p.finding(Warn, "sudo pacman-key --init && sudo pacman-key --populate", i18n.DoctorNoKeyring(dir))
}

func aur(_ context.Context, p Machine) Finding {
	for _, helper := range []string{"yay", "paru"} {
		if p.isInstalled(helper) {
			return p.finding(OK, "", i18n.DoctorAur(helper))
		}
	}
	return p.finding(Warn, "git clone https://aur.archlinux.org/yay-bin.git && cd yay-bin && makepkg -si", i18n.DoctorNoAur)
}

// journal checks that the person can read the journal of services, systemd-journald.service(8), "Access control".
func journal(_ context.Context, p Machine) Finding {
	var dirs []string
	for _, dir := range []string{"/var/log/journal", "/run/log/journal"} {
		if _, err := os.Stat(p.path(dir)); err == nil {
			dirs = append(dirs, dir)
		}
	}
	if len(dirs) == 0 {
		return p.finding(Warn, "systemctl status systemd-journald", i18n.DoctorJournalNone)
	}
	for _, group := range []string{"systemd-journal", "wheel", "adm", "root"} {
		if slices.Contains(p.Groups, group) {
			return p.finding(OK, "", i18n.DoctorJournal(group))
		}
	}
	for _, dir := range dirs {
		files, _ := filepath.Glob(p.path(filepath.Join(dir, "*", "system.journal")))
		for _, name := range files {
			if unix.Access(name, unix.R_OK) == nil {
				return p.finding(OK, "", i18n.DoctorJournal("ACL"))
			}
		}
	}
	return p.finding(Warn, "sudo usermod -aG systemd-journal "+shellWord(p.User), i18n.DoctorNoJournal)
}
