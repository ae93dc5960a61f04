package machine

import (
	"strings"
)

var (
	// MeteredProbe shows which connected devices are on a line that is paid by volume: nmcli(1), NM-device.h, NMMetered.
	MeteredProbe = Probe{"nmcli", "-t", "-f", "GENERAL.DEVICE,GENERAL.STATE,GENERAL.METERED", "device", "show"}
	// RecordingsProbe lists the programs that record sound.
	RecordingsProbe = Probe{"pactl", "list", "source-outputs"}
	// LockProbe shows pacman's lock.
	LockProbe = Probe{"ls", "/var/lib/pacman/db.lck"}
	// RunningServicesProbe and RunningUserServicesProbe list the running services.
	RunningServicesProbe     = Probe{"systemctl", "list-units", "--no-pager", "--no-legend", "--plain", "--type=service", "--state=running"}
	RunningUserServicesProbe = Probe{"systemctl", "--user", "list-units", "--no-pager", "--no-legend", "--plain", "--type=service", "--state=running"}
)

// ParseMetered parses [MeteredProbe] and returns the connected devices whose line is metered, or is guessed to be: blocks of
// FIELD:value lines.
func ParseMetered(text []byte) ([]string, error) {
	var out []string
	var device, state string
	seen := false
	for _, line := range Lines(text) {
		name, value, _ := strings.Cut(line, ":")
		switch name {
		case "GENERAL.DEVICE":
			device, state = value, ""
		case "GENERAL.STATE":
			state = value
		case "GENERAL.METERED":
			seen = true
			if strings.HasPrefix(state, "100") && strings.HasPrefix(value, "yes") {
				out = append(out, device)
			}
		}
	}
	return readable(out, seen || len(Lines(text)) == 0, "nmcli")
}

// ParseRecordings parses [RecordingsProbe] (pulseaudio, src/utils/pactl.c) and returns the names of the programs that record.
// Meters of volume controls and paused streams do not count.
func ParseRecordings(text []byte) ([]string, error) {
	var out []string
	blocks := strings.Split("\n"+string(text), "\nSource Output #")
	for _, block := range blocks[1:] {
		fields := map[string]string{}
		for _, line := range Lines(block) {
			line = strings.TrimSpace(line)
			if name, value, ok := strings.Cut(line, " = "); ok {
				fields[name] = strings.Trim(value, `"`)
			} else if name, value, ok := strings.Cut(line, ": "); ok {
				fields[name] = value
			}
		}
		if fields["Corked"] == "yes" || fields["media.name"] == "Peak detect" || fields["stream.monitor"] == "true" {
			continue
		}
		name := fields["application.name"]
		if name == "" {
			name = fields["application.process.binary"]
		}
		if name != "" {
			out = append(out, cutRunes(name, 60))
		}
	}
	return readable(out, len(blocks) > 1 || len(Lines(text)) == 0, "pactl")
}

// Session is a login: loginctl(1), "list-sessions".
type Session struct{ ID, UID, User, Seat string }

// ParseSessions parses [SessionsProbe]: SESSION UID USER SEAT …; a login without a seat has "-" or nothing there.
func ParseSessions(text []byte) ([]Session, error) {
	return allRows(text, "loginctl", func(line string) (Session, bool) {
		f := strings.Fields(line)
		if len(f) < 3 || !isNumber(f[1]) {
			return Session{}, false
		}
		s := Session{ID: f[0], UID: f[1], User: f[2]}
		if len(f) > 3 && strings.HasPrefix(f[3], "seat") {
			s.Seat = f[3]
		}
		return s, true
	})
}
