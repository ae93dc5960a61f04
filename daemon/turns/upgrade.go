package turns

import (
	"encoding/json"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/upgrade"
)

// upgradeCall is the id of the call that upgrades all packages without a model.
const upgradeCall = "upgrade"

// runUpgrade upgrades all packages instead of a turn: one question with the preview, then the upgrade and its proof.
func (w *worker) runUpgrade() (e end, left bool) {
	call := tools.Call{ID: upgradeCall, Name: "update_system", Input: json.RawMessage("{}")}
	return w.runAlone(call, func(out providers.Output) string { return upgradeRefusal(out, w.answerIn) })
}

// upgradeRefusal returns why an upgrade was not started.
func upgradeRefusal(out providers.Output, lang i18n.Lang) string {
	var r upgrade.Report
	if out.Preview == nil || json.Unmarshal(out.Preview, &r) != nil {
		return i18n.Refusal(out.Refusal, lang)
	}
	return r.Text(lang)
}
