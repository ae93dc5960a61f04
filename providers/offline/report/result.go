package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// result is one finished call with the question.
type result struct {
	tool  string
	input map[string]any
	steps []providers.Step
	out   *providers.Output
	raw   string // the content, for tools whose output is not parsed
	isErr bool

	lang i18n.Lang
	ask  *intent.Reading // the question that led here; nil if unknown
	home string
	now  time.Time
}

func (r *result) str(key string) string {
	s, _ := r.input[key].(string)
	return s
}

func (r *result) flag(key string) bool {
	b, _ := r.input[key].(bool)
	return b
}

func (r *result) say(p i18n.Text) string { return p.In(r.lang) }

// sayIf returns a text if it applies, "" otherwise.
func (r *result) sayIf(applies bool, text i18n.Text) string {
	if !applies {
		return ""
	}
	return r.say(text)
}

// polar puts yes or no before a finding.
func (r *result) polar(yes bool, finding string) string {
	return r.say(map[bool]i18n.Text{true: i18n.HelperResultYes, false: i18n.HelperResultNo}[yes]) + finding
}

// step returns the first step whose command contains s, nil if there is none.
func (r *result) step(s string) *providers.Step {
	for i := range r.steps {
		if strings.Contains(r.steps[i].Command, s) {
			return &r.steps[i]
		}
	}
	return nil
}

// asksAbout reports whether the question mentions one of the concepts.
func (r *result) asksAbout(ids ...string) bool { return r.ask != nil && r.ask.Has(ids...) }

// repliers report the results of each tool.
var repliers = map[string]func(*result) Reply{
	"check_disk": (*result).disk, "check_memory": (*result).memory, "check_processes": (*result).processes,
	"read_logs": (*result).logs, "check_network": (*result).network, "list_packages": (*result).packageList,
	"search_packages": (*result).packageSearch, "package_info": (*result).packageInfo, "check_updates": (*result).updates,
	"install_package": (*result).installReply, "remove_package": (*result).removeReply, "update_system": (*result).updateReply,
	"check_service": (*result).service, "manage_service": (*result).serviceChangeReply, "system_info": (*result).system,
	"check_hardware": (*result).hardware, "check_boot": (*result).boot, "find_large": (*result).large,
	"fetch_page":  (*result).webReply,
	"run_command": (*result).command, "plan": (*result).planReply, "undo": (*result).planReply,
	"explain": (*result).explainReply, "preview_upgrade": (*result).previewReply,
	"remember": (*result).rememberReply, "recall": (*result).recallReply, "forget": (*result).forgetReply,
	"schedule": (*result).scheduleReply, "list_automations": (*result).automations, "change_automation": (*result).changeAutomationReply, "remove_automation": (*result).removeAutomationReply,
}

// compose reports one result: a refusal or missing program first, or else the output.
func (r *result) compose() Reply {
	switch {
	case r.out == nil:
		return Reply{Text: r.unparsed()}
	case r.out.Refusal == "no_upgrade" && r.out.Preview != nil:
		return r.refusedUpgrade(r.out.Preview)
	case r.out.Refusal != "":
		return Reply{Text: r.refusalText(r.out.Refusal)}
	case len(r.steps) == 0:
		return Reply{Text: r.say(i18n.HelperResultNoOutput)}
	case r.missing() != "":
		return Reply{Text: r.missing()}
	}
	last := r.lastStep()
	if last.Interrupted {
		return Reply{Text: joinBlocks(r.say(i18n.HelperRefusalUnknownEnd(last.Command)), quote(excerpt(last.Stdout, 10)))}
	}
	tell := repliers[r.tool]
	switch {
	case r.isContradicted() && last.Exit == 0 && r.tool != "plan" && r.tool != "undo":
		tell = (*result).contradictedReply
	case tell == nil:
		tell = (*result).command
	}
	rep := tell(r)
	if last.ManualCommand != "" && !strings.Contains(rep.Text, last.ManualCommand) {
		rep.Text = joinBlocks(rep.Text, r.say(i18n.HelperRefusalByHand(last.ManualCommand)))
	}
	rep.Text = joinBlocks(r.interrupted(), rep.Text)
	return rep
}

// unparsed shows the content of a result without streams.
func (r *result) unparsed() string {
	lines := filter(strings.Split(r.raw, "\n"), func(line string) bool {
		return !hasAnyPrefix(strings.TrimSpace(line), "<data", "</data")
	})
	return cmp.Or(excerpt(strings.TrimSpace(strings.Join(lines, "\n")), 30), r.say(i18n.HelperResultNoOutput))
}

// missing names the program that is not installed if no step could run.
func (r *result) missing() string {
	if r == nil || len(r.steps) == 0 ||
		slices.ContainsFunc(r.steps, func(s providers.Step) bool { return s.MissingProgram == "" }) {
		return ""
	}
	return r.missingText(r.steps[0].MissingProgram)
}

func (r *result) missingText(program string) string {
	for _, s := range r.steps {
		if s.MissingProgram == program && s.FoundPath != "" {
			return r.say(i18n.HelperRefusalElsewhere(program, s.FoundPath))
		}
	}
	if pkg := machine.PackageOf(program); pkg != "" {
		return r.say(i18n.HelperResultMissingPackage(program, pkg))
	}
	return r.say(i18n.HelperResultMissing(program))
}

func (r *result) interrupted() string {
	for _, s := range r.steps {
		switch {
		case s.TimedOut:
			return r.say(i18n.HelperResultTimedOut(s.Command))
		case s.Cut:
			return r.say(i18n.HelperResultCut)
		}
	}
	return ""
}

func (r *result) how(s *providers.Step) string {
	if s.EndReason() == "" && s.Exit >= 0 {
		return r.say(i18n.HelperResultExitCode(s.Exit))
	}
	return i18n.CommandEnd(r.lang, i18n.CommandResult{Code: s.EndReason(), Exit: s.Exit, Program: s.MissingProgram, Limit: s.Limit})
}

// failureText reports a failed command with its last output lines.
func (r *result) failureText(s *providers.Step) string {
	words := cmp.Or(essentialLines(s.Stderr, 4), essentialLines(s.Stdout, 4))
	switch {
	case s.TimedOut:
		return r.say(i18n.HelperResultNotInTime(s.Command))
	case words == "":
		return r.say(i18n.HelperResultFailedSilently(s.Command, r.how(s)))
	}
	return joinBlocks(r.say(i18n.HelperResultFailed(s.Command, r.how(s))), quote(words))
}

// noneReply reports that an output lists nothing, or shows the output if it is unreadable.
func (r *result) noneReply(s *providers.Step, unreadable bool, none i18n.Text) Reply {
	if unreadable {
		return r.unreadableReply(s)
	}
	return Reply{Text: r.say(none)}
}

// unreadableReply shows the essential lines of an output that no parser accepts, such as one in another language.
func (r *result) unreadableReply(s *providers.Step) Reply {
	if s.Exit != 0 && s.Exit != -1 || s.Stdout == "" && s.Stderr != "" {
		return Reply{Text: r.failureText(s)}
	}
	if strings.TrimSpace(s.Stdout) == "" {
		return Reply{Text: r.say(i18n.HelperResultEmpty(s.Command))}
	}
	return Reply{Text: joinBlocks(r.say(i18n.HelperResultRaw(s.Command)), quote(excerpt(s.Stdout, 12)))}
}

// refusals are the texts of the reason codes that need no arguments.
var refusals = map[string]i18n.Text{
	"blocked": i18n.HelperRefusalBlocked, "denied": i18n.HelperRefusalDenied, "rejected": i18n.HelperRefusalDenied,
	"cancelled": i18n.HelperRefusalCancelled, "canceled": i18n.HelperRefusalCancelled,
	"expired": i18n.HelperRefusalExpired, "timeout": i18n.HelperRefusalExpired,
	"queued": i18n.HelperRefusalQueued, "pending": i18n.HelperRefusalQueued, "approval_pending": i18n.HelperRefusalQueued,
	"left": i18n.HelperRefusalLeft, "secret-note": i18n.HelperRefusalSecretNote, "self_schedule": i18n.HelperRefusalNoSelf,
	"log": i18n.HelperRefusalLogBroken, "log_failed": i18n.HelperRefusalLogBroken,
	"log_unwritable": i18n.HelperRefusalLogBroken, "unparsed": i18n.HelperRefusalUnparsed,
	"bad_input": i18n.HelperRefusalBadInput, "read_only": i18n.HelperRefusalReadOnly,
	"mismatch": i18n.HelperRefusalMismatch, "held": i18n.HelperRefusalHeld,
	"repeated": i18n.HelperRefusalRepeated, "max_rounds": i18n.HelperRefusalRepeated,
	"planned": i18n.HelperRefusalPlannedRun, "away": i18n.HelperRefusalAway, "no_tool": i18n.HelperRefusalNoSuchTool,
}

// refusalText reports why a call did not run, by its reason code.
func (r *result) refusalText(code string) string {
	text, known := refusals[code]
	switch {
	case r.tool == "schedule" && strings.Contains(r.raw, "automations are switched off"):
		return r.say(i18n.HelperRefusalAutomationsOff)
	case code == "bad_input" && r.str("on") != "":
		return r.unparsed() // a question back about what to wait for
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

// The limits of "show more": a screenful or two, in whole lines.
const (
	moreLines      = 60  // of one command
	moreLinesInAll = 150 // of all commands together
)

// RawOutput shows the raw output of a case's commands.
func (c Case) RawOutput() string {
	left := moreLinesInAll
	var blocks []string
	for _, res := range c.Results {
		if res.Output == nil {
			continue
		}
		for _, s := range res.Output.Steps {
			text := strings.TrimRight(s.Stdout, "\n")
			if strings.TrimSpace(text) == "" {
				text = s.Stderr
			}
			if n := len(machine.Lines(text)); n > 0 && left > 0 {
				shown := min(moreLines, left)
				blocks = append(blocks, joinBlocks(i18n.HelperRawoutputMoreOf(s.Command).In(c.Lang), quote(excerpt(text, shown))))
				left -= min(n, shown)
			}
		}
	}
	if len(blocks) == 0 {
		return i18n.HelperRawoutputMoreNothing.In(c.Lang)
	}
	return paragraphs(blocks...)
}
