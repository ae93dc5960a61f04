package report

import (
	"encoding/json"

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

// previewReply reports what an upgrade would do.
func (r *result) previewReply() Reply { return Reply{Text: r.upgradeText([]byte(r.lastStep().Stdout))} }
