package doctor

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
)

func (p Machine) path(path string) string { return filepath.Join("/", p.Root, path) }

func (p Machine) isInstalled(program string) bool {
	return slices.ContainsFunc([]string{"usr/bin", "usr/local/bin", "bin"}, func(dir string) bool {
		return unix.Access(p.path(filepath.Join(dir, program)), unix.X_OK) == nil
	})
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

// notifications checks for a notification server.
func notifications(ctx context.Context, p Machine) Finding {
	name, err := p.Desktop(ctx)
	if err != nil {
		return p.finding(Warn, "systemctl --user list-units 'dbus-*Notifications*'", i18n.DoctorNoDesktop(err))
	}
	return p.finding(OK, "", i18n.DoctorDesktop(name))
}

// The plausible years: this program did not exist before the first, and today's certificates expire before the last.
const (
	firstYear = 2026
	lastYear  = 2099
)

// clock checks that the date is plausible and synchronised.
func clock(ctx context.Context, p Machine) Finding {
	now := p.Now()
	if now.Year() < firstYear || now.Year() > lastYear {
		return p.finding(Broken, "sudo timedatectl set-ntp true", i18n.DoctorClockWrong(now.Format(time.DateOnly)))
	}
	s, err := p.Clock(ctx)
	switch {
	case err != nil:
		return p.finding(OK, "", i18n.DoctorClockUnsure(err))
	case s.Synced:
		return p.finding(OK, "", i18n.DoctorClock)
	case s.Enabled:
		return p.finding(Warn, "timedatectl timesync-status", i18n.DoctorClockUnsynced)
	}
	return p.finding(Warn, "sudo timedatectl set-ntp true", i18n.DoctorClockOff)
}

// narrow is the minimum width of a readable terminal, in columns.
const narrow = 40

// terminal checks that the terminal can display the output.
func terminal(_ context.Context, p Machine) Finding {
	variable, locale := "LANG", ""
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} { // locale(7): the first one set counts
		if v := p.Getenv(name); v != "" {
			variable, locale = name, v
			break
		}
	}
	charset := strings.ToLower(strings.ReplaceAll(locale, "-", ""))
	term := p.Getenv("TERM")
	switch {
	case !strings.Contains(charset, "utf8"):
		return p.finding(Warn, "export "+variable+"="+utf8Locale(locale), i18n.DoctorTerminalAscii(cmp.Or(locale, "-")))
	case p.Columns == 0:
		return p.finding(OK, "", i18n.DoctorTerminalNone)
	case term == "" || term == "dumb":
		return p.finding(Warn, "export TERM=xterm-256color", i18n.DoctorTerminalDumb(cmp.Or(term, "-")))
	case p.Columns < narrow:
		return p.finding(Warn, "stty cols 80", i18n.DoctorTerminalNarrow(p.Columns))
	}
	return p.finding(OK, "", i18n.DoctorTerminal(term, i18n.Count(int64(p.Columns))))
}

// utf8Locale returns the UTF-8 locale of the same language, or C.UTF-8, which always exists.
func utf8Locale(locale string) string {
	if language, _, _ := strings.Cut(locale, "."); strings.Contains(language, "_") {
		return language + ".UTF-8"
	}
	return "C.UTF-8"
}

func language(_ context.Context, p Machine) Finding {
	cfg, _ := config.Load(p.Source) // another check reports its errors
	for _, from := range []struct{ name, value string }{
		{"BLUNUX_AI_LANG", p.Getenv("BLUNUX_AI_LANG")}, {"ai_agent.language", cfg.Agent.Language},
	} {
		if from.value == "" || from.value == "auto" {
			continue
		}
		if _, known := i18n.Parse(from.value); !known {
			return p.finding(Warn, "export BLUNUX_AI_LANG="+string(p.Lang), i18n.DoctorLanguageOdd(from.value))
		}
		return p.finding(OK, "", i18n.DoctorLanguage(from.name))
	}
	return p.finding(OK, "", i18n.DoctorLanguage(cmp.Or(p.Getenv("LANG"), "-")))
}
