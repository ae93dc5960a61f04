package report

import (
	"fmt"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers"
)

// battery reports the first battery without further steps.
func (r *result) battery(s *providers.Step) Reply {
	list := read(machine.ParseUPower, s.Stdout)
	if len(list) == 0 {
		return r.noneReply(s, s.Exit != 0 || !strings.Contains(s.Stdout, "Daemon:"), i18n.HelperBatteryNone)
	}
	return Reply{Text: r.batteries(list, s.Command)}
}

func (r *result) batteries(list []machine.Battery, source string) string {
	var parts []string
	for _, b := range list[:min(3, len(list))] {
		state := translate(batteryStates, b.State, r.lang)
		head := r.say(i18n.HelperBatteryBattery(b.Shown, state, source))
		if len(list) > 1 {
			head = r.say(i18n.HelperBatteryNamed(b.Shown, state, source, b.Name))
		}
		parts = append(parts, joinBlocks(head, bullets(r.batteryFacts(b)), r.batteryAdvice(b)))
	}
	return joinBlocks(parts...)
}

func (r *result) batteryFacts(b machine.Battery) []string {
	health, rate := "", b.Rate
	if b.Health > 0 {
		health = fmt.Sprintf("%.0f%%", b.Health)
	}
	if n, _, _ := strings.Cut(rate, " "); strings.Trim(n, "0.") == "" {
		rate = ""
	}
	if b.Cycles == "N/A" {
		b.Cycles = ""
	}
	return nonEmpty(
		r.fact(i18n.HelperBatteryLeft, r.durationText(b.Left)), r.fact(i18n.HelperBatteryFull, r.durationText(b.UntilFull)),
		r.fact(i18n.HelperBatteryRate, rate), r.fact(i18n.HelperBatteryHealth, health),
		r.fact(i18n.HelperBatteryCycles, b.Cycles))
}

// batteryAdvice returns the most urgent advice only.
func (r *result) batteryAdvice(b machine.Battery) string {
	switch {
	case b.State == "discharging" && b.Plugged:
		return r.say(i18n.HelperBatteryWeak)
	case b.State == "discharging" && b.Measured && (b.Percent <= 7 || b.Warning == "critical" || b.Warning == "action"):
		return r.say(i18n.HelperBatteryDying)
	case b.State == "discharging" && b.Measured && b.Percent <= 20:
		return r.say(i18n.HelperBatteryLow)
	case b.Health > 0 && b.Health < 50:
		return r.say(i18n.HelperBatterySpent(b.Health))
	case b.Health > 0 && b.Health < 80:
		return r.say(i18n.HelperBatteryWorn(b.Health))
	}
	return ""
}

var batteryStates = map[string]i18n.Text{
	"charging": i18n.HelperBatteryCharging, "discharging": i18n.HelperBatteryDischarging,
	"fully-charged": i18n.HelperBatteryCharged, "empty": i18n.HelperBatteryEmpty,
	"pending-charge": i18n.HelperBatteryNotCharging, "not charging": i18n.HelperBatteryNotCharging,
	"pending-discharge": i18n.HelperBatteryNotCharging,
	"":                  i18n.HelperBatteryStateUnknown, "unknown": i18n.HelperBatteryStateUnknown,
}

// durationText formats upower's durations: "38.2 minutes", "2.1 hours".
func (r *result) durationText(s string) string {
	n, unit, _ := strings.Cut(s, " ")
	value, ok := machine.ParseNumber(n)
	if !ok || value < 0 || value > 1e4 || !hasAnyPrefix(unit, "minute", "hour") {
		return s
	}
	if strings.HasPrefix(unit, "hour") {
		value *= 60
	}
	minutes := int(value + 0.5)
	switch {
	case minutes < 60:
		return r.say(i18n.HelperSystemMinutes(minutes))
	case minutes%60 == 0:
		return r.say(i18n.HelperBatteryWholeHours(minutes / 60))
	}
	return r.say(i18n.HelperBatteryHoursAnd(minutes/60, minutes%60))
}
