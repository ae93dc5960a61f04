package report

import (
	"path"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
)

// radioBlocks reads the kernel's files, because rfkill(8) needs a device that sandboxed commands cannot access.
var radioBlocks = command("grep -s . /sys/class/rfkill/rfkill*/type /sys/class/rfkill/rfkill*/soft /sys/class/rfkill/rfkill*/hard")

// radio is one transmitter and what blocks it (Linux Documentation/driver-api/rfkill.rst).
type radio struct {
	id, kind   string // "rfkill0", "wlan" or "bluetooth"
	soft, hard bool
}

// parseRadios parses "/sys/class/rfkill/rfkill0/soft:1".
func parseRadios(text string) []radio {
	var out []radio
	for _, line := range outputLines(text) {
		file, value, ok := strings.Cut(line, ":")
		if !ok || !strings.HasPrefix(file, "/sys/class/rfkill/rfkill") {
			continue
		}
		id := path.Base(path.Dir(file))
		at := slices.IndexFunc(out, func(r radio) bool { return r.id == id })
		if at < 0 {
			out, at = append(out, radio{id: id}), len(out)
		}
		switch path.Base(file) {
		case "type":
			out[at].kind = value
		case "soft":
			out[at].soft = value == "1"
		case "hard":
			out[at].hard = value == "1"
		}
	}
	return out
}

// blockedRadio returns a blocked radio of a kind if no other of that kind is free: a blocked dongle next to a
// working card is not a problem.
func blockedRadio(list []radio, kind string) (off radio, blocked bool) {
	for _, r := range list {
		switch {
		case r.kind != kind:
		case !r.soft && !r.hard:
			return radio{}, false
		case !blocked || r.hard:
			off, blocked = r, true
		}
	}
	return off, blocked
}

// radioOff reports that every radio of a kind is blocked. It returns nil if one is free or none is known.
func (q *inquiry) radioOff(kind, unblock string, hard, soft i18n.Text) *finding {
	r, blocked := blockedRadio(parseRadios(q.anyStdout(radioBlocks)), kind)
	if !blocked {
		return nil
	}
	f := &finding{evidence: []string{q.say(i18n.HelperRadioFigures(q.yesNo(r.soft), q.yesNo(r.hard)))}}
	if r.hard {
		f.verdict = q.say(hard)
		return f
	}
	f.verdict = q.say(soft)
	f.propose(command(unblock), q.say(i18n.HelperRadioAskUnblock(unblock)))
	return f
}

func (q *inquiry) yesNo(yes bool) string {
	if yes {
		return q.say(i18n.HelperRadioIs)
	}
	return q.say(i18n.HelperRadioIsNot)
}
