package i18n

import (
	"cmp"
	"strings"
)

// Working says which model works on a request, for how many seconds, and how to cancel.
var Working = T("%[1]s · 답을 준비하는 중 · %[2]d초 · Ctrl-C로 취소", "%[1]s is working · %[2]d s · Ctrl-C cancels", "%[1]s 正在处理 · %[2]d 秒 · Ctrl-C 取消")

// PlainWorking is the same as one message, for terminals without redrawing.
var PlainWorking = T("%s: 답을 준비하고 있어요. Ctrl-C로 취소할 수 있어요.", "%s is working. Ctrl-C cancels.", "%s 正在处理。按 Ctrl-C 取消。")

var builtInHelper = T("내장 도우미", "the built-in helper", "内置助手")

// ModelName formats a provider and its model.
func ModelName(provider, model string, lang Lang) string {
	switch {
	case provider == "offline":
		return builtInHelper.In(lang)
	case provider == "" && model == "":
		return "blunux-ai"
	case model == "" || strings.HasPrefix(model, provider):
		return cmp.Or(model, provider)
	}
	return provider + " " + model
}
