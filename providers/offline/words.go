package offline

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
	"github.com/nidoit/blunux-ai/providers/offline/report"
)

// unavailable names the missing function.
func (t *turn) unavailable(s intent.Step) string {
	switch s.Tool {
	case "remember":
		return i18n.HelperWordsNoRemember.In(t.lang)
	case "recall", "forget":
		return i18n.HelperWordsNoRecall.In(t.lang)
	case "schedule", "list_automations", "change_automation", "remove_automation":
		return i18n.HelperWordsNoSchedule.In(t.lang)
	}
	return i18n.HelperWordsNoTool(s.Tool).In(t.lang)
}

// words answers a plan without tool calls.
func (t *turn) words(p intent.Plan, data string) string {
	switch p.Kind {
	case intent.KindLogText:
		return report.AnswerFromText(data, t.lang)
	case intent.KindRefuse:
		return refusals(p.Topic).In(t.lang)
	case intent.KindSocial:
		return t.social(p.Topic)
	case intent.KindAsk:
		return t.askBack(p)
	case intent.KindFollow:
		switch p.Topic {
		case "declined":
			return i18n.HelperWordsDeclined.In(t.lang)
		case "why":
			return i18n.HelperWordsNoWhy.In(t.lang)
		}
		return i18n.HelperWordsNoOffer.In(t.lang)
	}
	return t.explainLimit(p)
}

func refusals(topic string) i18n.Text {
	switch topic {
	case "secret":
		return i18n.HelperWordsRefuseSecret
	case "files":
		return i18n.HelperWordsRefuseFiles
	case "disk":
		return i18n.HelperWordsRefuseDisk
	case "packages":
		return i18n.HelperWordsRefusePackages
	case "services":
		return i18n.HelperWordsRefuseServices
	case "system":
		return i18n.HelperWordsRefuseSystem
	}
	return i18n.HelperWordsRefuseCommand
}

func (t *turn) social(topic string) string {
	switch topic {
	case "time":
		now := t.opts.Now()
		return i18n.HelperWordsTime(now.Format("15:04"), now.Format("2006-01-02"), now.Format("MST")).In(t.lang)
	case "thanks":
		return i18n.HelperWordsThanks.In(t.lang)
	case "help":
		return formatList(i18n.HelperWordsHelp.In(t.lang), Examples(t.lang)) + "\n\n" + i18n.HelperWordsNeedModel.In(t.lang)
	case "empty":
		return formatList(i18n.HelperWordsEmptyAsk.In(t.lang), Examples(t.lang)[:3])
	}
	return formatList(i18n.HelperWordsGreeting.In(t.lang), Examples(t.lang)[:4])
}

func (t *turn) askBack(p intent.Plan) string {
	switch p.Topic {
	case "install":
		return i18n.HelperWordsAskInstall.In(t.lang)
	case "remove":
		return i18n.HelperWordsAskRemove.In(t.lang)
	case "install_unknown", "remove_unknown":
		return i18n.HelperWordsAskUnknown(p.Subject).In(t.lang)
	case "note":
		return i18n.HelperWordsAskNote.In(t.lang)
	case "schedule":
		return i18n.HelperWordsAskSchedule.In(t.lang)
	case "start", "stop", "restart", "reload", "enable", "disable":
		return i18n.HelperWordsAskService.In(t.lang)
	}
	return i18n.HelperWordsAskWhatToRun.In(t.lang)
}

// explainLimit explains what is not possible, and what would make it possible.
func (t *turn) explainLimit(p intent.Plan) string {
	switch p.Topic {
	case "unsure":
		return t.unsure(p)
	case "device":
		return i18n.HelperWordsDevice(p.Subject).In(t.lang)
	case "power":
		return i18n.HelperWordsAskReady.In(t.lang)
	case "unwatched":
		if p.Subject == "other" {
			return i18n.HelperWordsUnwatchThis.In(t.lang)
		}
		return i18n.HelperWordsUnwatch.In(t.lang)
	case "halt":
		return i18n.HelperWordsHalt.In(t.lang)
	case "left":
		return i18n.HelperWordsAllGood.In(t.lang)
	case "program":
		return i18n.HelperWordsProgram(p.Subject).In(t.lang)
	case "radio":
		return i18n.HelperWordsRadio.In(t.lang)
	case "later":
		return i18n.HelperWordsLater.In(t.lang)
	case "howto":
		return i18n.HelperWordsHowto.In(t.lang) + "\n\n" + i18n.HelperWordsNeedModel.In(t.lang)
	}
	if p.Topic == "unknown" && len(p.NearestSteps) > 0 {
		return t.unsure(p) + "\n\n" + i18n.HelperWordsNeedModel.In(t.lang)
	}
	first := map[string]i18n.Text{"writing": i18n.HelperWordsWriting, "explain": i18n.HelperWordsExplain, "offtopic": i18n.HelperWordsOffTopic}[p.Topic]
	if first == (i18n.Text{}) {
		first = i18n.HelperWordsUnknown
	}
	return first.In(t.lang) + "\n\n" + i18n.HelperWordsNeedModel.In(t.lang)
}

// unsure lists the understood and the unknown words of a request, and the nearest available checks.
func (t *turn) unsure(p intent.Plan) string {
	text := i18n.HelperWordsUnsure.In(t.lang)
	if len(p.UnderstoodWords) > 0 {
		text += "\n- " + i18n.HelperWordsHeard(strings.Join(p.UnderstoodWords[:min(6, len(p.UnderstoodWords))], ", ")).In(t.lang)
	}
	if len(p.UnknownWords) > 0 {
		text += "\n- " + i18n.HelperWordsUnheard(strings.Join(p.UnknownWords[:min(6, len(p.UnknownWords))], ", ")).In(t.lang)
	}
	var near []string
	for _, s := range p.NearestSteps {
		if e := exampleOf(s, t.lang); e != "" && !slices.Contains(near, e) {
			near = append(near, e)
		}
	}
	if len(near) == 0 {
		return text + "\n\n" + i18n.HelperWordsAskWhatToRun.In(t.lang)
	}
	return text + "\n\n" + formatList(i18n.HelperWordsAskNearest.In(t.lang), near)
}

// formatList formats a sentence with a list below it.
func formatList(head string, items []string) string {
	return head + "\n- " + strings.Join(items, "\n- ")
}
