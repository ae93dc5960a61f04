package i18n

import "strings"

// reasons maps the reason codes of verdicts and plans to texts.
var reasons = map[string]Text{
	// why a tool needs confirmation
	"package-install": ReasonsPackageInstall,
	"package-remove":  ReasonsPackageRemove,
	"system-update":   ReasonsSystemUpdate,
	"service-change":  ReasonsServiceChange,
	"changes-system":  ReasonsChangesSystem,

	// why a command is never run
	"chmod-root":      ReasonsChmodRoot,
	"delete-root":     ReasonsDeleteRoot,
	"disk-wipe":       ReasonsDiskWipe,
	"disk-write":      ReasonsDiskWrite,
	"find-delete":     ReasonsFindDelete,
	"fork-bomb":       ReasonsForkBomb,
	"make-filesystem": ReasonsMakeFilesystem,

	// why a command needs confirmation
	"assignment":          ReasonsAssignment,
	"background":          ReasonsBackground,
	"bad-redirect":        ReasonsBadRedirect,
	"control-character":   ReasonsControlCharacter,
	"data-loss":           ReasonsDataLoss,
	"directory":           ReasonsDirectory,
	"empty":               ReasonsEmpty,
	"environment":         ReasonsEnvironment,
	"forget-note":         ReasonsForgetNote,
	"rewrite-note":        ReasonsRewriteNote,
	"untrusted-note":      ReasonsUntrustedNote,
	"new-automation":      ReasonsNewAutomation,
	"leaves-machine":      ReasonsLeavesMachine,
	"change-automation":   ReasonsChangeAutomation,
	"pause-automation":    ReasonsPauseAutomation,
	"remove-automation":   ReasonsRemoveAutomation,
	"foreign-tool":        ReasonsForeignTool,
	"function":            ReasonsFunction,
	"interpreter":         ReasonsInterpreter,
	"listed":              ReasonsListed,
	"missing-operand":     ReasonsMissingOperand,
	"missing-value":       ReasonsMissingValue,
	"network-condition":   ReasonsNetworkCondition,
	"network-operand":     ReasonsNetworkOperand,
	"operand":             ReasonsOperand,
	"operand-count":       ReasonsOperandCount,
	"path-program":        ReasonsPathProgram,
	"script":              ReasonsScript,
	"secret-file":         ReasonsSecretFile,
	"substitution":        ReasonsSubstitution,
	"unnamed-host":        ReasonsUnnamedHost,
	"mixed-cells":         ReasonsMixedCells,
	"no-sandbox":          ReasonsNoSandbox,
	"sudo":                ReasonsSudo,
	"too-long":            ReasonsTooLong,
	"too-many-wrappers":   ReasonsTooManyWrappers,
	"unbounded":           ReasonsUnbounded,
	"unknown-command":     ReasonsUnknownCommand,
	"unknown-program":     ReasonsUnknownProgram,
	"unlisted-expression": ReasonsUnlistedExpression,
	"unlisted-option":     ReasonsUnlistedOption,
	"unlisted-verb":       ReasonsUnlistedVerb,
	"unparsed":            ReasonsUnparsed,
	"unprintable":         ReasonsUnprintable,
	"unproven-operand":    ReasonsUnprovenOperand,
	"unstable-print":      ReasonsUnstablePrint,
	"unsupported-syntax":  ReasonsUnsupportedSyntax,
	"version-only":        ReasonsVersionOnly,
	"user-rule":           ReasonsUserRule,
	"wrapper":             ReasonsWrapper,
	"write-redirect":      ReasonsWriteRedirect,
}

// Reason translates a reason code. For an unknown code it returns a general text.
func Reason(code string, lang Lang) string {
	if text, ok := reasons[code]; ok {
		return text.In(lang)
	}
	return ReasonElse.In(lang)
}

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

// rights maps the reasons why a way to root rights is not available to texts.
var rights = map[string]Text{
	"not_installed": RightsNotInstalled,
	"no_agent":      RightsNoAgent,
	"no_polkit":     RightsNoPolkit,
	"password":      RightsPassword,
	"not_allowed":   RightsNotAllowed,
	"no_new_rights": RightsNoNewRights,
	"dismissed":     RightsDismissed,
	"timeout":       RightsTimeout,
	"switched_off":  RightsSwitchedOff,
	"does_not_work": RightsDoesNotWork,
}

// Rights says why a way to root rights is not available. An unknown code is returned unchanged.
func Rights(code string, lang Lang) string {
	if text, ok := rights[code]; ok {
		return text.In(lang)
	}
	return code
}

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
