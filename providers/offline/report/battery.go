package report

import (
	"fmt"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
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
		return Reply{Text: r.say(i18n.HelperBatteryNone)}
	}
	return Reply{Text: r.batteries(list, s.Command)}
}

func (r *result) batteries(list []battery, source string) string {
	var parts []string
	for _, b := range list[:min(3, len(list))] {
		head := r.say(i18n.HelperBatteryBattery(b.shown, r.batteryState(b.state), source))
		if len(list) > 1 {
			head = r.say(i18n.HelperBatteryNamed(b.shown, r.batteryState(b.state), source, b.name))
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
	return nonEmpty(r.fact(i18n.HelperBatteryLeft, r.durationText(b.left)), r.fact(i18n.HelperBatteryFull, r.durationText(b.untilFull)), r.fact(i18n.HelperBatteryRate, rate), r.fact(i18n.HelperBatteryHealth, health), r.fact(i18n.HelperBatteryCycles, b.cycles))
}

// batteryAdvice returns the most urgent advice only.
func (r *result) batteryAdvice(b battery) string {
	switch {
	case b.state == "discharging" && b.plugged:
		return r.say(i18n.HelperBatteryWeak)
	case b.state == "discharging" && b.measured && (b.percent <= 7 || b.warning == "critical" || b.warning == "action"):
		return r.say(i18n.HelperBatteryDying)
	case b.state == "discharging" && b.measured && b.percent <= 20:
		return r.say(i18n.HelperBatteryLow)
	case b.health > 0 && b.health < 50:
		return r.say(i18n.HelperBatterySpent(b.health))
	case b.health > 0 && b.health < 80:
		return r.say(i18n.HelperBatteryWorn(b.health))
	}
	return ""
}

// batteryState names upower's state.
func (r *result) batteryState(state string) string {
	switch state {
	case "charging":
		return r.say(i18n.HelperBatteryCharging)
	case "discharging":
		return r.say(i18n.HelperBatteryDischarging)
	case "fully-charged":
		return r.say(i18n.HelperBatteryCharged)
	case "pending-charge", "not charging", "pending-discharge":
		return r.say(i18n.HelperBatteryNotCharging)
	case "empty":
		return r.say(i18n.HelperBatteryEmpty)
	case "", "unknown":
		return r.say(i18n.HelperBatteryStateUnknown)
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
		return r.say(i18n.HelperSystemMinutes(minutes))
	case minutes%60 == 0:
		return r.say(i18n.HelperBatteryWholeHours(minutes / 60))
	}
	return r.say(i18n.HelperBatteryHoursAnd(minutes/60, minutes%60))
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
			return Reply{Text: q.say(i18n.HelperBatteryUnseen)}
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
				return q.say(i18n.HelperBatteryCapped(strings.TrimSpace(line)))
			}
		}
	}
	return q.say(i18n.HelperBatteryHeld)
}

// chargerNote answers "it does not charge" if no charger is detected.
func (q *inquiry) chargerNote(b battery) string {
	if b.unplugged && b.state == "discharging" && q.asksAbout("cause", "error", "crash") && !q.asksAbout("hog") {
		return q.say(i18n.HelperBatteryUnfed)
	}
	return ""
}
