package machine

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

var (
	// OSReleaseProbe names the distribution.
	OSReleaseProbe = Probe{"cat", "/etc/os-release"}
	// LocaleConfProbe shows the configured language.
	LocaleConfProbe = Probe{"cat", "/etc/locale.conf"}
)

// ParseAssignments parses the KEY=VALUE lines of os-release(5) and locale.conf(5), without quotes. The first value of a
// key wins.
func ParseAssignments(text []byte) map[string]string {
	out := map[string]string{}
	for _, line := range Lines(text) {
		key, value, ok := strings.Cut(line, "=")
		if key = strings.TrimSpace(key); ok && !strings.HasPrefix(key, "#") {
			if _, seen := out[key]; !seen {
				out[key] = strings.Trim(strings.TrimSpace(value), `"'`)
			}
		}
	}
	return out
}

// ParseVariables parses assignments in the format of grep -H: "/etc/environment:GTK_IM_MODULE=fcitx". It skips
// comments.
func ParseVariables(text []byte) (map[string]string, error) {
	out := map[string]string{}
	for _, line := range Lines(text) {
		_, setting, ok := strings.Cut(line, ":")
		setting = strings.TrimPrefix(strings.TrimSpace(setting), "export ")
		key, value, assigned := strings.Cut(setting, "=")
		if !ok || !assigned || strings.HasPrefix(setting, "#") || strings.ContainsAny(key, " \t") || len(key) > 20 {
			continue
		}
		out[key] = strings.Trim(cutRunes(value, 40), `"'`)
	}
	return readable(out, len(out) > 0 || len(Lines(text)) == 0, "grep")
}

var (
	// CPUProbe describes the processor.
	CPUProbe = Probe{"lscpu"}
	// LocaleProbe shows the language and the keyboard.
	LocaleProbe = Probe{"localectl", "status"}
	// BluetoothProbe describes the Bluetooth adapter.
	BluetoothProbe = Probe{"bluetoothctl", "show"}
)

// ParseFields parses "Key: value" lines with any indentation, as lscpu, localectl, bluetoothctl show and coredumpctl
// info print them. The first non-empty value of a key wins.
func ParseFields(text []byte) (map[string]string, error) {
	out := map[string]string{}
	for _, line := range Lines(text) {
		key, value, ok := strings.Cut(line, ":")
		if k := strings.TrimSpace(key); ok && out[k] == "" {
			out[k] = strings.TrimSpace(value)
		}
	}
	return readable(out, len(out) > 0, "fields")
}

// ParseFcitxProfile parses ~/.config/fcitx5/profile and returns the names of the input methods of all groups.
func ParseFcitxProfile(text []byte) ([]string, error) {
	var out []string
	inItem := false
	for _, line := range Lines(text) {
		if strings.HasPrefix(line, "[") {
			inItem = strings.Contains(line, "/Items/")
			continue
		}
		if v, ok := strings.CutPrefix(line, "Name="); ok && inItem && v != "" && !slices.Contains(out, v) {
			out = append(out, cutRunes(v, 30))
		}
	}
	return rows(out, text, "fcitx5's profile")
}

// ClockProbe shows the clocks and their synchronization.
var ClockProbe = Probe{"timedatectl", "status"}

// Clock is the output of timedatectl status.
type Clock struct {
	Local, Zone     string
	Synced, NTP     string
	RTC, RTCLocal   string
	Universal       time.Time
	RTCTime         time.Time
	UniversalParsed bool
}

// ParseClock parses timedatectl status (timedatectl(1)): "Key: value" lines.
func ParseClock(text []byte) (Clock, error) {
	info, _ := ParseFields(text) // empty without fields
	c := Clock{
		Local: info["Local time"], Zone: info["Time zone"], Synced: info["System clock synchronized"],
		NTP: info["NTP service"], RTC: info["RTC time"], RTCLocal: info["RTC in local TZ"],
	}
	var errU, errR error
	c.Universal, errU = time.Parse("Mon 2006-01-02 15:04:05 MST", info["Universal time"])
	c.RTCTime, errR = time.Parse("Mon 2006-01-02 15:04:05", c.RTC)
	c.UniversalParsed = errU == nil && errR == nil
	return readable(c, c.Local != "" && c.Zone != "", "timedatectl")
}

// Drift returns the error of the hardware clock. It returns 0 if that clock keeps local time.
func (c Clock) Drift() time.Duration {
	if !c.UniversalParsed || c.RTCLocal != "no" {
		return 0
	}
	return c.RTCTime.Sub(c.Universal).Abs().Round(time.Minute)
}

// IDProbe shows the user and the groups.
var IDProbe = Probe{"id"}

// Identity is the output of id.
type Identity struct {
	UID    int
	User   string
	Groups []string // the names of all groups
}

var (
	idUser  = pattern(`^uid=(\d+)\(([^)]+)\)`)
	idGroup = pattern(`[=,]\d+\(([^)]+)\)`)
)

// ParseID parses id(1): "uid=1000(blu) gid=1000(blu) groups=1000(blu),998(wheel)".
func ParseID(text []byte) (Identity, error) {
	m := idUser().FindSubmatchIndex(text)
	if m == nil {
		return Identity{}, &UnreadableError{Source: "id"}
	}
	uid, err := strconv.Atoi(string(text[m[2]:m[3]]))
	id := Identity{UID: uid, User: string(text[m[4]:m[5]])}
	for _, g := range idGroup().FindAllSubmatch(text[m[1]:], -1) {
		id.Groups = append(id.Groups, string(g[1]))
	}
	return readable(id, err == nil, "id")
}

// certificateEnd is notAfter= and the time in the format of ASN1_TIME_print(3).
const certificateEnd = "notAfter=Jan _2 15:04:05 2006 GMT"

// ParseCertificateEnd parses openssl x509 -noout -enddate (openssl-x509(1)), which must consist of that line only.
func ParseCertificateEnd(text []byte) (time.Time, error) {
	line := strings.TrimSuffix(string(text), "\n")
	end, err := time.Parse(certificateEnd, line)
	return readable(end, err == nil && end.Format(certificateEnd) == line, "openssl")
}

// oneValue returns the only line of an output if it has the form of the value. It is never cleaned or cut: a value that
// is compared must be exact.
func oneValue(text []byte, source string, form func() *regexp.Regexp) (string, error) {
	line := strings.TrimSuffix(string(text), "\n")
	return readable(line, form().MatchString(line), source)
}

var (
	// TimeZoneProbe shows the time zone (timedatectl(1), "show").
	TimeZoneProbe = Probe{"timedatectl", "show", "-p", "Timezone", "--value"}
	// NTPProbe shows whether the clock is set over the network (timedatectl(1), "show").
	NTPProbe = Probe{"timedatectl", "show", "-p", "NTP", "--value"}
	// HostnameProbe shows the configured host name (hostnamectl(1), "--static").
	HostnameProbe = Probe{"hostnamectl", "--static"}
)

var (
	zoneForm     = pattern(`^[A-Za-z0-9+_-]{1,32}(/[A-Za-z0-9+_-]{1,32}){0,3}$`)
	hostnameForm = pattern(`^[A-Za-z0-9]([A-Za-z0-9.-]{0,62}[A-Za-z0-9])?$`)
	localeForm   = pattern(`^(?:System Locale:|\s)\s*((?:LANG|LANGUAGE|LC_[A-Z]+)=\S*)$`)
)

// ParseTimeZone parses the name of a time zone: a path below the zone database (localtime(5)).
func ParseTimeZone(text []byte) (string, error) { return oneValue(text, "timedatectl", zoneForm) }

// ParseHostname parses a host name (hostname(5)).
func ParseHostname(text []byte) (string, error) { return oneValue(text, "hostnamectl", hostnameForm) }

// ParseYesNo parses a boolean property of systemd's services as show --value prints it: "yes" or "no".
func ParseYesNo(text []byte) (bool, error) {
	value := strings.TrimSuffix(string(text), "\n")
	return readable(value == "yes", value == "yes" || value == "no", "a property")
}

// ParseSystemLocale returns the assignments of localectl status (localectl(1)): the first on the line "System Locale:",
// the others on the lines below. It returns none if none is set.
func ParseSystemLocale(text []byte) ([]string, error) {
	var out []string
	known := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		m := localeForm().FindStringSubmatch(line)
		heading := strings.HasPrefix(line, "System Locale:")
		switch {
		case heading && m == nil && !strings.HasSuffix(line, "(unset)") && !strings.HasSuffix(line, "n/a"):
			return nil, &UnreadableError{"localectl", line}
		case m != nil && (heading || known):
			out = append(out, m[1])
		case known && !heading:
			return out, nil
		}
		known = known || heading
	}
	return readable(out, known, "localectl")
}

// LingerProbe shows whether a user's units run without a login (loginctl(1), "show-user", "enable-linger").
func LingerProbe(user string) Probe {
	return Probe{"loginctl", "show-user", "-p", "Linger", "--value", "--", user}
}

var absentUser = pattern(`^Failed to get user: User ID \d+ is not logged in or lingering$`)

// IsAbsentUser reports whether loginctl's errors say that a user is known, but neither logged in nor lingering (systemd,
// src/login/logind-dbus.c, method_get_user).
func IsAbsentUser(stderr []byte) bool {
	return absentUser().MatchString(strings.TrimSpace(string(stderr)))
}

// DefaultBrowserProbe shows the default web browser (xdg-settings(1), "get").
var DefaultBrowserProbe = Probe{"xdg-settings", "get", "default-web-browser"}

// DefaultApplicationProbe shows which application opens files of a type (xdg-mime(1), "query default").
func DefaultApplicationProbe(mediaType string) Probe {
	return Probe{"xdg-mime", "query", "default", mediaType}
}

var desktopEntry = pattern(`^[^\x00-\x20/-][^\x00-\x20/]{0,200}\.desktop$`)

// ParseDesktopEntry parses the file name of an application (Desktop Entry Specification, "File naming"). It returns ""
// if nothing was printed: then no application is chosen.
func ParseDesktopEntry(text []byte) (string, error) {
	if len(text) == 0 {
		return "", nil
	}
	return oneValue(text, "xdg-mime", desktopEntry)
}

// OwnershipProbe shows the owner and the mode of a file (stat(1), "-c").
func OwnershipProbe(path string) Probe {
	return Probe{"stat", "-L", "-c", "%U %G %u %g %a %F", "--", path}
}

// Ownership is the owner and the mode of a file.
type Ownership struct {
	User, Group, UID, GID, Mode string
	Directory                   bool
}

var ownershipForm = pattern(`^(\S+) (\S+) (\d+) (\d+) ([0-7]{1,4}) (.+)$`)

// ParseOwnership parses stat -c '%U %G %u %g %a %F': names are UNKNOWN if there are none.
func ParseOwnership(text []byte) (Ownership, error) {
	m := ownershipForm().FindStringSubmatch(strings.TrimSuffix(string(text), "\n"))
	if m == nil {
		return Ownership{}, &UnreadableError{Source: "stat"}
	}
	o := Ownership{m[1], m[2], m[3], m[4], m[5], m[6] == "directory"}
	if o.User == "UNKNOWN" {
		o.User = o.UID
	}
	if o.Group == "UNKNOWN" {
		o.Group = o.GID
	}
	return o, nil
}
