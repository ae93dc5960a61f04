package report

import (
	"fmt"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

func smartCommand(disk string) string { return "sudo -n smartctl -H -A /dev/" + disk }

// smartStep reads a disk's own verdict and values.
func smartStep(disk string) intent.Step { return command(smartCommand(disk)) }

// smartVerdict returns the verdict on the record, worst first.
func smartVerdict(rec machine.SmartRecord) func(disk string) i18n.Text {
	worn := rec.Used >= 90 || rec.Left != machine.SmartUnknown && rec.Left <= 10 || rec.Spare != machine.SmartUnknown && rec.SpareLimit != machine.SmartUnknown && rec.Spare <= rec.SpareLimit
	switch {
	case strings.HasPrefix(rec.Verdict, "FAIL"):
		return i18n.HelperSmartFailed
	case rec.Verdict != "PASSED":
		return i18n.HelperSmartNoWord
	case rec.Pending > 0 || rec.Lost > 0:
		return i18n.HelperSmartUnread
	case worn || rec.Warning != "":
		return i18n.HelperSmartSpent
	case rec.Reallocated > 0:
		return i18n.HelperSmartPatched
	case rec.Reallocated == machine.SmartUnknown && rec.Pending == machine.SmartUnknown && rec.Lost == machine.SmartUnknown:
		return i18n.HelperSmartPassed
	}
	return i18n.HelperSmartFine
}

func (r *result) smartFacts(rec machine.SmartRecord) []string {
	var out []string
	add := func(value int, text func(int) i18n.Text) {
		if value != machine.SmartUnknown {
			out = append(out, r.say(text(value)))
		}
	}
	if rec.Reallocated != machine.SmartUnknown && rec.Pending != machine.SmartUnknown {
		out = append(out, r.say(i18n.HelperSmartSectors(rec.Reallocated, rec.Pending)))
	}
	add(rec.Lost, i18n.HelperSmartLost)
	if rec.Warning != "" {
		out = append(out, r.say(i18n.HelperSmartWarning(rec.Warning)))
	}
	add(rec.Used, i18n.HelperSmartWear)
	add(rec.Left, i18n.HelperSmartLeft)
	if rec.Spare != machine.SmartUnknown && rec.SpareLimit != machine.SmartUnknown {
		out = append(out, r.say(i18n.HelperSmartSpare(rec.Spare, rec.SpareLimit)))
	}
	if rec.Cable > 0 {
		add(rec.Cable, i18n.HelperSmartCable)
	}
	switch {
	case rec.Hours >= 8760:
		out = append(out, r.say(i18n.HelperSmartYears(groupDigits(rec.Hours), float64(rec.Hours)/8760)))
	case rec.Hours != machine.SmartUnknown:
		out = append(out, r.say(i18n.HelperSmartHours(groupDigits(rec.Hours))))
	}
	add(rec.Heat, i18n.HelperSmartHeat)
	return out
}

// smart reports smartctl's output. Its exit status is a set of flags, most of which describe the disk and not
// the command.
func (r *result) smart(s *providers.Step) Reply {
	disk := lastWord(s.Command)
	if rec, ok := tryRead(machine.ParseSmart, s.Stdout); ok {
		return Reply{Text: joinBlocks(r.say(smartVerdict(rec)(disk)), bullets(r.smartFacts(rec)))}
	}
	words := s.Stdout + "\n" + s.Stderr
	switch {
	case strings.Contains(words, "smartctl: command not found") || s.MissingProgram == "smartctl":
		step := intent.Call("install_package", "name", "smartmontools")
		return Reply{Text: r.say(i18n.HelperSmartAskInstallSmart), Offer: &step}
	case strings.Contains(words, "USB bridge") && quoteWord(disk) == disk && !strings.Contains(s.Command, " -d "):
		again := fmt.Sprintf("sudo -n smartctl -d sat -H -A %s", disk)
		return Reply{Text: r.say(i18n.HelperSmartBridge(disk))}.offering(command(again), r.say(i18n.HelperSmartAskSmartBridge(again)))
	case containsAny(words, "Unable to detect device type", "SMART support is: Unavailable", "device lacks SMART capability", "USB bridge"):
		return Reply{Text: r.say(i18n.HelperSmartNone(disk))}
	case containsAny(words, "No such device", "open device"):
		return Reply{Text: joinBlocks(r.say(i18n.HelperSmartOpenFail(disk)), quote(essentialLines(words, 2)))}
	}
	return Reply{}
}

// isSmart reports whether a command reads a disk's SMART record.
func isSmart(command string) bool {
	return strings.HasPrefix(actionSudo().ReplaceAllString(command, ""), "smartctl ")
}

func lastWord(s string) string {
	f := strings.Fields(s)
	if len(f) == 0 {
		return ""
	}
	return f[len(f)-1]
}
