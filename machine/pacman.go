package machine

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

var (
	// UpdatesProbe asks the servers for newer packages.
	UpdatesProbe = Probe{"checkupdates"}
	// KnownUpdatesProbe lists newer packages in the lists fetched last.
	KnownUpdatesProbe = Probe{"pacman", "-Qu", "--color", "never"}
	// DownloadsProbe lists what an update would fetch.
	DownloadsProbe = Probe{"pacman", "-Sup", "--print-format", "%n %v %s"}
)

// FoundPackage is one package of pacman -Ss.
type FoundPackage struct {
	Repo, Name, Version, Description string
	Installed                        bool
}

// ParseSearch parses pacman -Ss (pacman(8)): "repo/name version (group) [installed]" and an indented description.
func ParseSearch(text []byte) ([]FoundPackage, error) {
	var out []FoundPackage
	for _, line := range Lines(text) {
		if strings.HasPrefix(line, " ") {
			if len(out) > 0 && out[len(out)-1].Description == "" {
				out[len(out)-1].Description = strings.TrimSpace(line)
			}
			continue
		}
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		if repo, name, ok := strings.Cut(f[0], "/"); ok && name != "" && strings.ContainsAny(f[1], "0123456789") {
			out = append(out, FoundPackage{Repo: repo, Name: name, Version: f[1], Installed: strings.Contains(line, "[")})
		}
	}
	return rows(out, text, "pacman -Ss")
}

// ParsePackageInfo parses the "Key : value" lines of pacman -Qi and -Si (pacman(8)). Continuation lines are joined
// to their value. The first package wins.
func ParsePackageInfo(text []byte) (map[string]string, error) {
	out := map[string]string{}
	last := ""
	for _, line := range Lines(text) {
		if key, value, ok := strings.Cut(line, ":"); ok && !strings.HasPrefix(line, " ") {
			last = strings.TrimSpace(key)
			if _, seen := out[last]; !seen {
				out[last] = strings.TrimSpace(value)
			}
			continue
		}
		if last != "" && strings.HasPrefix(line, " ") && len(out[last]) < 400 {
			out[last] += " " + strings.TrimSpace(line)
		}
	}
	return readable(out, out["Version"] != "", "pacman -Qi")
}

// OrphansProbe describes the packages that were installed as dependencies and that no package requires any more, with
// those that a package names as optional: pacman(8), -Qdtt.
var OrphansProbe = Probe{"pacman", "-Qdtti"}

// Orphan is a package that no other package requires.
type Orphan struct {
	Name, Version, Size string
	OptionalFor         []string // installed packages that can use it
}

// ParseOrphans parses [OrphansProbe]: a block of "Key : value" lines for each package. With an error, it returns the
// blocks that it could read.
func ParseOrphans(text []byte) ([]Orphan, error) {
	var out []Orphan
	ok := true
	for block := range strings.SplitSeq(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n\n") {
		if strings.TrimSpace(block) == "" {
			continue
		}
		info, err := ParsePackageInfo([]byte(block))
		o := Orphan{Name: info["Name"], Version: info["Version"], Size: info["Installed Size"]}
		if used := info["Optional For"]; used != "None" {
			o.OptionalFor = strings.Fields(used)
		}
		if err != nil || o.Name == "" || info["Required By"] != "None" {
			ok = false
			continue
		}
		out = append(out, o)
	}
	return readable(out, ok, "pacman -Qdtti")
}

// CachesProbe shows where pacman keeps package files.
var CachesProbe = Probe{"pacman-conf", "CacheDir"}

// RemovalProbe shows what the removal of packages, with the dependencies that nothing else needs, would remove. It removes
// nothing: pacman(8), --print.
func RemovalProbe(names ...string) Probe {
	return append(Probe{"pacman", "-Rs", "-p", "--print-format", "%n %v", "--"}, names...)
}

// InstallFilesProbe shows what installing package files would install. It installs nothing: pacman(8), --print.
func InstallFilesProbe(files ...string) Probe {
	return append(Probe{"pacman", "-U", "-p", "--print-format", "%n %v", "--"}, files...)
}

// Package is an installed package.
type Package struct{ Name, Version string }

// ParsePackages parses pacman -Q (pacman(8)): "name version". With an error, it returns the rows that it could read.
func ParsePackages(text []byte) ([]Package, error) {
	return allRows(text, "pacman -Q", func(line string) (Package, bool) {
		name, version, _ := strings.Cut(line, " ")
		return Package{name, version}, version != "" && !strings.Contains(version, " ")
	})
}

// FileChecksProbe compares the files of installed packages with what the packages say about them: pacman(8), --check.
func FileChecksProbe(names ...string) Probe {
	return append(Probe{"pacman", "-Qkk", "--color", "never", "--"}, names...)
}

// ParseFileChecks returns the files that are missing or have other contents, with their packages, from what [FileChecksProbe]
// prints on standard error: src/pacman/check.c. A changed owner, mode or time is no damage, and a person may change a backup file,
// which is on standard output.
func ParseFileChecks(text []byte) (damaged []string) {
	for _, line := range Lines(text) {
		row, warned := strings.CutPrefix(line, "warning: ")
		_, reason, found := strings.Cut(row, " (")
		switch reason = strings.TrimSuffix(reason, ")"); reason {
		case "No such file or directory", "Size mismatch", "File type mismatch", "Symlink path mismatch", "MD5 checksum mismatch",
			"SHA256 checksum mismatch":
			if warned && found {
				damaged = append(damaged, CleanLine(row))
			}
		}
	}
	return damaged
}

// Update is a package with a newer version.
type Update struct {
	Name, From, To string
	Ignored        bool // excluded by pacman.conf
}

// updateForm matches a row of checkupdates and pacman -Qu. Names and versions are those of PKGBUILD(5).
var updateForm = pattern(`^([a-zA-Z0-9@_+][a-zA-Z0-9@._+-]*) (\S+) -> (\S+)( \[ignored\])?$`)

// InstalledProbe shows the version of each installed package of these names, or of one that provides it.
func InstalledProbe(names ...string) Probe {
	return append(Probe{"pacman", "-Q", "--color", "never", "--"}, names...)
}

// missingForm matches what pacman -Q prints about a package that is not installed (src/pacman/query.c).
var missingForm = pattern(`^error: package '([^']+)' was not found$`)

// ParseMissingPackages parses the errors of pacman -Q with names: the names that are not installed. It skips warnings.
// Any other line is an error.
func ParseMissingPackages(stderr []byte) ([]string, error) {
	out, err := allRows(stderr, "pacman -Q", func(line string) (string, bool) {
		m := missingForm().FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			return "", strings.HasPrefix(line, "warning: ")
		}
		return m[1], true
	})
	return slices.DeleteFunc(out, func(name string) bool { return name == "" }), err
}

// GroupsProbe lists the members of those of the names that are groups of the repositories.
func GroupsProbe(names ...string) Probe {
	return append(Probe{"pacman", "-Sg", "--color", "never", "--"}, names...)
}

var groupForm = pattern(`^([a-zA-Z0-9@_+][a-zA-Z0-9@._+-]*) ([a-zA-Z0-9@_+][a-zA-Z0-9@._+-]*)$`)

// ParseGroups parses pacman -Sg with names (pacman(8)): "group package". No row means that none is a group.
func ParseGroups(text []byte) (map[string][]string, error) {
	rows, err := allRows(text, "pacman -Sg", func(line string) ([]string, bool) {
		m := groupForm().FindStringSubmatch(strings.TrimSpace(line))
		return m, m != nil
	})
	out := map[string][]string{}
	for _, m := range rows {
		out[m[1]] = append(out[m[1]], m[2])
	}
	return out, err
}

// ParseUpdates parses checkupdates(8) and pacman -Qu (pacman(8)): "name old -> new" with an optional "[ignored]". With
// an error, it returns the rows that it could read.
func ParseUpdates(text []byte) ([]Update, error) {
	out, err := allRows(text, "pacman -Qu", func(line string) (Update, bool) {
		m := updateForm().FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			return Update{}, strings.HasPrefix(strings.TrimSpace(line), ":: ")
		}
		return Update{m[1], m[2], m[3], m[4] != ""}, true
	})
	return slices.DeleteFunc(out, func(u Update) bool { return u.Name == "" }), err
}

// ParseDownloads parses pacman -Sup --print-format '%n %v %s' (pacman(8)): the bytes to fetch for each "name version".
func ParseDownloads(text []byte) (map[string]float64, error) {
	out := map[string]float64{}
	for _, line := range Lines(text) {
		f := strings.Fields(line)
		if len(f) != 3 {
			continue // pacman's own messages
		}
		if n, err := strconv.ParseFloat(f[2], 64); err == nil && n >= 0 && n < 1<<40 {
			out[f[0]+" "+f[1]] = n
		}
	}
	return readable(out, len(out) > 0 || len(Lines(text)) == 0, "pacman -Sup")
}

// PackageLogProbe shows the last changes of packages.
var PackageLogProbe = Probe{
	"grep", "-E", `\[ALPM\] (installed|upgraded|removed|downgraded|reinstalled) `, "/var/log/pacman.log", "|", "tail", "-n", "400",
}

// PackageChange is one line of pacman's log.
type PackageChange struct {
	At         time.Time
	Verb, Name string
	From, To   string
}

// pacmanLine matches "[2026-11-20T09:12:33+0900] [ALPM] upgraded linux (6.1 -> 6.2)".
var pacmanLine = pattern(`^\[([^\]]+)\] \[ALPM\] (installed|upgraded|removed|downgraded|reinstalled) (\S+) \((?:(\S+) -> )?([^)]*)\)$`)

// ParsePackageLog parses /var/log/pacman.log (libalpm, lib/libalpm/log.c). It skips other lines.
func ParsePackageLog(text []byte) ([]PackageChange, error) {
	var out []PackageChange
	for _, line := range Lines(text) {
		m := pacmanLine().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if at, ok := logTime(line); ok {
			out = append(out, PackageChange{At: at, Verb: m[2], Name: m[3], From: m[4], To: m[5]})
		}
	}
	return rows(out, text, "pacman.log")
}

// AdvisoriesProbe lists vulnerable packages that have an update.
var AdvisoriesProbe = Probe{"arch-audit", "-u"}

// Advisory is a line of arch-audit.
type Advisory struct {
	Name  string
	Grave bool // of high or critical risk
}

var (
	advisoryFull  = pattern(`^(?:Package )?([a-zA-Z0-9@_+][a-zA-Z0-9@._+-]*) is affected by .+?\. (?:(Unknown|Low|Medium|High|Critical)(?: risk)?!)?.*$`)
	advisoryQuiet = pattern(`^([a-zA-Z0-9@_+][a-zA-Z0-9@._+-]*)>=\S+$`) // with -q
)

// ParseAdvisories parses arch-audit -u (its README, "Example output", and src/main.rs, print_avg_colored): "Package
// curl is affected by CVE-… High risk! Update to 7.52.1-1!". Newer versions describe the vulnerability instead of its
// number and omit "Package".
func ParseAdvisories(text []byte) ([]Advisory, error) {
	var out []Advisory
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if m := advisoryFull().FindStringSubmatch(line); m != nil {
			out = append(out, Advisory{m[1], m[2] == "High" || m[2] == "Critical"})
		} else if m := advisoryQuiet().FindStringSubmatch(line); m != nil {
			out = append(out, Advisory{Name: m[1]})
		} else {
			return nil, &UnreadableError{"arch-audit", line}
		}
	}
	return out, nil
}

// packages maps programs to their Arch packages (pacman -F).
var packages = map[string]string{
	"iw": "iw", "sed": "sed", "node": "nodejs", "resolvectl": "systemd",
	"amixer": "alsa-utils", "arch-audit": "arch-audit", "archlinux-java": "java-runtime-common", "bash": "bash", "blunux-ai": "blunux-ai",
	"bluetoothctl": "bluez-utils", "brightnessctl": "brightnessctl", "btrfs": "btrfs-progs", "cat": "coreutils",
	"checkupdates": "pacman-contrib", "date": "coreutils", "ddcutil": "ddcutil", "df": "coreutils",
	"dkms": "dkms", "du": "coreutils", "dunstctl": "dunst", "fc-list": "fontconfig", "find": "findutils",
	"findmnt": "util-linux", "flatpak": "flatpak", "free": "procps-ng", "fuser": "psmisc",
	"gammastep": "gammastep", "getent": "glibc", "gnome-screenshot": "gnome-screenshot", "grep": "grep",
	"grim": "grim", "gsettings": "glib2", "head": "coreutils", "hyprctl": "hyprland", "hyprlock": "hyprlock",
	"ip": "iproute2", "journalctl": "systemd", "kreadconfig6": "kconfig", "kscreen-doctor": "libkscreen",
	"ldconfig": "glibc", "locale": "glibc", "loginctl": "systemd", "lpstat": "cups", "ls": "coreutils",
	"lsblk": "util-linux", "lscpu": "util-linux", "lspci": "pciutils", "lsusb": "usbutils", "makoctl": "mako",
	"networkctl": "systemd", "nmcli": "networkmanager", "openssl": "openssl", "paccache": "pacman-contrib",
	"pacman": "pacman", "pacman-conf": "pacman", "pactl": "libpulse", "pgrep": "procps-ng", "ping": "iputils",
	"playerctl": "playerctl", "powerprofilesctl": "power-profiles-daemon", "printenv": "coreutils",
	"ps": "procps-ng", "quota": "quota-tools", "readelf": "binutils", "readlink": "coreutils",
	"sensors": "lm_sensors", "setxkbmap": "xorg-setxkbmap", "smartctl": "smartmontools", "snapper": "snapper",
	"sort": "coreutils", "spectacle": "spectacle", "ss": "iproute2", "stat": "coreutils", "sudo": "sudo",
	"swaylock": "swaylock", "swaymsg": "sway", "swaync-client": "swaync", "systemctl": "systemd",
	"systemd-analyze": "systemd", "systemd-inhibit": "systemd", "tail": "coreutils", "uname": "coreutils",
	"upower": "upower", "uptime": "procps-ng", "wl-copy": "wl-clipboard", "wpctl": "wireplumber",
	"xclip": "xclip", "xdg-mime": "xdg-utils", "xdg-settings": "xdg-utils",
	"xfce4-screenshooter": "xfce4-screenshooter", "xfconf-query": "xfconf", "xrandr": "xorg-xrandr",
	"yay": "yay (AUR)",
}

// PackageOf returns the Arch package of a program, or "" if it is not in the table. It never guesses a package's name.
func PackageOf(program string) string { return packages[program] }
