package report

import (
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// askFollowUp asks to confirm a change requested after a read-only step.
func (c Case) askFollowUp(s intent.Step) string {
	name, _ := s.Input["name"].(string)
	action, _ := s.Input["action"].(string)
	question := map[string]func(name string) i18n.Text{
		"install_package": i18n.HelperFollowupAskThenInstall, "remove_package": i18n.HelperFollowupAskThenRemove,
		"start": i18n.HelperFollowupAskThenStart, "stop": i18n.HelperFollowupAskThenStop, "restart": i18n.HelperFollowupAskThenRestart, "reload": i18n.HelperFollowupAskThenReload, "enable": i18n.HelperFollowupAskThenEnable, "disable": i18n.HelperFollowupAskThenDisable,
	}
	for _, key := range []string{action, s.Tool} {
		text, ok := question[key]
		switch {
		case key == "update_system":
			return i18n.HelperFollowupAskThenUpdate.In(c.Lang)
		case ok:
			return text(name).In(c.Lang)
		}
	}
	return i18n.HelperFollowupAskThenDo.In(c.Lang)
}
