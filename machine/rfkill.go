package machine

import (
	"path"
	"slices"
	"strings"
)

// RadiosProbe shows which radios are blocked. It reads the kernel's files, because rfkill(8) needs a device that
// sandboxed commands cannot access.
var RadiosProbe = Probe{
	"grep", "-s", ".", "/sys/class/rfkill/rfkill*/type", "/sys/class/rfkill/rfkill*/soft", "/sys/class/rfkill/rfkill*/hard",
}

// Radio is one transmitter and what blocks it (Linux Documentation/driver-api/rfkill.rst).
type Radio struct {
	ID, Kind   string // "rfkill0", "wlan" or "bluetooth"
	Soft, Hard bool
}

// ParseRadios parses "/sys/class/rfkill/rfkill0/soft:1".
func ParseRadios(text []byte) ([]Radio, error) {
	var out []Radio
	for _, line := range Lines(text) {
		file, value, ok := strings.Cut(line, ":")
		if !ok || !strings.HasPrefix(file, "/sys/class/rfkill/rfkill") {
			continue
		}
		id := path.Base(path.Dir(file))
		at := slices.IndexFunc(out, func(r Radio) bool { return r.ID == id })
		if at < 0 {
			out, at = append(out, Radio{ID: id}), len(out)
		}
		switch path.Base(file) {
		case "type":
			out[at].Kind = value
		case "soft":
			out[at].Soft = value == "1"
		case "hard":
			out[at].Hard = value == "1"
		}
	}
	return rows(out, text, "rfkill")
}
