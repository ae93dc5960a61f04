package offline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
	"github.com/nidoit/blunux-ai/providers/offline/report"
)

// noTools are answers to a request whose tool is unavailable.
var noTools = map[string]i18n.Text{
	"remember": i18n.HelperWordsNoRemember, "recall": i18n.HelperWordsNoRecall, "forget": i18n.HelperWordsNoRecall,
	"schedule": i18n.HelperWordsNoSchedule, "list_automations": i18n.HelperWordsNoSchedule,
	"change_automation": i18n.HelperWordsNoSchedule, "remove_automation": i18n.HelperWordsNoSchedule,
}

// unavailable names the missing function.
func (t *turn) unavailable(s intent.Step) string {
	if text, ok := noTools[s.Tool]; ok {
		return text.In(t.lang)
	}
	return i18n.HelperWordsNoTool(s.Tool).In(t.lang)
}

// topicTexts are the answers to plans without tool calls that need only their topic. The topic "" is for all others.
var topicTexts = map[intent.Kind]map[string]i18n.Text{
	intent.KindRefuse: {
		"secret": i18n.HelperWordsRefuseSecret, "files": i18n.HelperWordsRefuseFiles, "disk": i18n.HelperWordsRefuseDisk,
		"packages": i18n.HelperWordsRefusePackages, "services": i18n.HelperWordsRefuseServices,
		"scam-remote": i18n.HelperScamRemote, "scam-money": i18n.HelperScamMoney, "scam-app": i18n.HelperScamApp,
		"scam-popup": i18n.HelperScamPopup, "scam-code": i18n.HelperScamCode, "scam-secret": i18n.HelperScamSecret,
		"scam-plugin": i18n.HelperScamPlugin, "scam-password": i18n.HelperScamPassword, "scam-card": i18n.HelperScamCard, "scam-id": i18n.HelperScamId,
		"system": i18n.HelperWordsRefuseSystem, "": i18n.HelperWordsRefuseCommand,
	},
	intent.KindFollow: {
		"declined": i18n.HelperWordsDeclined, "why": i18n.HelperWordsNoWhy, "": i18n.HelperWordsNoOffer,
	},
	intent.KindAsk: {
		"install": i18n.HelperWordsAskInstall, "remove": i18n.HelperWordsAskRemove, "note": i18n.HelperWordsAskNote,
		"recipe": i18n.HelperWordsAskRecipe, "close_all": i18n.HelperWordsAskCloseAll,
		"schedule": i18n.HelperWordsAskSchedule, "reminder": i18n.HelperReminderWhen, "reminder_past": i18n.HelperReminderPast, "reminder_date": i18n.HelperReminderDate, "start": i18n.HelperWordsAskService, "stop": i18n.HelperWordsAskService,
		"restart": i18n.HelperWordsAskService, "reload": i18n.HelperWordsAskService, "enable": i18n.HelperWordsAskService,
		"disable": i18n.HelperWordsAskService, "": i18n.HelperWordsAskWhatToRun,
	},
	intent.KindNone: {
		"power": i18n.HelperWordsAskReady, "unwatched": i18n.HelperWordsUnwatch, "halt": i18n.HelperWordsHalt,
		"startlist": i18n.HelperWordsStartList, "left": i18n.HelperWordsAllGood, "radio": i18n.HelperWordsRadio, "later": i18n.HelperWordsLater, "condition": i18n.HelperWordsCondition,
	},
}

// modelTexts explain what only a language model could do, by topic.
var modelTexts = map[string]i18n.Text{
	"howto": i18n.HelperWordsHowto, "writing": i18n.HelperWordsWriting, "explain": i18n.HelperWordsExplain,
	"offtopic": i18n.HelperWordsOffTopic,
}

// deviceTips are what this computer can do about a kind of other device.
var deviceTips = map[string]i18n.Text{
	"router": i18n.HelperWordsDeviceRouter, "printer": i18n.HelperWordsDevicePrinter, "phone": i18n.HelperWordsDevicePhone, "screen": i18n.HelperWordsDeviceScreen,
}

// words answers a plan without tool calls.
func (t *turn) words(p intent.Plan, data string) string {
	switch {
	case p.Kind == intent.KindLogText:
		return report.AnswerFromText(data, t.lang)
	case p.Kind == intent.KindSocial:
		return t.social(p.Topic)
	case p.Kind == intent.KindAsk && strings.HasSuffix(p.Topic, "_unknown"):
		return i18n.HelperWordsAskUnknown(p.Subject).In(t.lang)
	case p.Topic == "device":
		if tip, ok := deviceTips[intent.DeviceKind(p.Subject)]; ok {
			return i18n.HelperWordsDevice(p.Subject).In(t.lang) + " " + tip.In(t.lang)
		}
		return i18n.HelperWordsDevice(p.Subject).In(t.lang)
	case p.Topic == "program":
		return i18n.HelperWordsProgram(p.Subject).In(t.lang)
	case p.Topic == "unwatched" && p.Subject == "other":
		return i18n.HelperWordsUnwatchThis.In(t.lang)
	case p.Topic == "unsure":
		return t.unsure(p)
	}
	for _, topic := range []string{p.Topic, ""} {
		if text, ok := topicTexts[p.Kind][topic]; ok {
			return text.In(t.lang)
		}
	}
	why, known := modelTexts[p.Topic]
	if !known {
		why = i18n.HelperWordsUnknown
	}
	if p.Topic == "unknown" && len(choices(p, t.lang)) > 0 {
		return t.unsure(p)
	}
	return why.In(t.lang) + "\n\n" + i18n.HelperWordsNeedModel.In(t.lang)
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

// unsure asks which of the listed requests was meant. Without any, it lists the understood and the unknown words.
func (t *turn) unsure(p intent.Plan) string {
	if list := choices(p, t.lang); len(list) > 0 {
		return formatChoices(list, t.lang)
	}
	text := i18n.HelperWordsUnsure.In(t.lang)
	if len(p.UnderstoodWords) > 0 {
		text += "\n- " + i18n.HelperWordsHeard(strings.Join(p.UnderstoodWords[:min(6, len(p.UnderstoodWords))], ", ")).In(t.lang)
	}
	if len(p.UnknownWords) > 0 {
		text += "\n- " + i18n.HelperWordsUnheard(strings.Join(p.UnknownWords[:min(6, len(p.UnknownWords))], ", ")).In(t.lang)
	}
	return text + "\n\n" + i18n.HelperWordsAskWhatToRun.In(t.lang)
}

// choices returns the requests that a plan may mean, in a language.
func choices(p intent.Plan, lang i18n.Lang) []string {
	var out []string
	for _, s := range p.NearestSteps {
		if e := exampleOf(s, lang); e != "" && !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out
}

// formatChoices lists requests by number.
func formatChoices(list []string, lang i18n.Lang) string {
	text := i18n.HelperWordsAskMeant.In(lang)
	if len(list) == 1 {
		text = i18n.HelperWordsAskMeantOne.In(lang)
	}
	for i, request := range list {
		text += fmt.Sprintf("\n%d. %s", i+1, request)
	}
	return text
}

// choicesIn returns the requests that an answer listed for a plan, in any of the languages; nil for none. Text from
// another provider lists none.
func choicesIn(answer string, p intent.Plan) []string {
	for _, lang := range i18n.Languages {
		if list := choices(p, lang); len(list) > 0 && strings.Contains(answer, formatChoices(list, lang)) {
			return list
		}
	}
	return nil
}

// formatList formats a sentence with a list below it.
func formatList(head string, items []string) string {
	return head + "\n- " + strings.Join(items, "\n- ")
}
