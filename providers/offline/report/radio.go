package report

import (
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// radioBlocks reads the kernel's files, because rfkill(8) needs a device that sandboxed commands cannot access.
var radioBlocks = command(machine.RadiosProbe.String())

// blockedRadio returns a blocked radio of a kind if no other of that kind is free: a blocked dongle next to a
// working card is not a problem.
func blockedRadio(list []machine.Radio, kind string) (off machine.Radio, blocked bool) {
	for _, r := range list {
		switch {
		case r.Kind != kind:
		case !r.Soft && !r.Hard:
			return machine.Radio{}, false
		case !blocked || r.Hard:
			off, blocked = r, true
		}
	}
	return off, blocked
}

// radioOff reports that every radio of a kind is blocked. It returns nil if one is free or none is known.
func (q *inquiry) radioOff(kind, unblock string, hard, soft i18n.Text) *finding {
	r, blocked := blockedRadio(read(machine.ParseRadios, q.anyStdout(radioBlocks)), kind)
	if !blocked {
		return nil
	}
	f := &finding{evidence: []string{q.say(i18n.HelperRadioFigures(q.yesNo(r.Soft), q.yesNo(r.Hard)))}}
	if r.Hard {
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
