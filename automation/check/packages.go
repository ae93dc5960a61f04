package check

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/upgrade"
)

func pacnew(l *look) {
	out, ok := l.run("pacnew", "find", "/etc", "-xdev", "(", "-name", "*.pacnew", "-o", "-name", "*.pacsave", ")", "-printf", "%p\\n")
	if !ok {
		return
	}
	files := append(splitNames(out), leftBeside(l)...)
	switch {
	case out.Exit != 0 && out.failure() != ReasonRights:
		l.unknown("pacnew", out.failure(), "find")
		return
	case out.Exit != 0 || out.Truncated:
		l.unknown("pacnew:unread", ReasonPartial, "/etc")
	}
	l.count("pacnew", len(files))
	if float64(len(files)) < l.over() {
		return
	}
	var names []string
	for _, f := range files {
		names = append(names, path.Base(f))
	}
	l.find(Finding{
		Key: "pacnew", Severity: Notice, Code: "pacnew", Fix: "blunux-aictl pacnew",
		Args: Args{Count: int64(len(files)), Names: displayAll(names, 4)},
	})
}

// leftBeside returns what was left next to configuration files outside /etc, which pacman's database names; none without it.
func leftBeside(l *look) (files []string) {
	out, why := l.try(machine.BackupsProbe...)
	dirs := machine.ParseBackupDirs([]byte(out.Stdout))
	if why != "" || len(dirs) == 0 {
		return nil
	}
	out, _ = l.try(machine.LeftBesideProbe(dirs...)...)
	found, _ := machine.ParseFoundFiles([]byte(out.Stdout)) // an unreadable answer names no file
	for _, f := range found {
		if isDisplayable(f.Path) {
			files = append(files, f.Path)
		}
	}
	return files
}

func orphans(l *look) {
	names, ok := readOutput(l, "orphans", "pacman", func(out Output) ([]string, bool) {
		names := strings.Fields(out.Stdout)
		return names, out.isPacmanList() && !slices.ContainsFunc(names, func(n string) bool {
			return !wordForm.MatchString(n) || strings.Contains(n, "/")
		})
	}, "pacman", "-Qdtq")
	if !ok {
		return
	}
	l.count("orphans", len(names))
	switch n := float64(len(names)); {
	case n > l.over():
		l.find(Finding{
			Key: "orphans", Severity: Notice, Code: "orphans", Fix: "sudo pacman -Rns $(pacman -Qdtq)",
			Args: Args{Count: int64(len(names)), Names: displayAll(names, 4)},
		})
	case n > l.over()*0.9:
		l.near("orphans")
	}
}

// parseUpdates reads lists of updates, without ignored ones. ok is false if a line has another format.
func parseUpdates(text string) (all []machine.Update, ok bool) {
	all, err := machine.ParseUpdates([]byte(text))
	return slices.DeleteFunc(all, func(u machine.Update) bool { return u.Ignored }), err == nil
}

// updateList is a list of updates with its age. at is zero if the list is current.
type updateList struct {
	updates []machine.Update
	at      time.Time
}

// available returns the updates from checkupdates, which fetches the servers' lists into a copy, else from the
// system's own lists.
func (l *look) available(subject string) (updateList, bool) {
	out, why := l.try(machine.UpdatesProbe...)
	// Exit code 0 is a list, 2 no updates, 1 a failure (checkupdates(8)).
	if why == "" && !out.Truncated && (out.Exit == 0 && !out.empty() || out.Exit == 2 && out.empty()) {
		if all, ok := parseUpdates(out.Stdout); ok {
			return updateList{updates: all}, true
		}
		l.unknown(subject, ReasonUnreadable, "checkupdates")
		return updateList{}, false
	}
	known, ok := l.fromLists(subject)
	if why == "" {
		why = outputProblem(out)
	}
	if ok {
		l.unknown(subject+":now", why, "checkupdates")
	}
	return known, ok
}

// fromLists returns the updates in the lists that the system fetched last.
func (l *look) fromLists(subject string) (updateList, bool) {
	all, ok := readOutput(l, subject, "pacman", func(out Output) ([]machine.Update, bool) {
		all, ok := parseUpdates(out.Stdout)
		return all, ok && out.isPacmanList()
	}, machine.KnownUpdatesProbe...)
	if !ok {
		return updateList{}, false
	}
	at, ok := l.lastFetch()
	if !ok {
		l.unknown(subject, ReasonAbsent, "/var/lib/pacman/sync")
		return updateList{}, false
	}
	return updateList{all, at}, true
}

// lastFetch returns when the servers' lists were last fetched.
func (l *look) lastFetch() (time.Time, bool) {
	out, why := l.try("find", "/var/lib/pacman/sync", "-maxdepth", "1", "-name", "*.db", "-printf", "%T@\\n")
	if why != "" {
		return time.Time{}, false
	}
	times, _ := machine.ParseFileTimes([]byte(out.Stdout)) // none if it is unreadable
	if len(times) == 0 {
		return time.Time{}, false
	}
	return slices.MaxFunc(times, time.Time.Compare).In(l.p.Zone), true
}

// prominent are the packages that people care about most, in order. A star matches any suffix.
var prominent = []string{
	"linux", "linux-lts", "linux-zen", "linux-hardened", "systemd", "glibc", "nvidia*", "mesa", "openssl", "openssh", "pacman", "grub", "gcc",
	"plasma-desktop", "plasma-workspace", "kwin", "gnome-shell", "hyprland", "sway", "xorg-server", "firefox", "chromium", "thunderbird",
	"libreoffice*", "pipewire", "networkmanager", "bluez", "python", "docker", "qemu*", "postgresql", "mariadb",
}

// securityRelevant are packages whose updates often fix vulnerabilities: those that face the network, store keys,
// or grant privileges. The list is only a heuristic.
var securityRelevant = []string{
	"linux", "linux-lts", "linux-zen", "linux-hardened", "linux-firmware*", "openssl", "openssh", "gnutls", "nss", "glibc", "sudo", "polkit", "systemd", "dbus",
	"gnupg", "libgcrypt", "pam", "shadow", "util-linux", "curl", "wget", "git", "ca-certificates*", "bash", "zlib", "xz", "zstd", "libxml2", "expat", "sqlite", "openvpn",
	"wireguard-tools", "wpa_supplicant", "iwd", "networkmanager", "bluez", "avahi", "cups", "samba", "nginx", "apache", "bind", "dnsmasq", "docker", "containerd", "runc",
	"firefox*", "chromium", "google-chrome", "brave-bin", "vivaldi", "webkit2gtk*", "qt6-webengine", "thunderbird", "ffmpeg", "libwebp", "libvpx", "ghostscript",
	"poppler", "imagemagick", "intel-ucode", "amd-ucode", "xorg-server", "xorg-xwayland", "python", "nodejs", "php", "postgresql", "mariadb", "electron*",
}

// rank returns a package's position in a list, which is behind the last one if it is not in the list.
func rank(list []string, name string) int {
	i := slices.IndexFunc(list, func(pattern string) bool {
		prefix, star := strings.CutSuffix(pattern, "*")
		return name == pattern || star && strings.HasPrefix(name, prefix)
	})
	if i < 0 {
		return len(list)
	}
	return i
}

// pickNames returns the names of updates, those in the list first and in its order.
func pickNames(all []machine.Update, list []string) []string {
	names := updateNames(all)
	sorting.Stably(names, func(a, b string) int { return rank(list, a) - rank(list, b) })
	return displayAll(names, 5)
}

func updateNames(all []machine.Update) []string {
	names := make([]string, 0, len(all))
	for _, u := range all {
		names = append(names, u.Name)
	}
	return names
}

const updateFix = "sudo pacman -Syu"

// PreviewCommand shows a person what an update of all packages would do.
const PreviewCommand = "blunux-aictl upgrade --preview"

// previewed reports the updates by what an upgrade would do, which also says what needs the person. ok is false if that cannot
// be known here.
func (l *look) previewed() (ok bool) {
	out, why := l.try("blunux-ai", "preview", "--json", "--brief")
	if why != "" || out.Exit != 0 || out.Truncated {
		return false
	}
	p, err := upgrade.Read([]byte(out.Stdout))
	if err != nil || p.Problem != nil {
		return false
	}
	l.count("updates", p.Count)
	if p.Count == 0 || float64(p.Count) < l.over() {
		return true
	}
	f := Finding{Key: "updates", Severity: Notice, Code: "updates", Fix: PreviewCommand, Args: Args{Count: int64(p.Count)}}
	switch {
	case len(p.Refusals) > 0:
		f.Args.Detail = "refused"
	case len(p.Broken) > 0:
		f.Args.Detail, f.Args.Names = "broken", displayAll([]string{p.Broken[0].Package, p.Broken[0].Needs, p.Broken[0].Because}, 3)
	case len(p.Settings) > 0:
		f.Args.Detail, f.Args.Names = "setting", displayAll([]string{p.Settings[0].Path}, 1)
	default:
		var all []machine.Update
		for _, c := range p.Packages {
			all = append(all, machine.Update{Name: c.Name})
		}
		f.Args.Names = pickNames(all, prominent)
	}
	if f.Args.Detail != "" {
		f.Code, f.Args.Value = "updates_need", float64(min(len(p.Refusals), 1)+len(p.Broken)+len(p.Settings))
	}
	l.find(f)
	return true
}

func updates(l *look) {
	if l.previewed() {
		return
	}
	known, ok := l.available("updates")
	if !ok {
		return
	}
	n := len(known.updates)
	l.count("updates", n)
	if float64(n) >= l.over() {
		l.find(Finding{
			Key: "updates", Severity: Notice, Code: "updates", Fix: PreviewCommand,
			Args: Args{Count: int64(n), Names: pickNames(known.updates, prominent), At: known.at},
		})
	}
}

func securityUpdates(l *look) {
	out, why := l.try(machine.AdvisoriesProbe...)
	if why == ReasonMissing {
		l.listedSecurityUpdates()
		return
	}
	if why != "" {
		l.unknown("security_updates", why, "arch-audit")
		return
	}
	all, err := machine.ParseAdvisories([]byte(out.Stdout))
	if err != nil || out.Exit != 0 || out.Truncated {
		l.unknown("security_updates", outputProblem(out), "arch-audit")
		return
	}
	severity := func(a machine.Advisory) Severity {
		if a.Grave {
			return Warning
		}
		return Notice
	}
	// Severe ones first, otherwise in arch-audit's order.
	sorting.Stably(all, func(a, b machine.Advisory) int {
		return int(severity(b) - severity(a))
	})
	var names []string
	for _, a := range all {
		if !slices.Contains(names, a.Name) {
			names = append(names, a.Name)
		}
	}
	worst := Notice
	if len(all) > 0 {
		worst = severity(all[0])
	}
	l.security("security_updates", worst, names, time.Time{})
}

// listedSecurityUpdates uses the list of security-relevant packages if arch-audit is missing.
func (l *look) listedSecurityUpdates() {
	known, ok := l.available("security_updates")
	if !ok {
		return
	}
	names := slices.DeleteFunc(updateNames(known.updates), func(name string) bool {
		return rank(securityRelevant, name) == len(securityRelevant)
	})
	l.security("security_listed", Notice, names, known.at)
}

func (l *look) security(code string, severity Severity, names []string, at time.Time) {
	l.count("security_updates", len(names))
	if float64(len(names)) >= l.over() {
		l.find(Finding{
			Key: "security_updates", Severity: severity, Code: code, Fix: updateFix,
			Args: Args{Count: int64(len(names)), Names: displayAll(names, 5), At: at},
		})
	}
}
