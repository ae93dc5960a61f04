package turns

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// describeProofs describes what the checks of changes show for the person, a line each, "" for none. These lines end
// the answer: a model cannot write below them.
func describeProofs(proofs []plan.Proof, lang i18n.Lang) string {
	var lines []string
	for _, p := range plan.Latest(proofs) {
		lines = append(lines, describeProof(p).In(lang))
	}
	return strings.Join(lines, "\n")
}

func describeProof(p plan.Proof) i18n.Text {
	switch p.Code {
	case plan.Restarting:
		return i18n.ProofRestarting
	case plan.Accepted:
		return i18n.ProofAccepted
	case plan.OldServices:
		return i18n.ProofOldServices(p.State, p.Check)
	case plan.OldSession:
		return i18n.ProofOldSession(p.State, p.Check)
	case plan.Snapshots:
		return i18n.ProofSnapshots(p.State, p.Check)
	case plan.NoSnapshot:
		return i18n.ProofNoSnapshot(p.State, p.Check)
	case plan.NotSeen:
		return i18n.ProofNotSeen(p.Subject, p.Check)
	case plan.CommandFailed:
		if p.State == "" {
			return i18n.ProofCommandFailedOnly
		}
		return i18n.ProofCommandFailed(p.State, p.Check)
	case plan.Silent:
		if p.State != "" {
			return i18n.ProofSilent(p.State, p.Check)
		}
	}
	fact, known := describeFact(p)
	switch {
	case !known:
		return i18n.ProofNoLook(p.Check)
	case p.Outcome == plan.Failed:
		return i18n.ProofFailed(fact, p.Check)
	}
	return i18n.ProofDone(fact, p.Check)
}

// unitFacts describe a unit with its state.
var unitFacts = map[plan.Code]func(unit, state string) i18n.Text{
	plan.Running: i18n.ProofRunning, plan.NotRunning: i18n.ProofNotRunning, plan.StillRunning: i18n.ProofStillRunning,
	plan.Stopped: i18n.ProofStopped, plan.Restarted: i18n.ProofRestarted, plan.NotRestarted: i18n.ProofNotRestarted,
	plan.Reloaded: i18n.ProofReloaded, plan.Enabled: i18n.ProofEnabled, plan.EnabledRunning: i18n.ProofEnabledRunning,
	plan.NotEnabled: i18n.ProofNotEnabled, plan.StillEnabled: i18n.ProofStillEnabled,
	plan.Disabled: i18n.ProofDisabled, plan.DisabledStopped: i18n.ProofDisabledStopped,
	plan.Masked: i18n.ProofMasked, plan.MaskedStopped: i18n.ProofMaskedStopped, plan.NotMasked: i18n.ProofNotMasked,
	plan.Unmasked: i18n.ProofUnmasked, plan.StillMasked: i18n.ProofStillMasked,
}

// describeFact describes what a check shows, without its outcome.
func describeFact(p plan.Proof) (fact i18n.Text, known bool) {
	switch p.Code {
	case plan.WentBack:
		return i18n.ProofWentBack(p.Subject), true
	case plan.Opened:
		return i18n.ProofOpened(p.Subject, p.State), true
	case plan.Queued:
		return i18n.ProofQueued(p.Subject, p.State), true
	case plan.Written:
		return i18n.ProofWritten(p.Subject), true
	case plan.NotWritten:
		return i18n.ProofNotWritten(p.Subject), true
	case plan.Deleted:
		return i18n.ProofDeleted(p.Subject), true
	case plan.NotDeleted:
		return i18n.ProofNotDeleted(p.Subject), true
	case plan.IsSet, plan.NotSet:
		return describeSetting(p), true
	case plan.Confirmed, plan.Denied:
		if p.State == "" {
			return i18n.ProofOwnOnly(p.Subject), true
		}
		return i18n.ProofOwn(p.Subject, p.State), true
	case plan.Installed:
		return i18n.ProofInstalled(p.State), true
	case plan.Removed:
		return i18n.ProofRemoved(p.Subject), true
	case plan.NotInstalled:
		return i18n.ProofNotInstalled(p.Subject), true
	case plan.StillInstalled:
		return i18n.ProofStillInstalled(p.State), true
	case plan.Current:
		return i18n.ProofCurrent, true
	case plan.CurrentIgnored:
		return i18n.ProofCurrentIgnored(p.State), true
	case plan.NotCurrent:
		return i18n.ProofNotCurrent(p.State), true
	case plan.Inconsistent:
		return i18n.ProofInconsistent(p.State), true
	case plan.DamagedFiles:
		return i18n.ProofDamagedFiles(p.State), true
	case plan.NewlyFailed:
		return i18n.ProofNewlyFailed(p.State), true
	case plan.NoNextStart:
		return i18n.ProofNoNextStart(p.State), true
	}
	describe, known := unitFacts[p.Code]
	if !known {
		return fact, false
	}
	return describe(p.Subject, p.State), true
}

// namedSettings have names as values, which can be words of others: a computer can be called "off".
var namedSettings = []string{"hostname", "owner", "output", "microphone"}

// describeSetting describes the value of a setting.
func describeSetting(p plan.Proof) i18n.Text {
	setting, target := plan.CutSetting(p.Subject)
	name := i18n.SettingName(setting, target)
	state, isState := i18n.SettingStates()[cmp.Or(p.State, "none")]
	if isState && !slices.Contains(namedSettings, setting) {
		return i18n.ProofIsState(name, state)
	}
	if p.Code == plan.NotSet {
		return i18n.ProofNotSet(name, p.State, p.Wanted)
	}
	return i18n.ProofIsSet(name, p.State)
}

// describeChanges describes what the checks of changes show, and with which words the changes are taken back.
func describeChanges(proofs []plan.Proof, receipts []string, lang i18n.Lang) string {
	lines := []string{describeProofs(proofs, lang)}
	if len(receipts) > 0 {
		lines = append(lines, i18n.UndoHint(receipts[len(receipts)-1]).In(lang))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// appendProofs appends the lines of the checks to an answer.
func appendProofs(answer string, proofs []plan.Proof, lang i18n.Lang) string {
	return appendLines(answer, describeProofs(proofs, lang))
}

func appendLines(answer, lines string) string {
	if lines == "" || answer == "" {
		return answer + lines
	}
	return answer + "\n\n" + lines
}

// checksOf returns what the checks of changes show as data.
func checksOf(proofs []plan.Proof) []ipc.Check {
	var checks []ipc.Check
	for _, p := range plan.Latest(proofs) {
		checks = append(checks, ipc.Check{
			Action: string(p.Action), Subject: p.Subject, User: p.User, Result: string(p.Outcome), Code: string(p.Code),
			State: p.State, Command: p.Check,
		})
	}
	return checks
}
