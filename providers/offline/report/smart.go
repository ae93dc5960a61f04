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

var (
	saySmartFailed   = i18n.T("%[1]s{이/가} 자체 진단에서 고장(FAILED, `smartctl`)으로 나왔어요. 지금 바로 백업하고 디스크를 교체하세요.", "%[1]s itself reports that it is failing (FAILED, `smartctl`). Back up right now and replace it.", "%[1]s 自检结果为故障（FAILED，`smartctl`）。请立即备份并更换磁盘。")
	saySmartSpent    = i18n.T("%[1]s{은/는} 자체 진단을 통과했지만(PASSED, `smartctl`) 수명을 거의 다 썼어요. 백업하고 교체를 준비하세요.", "%[1]s passes its own check (PASSED, `smartctl`), but is nearly worn out. Back up and plan to replace it.", "%[1]s 自检通过（PASSED，`smartctl`），但寿命快用完了。请备份并准备更换。")
	saySmartUnread   = i18n.T("%[1]s{은/는} 자체 진단을 통과했지만(PASSED, `smartctl`) 읽지 못하는 곳이 있어요. 중요한 파일부터 백업하고, 수가 늘어나면 교체하세요.", "%[1]s passes its own check (PASSED, `smartctl`), but has places it cannot read. Back up what matters first, and replace it if they become more.", "%[1]s 自检通过（PASSED，`smartctl`），但有无法读取的区域。请先备份重要文件，若数量增加请更换。")
	saySmartPatched  = i18n.T("%[1]s{은/는} 자체 진단을 통과했지만(PASSED, `smartctl`) 나쁜 섹터를 예비 섹터로 바꾼 적이 있어요. 당장 위험하지는 않아도 백업해 두고 수가 느는지 지켜보세요.", "%[1]s passes its own check (PASSED, `smartctl`), but has replaced bad sectors. Not urgent, yet keep a backup and watch whether they become more.", "%[1]s 自检通过（PASSED，`smartctl`），但曾替换过坏扇区。不紧急，但请备份并留意是否增加。")
	saySmartFine     = i18n.T("%[1]s{은/는} 자체 진단을 통과했고(PASSED, `smartctl`) 나쁜 징조가 보이지 않아요.", "%[1]s passes its own check (PASSED, `smartctl`) and shows no bad sign.", "%[1]s 自检通过（PASSED，`smartctl`），没有不良迹象。")
	saySmartPassed   = i18n.T("%[1]s{은/는} 자체 진단을 통과했어요(PASSED, `smartctl`). 자세한 값은 출력에 없어요.", "%[1]s passes its own check (PASSED, `smartctl`). The output has no further values.", "%[1]s 自检通过（PASSED，`smartctl`），输出中没有更详细的值。")
	saySmartNoWord   = i18n.T("%[1]s의 자체 진단 결과는 `smartctl` 출력에 없어서, 읽은 값만 보여 드려요.", "The output of `smartctl` has no verdict of %[1]s itself; these are the values it has.", "`smartctl` 的输出中没有 %[1]s 的自检结论，以下是读到的值。")
	saySmartSectors  = i18n.T("대체한 섹터 %[1]d개, 읽지 못해 대기 중인 섹터 %[2]d개", "Reallocated sectors: %[1]d, pending: %[2]d", "已重映射扇区 %[1]d 个，待处理扇区 %[2]d 个")
	saySmartLost     = i18n.T("고치지 못한 오류 %[1]d개", "Errors that could not be corrected: %[1]d", "无法纠正的错误 %[1]d 个")
	saySmartCable    = i18n.T("전송 오류(CRC) %[1]d번. 늘어나면 케이블을 바꿔 보세요.", "Transfer errors (CRC): %[1]d. If they become more, try another cable.", "传输错误（CRC）%[1]d 次，若增加请更换线缆。")
	saySmartWear     = i18n.T("쓴 수명 %[1]d%%", "Wear: %[1]d%% used", "已用寿命 %[1]d%%")
	saySmartLeft     = i18n.T("남은 수명 %[1]d%%(제조사 기준)", "Life left: %[1]d%% (by the maker's count)", "剩余寿命 %[1]d%%（按厂商标准）")
	saySmartSpare    = i18n.T("예비 공간 %[1]d%%(한계 %[2]d%%)", "Spare space: %[1]d%% (limit %[2]d%%)", "备用空间 %[1]d%%（下限 %[2]d%%）")
	saySmartWarning  = i18n.T("경고 표시 %[1]s", "Critical warning: %[1]s", "严重警告 %[1]s")
	saySmartHours    = i18n.T("사용 시간 %[1]s시간", "Powered on for %[1]s {hour|hours}", "通电 %[1]s 小时")
	saySmartYears    = i18n.T("사용 시간 %[1]s시간(약 %.1[2]f년)", "Powered on for %[1]s {hour|hours} (about %.1[2]f years)", "通电 %[1]s 小时（约 %.1[2]f 年）")
	saySmartHeat     = i18n.T("온도 %[1]d°C", "Temperature %[1]d°C", "温度 %[1]d°C")
	saySmartBridge   = i18n.T("%[1]s{은/는} USB로 연결돼 있어서 SMART 값을 바로 읽지 못했어요.", "The SMART values of %[1]s could not be read directly through its USB adapter.", "%[1]s 通过 USB 转接，无法直接读取 SMART 值。")
	saySmartNone     = i18n.T("%[1]s{은/는} SMART 값을 알려 주지 않아요. 건강 상태는 알 수 없어요.", "%[1]s gives no SMART values, so its health is not known.", "%[1]s 不提供 SMART 值，无法得知其健康状况。")
	askSmartBridge   = i18n.T("USB-SATA 방식으로 다시 읽어 볼까요? (`%[1]s`)", "Shall I try it the way USB-SATA adapters understand? (`%[1]s`)", "要按 USB-SATA 方式再试一次吗？（`%[1]s`）")
	askInstallSmart  = i18n.T("`smartctl`이 없어서 읽지 못했어요. smartmontools를 설치할까요?", "`smartctl` is missing, so nothing was read. Shall I install smartmontools?", "没有 `smartctl`，无法读取。要安装 smartmontools 吗？")
	saySmartOpenFail = i18n.T("%[1]s{을/를} 열지 못해서 SMART 값을 읽지 못했어요.", "%[1]s could not be opened, so its SMART values were not read.", "无法打开 %[1]s，未能读取 SMART 值。")
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
func (rec smartRecord) verdictText() i18n.Text {
	worn := rec.used >= 90 || rec.left != unread && rec.left <= 10 || rec.spare != unread && rec.spareLimit != unread && rec.spare <= rec.spareLimit
	switch {
	case strings.HasPrefix(rec.verdict, "FAIL"):
		return saySmartFailed
	case rec.verdict != "PASSED":
		return saySmartNoWord
	case rec.pending > 0 || rec.lost > 0:
		return saySmartUnread
	case worn || rec.warning != "":
		return saySmartSpent
	case rec.reallocated > 0:
		return saySmartPatched
	case rec.reallocated == unread && rec.pending == unread && rec.lost == unread:
		return saySmartPassed
	}
	return saySmartFine
}

func (r *result) smartFacts(rec smartRecord) []string {
	var out []string
	add := func(value int, text i18n.Text, args ...any) {
		if value != unread {
			out = append(out, r.say(text, append([]any{value}, args...)...))
		}
	}
	if rec.reallocated != unread && rec.pending != unread {
		add(rec.reallocated, saySmartSectors, rec.pending)
	}
	add(rec.lost, saySmartLost)
	if rec.warning != "" {
		out = append(out, r.say(saySmartWarning, rec.warning))
	}
	add(rec.used, saySmartWear)
	add(rec.left, saySmartLeft)
	if rec.spareLimit != unread {
		add(rec.spare, saySmartSpare, rec.spareLimit)
	}
	if rec.cable > 0 {
		add(rec.cable, saySmartCable)
	}
	switch {
	case rec.hours >= 8760:
		out = append(out, r.say(saySmartYears, groupDigits(rec.hours), float64(rec.hours)/8760))
	case rec.hours != unread:
		out = append(out, r.say(saySmartHours, groupDigits(rec.hours)))
	}
	add(rec.heat, saySmartHeat)
	return out
}

// smart reports smartctl's output. Its exit status is a set of flags, most of which describe the disk and not
// the command.
func (r *result) smart(s *providers.Step) Reply {
	disk := lastWord(s.Command)
	if rec, ok := parseSmart(s.Stdout); ok {
		return Reply{Text: joinBlocks(r.say(rec.verdictText(), disk), bullets(r.smartFacts(rec)))}
	}
	words := s.Stdout + "\n" + s.Stderr
	switch {
	case strings.Contains(words, "smartctl: command not found") || s.MissingProgram == "smartctl":
		step := intent.Call("install_package", "name", "smartmontools")
		return Reply{Text: r.say(askInstallSmart), Offer: &step}
	case strings.Contains(words, "USB bridge") && quoteWord(disk) == disk && !strings.Contains(s.Command, " -d "):
		again := fmt.Sprintf("sudo -n smartctl -d sat -H -A %s", disk)
		step := command(again)
		return Reply{Text: paragraphs(r.say(saySmartBridge, disk), r.say(askSmartBridge, again)), Offer: &step}
	case containsAny(words, "Unable to detect device type", "SMART support is: Unavailable", "device lacks SMART capability", "USB bridge"):
		return Reply{Text: r.say(saySmartNone, disk)}
	case containsAny(words, "No such device", "open device"):
		return Reply{Text: joinBlocks(r.say(saySmartOpenFail, disk), quote(essentialLines(words, 2)))}
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
