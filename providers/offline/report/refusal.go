package report

import "github.com/nidoit/blunux-ai/i18n"

// refusals are the texts of the reason codes that need no arguments.
var refusals = map[string]i18n.Text{
	"blocked": i18n.HelperRefusalBlocked, "denied": i18n.HelperRefusalDenied, "rejected": i18n.HelperRefusalDenied,
	"cancelled": i18n.HelperRefusalCancelled, "canceled": i18n.HelperRefusalCancelled,
	"expired": i18n.HelperRefusalExpired, "timeout": i18n.HelperRefusalExpired,
	"queued": i18n.HelperRefusalQueued, "pending": i18n.HelperRefusalQueued, "approval_pending": i18n.HelperRefusalQueued,
	"left": i18n.HelperRefusalLeft, "secret-note": i18n.HelperRefusalSecretNote, "self_schedule": i18n.HelperRefusalNoSelf,
	"log": i18n.HelperRefusalLogBroken, "log_failed": i18n.HelperRefusalLogBroken, "log_unwritable": i18n.HelperRefusalLogBroken,
	"unparsed": i18n.HelperRefusalUnparsed, "bad_input": i18n.HelperRefusalBadInput, "read_only": i18n.HelperRefusalReadOnly,
	"mismatch": i18n.HelperRefusalMismatch, "repeated": i18n.HelperRefusalRepeated, "max_rounds": i18n.HelperRefusalRepeated,
	"planned": i18n.HelperRefusalPlannedRun, "away": i18n.HelperRefusalAway, "no_tool": i18n.HelperRefusalNoSuchTool,
}

// refusalText reports why a call did not run, by its reason code.
func (r *result) refusalText(code string) string {
	text, known := refusals[code]
	switch {
	case text == i18n.HelperRefusalQueued && r.out.ApprovalCode != "":
		return r.say(i18n.WaitsForApproval(r.out.ApprovalCommand, r.out.ApprovalCode))
	case known:
		return r.say(text)
	case code == "no_rights":
		return r.say(i18n.HelperRefusalNoRights(i18n.RightsLacking(r.out.RootProblems, r.lang), r.out.ManualCommand))
	case code == "missing":
		for _, s := range r.steps {
			if s.MissingProgram != "" {
				return r.missingText(s.MissingProgram)
			}
		}
	}
	return r.say(i18n.HelperRefusalRefusedAny)
}
