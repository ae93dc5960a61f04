package report

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

func smartCommand(disk string) string { return "sudo -n smartctl -H -A /dev/" + disk }

// smartStep reads a disk's own verdict and values.
func smartStep(disk string) intent.Step { return command(smartCommand(disk)) }

// unread marks a value that the output does not contain.
const unread = -1

// smartRecord is the output of smartctl -H -A (smartctl(8)). Missing values are unread.
type smartRecord struct {
	verdict                           string // PASSED, FAILED or ""
	reallocated, pending, lost, cable int
	used, left, spare, spareLimit     int // percent
	hours, heat                       int
	warning                           string // NVMe's critical warning if not 0x00
}

type smartPatterns struct{ verdict, attribute, field *regexp.Regexp }

var smartForms = sync.OnceValue(func() smartPatterns {
	return smartPatterns{
		verdict: regexp.MustCompile(`^SMART (?:overall-health self-assessment test result|Health Status): *([A-Z]+)`),
		// ID# NAME FLAG VALUE WORST THRESH TYPE UPDATED WHEN_FAILED RAW_VALUE
		attribute: regexp.MustCompile(`^ *\d+ (\S+) +0x[0-9a-f]{4} +(\d{1,3}) +\d{1,3} +(?:\d{1,3}|-{3}) +\S+ +\S+ +(\S+) +(\d{1,12})`),
		field:     regexp.MustCompile(`^([A-Z][A-Za-z ]+): +([\d,]+|0x[0-9a-f]{2})(?:%| Celsius)?\b`),
	}
})

// parseSmart parses the tables of ATA and NVMe disks.
func parseSmart(text string) (rec smartRecord, ok bool) {
	rec = smartRecord{reallocated: unread, pending: unread, lost: unread, cable: unread, used: unread, left: unread, spare: unread, spareLimit: unread, hours: unread, heat: unread}
	re := smartForms()
	for _, line := range outputLines(text) {
		switch {
		case re.verdict.MatchString(line):
			rec.verdict, ok = re.verdict.FindStringSubmatch(line)[1], true
		case re.attribute.MatchString(line):
			rec.attribute(re.attribute.FindStringSubmatch(line))
			ok = true
		case re.field.MatchString(line):
			m := re.field.FindStringSubmatch(line)
			ok = rec.field(m[1], m[2]) || ok
		}
	}
	if rec.verdict == "OK" {
		rec.verdict = "PASSED" // SCSI's word
	}
	return rec, ok
}

// attribute parses a row of an ATA disk.
func (rec *smartRecord) attribute(m []string) {
	name, raw := m[1], smartNumber(m[4])
	value := smartNumber(m[2])
	switch name {
	case "Reallocated_Sector_Ct", "Reallocated_Sector_Count":
		rec.reallocated = raw
	case "Current_Pending_Sector", "Current_Pending_Sector_Count":
		rec.pending = raw
	case "Offline_Uncorrectable", "Reported_Uncorrect":
		rec.lost = max(rec.lost, raw)
	case "UDMA_CRC_Error_Count", "CRC_Error_Count":
		rec.cable = raw
	case "Power_On_Hours", "Power_On_Hours_and_Msec":
		rec.hours = raw
	case "Temperature_Celsius", "Airflow_Temperature_Cel":
		if raw > 0 && raw < 150 && (rec.heat == unread || name == "Temperature_Celsius") {
			rec.heat = raw
		}
	case "Wear_Leveling_Count", "Media_Wearout_Indicator", "SSD_Life_Left", "Percent_Lifetime_Remain", "Remaining_Lifetime_Perc":
		if value >= 1 && value <= 100 {
			rec.left = value
		}
	}
	if m[3] == "FAILING_NOW" {
		rec.verdict = "FAILED"
	}
}

// field parses a line of an NVMe disk and reports whether it is a known one.
func (rec *smartRecord) field(name, value string) bool {
	n := smartNumber(value)
	switch name {
	case "Critical Warning":
		if strings.Trim(value, "0x") != "" {
			rec.warning = value
		}
	case "Temperature":
		if n < 150 {
			rec.heat = n
		}
	case "Available Spare":
		rec.spare = n
	case "Available Spare Threshold":
		rec.spareLimit = n
	case "Percentage Used":
		rec.used = n
	case "Power On Hours":
		rec.hours = n
	case "Media and Data Integrity Errors":
		rec.lost = n
	default:
		return false
	}
	return true
}

// smartNumber parses "4,321". It returns unread if s is not a number.
func smartNumber(s string) int {
	n, err := strconv.Atoi(strings.ReplaceAll(s, ",", ""))
	if err != nil || n < 0 {
		return unread
	}
	return n
}

// verdictText returns the verdict on the record, worst first.
func (rec smartRecord) verdictText() func(disk string) i18n.Text {
	worn := rec.used >= 90 || rec.left != unread && rec.left <= 10 || rec.spare != unread && rec.spareLimit != unread && rec.spare <= rec.spareLimit
	switch {
	case strings.HasPrefix(rec.verdict, "FAIL"):
		return i18n.HelperSmartFailed
	case rec.verdict != "PASSED":
		return i18n.HelperSmartNoWord
	case rec.pending > 0 || rec.lost > 0:
		return i18n.HelperSmartUnread
	case worn || rec.warning != "":
		return i18n.HelperSmartSpent
	case rec.reallocated > 0:
		return i18n.HelperSmartPatched
	case rec.reallocated == unread && rec.pending == unread && rec.lost == unread:
		return i18n.HelperSmartPassed
	}
	return i18n.HelperSmartFine
}

func (r *result) smartFacts(rec smartRecord) []string {
	var out []string
	add := func(value int, text func(int) i18n.Text) {
		if value != unread {
			out = append(out, r.say(text(value)))
		}
	}
	if rec.reallocated != unread && rec.pending != unread {
		out = append(out, r.say(i18n.HelperSmartSectors(rec.reallocated, rec.pending)))
	}
	add(rec.lost, i18n.HelperSmartLost)
	if rec.warning != "" {
		out = append(out, r.say(i18n.HelperSmartWarning(rec.warning)))
	}
	add(rec.used, i18n.HelperSmartWear)
	add(rec.left, i18n.HelperSmartLeft)
	if rec.spare != unread && rec.spareLimit != unread {
		out = append(out, r.say(i18n.HelperSmartSpare(rec.spare, rec.spareLimit)))
	}
	if rec.cable > 0 {
		add(rec.cable, i18n.HelperSmartCable)
	}
	switch {
	case rec.hours >= 8760:
		out = append(out, r.say(i18n.HelperSmartYears(groupDigits(rec.hours), float64(rec.hours)/8760)))
	case rec.hours != unread:
		out = append(out, r.say(i18n.HelperSmartHours(groupDigits(rec.hours))))
	}
	add(rec.heat, i18n.HelperSmartHeat)
	return out
}

// smart reports smartctl's output. Its exit status is a set of flags, most of which describe the disk and not
// the command.
func (r *result) smart(s *providers.Step) Reply {
	disk := lastWord(s.Command)
	if rec, ok := parseSmart(s.Stdout); ok {
		return Reply{Text: joinBlocks(r.say(rec.verdictText()(disk)), bullets(r.smartFacts(rec)))}
	}
	words := s.Stdout + "\n" + s.Stderr
	switch {
	case strings.Contains(words, "smartctl: command not found") || s.MissingProgram == "smartctl":
		step := intent.Call("install_package", "name", "smartmontools")
		return Reply{Text: r.say(i18n.HelperSmartAskInstallSmart), Offer: &step}
	case strings.Contains(words, "USB bridge") && quoteWord(disk) == disk && !strings.Contains(s.Command, " -d "):
		again := fmt.Sprintf("sudo -n smartctl -d sat -H -A %s", disk)
		step := command(again)
		return Reply{Text: paragraphs(r.say(i18n.HelperSmartBridge(disk)), r.say(i18n.HelperSmartAskSmartBridge(again))), Offer: &step}
	case containsAny(words, "Unable to detect device type", "SMART support is: Unavailable", "device lacks SMART capability", "USB bridge"):
		return Reply{Text: r.say(i18n.HelperSmartNone(disk))}
	case containsAny(words, "No such device", "open device"):
		return Reply{Text: joinBlocks(r.say(i18n.HelperSmartOpenFail(disk)), quote(essentialLines(words, 2)))}
	}
	return Reply{}
}

// isSmart reports whether a command reads a disk's SMART record.
func isSmart(command string) bool {
	return strings.HasPrefix(actionForms().sudo.ReplaceAllString(command, ""), "smartctl ")
}

func lastWord(s string) string {
	f := strings.Fields(s)
	if len(f) == 0 {
		return ""
	}
	return f[len(f)-1]
}
