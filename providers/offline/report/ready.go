package report

import (
	"strings"

	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// readyStep returns the call that looks whether the computer boots again.
func (q *inquiry) readyStep() intent.Step {
	return intent.Call("diagnose", "topic", diagnose.Reboot().ID, "lang", string(q.Lang.Base()))
}

// ready answers "can I reboot?" with what the next boot needs. It offers a restart only if nothing is missing.
func (q *inquiry) ready() Reply {
	f := &finding{}
	if !q.offerPower(f, q.Request != nil && q.Request.PowersOff()) {
		return Reply{}
	}
	return f.reply()
}

// offerPower proposes a restart or a power-off if the diagnosis shows that the computer will boot again. It returns false while the
// diagnosis is still needed. Otherwise it says what keeps the computer from booting, and offers what repairs it; a power-off
// is the person's choice, and the question about it says the same.
func (q *inquiry) offerPower(f *finding, off bool) bool {
	found, ok := q.diagnosis(q.readyStep())
	if len(q.needed) > 0 {
		return false
	}
	switch {
	case ok && len(found.Causes) > 0:
		verdict := i18n.HelperReadyUnknown
		if found.Causes[0].Certain {
			verdict = i18n.HelperReadyNo
		}
		f.meaning = joinBlocks(f.meaning, q.say(verdict), found.Text(q.Lang, false))
		switch plan := found.Causes[0].Repair; {
		case off && found.Causes[0].ID != "busy":
			q.proposePowerOff(f)
		case plan != nil:
			q.proposePlan(f, *plan)
		}
	case !ok || found.Sound == nil:
		unseen := strings.TrimSpace(found.UnseenText(q.Lang))
		if unseen == "" { // a container: its kernel is the host's
			unseen = bullets([]string{q.say(i18n.NextStartNoKernel)})
		}
		f.meaning = joinBlocks(f.meaning, q.say(i18n.HelperReadyUnknown), unseen)
	default:
		if f.verdict == "" {
			f.verdict = joinBlocks(q.say(i18n.HelperReadyYes), bullets(each(found.Sound.Evidence, diagnose.Shown.Line)))
		}
		if off {
			q.proposePowerOff(f)
			break
		}
		const verb = "systemctl reboot"
		f.propose(command(verb), q.say(i18n.HelperUpdatesAskReboot(verb)))
	}
	return true
}

func (q *inquiry) proposePowerOff(f *finding) {
	const verb = "systemctl poweroff"
	f.propose(command(verb), q.say(i18n.HelperReadyAskPowerOff(verb)))
}
