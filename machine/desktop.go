package machine

import (
	"strconv"
	"strings"
)

var (
	// NetworkUnitsProbe shows the states of the services that can manage the network.
	NetworkUnitsProbe = Probe{
		"systemctl", "show", "-p", "Id,LoadState,ActiveState,UnitFileState,Result", "--", "NetworkManager.service", "systemd-networkd.service",
		"dhcpcd.service", "iwd.service", "wpa_supplicant.service", "systemd-resolved.service",
	}
	// ProfilesProbe lists the connections of NetworkManager (nmcli(1), "connection show").
	ProfilesProbe = Probe{"nmcli", "-t", "-f", "NAME,TYPE,AUTOCONNECT,DEVICE", "connection", "show"}
	// ConnectivityProbe shows whether the network reaches the internet (nmcli(1), "networking connectivity").
	ConnectivityProbe = Probe{"nmcli", "networking", "connectivity"}
	// UnmanagedProbe shows which devices NetworkManager must not manage (NetworkManager.conf(5), "unmanaged-devices").
	UnmanagedProbe = Probe{
		"grep", "-s", "-n", "-H", "-e", "unmanaged-devices", "/etc/NetworkManager/NetworkManager.conf", "/etc/NetworkManager/conf.d/*.conf",
	}
	// NetworkdLinksProbe lists the interfaces of systemd-networkd (networkctl(1), "list").
	NetworkdLinksProbe = Probe{"networkctl", "list", "--no-legend", "--no-pager"}
	// NetworkLogProbe shows what the network services logged since the machine started.
	NetworkLogProbe = Probe{
		"journalctl", "-b", "-n", "100", "-o", "cat", "--no-pager", "-u", "NetworkManager", "-u", "wpa_supplicant", "-u", "iwd",
		"-u", "systemd-networkd", "-u", "dhcpcd",
	}
	// NeighboursProbe lists the machines of the local network that answer or do not (ip-neighbour(8)).
	NeighboursProbe = Probe{"ip", "neigh"}
	// MTUProbe shows the largest packet of each interface, in bytes.
	MTUProbe = Probe{"grep", "-s", ".", "/sys/class/net/*/mtu"}
	// HostsOrderProbe shows how names of machines are found (nsswitch.conf(5)).
	HostsOrderProbe = Probe{"grep", "-n", "-H", "-e", "^hosts:", "/etc/nsswitch.conf"}
	// HostsProbe shows the addresses that are fixed on this machine (hosts(5)).
	HostsProbe = Probe{"cat", "/etc/hosts"}
	// ProxyProbe shows which proxies the environment sets.
	ProxyProbe = Probe{
		"grep", "-s", "-n", "-H", "-i", "-e", "_proxy=", "/etc/environment", "/etc/profile.d/*.sh", "~/.profile", "~/.bash_profile", "~/.bashrc",
		"~/.zshrc", "~/.xprofile",
	}
	// PortsProbe lists the ports that are in use, without their programs (ss(8)).
	PortsProbe = Probe{"ss", "-tuln"}
)

// KernelLogProbe looks for a word in what the kernel logged since it started (journalctl(1), "--grep").
func KernelLogProbe(word string) Probe {
	return Probe{"journalctl", "-k", "-b", "-n", "100", "-o", "cat", "--no-pager", "-g", word}
}

// TimesProbe shows when files changed, in seconds since 1970 (stat(1), "%Y").
func TimesProbe(paths ...string) Probe {
	return append(Probe{"stat", "-c", "%Y", "--"}, paths...)
}

// NowProbe shows the time in seconds since 1970 (date(1), "%s").
var NowProbe = Probe{"date", "+%s"}

var (
	// SoundUnitsProbe shows the states of the sound services of the person.
	SoundUnitsProbe = Probe{
		"systemctl", "--user", "show", "-p", "Id,LoadState,ActiveState,UnitFileState,Result", "--", "pipewire.service", "pipewire.socket",
		"wireplumber.service", "pipewire-pulse.service", "pipewire-pulse.socket", "pulseaudio.service", "pulseaudio.socket",
	}
	// SoundLogProbe shows what the sound services logged since the machine started.
	SoundLogProbe = Probe{
		"journalctl", "--user", "-b", "-n", "100", "-o", "cat", "--no-pager", "-u", "pipewire", "-u", "wireplumber", "-u", "pipewire-pulse",
	}
	// CardProfilesProbe lists the sound cards with their profiles (pactl(1), "list cards").
	CardProfilesProbe = Probe{"pactl", "list", "cards"}
	// MixerProbe shows the mixer of the first sound card (amixer(1), "scontents").
	MixerProbe = Probe{"amixer", "-c", "0", "scontents"}
	// SoundUsersProbe shows which programs use a sound device (fuser(1)).
	SoundUsersProbe = Probe{"fuser", "-v", "/dev/snd/*"}
	// BlockedDriversProbe shows which drivers modprobe.d(5) keeps away.
	BlockedDriversProbe = Probe{"grep", "-s", "-n", "-H", "-e", "^blacklist", "-e", "^install", "/etc/modprobe.d/*.conf"}
	// BluetoothUnitProbe shows the state of the Bluetooth service.
	BluetoothUnitProbe = Probe{"systemctl", "show", "-p", "Id,LoadState,ActiveState,UnitFileState,Result", "--", "bluetooth.service"}
	// BluetoothAdaptersProbe lists the adapters that the kernel has.
	BluetoothAdaptersProbe = Probe{"ls", "/sys/class/bluetooth"}
	// BluetoothLogProbe shows what the Bluetooth service logged since the machine started.
	BluetoothLogProbe = Probe{"journalctl", "-b", "-n", "100", "-o", "cat", "--no-pager", "-u", "bluetooth"}
	// AutoEnableProbe shows whether adapters are switched on at the start (BlueZ, src/main.conf).
	AutoEnableProbe = Probe{"grep", "-s", "-n", "-H", "-i", "-e", "^AutoEnable", "/etc/bluetooth/main.conf"}
	// SoundPluginsProbe lists the plug-ins of PipeWire.
	SoundPluginsProbe = Probe{"ls", "/usr/lib/spa-0.2"}
)

// BluetoothDeviceProbe describes a device (bluetoothctl(1), "info").
func BluetoothDeviceProbe(address string) Probe { return Probe{"bluetoothctl", "info", address} }

// CardProfile is a card of pactl list cards, with its profile and the best one that is available.
type CardProfile struct{ Name, Active, Best string }

var (
	profileRow   = pattern(`^\t\t(\S.*?): .*\(sinks: (\d+), sources: \d+, priority: (\d+), available: (\w+)\)$`)
	cardNameForm = pattern(`^\tName: ([A-Za-z0-9_.:+-]+)$`)
	profileForm  = pattern(`^\tActive Profile: ([A-Za-z0-9_.:+-]+)$`)
)

// ParseCardProfiles parses [CardProfilesProbe]: pulseaudio, src/utils/pactl.c.
func ParseCardProfiles(text []byte) ([]CardProfile, error) {
	var out []CardProfile
	best := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if m := cardNameForm().FindStringSubmatch(line); m != nil {
			out, best = append(out, CardProfile{Name: m[1]}), 0
		}
		if len(out) == 0 {
			continue
		}
		if m := profileForm().FindStringSubmatch(line); m != nil {
			out[len(out)-1].Active = m[1]
		}
		if m := profileRow().FindStringSubmatch(line); m != nil && m[2] != "0" && m[4] != "no" {
			if n, err := strconv.Atoi(m[3]); err == nil && n > best {
				out[len(out)-1].Best, best = m[1], n
			}
		}
	}
	return rows(out, text, "pactl")
}

// SessionsProbe lists the logins with their seats (loginctl(1), "list-sessions"): session, number of the user, user, seat.
var SessionsProbe = Probe{"loginctl", "list-sessions", "--no-legend", "--no-pager"}

var (
	// InputMethodsProbe shows which input method frameworks run (ps(1), -C).
	InputMethodsProbe = Probe{"ps", "-C", "fcitx5,ibus-daemon,kime,nimf", "-o", "comm="}
	// InputPackagesProbe shows which input methods are installed.
	InputPackagesProbe = Probe{
		"pacman", "-Q", "--color", "never", "--", "fcitx5", "fcitx5-hangul", "fcitx5-chinese-addons", "fcitx5-rime", "fcitx5-mozc",
		"ibus", "ibus-hangul", "ibus-libpinyin", "ibus-rime", "kime", "kime-bin", "kime-git", "nimf",
	}
	// FcitxProfileProbe shows the input methods that fcitx5 offers.
	FcitxProfileProbe = Probe{"cat", "~/.config/fcitx5/profile"}
	// InputVariablesProbe shows which files set the variables of input methods.
	InputVariablesProbe = Probe{
		"grep", "-s", "-n", "-H", "-e", "IM_MODULE=", "-e", "XMODIFIERS=", "/etc/environment", "/etc/profile.d/*.sh", "~/.profile", "~/.bash_profile",
		"~/.bashrc", "~/.zprofile", "~/.xprofile", "~/.xinitrc",
	}
	// KWinKeyboardProbe shows which input method KWin starts.
	KWinKeyboardProbe = Probe{"grep", "-s", "-n", "-H", "-e", "^InputMethod", "~/.config/kwinrc"}
	// SessionTypeProbe shows whether the session is X11 or Wayland (pam_systemd(8)).
	SessionTypeProbe = Probe{"printenv", "XDG_SESSION_TYPE"}
	// DesktopProbe names the desktop of the session.
	DesktopProbe = Probe{"printenv", "XDG_CURRENT_DESKTOP"}
	// GTKModuleProbe, QtModuleProbe and XModifiersProbe show the variables of input methods in the session.
	GTKModuleProbe  = Probe{"printenv", "GTK_IM_MODULE"}
	QtModuleProbe   = Probe{"printenv", "QT_IM_MODULE"}
	XModifiersProbe = Probe{"printenv", "XMODIFIERS"}
	// InputSourcesProbe shows the input sources of GNOME.
	InputSourcesProbe = Probe{"gsettings", "get", "org.gnome.desktop.input-sources", "sources"}

	// PrintUnitsProbe shows the states of the services that printing needs.
	PrintUnitsProbe = Probe{
		"systemctl", "show", "-p", "Id,LoadState,ActiveState,UnitFileState,Result", "--", "cups.service", "cups.socket", "avahi-daemon.service",
	}
	// PrintJobsProbe lists the waiting jobs with their states (lpstat(1)).
	PrintJobsProbe = Probe{"lpstat", "-l", "-W", "not-completed", "-o"}
	// AllPrintJobsProbe lists the jobs, also those that are done, as long as CUPS keeps them.
	AllPrintJobsProbe = Probe{"lpstat", "-W", "all", "-o"}
	// PrintLogProbe shows what the printing service logged since the machine started.
	PrintLogProbe = Probe{"journalctl", "-b", "-n", "100", "-o", "cat", "--no-pager", "-u", "cups"}

	// TimeUnitsProbe shows the states of the services that set the clock.
	TimeUnitsProbe = Probe{
		"systemctl", "show", "-p", "Id,LoadState,ActiveState,UnitFileState,Result", "--", "systemd-timesyncd.service", "chronyd.service",
		"ntpd.service",
	}
	// TimeLogProbe shows what the time services logged since the machine started.
	TimeLogProbe = Probe{
		"journalctl", "-b", "-n", "50", "-o", "cat", "--no-pager", "-u", "systemd-timesyncd", "-u", "chronyd", "-u", "ntpd",
	}
	// LanguageProbe shows the language of the session.
	LanguageProbe = Probe{"printenv", "LANG"}
	// LocalesProbe lists the languages that the C library has (locale(1)).
	LocalesProbe = Probe{"locale", "-a"}
	// LanguageFilesProbe shows which files override the language.
	LanguageFilesProbe = Probe{
		"grep", "-s", "-n", "-H", "-e", "LC_ALL=", "-e", "LANGUAGE=", "/etc/environment", "/etc/locale.conf", "/etc/profile.d/*.sh", "~/.profile",
		"~/.bash_profile", "~/.bashrc", "~/.zshrc", "~/.zprofile", "~/.xprofile", "~/.config/locale.conf",
	}
	// PlasmaLanguageProbe shows the language that KDE Plasma sets.
	PlasmaLanguageProbe = Probe{"grep", "-s", "-n", "-H", "-e", "^LANG", "-e", "^LC_", "~/.config/plasma-localerc"}
)

// LocaleGenProbe shows the lines of locale.gen(5) for a language.
func LocaleGenProbe(lang string) Probe {
	return Probe{"grep", "-n", "-H", "-e", lang, "/etc/locale.gen"}
}

// FontsProbe lists the fonts that have the letters of a language (fc-list(1)).
func FontsProbe(lang string) Probe { return Probe{"fc-list", ":lang=" + lang, "family"} }

var (
	// KernelOptionsProbe shows the options of the running kernel.
	KernelOptionsProbe = Probe{"cat", "/proc/cmdline"}
	// BacklightsProbe shows the brightness of the screens, and its bounds.
	BacklightsProbe = Probe{"grep", "-s", ".", "/sys/class/backlight/*/brightness", "/sys/class/backlight/*/max_brightness"}
	// OutputsProbe shows which outputs have a display, and which ones are on (Linux, drivers/gpu/drm/drm_sysfs.c).
	OutputsProbe = Probe{"grep", "-s", ".", "/sys/class/drm/card*-*/status", "/sys/class/drm/card*-*/enabled"}
	// XorgDevicesProbe shows which drivers and devices xorg.conf(5) names.
	XorgDevicesProbe = Probe{"grep", "-s", "-n", "-H", "-i", "-e", "Driver", "-e", "BusID", "/etc/X11/xorg.conf", "/etc/X11/xorg.conf.d/*.conf"}
	// XorgDriversProbe lists the drivers of Xorg.
	XorgDriversProbe = Probe{"ls", "/usr/lib/xorg/modules/drivers"}
	// SessionFilesProbe shows what the sessions of the login screen start.
	SessionFilesProbe = Probe{"grep", "-s", "-H", "-e", "^Exec=", "/usr/share/wayland-sessions/*.desktop", "/usr/share/xsessions/*.desktop"}
	// LoginFilesProbe shows which files of the person end or replace the login.
	LoginFilesProbe = Probe{"grep", "-s", "-n", "-H", "-e", "^exit", "-e", "^exec", "~/.xprofile", "~/.profile", "~/.bash_profile", "~/.zprofile"}
	// AuthorityFilesProbe shows the ownership of the files that a login writes. [ParseOwners] reads it.
	AuthorityFilesProbe = Probe{"stat", "-c", "%U %G %u %g %a %F:%n", "--", "~/.Xauthority", "~/.ICEauthority", "~"}
	// DisplayManagerLogProbe shows what the login screen logged since the machine started.
	DisplayManagerLogProbe = Probe{"journalctl", "-b", "-n", "60", "-o", "cat", "--no-pager", "-u", "display-manager"}
	// PortalsProbe lists the backends of the desktop portal.
	PortalsProbe = Probe{"ls", "/usr/share/xdg-desktop-portal/portals"}
	// PortalUnitProbe shows the state of the desktop portal.
	PortalUnitProbe = Probe{"systemctl", "--user", "show", "-p", "Id,LoadState,ActiveState,UnitFileState,Result", "--", "xdg-desktop-portal.service"}

	// CamerasProbe lists the cameras that the kernel has.
	CamerasProbe = Probe{"ls", "/sys/class/video4linux"}
	// CameraRightsProbe shows the permissions of the first camera; "+" is an access list (ls(1)).
	CameraRightsProbe = Probe{"ls", "-l", "/dev/video0"}
	// CameraUsersProbe shows which programs use the first camera (fuser(1)).
	CameraUsersProbe = Probe{"fuser", "-v", "/dev/video0"}

	// ScanPackagesProbe shows which packages for scanners are installed.
	ScanPackagesProbe = Probe{"pacman", "-Q", "--color", "never", "--", "sane", "sane-airscan"}
	// ScanBackendsProbe shows which drivers SANE uses (sane-dll(5)).
	ScanBackendsProbe = Probe{"cat", "/etc/sane.d/dll.conf"}
	// ScanExtrasProbe lists the files with further drivers.
	ScanExtrasProbe = Probe{"ls", "/etc/sane.d/dll.d"}

	// FlatpakRemotesProbe lists where Flatpak installs from.
	FlatpakRemotesProbe = Probe{"flatpak", "remotes", "--columns=name,url"}
	// FlatpakAppsProbe lists the applications with their runtimes.
	FlatpakAppsProbe = Probe{"flatpak", "list", "--app", "--columns=application,runtime"}
	// FlatpakRuntimesProbe lists the runtimes.
	FlatpakRuntimesProbe = Probe{"flatpak", "list", "--runtime", "--columns=ref"}
	// NamespacesProbe shows whether programs may make their own namespaces (Linux, Documentation/admin-guide/sysctl/user.rst).
	NamespacesProbe = Probe{"grep", "-s", ".", "/proc/sys/kernel/unprivileged_userns_clone", "/proc/sys/user/max_user_namespaces"}
)

// FlatpakOverridesProbe shows what a person denies an application (flatpak-override(1)).
func FlatpakOverridesProbe(id string) Probe {
	return Probe{"grep", "-s", "-n", "-H", "-e", "!", "~/.local/share/flatpak/overrides/" + id, "~/.local/share/flatpak/overrides/global"}
}

// FileUser is a program that uses a file.
type FileUser struct{ File, User, PID, Program string }

var fileUserRow = pattern(`^(?:(/\S+):)?\s+(\S+)\s+(?:\d+\s+)?([.a-zA-Z]{5})\s+(\S+)$`)

// FileUsers reads fuser -v (fuser(1)), which prints the processes' numbers on the standard output, and all else, in the same order,
// on the standard error. It returns nothing if the two do not fit.
func FileUsers(stdout, stderr string) (out []FileUser) {
	file := ""
	for line := range strings.Lines(stderr) {
		m := fileUserRow().FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		if m[1] != "" {
			file = m[1]
		}
		out = append(out, FileUser{File: file, User: m[2], Program: m[4]})
	}
	numbers := strings.Fields(stdout)
	if len(numbers) != len(out) {
		return nil
	}
	for i, n := range numbers {
		out[i].PID = n
	}
	return out
}
