package turns

import (
	"cmp"
	"encoding/json"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/upgrade"
)

// upgradeCall is the id of the call that upgrades all packages without a model.
const upgradeCall = "upgrade"

// runUpgrade upgrades all packages instead of a turn: one question with the preview, then the upgrade and its proof. If pacman
// refuses, it looks for the cause and asks to remove that.
func (w *worker) runUpgrade() (e end, left bool) {
	call := tools.Call{ID: upgradeCall, Name: "update_system", Input: json.RawMessage("{}")}
	out := w.runCall(call)
	refusal := func(out providers.Output) string { return upgradeRefusal(out, w.answerIn) }
	said, words := "", pacmanRefusal(out.Output)
	if refusals, _ := machine.ParsePreview(out.Output.Preview); out.Output.Refusal != "" && len(refusals) > 0 {
		said, words = refusal(out.Output), i18n.UpgradeRefused.In(w.answerIn)
	}
	if words == "" || w.ctx.Err() != nil {
		return w.endAlone(call, out, refusal)
	}
	w.sayFirst(w.rt.Redact(cmp.Or(said, words)))
	return w.runDiagnosis(map[string]string{"topic": "update", "lang": string(w.answerIn.Base()), "text": words})
}

// pacmanRefusal returns the words in which pacman refused an upgrade that was started, "" if it did not.
func pacmanRefusal(out providers.Output) string {
	for _, s := range out.Steps {
		if s.Exit != 0 {
			return machine.RefusalLines(s.Stdout)
		}
	}
	return ""
}

// upgradeRefusal returns why an upgrade was not started.
func upgradeRefusal(out providers.Output, lang i18n.Lang) string {
	var r upgrade.Report
	if out.Preview == nil || json.Unmarshal(out.Preview, &r) != nil {
		return i18n.Refusal(out.Refusal, lang)
	}
	return r.Text(lang)
}
