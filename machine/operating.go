package machine

import (
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

var (
	// DesktopProgramsProbe shows which desktops run (ps(1), -C).
	DesktopProgramsProbe = Probe{"ps", "-C", "plasmashell,gnome-shell,Hyprland,sway,xfce4-session", "-o", "comm="}
	// BrightnessProbe shows the brightness of the built-in screen (brightnessctl(1), "-m").
	BrightnessProbe = Probe{"brightnessctl", "-m"}
	// MonitorBrightnessProbe shows the brightness of an external monitor (ddcutil(1), "getvcp"; VESA MCCS, feature 10).
	MonitorBrightnessProbe = Probe{"ddcutil", "getvcp", "10", "--terse"}
	// NightLightProbe shows whether GNOME's night light is on.
	NightLightProbe = Probe{"gsettings", "get", "org.gnome.settings-daemon.plugins.color", "night-light-enabled"}
	// NightColorProbe shows whether KWin's night light is on (KWin, src/plugins/nightlight/nightlightsettings.kcfg).
	NightColorProbe = Probe{"kreadconfig6", "--file", "kwinrc", "--group", "NightColor", "--key", "Active", "--default", "false"}
	// ColorSchemeProbe shows the colours of Plasma (kdeglobals; plasma-workspace, kcms/colors).
	ColorSchemeProbe = Probe{"kreadconfig6", "--file", "kdeglobals", "--group", "General", "--key", "ColorScheme"}
	// DarkProbe shows whether programs are to be dark (gsettings-desktop-schemas, org.gnome.desktop.interface).
	DarkProbe = Probe{"gsettings", "get", "org.gnome.desktop.interface", "color-scheme"}
	// ThemeXfceProbe shows the theme of Xfce (xfce4-settings, xsettings).
	ThemeXfceProbe = Probe{"xfconf-query", "-c", "xsettings", "-p", "/Net/ThemeName"}
	// IdleDelayProbe shows after how many seconds GNOME's screen goes off, 0 for never (org.gnome.desktop.session).
	IdleDelayProbe = Probe{"gsettings", "get", "org.gnome.desktop.session", "idle-delay"}
	// AutostartProbe shows what starts at a login (Desktop Application Autostart Specification).
	AutostartProbe = Probe{
		"grep", "-s", "-H", "-e", "^Name", "-e", "^Hidden=", "-e", "^NoDisplay=", "-e", "^OnlyShowIn=", "-e", "^X-GNOME-Autostart-enabled=",
		"~/.config/autostart/*.desktop", "/etc/xdg/autostart/*.desktop",
	}
	// NightUnitProbe shows whether the unit of gammastep runs that this program starts.
	NightUnitProbe = Probe{"systemctl", "--user", "is-active", "night-light.service"}
	// BannersProbe shows whether GNOME shows notifications (gsettings-desktop-schemas, org.gnome.desktop.notifications).
	BannersProbe = Probe{"gsettings", "get", "org.gnome.desktop.notifications", "show-banners"}
	// QuietUntilProbe shows until when Plasma is quiet (plasma-workspace, libnotificationmanager/kcfg/donotdisturbsettings.kcfg).
	QuietUntilProbe = Probe{"kreadconfig6", "--file", "plasmanotifyrc", "--group", "DoNotDisturb", "--key", "Until"}
	// QuietXfceProbe shows whether Xfce is quiet (xfce4-notifyd, README: do-not-disturb).
	QuietXfceProbe = Probe{"xfconf-query", "-c", "xfce4-notifyd", "-p", "/do-not-disturb"}
	// QuietSwayncProbe, QuietDunstProbe and QuietMakoProbe show whether these notification programs are quiet.
	QuietSwayncProbe = Probe{"swaync-client", "-D"}
	QuietDunstProbe  = Probe{"dunstctl", "is-paused"}
	QuietMakoProbe   = Probe{"makoctl", "mode"}
	// NotifiersProbe shows which notification programs run.
	NotifiersProbe = Probe{"ps", "-C", "swaync,dunst,mako", "-o", "comm="}
	// NetworksProbe lists the networks in range (nmcli(1), "device wifi list").
	NetworksProbe = Probe{"nmcli", "-t", "-f", "IN-USE,SSID,SIGNAL,SECURITY", "device", "wifi", "list"}
	// ScheduledShutdownProbe shows a shutdown that is planned (systemd, src/login/logind-dbus.c: update_schedule_file).
	ScheduledShutdownProbe = Probe{"cat", "/run/systemd/shutdown/scheduled"}
	// RecordersProbe lists what is recorded from microphones, and by which programs (pactl(1), "list").
	RecordersProbe = Probe{"pactl", "list", "source-outputs"}
	// MediaStatusProbe shows whether a player plays (playerctl(1), "status").
	MediaStatusProbe = Probe{"playerctl", "status"}
	// MediaTitleProbe shows what plays.
	MediaTitleProbe = Probe{"playerctl", "metadata", "--format", "{{artist}} - {{title}}"}
	// TrashProbe lists what is in the trash (Trash specification, "Contents of a trash directory").
	TrashProbe = Probe{"find", "~/.local/share/Trash/files", "-mindepth", "1", "-maxdepth", "1", "-printf", `%T@\t%s\t%p\n`}
	// UserDirsProbe shows where the directories of the person are (xdg-user-dir(1)).
	UserDirsProbe = Probe{"cat", "~/.config/user-dirs.dirs"}
	// StampProbe shows the time as a part of a file name (date(1)).
	StampProbe = Probe{"date", "+%Y%m%d-%H%M%S"}
	// KScreenProbe shows the screens of Plasma (libkscreen, src/doctor).
	KScreenProbe = Probe{"kscreen-doctor", "-j"}
	// SwayScreensProbe shows the screens of Sway (sway-ipc(7), GET_OUTPUTS).
	SwayScreensProbe = Probe{"swaymsg", "-r", "-t", "get_outputs"}
	// SwayModesProbe shows them in words.
	SwayModesProbe = Probe{"swaymsg", "-p", "-t", "get_outputs"}
	// HyprlandScreensProbe shows the screens of Hyprland (hyprctl(1), "monitors").
	HyprlandScreensProbe = Probe{"hyprctl", "-j", "monitors"}
	// XScreensProbe shows the screens of X (xrandr(1)).
	XScreensProbe = Probe{"xrandr", "--query"}
	// XKeyboardProbe shows the keyboard layout of X (setxkbmap(1), "-query").
	XKeyboardProbe = Probe{"setxkbmap", "-query"}
	// SwayInputsProbe shows the keyboards of Sway (sway-ipc(7), GET_INPUTS).
	SwayInputsProbe = Probe{"swaymsg", "-r", "-t", "get_inputs"}
	// HyprlandLayoutProbe shows the keyboard layout of Hyprland.
	HyprlandLayoutProbe = Probe{"hyprctl", "getoption", "input:kb_layout"}
	// PlasmaLayoutProbe shows the keyboard layouts of Plasma (plasma-desktop, kcms/keyboard/keyboardsettings.kcfg).
	PlasmaLayoutProbe = Probe{"kreadconfig6", "--file", "kxkbrc", "--group", "Layout", "--key", "LayoutList"}
	// DefaultPrinterProbe shows the default printer (lpstat(1), "-d").
	DefaultPrinterProbe = Probe{"lpstat", "-d"}
)

var (
	trueFalse    = pattern(`^(?:true|false)$`)
	powerProfile = pattern(`^(?:performance|balanced|power-saver)$`)
)

// ParseTrueFalse parses a switch as gsettings and kreadconfig6 print it.
func ParseTrueFalse(text []byte) (bool, error) {
	value, err := oneValue(text, "gsettings", trueFalse)
	return value == "true", err
}

// ParsePowerProfile parses [PowerProfileProbe].
func ParsePowerProfile(text []byte) (string, error) {
	return oneValue(text, "powerprofilesctl", powerProfile)
}

// recorder matches the name of a program that records (pulseaudio, src/utils/pactl.c: get_source_output_info_callback).
var recorder = pattern(`(?m)^\s+application\.name = "(.+)"$`)

// Recorders returns the programs of [RecordersProbe].
func Recorders(text string) (names []string) {
	for _, m := range recorder().FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	return names
}

// applicationDirs are where menu entries are: Desktop Menu Specification, and flatpak(1).
var applicationDirs = []string{"/usr/share/applications/*.desktop", "~/.local/share/applications/*.desktop", "/var/lib/flatpak/exports/share/applications/*.desktop"}

// EntriesProbe lists the menu entries with a word in their name or command, or in the name of their file.
func EntriesProbe(word string) Probe {
	word = strings.ReplaceAll(word, " ", ".")
	return append(Probe{
		"grep", "-l", "-s", "-i", "-e", "'^Name.*=.*" + word + "'", "-e", "'^Exec=.*" + word + "'", "-e", "'^GenericName.*=.*" + word + "'",
	}, applicationDirs...)
}

// EntryProbe shows the names and commands of menu entries.
func EntryProbe(files ...string) Probe {
	return append(Probe{"grep", "-s", "-H", "-e", "^Name", "-e", "^GenericName", "-e", "^Exec=", "-e", "^NoDisplay=", "-e", "^Terminal="}, files...)
}

// Entry is a menu entry (Desktop Entry Specification).
type Entry struct {
	File   string
	Names  []string // in all languages
	Exec   string   // the first command, without the fields for files
	Hidden bool     // it is not shown in menus
	// Terminal reports that it runs in a terminal.
	Terminal bool
}

// ID returns the file name of the entry.
func (e Entry) ID() string { return path.Base(e.File) }

var execField = pattern(` ?(?:"%[a-zA-Z]"|%[a-zA-Z])`)

// ParseEntries parses [EntryProbe]: grep -H on menu entries.
func ParseEntries(text []byte) ([]Entry, error) {
	var out []Entry
	for _, line := range Lines(text) {
		file, setting, ok := strings.Cut(line, ":")
		key, value, assigned := strings.Cut(setting, "=")
		if !ok || !assigned || !strings.HasSuffix(file, ".desktop") {
			continue
		}
		if len(out) == 0 || out[len(out)-1].File != file {
			out = append(out, Entry{File: file})
		}
		e := &out[len(out)-1]
		key, _, _ = strings.Cut(key, "[")
		switch {
		case key == "Name" || key == "GenericName":
			e.Names = append(e.Names, value)
		case key == "Exec" && e.Exec == "": // the later ones are those of actions
			e.Exec = strings.TrimSpace(execField().ReplaceAllString(value, ""))
		case key == "NoDisplay":
			e.Hidden = value == "true"
		case key == "Terminal":
			e.Terminal = value == "true"
		}
	}
	return rows(out, text, "desktop entries")
}

// Network is a wireless network in range.
type Network struct {
	Name    string
	Signal  int // percent
	InUse   bool
	Secured bool
}

// ParseNetworks parses [NetworksProbe]: a network may have several transmitters, of which the strongest counts. Hidden ones are left
// out.
func ParseNetworks(text []byte) ([]Network, error) {
	var out []Network
	for line := range strings.Lines(string(text)) {
		f := SplitTerse(strings.TrimSuffix(line, "\n"))
		if len(f) != 4 {
			return nil, &UnreadableError{"nmcli", line}
		}
		signal, err := strconv.Atoi(f[2])
		if err != nil {
			return nil, &UnreadableError{"nmcli", line}
		}
		n := Network{Name: f[1], Signal: signal, InUse: f[0] == "*", Secured: f[3] != "" && f[3] != "--"}
		i := slices.IndexFunc(out, func(o Network) bool { return o.Name == n.Name })
		switch {
		case n.Name == "":
		case i < 0:
			out = append(out, n)
		default:
			out[i].InUse = out[i].InUse || n.InUse
			out[i].Signal = max(out[i].Signal, n.Signal)
		}
	}
	return rows(out, text, "nmcli")
}

// Profile is a connection that NetworkManager keeps.
type Profile struct {
	Name, Type, Device string
	Auto               bool
}

// ParseProfiles parses [ProfilesProbe].
func ParseProfiles(text []byte) ([]Profile, error) {
	var out []Profile
	for line := range strings.Lines(string(text)) {
		f := SplitTerse(strings.TrimSuffix(line, "\n"))
		if len(f) != 4 || f[0] == "" {
			return nil, &UnreadableError{"nmcli", line}
		}
		out = append(out, Profile{Name: f[0], Type: f[1], Device: f[3], Auto: f[2] == "yes"})
	}
	return rows(out, text, "nmcli")
}

var monitorBrightness = pattern(`^VCP 10 C (\d+) (\d+)\s*$`)

// ParseMonitorBrightness parses ddcutil getvcp 10 --terse (ddcutil(1)): "VCP 10 C 50 100", of which it returns percents.
func ParseMonitorBrightness(text []byte) (percent int, err error) {
	m := monitorBrightness().FindStringSubmatch(strings.TrimSpace(string(text)))
	if m == nil {
		return 0, &UnreadableError{Source: "ddcutil"}
	}
	now, _ := strconv.Atoi(m[1])
	most, _ := strconv.Atoi(m[2])
	if most <= 0 || now > most {
		return 0, &UnreadableError{Source: "ddcutil"}
	}
	return (now*100 + most/2) / most, nil
}

// ScheduledShutdown is a planned shutdown.
type ScheduledShutdown struct {
	At   time.Time
	Mode string // poweroff, reboot and the like
}

// ParseScheduledShutdown parses /run/systemd/shutdown/scheduled: USEC in microseconds since 1970, and MODE.
func ParseScheduledShutdown(text []byte) (ScheduledShutdown, error) {
	fields := ParseAssignments(text)
	micro, err := strconv.ParseInt(fields["USEC"], 10, 64)
	return readable(ScheduledShutdown{At: time.UnixMicro(micro), Mode: fields["MODE"]}, err == nil && fields["MODE"] != "", "logind")
}

// FoundFile is a file with its size in bytes.
type FoundFile struct {
	Path     string
	Size     int64
	Modified time.Time
}

// ParseFoundFiles parses find -printf '%T@\t%s\t%p\n'. Files with a control character in their name are left out.
func ParseFoundFiles(text []byte) ([]FoundFile, error) {
	var out []FoundFile
	for line := range strings.Lines(string(text)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if len(f) != 3 || CleanLine(f[2]) != f[2] {
			continue
		}
		seconds, err := strconv.ParseFloat(f[0], 64)
		size, bad := strconv.ParseInt(f[1], 10, 64)
		if err == nil && bad == nil {
			out = append(out, FoundFile{f[2], size, time.Unix(int64(seconds), 0)})
		}
	}
	return rows(out, text, "find")
}

// UserDir returns a directory of the text of user-dirs.dirs (xdg-user-dir(1)), such as DOWNLOAD, below "~", or usual if it has none.
func UserDir(text, kind, usual string) string {
	value := strings.Trim(ParseAssignments([]byte(text))["XDG_"+kind+"_DIR"], `"`)
	if below, ok := strings.CutPrefix(value, "$HOME/"); ok && below != "" && CleanLine(below) == below {
		return path.Clean("~/" + below)
	}
	if path.IsAbs(value) && CleanLine(value) == value {
		return path.Clean(value)
	}
	return usual
}

// Screen is a screen that is on.
type Screen struct {
	Name          string
	Width, Height int
	Scale         float64
	Modes         []ScreenMode
}

// ScreenMode is a resolution that a screen has.
type ScreenMode struct {
	ID            string // as the program takes it
	Width, Height int
	Number        string // of kscreen-doctor
}

// Mode returns the screen's mode of a size.
func (s Screen) Mode(width, height int) (m ScreenMode, ok bool) {
	i := slices.IndexFunc(s.Modes, func(m ScreenMode) bool { return m.Width == width && m.Height == height })
	if i < 0 {
		return m, false
	}
	return s.Modes[i], true
}

// ParseKScreens parses kscreen-doctor -j (libkscreen, src/configserializer.cpp).
func ParseKScreens(text []byte) ([]Screen, error) {
	var in struct {
		Outputs []struct {
			Name          string
			Enabled       bool
			Scale         float64
			CurrentModeID string `json:"currentModeId"`
			Modes         []struct {
				ID   string
				Name string
				Size struct{ Width, Height int }
			}
		}
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, &UnreadableError{Source: "kscreen-doctor"}
	}
	var out []Screen
	for _, o := range in.Outputs {
		if !o.Enabled {
			continue
		}
		s := Screen{Name: o.Name, Scale: o.Scale}
		for _, m := range o.Modes {
			s.Modes = append(s.Modes, ScreenMode{m.Name, m.Size.Width, m.Size.Height, m.ID})
			if m.ID == o.CurrentModeID {
				s.Width, s.Height = m.Size.Width, m.Size.Height
			}
		}
		out = append(out, s)
	}
	return readable(out, len(out) > 0, "kscreen-doctor")
}

// ParseSwayScreens parses swaymsg -t get_outputs (sway-ipc(7)).
func ParseSwayScreens(text []byte) ([]Screen, error) {
	type mode struct{ Width, Height int }
	var in []struct {
		Name    string
		Active  bool
		Scale   float64
		Current mode `json:"current_mode"`
		Modes   []mode
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, &UnreadableError{Source: "swaymsg"}
	}
	var out []Screen
	for _, o := range in {
		if !o.Active {
			continue
		}
		s := Screen{Name: o.Name, Width: o.Current.Width, Height: o.Current.Height, Scale: o.Scale}
		for _, m := range o.Modes {
			s.Modes = append(s.Modes, ScreenMode{ID: size(m.Width, m.Height), Width: m.Width, Height: m.Height})
		}
		out = append(out, s)
	}
	return readable(out, len(out) > 0, "swaymsg")
}

func size(width, height int) string { return strconv.Itoa(width) + "x" + strconv.Itoa(height) }

// ParseHyprlandScreens parses hyprctl -j monitors (Hyprland, src/debug/HyprCtl.cpp).
func ParseHyprlandScreens(text []byte) ([]Screen, error) {
	var in []struct {
		Name          string
		Width, Height int
		Scale         float64
		Modes         []string `json:"availableModes"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, &UnreadableError{Source: "hyprctl"}
	}
	var out []Screen
	for _, o := range in {
		s := Screen{Name: o.Name, Width: o.Width, Height: o.Height, Scale: o.Scale}
		for _, m := range o.Modes {
			if w, h, ok := cutSize(m); ok {
				s.Modes = append(s.Modes, ScreenMode{ID: m, Width: w, Height: h})
			}
		}
		out = append(out, s)
	}
	return readable(out, len(out) > 0, "hyprctl")
}

var sizeForm = pattern(`^(\d{2,5})x(\d{2,5})(?:@[\d.]+(?:Hz)?)?$`)

// cutSize reads a resolution: "1920x1080@60.00Hz".
func cutSize(text string) (width, height int, ok bool) {
	m := sizeForm().FindStringSubmatch(text)
	if m == nil {
		return 0, 0, false
	}
	width, _ = strconv.Atoi(m[1])
	height, _ = strconv.Atoi(m[2])
	return width, height, true
}

var (
	xScreen = pattern(`^(\S+) connected (?:primary )?(\d+)x(\d+)\+`)
	xMode   = pattern(`^\s+(\d+x\d+)\s`)
)

// ParseXScreens parses xrandr --query (xrandr(1)). X has no scale: it is 1.
func ParseXScreens(text []byte) ([]Screen, error) {
	var out []Screen
	on := false
	for _, line := range Lines(text) {
		if m := xScreen().FindStringSubmatch(line); m != nil {
			width, _ := strconv.Atoi(m[2])
			height, _ := strconv.Atoi(m[3])
			out, on = append(out, Screen{Name: m[1], Width: width, Height: height, Scale: 1}), true
			continue
		}
		m := xMode().FindStringSubmatch(line)
		if on = on && m != nil; !on {
			continue
		}
		if w, h, ok := cutSize(m[1]); ok {
			last := &out[len(out)-1]
			last.Modes = append(last.Modes, ScreenMode{ID: m[1], Width: w, Height: h})
		}
	}
	return rows(out, text, "xrandr")
}

var (
	xLayout        = pattern(`(?m)^layout:\s+(\S+)$`)
	hyprlandLayout = pattern(`(?m)^str: (\S*)$`)
	gnomeLayout    = pattern(`\('(?:xkb|ibus)', '([^']+)'\)`)
)

// KeyboardLayout returns the keyboard layouts that setxkbmap -query, hyprctl getoption, gsettings or kreadconfig6 print, "" if none
// does.
func KeyboardLayout(text string) string {
	for _, form := range []func() string{
		func() string { return firstOf(xLayout().FindStringSubmatch(text)) },
		func() string { return firstOf(hyprlandLayout().FindStringSubmatch(text)) },
		func() string {
			var all []string
			for _, m := range gnomeLayout().FindAllStringSubmatch(text, -1) {
				all = append(all, m[1])
			}
			return strings.Join(all, ",")
		},
	} {
		if layout := form(); layout != "" {
			return layout
		}
	}
	return ""
}

func firstOf(m []string) string {
	if len(m) < 2 {
		return ""
	}
	return m[1]
}

// PlasmaPowerProbe shows a key of what Plasma does with an idle screen: profile is AC or Battery (powerdevil,
// daemon/PowerDevilProfileSettings.kcfg, group Display).
func PlasmaPowerProbe(profile, key, usual string) Probe {
	return Probe{"kreadconfig6", "--file", "powerdevilrc", "--group", profile, "--group", "Display", "--key", key, "--default", usual}
}

// PowerXfceProbe shows a setting of Xfce's power manager (xfce4-power-manager, common/xfpm-config.h).
func PowerXfceProbe(key string) Probe {
	return Probe{"xfconf-query", "-c", "xfce4-power-manager", "-p", "/xfce4-power-manager/" + key}
}

// Autostart is a program that starts at a login.
type Autostart struct {
	File  string
	Names []string // that of the file first, then those in all languages
	// Off reports that it is switched off; Only are the desktops for which it is, none for all.
	Off  bool
	Only []string
}

// ParseAutostart parses [AutostartProbe]: the person's file hides the system's file of the same name, and files that are not
// to be shown are left out.
func ParseAutostart(text []byte) ([]Autostart, error) {
	var all []Autostart
	var secret []string
	places := map[string]int{}
	for _, line := range Lines(text) {
		file, rest, ok := strings.Cut(line, ".desktop:")
		key, value, isKey := strings.Cut(rest, "=")
		if !ok || !isKey {
			continue
		}
		file += ".desktop"
		base := path.Base(file)
		i, seen := places[base]
		if !seen {
			i = len(all)
			places[base], all = i, append(all, Autostart{File: file, Names: []string{strings.TrimSuffix(base, ".desktop")}})
		}
		if all[i].File != file {
			continue
		}
		switch name, _, _ := strings.Cut(key, "["); name {
		case "Name":
			all[i].Names = append(all[i].Names, value)
		case "Hidden", "X-GNOME-Autostart-enabled":
			all[i].Off = all[i].Off || value == strconv.FormatBool(key == "Hidden")
		case "OnlyShowIn":
			all[i].Only = strings.FieldsFunc(value, func(r rune) bool { return r == ';' })
		case "NoDisplay":
			if value == "true" {
				secret = append(secret, file)
			}
		}
	}
	all = slices.DeleteFunc(all, func(a Autostart) bool { return slices.Contains(secret, a.File) })
	return readable(all, len(all) > 0 || len(text) == 0, "grep")
}
