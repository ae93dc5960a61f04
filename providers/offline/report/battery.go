package report

import (
	"fmt"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
)

var (
	sayBattery       = i18n.T("배터리는 %[1]s 남았어요(%[2]s, `%[3]s`).", "The battery is at %[1]s (%[2]s, `%[3]s`).", "电池电量 %[1]s（%[2]s，`%[3]s`）。")
	sayBatteryNamed  = i18n.T("%[4]s 배터리는 %[1]s 남았어요(%[2]s, `%[3]s`).", "Battery %[4]s is at %[1]s (%[2]s, `%[3]s`).", "电池 %[4]s 电量 %[1]s（%[2]s，`%[3]s`）。")
	sayCharging      = i18n.T("충전 중", "charging", "正在充电")
	sayDischarging   = i18n.T("배터리로 쓰는 중", "running on battery", "使用电池供电")
	sayCharged       = i18n.T("완전히 충전됨", "fully charged", "已充满")
	sayNotCharging   = i18n.T("전원은 연결됐지만 충전하지 않는 중", "plugged in, not charging", "已接电源但未充电")
	sayBatteryEmpty  = i18n.T("비어 있음", "empty", "已耗尽")
	sayStateUnknown  = i18n.T("상태를 모름", "state unknown", "状态未知")
	sayWholeHours    = i18n.T("%[1]d시간", "%[1]d h", "%[1]d 小时")
	sayHoursAnd      = i18n.T("%[1]d시간 %[2]d분", "%[1]d h %[2]d min", "%[1]d 小时 %[2]d 分钟")
	sayBatteryLow    = i18n.T("곧 충전기를 연결하세요.", "Plug in the charger soon.", "请尽快连接充电器。")
	sayBatteryDying  = i18n.T("거의 비었어요. 지금 저장하고 충전기를 연결하세요.", "It is almost empty: save your work and plug in the charger now.", "电量即将耗尽，请立即保存并连接充电器。")
	sayBatteryLeft   = i18n.T("남은 시간 약 %[1]s", "About %[1]s left", "剩余时间约 %[1]s")
	sayBatteryFull   = i18n.T("완충까지 약 %[1]s", "Full in about %[1]s", "充满还需约 %[1]s")
	sayBatteryHealth = i18n.T("배터리 수명(설계 용량 대비): %[1]s", "Health (of design capacity): %[1]s", "电池健康（相对设计容量）：%[1]s")
	sayBatteryRate   = i18n.T("지금 쓰는 전력 %[1]s", "Drawing %[1]s right now", "当前耗电 %[1]s")
	sayBatteryCycles = i18n.T("충전 횟수 %[1]s", "Charge cycles: %[1]s", "充电次数 %[1]s")
	sayBatteryWorn   = i18n.T("설계 용량의 %.0[1]f%%만 담을 수 있어서 예전보다 빨리 닳아요.", "It holds only %.0[1]f%% of what it was built for, so it runs down faster than it used to.", "它只能储存设计容量的 %.0[1]f%%，所以比以前耗得快。")
	sayBatterySpent  = i18n.T("설계 용량의 %.0[1]f%%밖에 담지 못해요. 교체할 때가 됐어요.", "It holds only %.0[1]f%% of what it was built for: time to replace it.", "它只能储存设计容量的 %.0[1]f%%，该更换了。")
	sayBatteryCapped = i18n.T("%[1]s%%에서 충전을 멈추도록 설정돼 있어요(`charge_control_end_threshold`). 수명을 지키려는 설정이니 고장이 아니에요.", "Charging is set to stop at %[1]s%% (`charge_control_end_threshold`). That spares the battery and is no fault.", "已设置为充到 %[1]s%% 时停止（`charge_control_end_threshold`），这是为了保护电池，并非故障。")
	sayBatteryHeld   = i18n.T("충전 한도 설정이나 온도 때문에 기다리는 것일 수 있어요. 충전 한도는 읽지 못했어요.", "It may be waiting because of a charge limit or the temperature; no limit could be read.", "可能因充电上限设置或温度而等待；未读到充电上限。")
	sayBatteryWeak   = i18n.T("충전기가 연결돼 있는데도 배터리가 줄고 있어요. 충전기 출력이 모자라거나 케이블·충전기에 문제가 있을 수 있어요. 다른 충전기로 꽂아 보세요.", "The charger is plugged in, yet the battery runs down: the charger may be too weak or faulty. Try another one.", "已接充电器但电量仍在下降：可能是功率不足或充电器、线缆有问题，请换一个试试。")
	sayBatteryUnfed  = i18n.T("충전기가 연결된 것으로 보이지 않아요(`online: no`). 플러그와 케이블을 확인하세요.", "No charger is seen as plugged in (`online: no`). Check plug and cable.", "没有检测到充电器（`online: no`），请检查插头和线缆。")
	sayBatteryNone   = i18n.T("배터리가 없어요. 데스크톱이라면 정상이에요.", "There is no battery; on a desktop that is normal.", "没有电池，台式机属于正常。")
	sayBatteryUnseen = i18n.T("배터리를 확인하지 못했어요: `upower`가 없고 `/sys/class/power_supply`에도 배터리가 보이지 않아요. 데스크톱이라면 정상이에요.", "The battery could not be checked: `upower` is missing and `/sys/class/power_supply` shows none. On a desktop that is normal.", "无法检查电池：没有 `upower`，`/sys/class/power_supply` 中也没有电池。台式机属于正常。")
)

// battery is one of the machine's own batteries.
type battery struct {
	name, state        string // state as upower writes it
	percent            float64
	shown              string  // the percentage as printed
	health             float64 // percent of the design capacity, 0 if unknown
	left, untilFull    string
	rate, cycles       string
	warning            string
	plugged, unplugged bool // a charger is connected, or is not; both false if unknown
	measured           bool
}

// upowerDevices splits the output of upower -d (upower(1)) into the devices' paths and fields.
func upowerDevices(text string) (paths []string, fields []map[string]string) {
	var block []string
	flush := func() {
		if len(paths) > len(fields) {
			fields = append(fields, parseIndented(strings.Join(block, "\n")))
		}
		block = nil
	}
	for _, line := range outputLines(text) {
		switch path, isDevice := strings.CutPrefix(line, "Device:"); {
		case isDevice:
			flush()
			paths = append(paths, strings.TrimSpace(path))
		case !strings.HasPrefix(line, " "):
			flush()
		default:
			block = append(block, line)
		}
	}
	flush()
	return paths, fields
}

// parseUPower returns the machine's own batteries. It skips those of mice and headsets, and the display device,
// which repeats the others.
func parseUPower(text string) []battery {
	paths, fields := upowerDevices(text)
	var out []battery
	plugged, unfed := false, false
	for i, info := range fields {
		switch {
		case strings.Contains(paths[i], "line_power"):
			plugged, unfed = plugged || info["online"] == "yes", unfed || info["online"] == "no"
		case strings.Contains(paths[i], "/battery_") && info["power supply"] != "no" && info["percentage"] != "":
			out = append(out, upowerBattery(info))
		}
	}
	for i := range out {
		out[i].plugged, out[i].unplugged = plugged, unfed && !plugged
	}
	return out
}

func upowerBattery(info map[string]string) battery {
	b := battery{
		name: info["native-path"], state: info["state"], left: info["time to empty"], untilFull: info["time to full"],
		rate: info["energy-rate"], cycles: info["charge-cycles"], warning: info["warning-level"],
	}
	pct, _, _ := strings.Cut(info["percentage"], " ") // "57% (should be ignored)"
	b.shown = pct
	b.percent, b.measured = parseNumber(strings.TrimSuffix(pct, "%"))
	b.health = parsePercent(strings.TrimSuffix(info["capacity"], "%"))
	if b.health == 0 {
		b.health = quotient(info["energy-full"], info["energy-full-design"])
	}
	return b
}

// parsePercent parses a percentage between 1 and 150. It returns 0 for anything else.
func parsePercent(s string) float64 {
	if n, ok := parseNumber(s); ok && n >= 1 && n <= 150 {
		return n
	}
	return 0
}

// quotient returns the quotient of two amounts with units, in percent.
func quotient(part, whole string) float64 {
	p, _, _ := strings.Cut(part, " ")
	w, _, _ := strings.Cut(whole, " ")
	n, ok := parseNumber(p)
	d, okWhole := parseNumber(w)
	if !ok || !okWhole || d <= 0 {
		return 0
	}
	return parsePercent(fmt.Sprint(n / d * 100))
}

// parseSupplies parses concatenated uevent files of /sys/class/power_supply (Linux
// Documentation/ABI/testing/sysfs-class-power).
func parseSupplies(text string) []battery {
	var out []battery
	info := map[string]string{}
	plugged, unfed := false, false
	flush := func() {
		switch {
		case info["TYPE"] == "Mains" || info["TYPE"] == "USB":
			plugged, unfed = plugged || info["ONLINE"] == "1", unfed || info["ONLINE"] == "0"
		case info["TYPE"] == "Battery" && info["SCOPE"] != "Device" && info["CAPACITY"] != "":
			out = append(out, supplyBattery(info))
		}
		info = map[string]string{}
	}
	for _, line := range outputLines(text) {
		key, value, ok := strings.Cut(strings.TrimPrefix(line, "POWER_SUPPLY_"), "=")
		if ok && info[key] != "" {
			flush()
		}
		if ok {
			info[key] = value
		}
	}
	flush()
	for i := range out {
		out[i].plugged, out[i].unplugged = plugged, unfed && !plugged
	}
	return out
}

func supplyBattery(info map[string]string) battery {
	b := battery{name: info["NAME"], shown: info["CAPACITY"] + "%", cycles: info["CYCLE_COUNT"], state: strings.ToLower(info["STATUS"])}
	b.percent, b.measured = parseNumber(info["CAPACITY"])
	b.health = quotient(info["ENERGY_FULL"], info["ENERGY_FULL_DESIGN"])
	if b.health == 0 {
		b.health = quotient(info["CHARGE_FULL"], info["CHARGE_FULL_DESIGN"])
	}
	if b.state == "full" {
		b.state = "fully-charged"
	}
	if b.cycles == "0" {
		b.cycles = "" // most firmware does not count cycles
	}
	return b
}

// battery reports the first battery without further steps.
func (r *result) battery(s *providers.Step) Reply {
	list := parseUPower(s.Stdout)
	if len(list) == 0 {
		if s.Exit != 0 || !strings.Contains(s.Stdout, "Daemon:") {
			return r.unreadableReply(s)
		}
		return Reply{Text: r.say(sayBatteryNone)}
	}
	return Reply{Text: r.batteries(list, s.Command)}
}

func (r *result) batteries(list []battery, source string) string {
	var parts []string
	for _, b := range list[:min(3, len(list))] {
		head := r.say(sayBattery, b.shown, r.batteryState(b.state), source)
		if len(list) > 1 {
			head = r.say(sayBatteryNamed, b.shown, r.batteryState(b.state), source, b.name)
		}
		parts = append(parts, joinBlocks(head, bullets(r.batteryFacts(b)), r.batteryAdvice(b)))
	}
	return joinBlocks(parts...)
}

func (r *result) batteryFacts(b battery) []string {
	health, rate := "", b.rate
	if b.health > 0 {
		health = fmt.Sprintf("%.0f%%", b.health)
	}
	if n, _, _ := strings.Cut(rate, " "); strings.Trim(n, "0.") == "" {
		rate = ""
	}
	if b.cycles == "N/A" {
		b.cycles = ""
	}
	return nonEmpty(r.fact(sayBatteryLeft, r.durationText(b.left)), r.fact(sayBatteryFull, r.durationText(b.untilFull)), r.fact(sayBatteryRate, rate), r.fact(sayBatteryHealth, health), r.fact(sayBatteryCycles, b.cycles))
}

// batteryAdvice returns the most urgent advice only.
func (r *result) batteryAdvice(b battery) string {
	switch {
	case b.state == "discharging" && b.plugged:
		return r.say(sayBatteryWeak)
	case b.state == "discharging" && b.measured && (b.percent <= 7 || b.warning == "critical" || b.warning == "action"):
		return r.say(sayBatteryDying)
	case b.state == "discharging" && b.measured && b.percent <= 20:
		return r.say(sayBatteryLow)
	case b.health > 0 && b.health < 50:
		return r.say(sayBatterySpent, b.health)
	case b.health > 0 && b.health < 80:
		return r.say(sayBatteryWorn, b.health)
	}
	return ""
}

// batteryState names upower's state.
func (r *result) batteryState(state string) string {
	switch state {
	case "charging":
		return r.say(sayCharging)
	case "discharging":
		return r.say(sayDischarging)
	case "fully-charged":
		return r.say(sayCharged)
	case "pending-charge", "not charging", "pending-discharge":
		return r.say(sayNotCharging)
	case "empty":
		return r.say(sayBatteryEmpty)
	case "", "unknown":
		return r.say(sayStateUnknown)
	}
	return state
}

// durationText formats upower's durations: "38.2 minutes", "2.1 hours".
func (r *result) durationText(s string) string {
	n, unit, ok := strings.Cut(s, " ")
	switch {
	case ok && strings.HasPrefix(unit, "minute"):
		return r.minutesText(n, 1, s)
	case ok && strings.HasPrefix(unit, "hour"):
		return r.minutesText(n, 60, s)
	}
	return s
}

// minutesText formats n units as hours and minutes; unit is their length in minutes. If n is not a number, it
// returns printed.
func (r *result) minutesText(n string, unit float64, printed string) string {
	value, ok := parseNumber(n)
	if !ok || value < 0 || value > 1e4 {
		return printed
	}
	minutes := int(value*unit + 0.5)
	switch {
	case minutes < 60:
		return r.say(sayMinutes, minutes)
	case minutes%60 == 0:
		return r.say(sayWholeHours, minutes/60)
	}
	return r.say(sayHoursAnd, minutes/60, minutes%60)
}

var (
	supplies    = command("cat /sys/class/power_supply/*/uevent")
	chargeLimit = command("cat /sys/class/power_supply/BAT0/charge_control_end_threshold /sys/class/power_supply/BAT1/charge_control_end_threshold")
)

// battery reports charge, remaining time and wear, from the kernel if upower is missing. If asked, it also
// finds out why the battery does not charge and what drains it.
func (q *inquiry) battery() Reply {
	if !q.collect(q.first) {
		return Reply{}
	}
	list, source := q.ownBatteries()
	if len(q.needed) > 0 {
		return Reply{}
	}
	if len(list) == 0 {
		if q.resultOf(supplies) != nil && q.output(q.first, "") == nil {
			return Reply{Text: q.say(sayBatteryUnseen)}
		}
		return q.toolReply(q.first)
	}
	drain := q.asksAbout("why", "hog", "takespace", "slow") && !q.asksAbout("cause", "crash") && list[0].state == "discharging"
	held := list[0].state == "pending-charge" || list[0].state == "not charging"
	if drain && !q.collect(topNow) || held && !q.collect(chargeLimit) {
		return Reply{}
	}
	r := q.resultOf(q.first)
	text := joinBlocks(q.chargerNote(list[0]), r.batteries(list, source), q.chargeLimitNote(held))
	if s := q.output(topNow, ""); s != nil {
		snap, _ := parseTop(s.Stdout)
		text = joinBlocks(text, bullets(nonEmpty(q.topFact(vitals{top: snap}))))
	}
	return Reply{Text: text}
}

// ownBatteries reads upower, or else the kernel's files.
func (q *inquiry) ownBatteries() (list []battery, source string) {
	if s := q.output(q.first, ""); s != nil {
		if list = parseUPower(s.Stdout); len(list) > 0 || strings.Contains(s.Stdout, "Daemon:") {
			return list, s.Command
		}
	}
	if !q.collect(supplies) {
		return nil, ""
	}
	if s := q.output(supplies, ""); s != nil {
		list = parseSupplies(s.Stdout)
	}
	return list, "/sys/class/power_supply"
}

// chargeLimitNote explains a battery that is plugged in and does not charge.
func (q *inquiry) chargeLimitNote(held bool) string {
	if !held {
		return ""
	}
	if s := q.output(chargeLimit, ""); s != nil {
		for _, line := range outputLines(s.Stdout) {
			if n, ok := parseNumber(strings.TrimSpace(line)); ok && n >= 20 && n < 100 {
				return q.say(sayBatteryCapped, strings.TrimSpace(line))
			}
		}
	}
	return q.say(sayBatteryHeld)
}

// chargerNote answers "it does not charge" if no charger is detected.
func (q *inquiry) chargerNote(b battery) string {
	if b.unplugged && b.state == "discharging" && q.asksAbout("cause", "error", "crash") && !q.asksAbout("hog") {
		return q.say(sayBatteryUnfed)
	}
	return ""
}
