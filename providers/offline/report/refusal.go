package report

import "github.com/nidoit/blunux-ai/i18n"

// refusalReply reports why a call did not run, by its reason code.
func (r *result) refusalReply(code string) Reply {
	switch code {
	case "blocked":
		return Reply{Text: r.say(i18n.HelperRefusalBlocked)}
	case "denied", "rejected":
		return Reply{Text: r.say(i18n.HelperRefusalDenied)}
	case "cancelled", "canceled":
		return Reply{Text: r.say(i18n.HelperRefusalCancelled)}
	case "expired", "timeout":
		return Reply{Text: r.say(i18n.HelperRefusalExpired)}
	case "queued", "pending", "approval_pending":
		if r.out.ApprovalCode != "" {
			return Reply{Text: r.say(i18n.WaitsForApproval(r.out.ApprovalCommand, r.out.ApprovalCode))}
		}
		return Reply{Text: r.say(i18n.HelperRefusalQueued)}
	case "left":
		return Reply{Text: r.say(i18n.HelperRefusalLeft)}
	case "no_rights":
		return Reply{Text: r.say(i18n.HelperRefusalNoRights(i18n.RightsLacking(r.out.RootProblems, r.lang), r.out.ManualCommand))}
	case "secret-note":
		return Reply{Text: r.say(i18n.HelperRefusalSecretNote)}
	case "self_schedule":
		return Reply{Text: r.say(i18n.HelperRefusalNoSelf)}
	case "log", "log_failed", "log_unwritable":
		return Reply{Text: r.say(i18n.HelperRefusalLogBroken)}
	}
	if code == "missing" {
		return Reply{Text: r.missingProgram()}
	}
	if text, ok := refusals[code]; ok {
		return Reply{Text: r.say(text)}
	}
	return Reply{Text: r.say(i18n.HelperRefusalRefusedAny)}
}

// refusals maps the reason codes that need only a text.
var refusals = map[string]i18n.Text{
	"unparsed": i18n.HelperRefusalUnparsed, "bad_input": i18n.HelperRefusalBadInput, "read_only": i18n.HelperRefusalReadOnly, "mismatch": i18n.HelperRefusalMismatch, "repeated": i18n.HelperRefusalRepeated, "max_rounds": i18n.HelperRefusalRepeated,
	"planned": i18n.HelperRefusalPlannedRun, "away": i18n.HelperRefusalAway, "no_tool": i18n.HelperRefusalNoSuchTool,
}

// missingProgram names the program that a call lacked.
func (r *result) missingProgram() string {
	for _, s := range r.steps {
		if s.MissingProgram != "" {
			return r.missingText(s.MissingProgram)
		}
	}
	return r.say(i18n.HelperRefusalRefusedAny)
}
