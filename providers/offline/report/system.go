package report

import (
	"cmp"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers"
)

// uptime formats the uptime, "" if it is unknown.
func (r *result) uptime(u machine.Uptime, known bool) string {
	if !known {
		return ""
	}
	var parts []string
	add := func(n int, one i18n.Text, many func(int) i18n.Text) {
		switch n {
		case 0:
		case 1:
			parts = append(parts, r.say(one))
		default:
			parts = append(parts, r.say(many(n)))
		}
	}
	add(u.Days, i18n.HelperSystemDay, i18n.HelperSystemDays)
	add(u.Hours, i18n.HelperSystemHour, i18n.HelperSystemHours)
	add(u.Minutes, i18n.HelperSystemMinute, i18n.HelperSystemMinutes)
	return cmp.Or(strings.Join(parts, " "), r.say(i18n.HelperSystemMinutes(0)))
}

func (r *result) system() Reply {
	out := func(part string) string {
		if s := r.step(part); s != nil && s.Exit == 0 {
			return strings.Join(machine.Lines(s.Stdout), "\n")
		}
		return ""
	}
	kernel, distro, upText := strings.TrimSpace(out("uname")), machine.ParseAssignments([]byte(out("os-release")))["PRETTY_NAME"], out("uptime")
	running, known := tryRead(machine.ParseUptime, upText)
	up := r.uptime(running, known)
	head := i18n.HelperSystemOverview
	osFact, kernelFact := r.fact(i18n.HelperSystemFactOs, distro), r.fact(i18n.HelperSystemFactKernel, kernel)
	upFact := r.fact(i18n.HelperSystemFactUptime, up)
	var facts []string
	switch {
	case r.asksAbout("uptime") && up != "":
		head, facts = i18n.HelperSystemUptime(up), nonEmpty(r.fact(i18n.HelperSystemLoad, running.Load))
	case r.asksAbout("kernel") && kernel != "":
		head, facts = i18n.HelperSystemKernel(kernel), nonEmpty(osFact)
	case r.asksAbout("os", "version") && !r.asksAbout("specs") && distro != "":
		head, facts = i18n.HelperSystemOs(distro), nonEmpty(kernelFact, upFact)
	default:
		facts = nonEmpty(osFact, kernelFact, r.fact(i18n.HelperSystemFactCpu, cpuModel(out("lscpu"))),
			r.memoryFact(out("free")), upFact)
		if len(facts) == 0 {
			return r.unreadableReply(&r.steps[0])
		}
	}
	return Reply{Text: joinBlocks(r.say(head), bullets(facts))}
}

func (r *result) fact(text func(string) i18n.Text, value string) string {
	return r.sayIf(value != "", text(value))
}

func (r *result) memoryFact(text string) string {
	st, ok := tryRead(machine.ParseFree, text)
	return r.sayIf(ok, i18n.HelperSystemFactMemory(formatSize(st.Total), formatSize(st.Available)))
}

func nonEmpty(list ...string) []string { return filter(list, func(s string) bool { return s != "" }) }

// cpuModel returns model and count from lscpu(1).
func cpuModel(text string) string {
	info := read(machine.ParseFields, text)
	model := info["Model name"]
	if n := info["CPU(s)"]; n != "" && model != "" {
		model += " × " + n
	}
	return model
}

func (r *result) cpu(s *providers.Step) Reply {
	info := read(machine.ParseFields, s.Stdout)
	if info["CPU(s)"] == "" {
		return r.unreadableReply(s)
	}
	model := info["Model name"]
	if model == "" {
		model = info["Architecture"]
	}
	text := r.say(i18n.HelperSystemCores(model, info["CPU(s)"]))
	if info["Socket(s)"] != "" && info["Core(s) per socket"] != "" && info["Thread(s) per core"] != "" {
		text = joinBlocks(text, bullets([]string{r.say(i18n.HelperSystemPhysical(info["Socket(s)"], info["Core(s) per socket"], info["Thread(s) per core"]))}))
	}
	return Reply{Text: text}
}

func (q *inquiry) hostname() Reply {
	name := strings.TrimSpace(q.stdout(q.first))
	if name == "" || quoteWord(name) != name {
		return q.toolReply(q.first)
	}
	return Reply{Text: q.say(i18n.HelperHostnameHostname(name))}
}

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

// slowLinks formats the first four units that took a noticeable time, from the output of a step.
func (r *result) slowLinks(part string, parse func([]byte) ([]machine.StartupTime, error)) []string {
	s := r.step(part)
	if s == nil {
		return nil
	}
	slow := filter(read(parse, s.Stdout), func(l machine.StartupTime) bool { return l.Took >= noticeable })
	return each(slow[:min(4, len(slow))],
		func(l machine.StartupTime) string { return unitName(l.Unit) + " " + r.spanText(l.Took) })
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
	texts := map[string]i18n.Text{
		"firmware": i18n.HelperBootPartFirmware, "loader": i18n.HelperBootPartLoader, "kernel": i18n.HelperBootPartKernel,
		"initrd": i18n.HelperBootPartInitrd, "userspace": i18n.HelperBootPartServices,
	}
	return names(parts, len(parts), func(p machine.StartupTime) string {
		return translate(texts, p.Unit, r.lang) + " " + r.spanText(p.Took)
	})
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
	if holders := r.slowLinks("critical-chain", machine.ParseChain); len(holders) > 0 {
		return bullets([]string{r.say(i18n.HelperBootChain(strings.Join(holders, ", ")))})
	}
	if slow := r.slowLinks("blame", machine.ParseBlame); len(slow) > 0 {
		return joinBlocks(r.say(i18n.HelperBootSlowest), bullets(slow))
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
	var chain []machine.StartupTime
	if s := q.output(q.first, "critical-chain"); s != nil {
		chain = read(machine.ParseChain, s.Stdout)
	}
	return q.proposeSpeedup(&finding{verdict: rep.Text}, chain)
}

// proposeSpeedup proposes the obvious way to shorten booting, or a check of failed units.
func (q *inquiry) proposeSpeedup(f *finding, chain []machine.StartupTime) Reply {
	for _, l := range chain {
		switch {
		case l.Unit == "NetworkManager-wait-online.service" && l.Took >= 3:
			off := "sudo -n systemctl disable NetworkManager-wait-online.service"
			f.meaning = q.say(i18n.HelperBootOnline)
			return f.propose(command(off), q.say(i18n.HelperBootAskBootOnline(q.result(Result{}).spanText(l.Took), off))).reply()
		case strings.HasSuffix(l.Unit, ".device") && l.Took >= 30:
			f.meaning = q.say(i18n.HelperBootDevice(unitName(l.Unit)))
			return f.reply()
		}
	}
	if failed := unitNames(read(machine.ParseUnits, q.anyStdout(failedUnitsStep)), ""); len(failed) > 0 {
		unit := strings.TrimSuffix(failed[0], ".service")
		f.note(q.say(i18n.HelperSlowFailedFact(firstOf(failed, 4))))
		f.propose(q.unitLog(unit), q.say(i18n.HelperChangesAskServiceLogs(unit)))
	}
	return f.reply()
}
