package report

import (
	"encoding/json"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/upgrade"
)

// upgradeText returns what an upgrade of all packages would do, as the tool preview_upgrade prints it.
func (r *result) upgradeText(data []byte) string {
	var report upgrade.Report
	if json.Unmarshal(data, &report) != nil {
		return r.refusalText("no_upgrade")
	}
	return report.Text(r.lang)
}

// refusedUpgrade reports why an upgrade was not run.
func (r *result) refusedUpgrade(data []byte) Reply {
	rep := Reply{Text: r.upgradeText(data)}
	if all, _ := machine.ParsePreview(data); len(all) > 0 {
		return r.whyRefused(rep, i18n.UpgradeRefused.In(r.lang))
	}
	return rep
}

// previewReply reports what an upgrade would do.
func (r *result) previewReply() Reply { return Reply{Text: r.upgradeText([]byte(r.lastStep().Stdout))} }
