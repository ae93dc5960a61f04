package report

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// noticeable is the minimum time in seconds for a unit to be listed.
const noticeable = 0.5

// spanText formats seconds: 9.9 seconds, 1 minute 30 seconds.
func (r *result) spanText(secs float64) string {
	if secs < 60 {
		return r.say(i18n.HelperBootSeconds(secs))
	}
	whole := int(secs + 0.5)
	if whole%60 == 0 {
		return r.say(i18n.HelperBootMinutesWhole(whole / 60))
	}
	return r.say(i18n.HelperBootMinutesAnd(whole/60, whole%60))
}

// linkTexts formats units with the time they took.
func (r *result) linkTexts(links []machine.StartupTime) []string {
	return each(links, func(l machine.StartupTime) string { return unitName(l.Unit) + " " + r.spanText(l.Took) })
}

// unitName converts a device unit to its path (systemd.unit(5)). Other units keep their names.
func unitName(unit string) string {
	path, isDevice := strings.CutSuffix(unit, ".device")
	if !isDevice {
		return strings.TrimSuffix(unit, ".service")
	}
	path = strings.ReplaceAll(path, "-", "/")
	for _, e := range [][2]string{{`\x2d`, "-"}, {`\x20`, " "}, {`\x40`, "@"}} {
		path = strings.ReplaceAll(path, e[0], e[1])
	}
	return machine.CleanLine("/" + path)
}

func (r *result) bootParts(parts []machine.StartupTime) string {
	names := map[string]i18n.Text{"firmware": i18n.HelperBootPartFirmware, "loader": i18n.HelperBootPartLoader, "kernel": i18n.HelperBootPartKernel, "initrd": i18n.HelperBootPartInitrd, "userspace": i18n.HelperBootPartServices}
	var out []string
	for _, p := range parts {
		name := p.Unit
		if text, ok := names[p.Unit]; ok {
			name = r.say(text)
		}
		out = append(out, name+" "+r.spanText(p.Took))
	}
	return strings.Join(out, ", ")
}

func (r *result) boot() Reply {
	s := r.step("analyze time")
	if s == nil {
		s = &r.steps[0]
	}
	if strings.Contains(s.Stdout+s.Stderr, "Bootup is not yet finished") {
		return Reply{Text: r.say(i18n.HelperBootUnplanned)}
	}
	took, ok := tryRead(machine.ParseStartup, s.Stdout)
	if !ok {
		return r.unreadableReply(s)
	}
	total, parts := took.Total, took.Parts
	head, firmware := r.say(i18n.HelperBootTime(r.spanText(total))), ""
	if total < quickBoot {
		head += " " + r.say(i18n.HelperBootFine)
	}
	if firmwareDominates(parts) {
		firmware = r.say(i18n.HelperBootFirmware)
	}
	return Reply{Text: joinBlocks(head, bullets([]string{r.say(i18n.HelperBootParts(r.bootParts(parts)))}), r.slowUnits(total), firmware)}
}

// wantsSlowUnits reports whether the slow units should be listed.
func (r *result) wantsSlowUnits(total float64) bool {
	return total >= quickBoot || r.asksAbout("why", "cause", "slow")
}

// quickBoot is the boot time in seconds below which no explanation is needed.
const quickBoot = 20

// slowUnits lists what a slow boot waited for, or, if that is unknown, the slowest units.
func (r *result) slowUnits(total float64) string {
	if !r.wantsSlowUnits(total) {
		return ""
	}
	if s := r.step("critical-chain"); s != nil {
		holders := slices.DeleteFunc(read(machine.ParseChain, s.Stdout), func(l machine.StartupTime) bool { return l.Took < noticeable })
		if len(holders) > 0 {
			return bullets([]string{r.say(i18n.HelperBootChain(strings.Join(r.linkTexts(holders[:min(4, len(holders))]), ", ")))})
		}
	}
	if blame := r.step("blame"); blame != nil {
		slow := slices.DeleteFunc(read(machine.ParseBlame, blame.Stdout), func(l machine.StartupTime) bool { return l.Took < noticeable })
		if len(slow) > 0 {
			return joinBlocks(r.say(i18n.HelperBootSlowest), bullets(r.linkTexts(slow[:min(4, len(slow))])))
		}
	}
	return ""
}

// firmwareDominates reports whether the firmware takes more than half of the boot time.
func firmwareDominates(parts []machine.StartupTime) bool {
	total, firmware := 0.0, 0.0
	for _, p := range parts {
		total += p.Took
		if p.Unit == "firmware" {
			firmware = p.Took
		}
	}
	return firmware > total/2
}

// boot reports how long booting took, what it waited for and what failed.
func (q *inquiry) boot() Reply {
	rep := q.toolReply(q.first)
	times := q.output(q.first, "analyze time")
	if times == nil || !strings.Contains(times.Stdout, "Startup finished in ") {
		return rep
	}
	if !q.collect(failedUnitsStep) {
		return Reply{}
	}
	f := &finding{verdict: rep.Text}
	var chain []machine.StartupTime
	if s := q.output(q.first, "critical-chain"); s != nil {
		chain = read(machine.ParseChain, s.Stdout)
	}
	return q.proposeSpeedup(f, chain)
}

// proposeSpeedup proposes the obvious way to shorten booting, or a check of failed units.
func (q *inquiry) proposeSpeedup(f *finding, chain []machine.StartupTime) Reply {
	for _, l := range chain {
		switch {
		case l.Unit == "NetworkManager-wait-online.service" && l.Took >= 3:
			off := "sudo -n systemctl disable NetworkManager-wait-online.service"
			step := command(off)
			f.meaning, f.fix, f.question = q.say(i18n.HelperBootOnline), &step, q.say(i18n.HelperBootAskBootOnline(q.result(Result{}).spanText(l.Took), off))
			return f.reply()
		case strings.HasSuffix(l.Unit, ".device") && l.Took >= 30:
			f.meaning = q.say(i18n.HelperBootDevice(unitName(l.Unit)))
			return f.reply()
		}
	}
	var failed []string
	if s := q.output(failedUnitsStep, ""); s != nil {
		failed = unitNames(read(machine.ParseUnits, s.Stdout), "")
	}
	if len(failed) > 0 {
		unit := strings.TrimSuffix(failed[0], ".service")
		step := intent.Call("read_logs", "unit", unit, "since", "boot")
		f.evidence = append(f.evidence, q.say(i18n.HelperSlowFailedFact(firstOf(failed, 4))))
		f.fix, f.question = &step, q.say(i18n.HelperChangesAskServiceLogs(unit))
	}
	return f.reply()
}
