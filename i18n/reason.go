package i18n

import "strings"

// Reason translates a reason code. For an unknown code it returns a general text.
func Reason(code string, lang Lang) string { return Reasons.orElse(code, ReasonElse).In(lang) }

// ReasonAbout says why a command needs confirmation, and names the part of it that the checker found.
func ReasonAbout(code, part string, lang Lang) string {
	program, rest, _ := strings.Cut(part, " ")
	switch code {
	case "missing-operand":
		if options := optionNames(rest, lang); program != "" && options != "" {
			return ReasonNeeds(program, options).In(lang)
		}
		part, rest = program, ""
	case "missing-value":
		if program != "" {
			return ReasonLacks(program).In(lang)
		}
	case "data-loss":
		return ReasonLoss(part).In(lang)
	case "user-rule":
		return ReasonRule(part).In(lang)
	case "unparsed", "empty", "too-long": // the part is a parser's text, or the whole command
		part, rest = "", ""
	}
	if rest != "" {
		part = program + " " + strings.TrimLeft(rest, " ")
	}
	if part = strings.TrimSpace(part); part == "" {
		return Reason(code, lang)
	}
	return ReasonPart(Reason(code, lang), part).In(lang)
}

// mostOptions limits how many options of a group are listed.
const mostOptions = 3

// optionNames formats a group of options, "p,print", as they are typed. It returns "" if there are none.
func optionNames(group string, lang Lang) string {
	var names []string
	for name := range strings.SplitSeq(group, ",") {
		switch {
		case name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "":
			return ""
		case len(names) == mostOptions:
		case len(name) == 1:
			names = append(names, "-"+name)
		default:
			names = append(names, "--"+name)
		}
	}
	return strings.Join(names, ReasonList.In(lang))
}

// Rights says why a way to root rights is not available. An unknown code is returned unchanged.
func Rights(code string, lang Lang) string { return RightsReasons.In(code, lang) }

// RightsLacking translates a list of "way: reason code".
func RightsLacking(list []string, lang Lang) string {
	words := make([]string, len(list))
	for i, item := range list {
		way, code, _ := strings.Cut(item, ": ")
		words[i] = way + ": " + Rights(code, lang)
		if way == "none" {
			words[i] = Rights(code, lang)
		}
	}
	return strings.Join(words, "; ")
}
