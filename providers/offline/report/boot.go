package report

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var bootTotal = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`Startup finished in (.*?)(?: = (.*))?$`)
})

// parseSeconds parses systemd's durations: "1min 2.345s", "890ms".
func parseSeconds(s string) (float64, bool) {
	total, any := 0.0, false
	for _, f := range strings.Fields(s) {
		i := strings.IndexFunc(f, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
		if i <= 0 {
			return 0, false
		}
		n, err := strconv.ParseFloat(f[:i], 64)
		factor, known := map[string]float64{"h": 3600, "min": 60, "s": 1, "ms": 0.001, "us": 0.000001}[f[i:]]
		if err != nil || !known {
			return 0, false
		}
		total, any = total+n*factor, true
	}
	return total, any
}

// parseBlame parses systemd-analyze blame: a duration and a unit, slowest first. It skips units that took less
// than half a second.
func parseBlame(text string, limit int) []link {
	var out []link
	for _, line := range outputLines(text) {
		f := strings.Fields(line)
		if len(f) < 2 || len(out) >= limit {
			continue
		}
		secs, ok := parseSeconds(strings.Join(f[:len(f)-1], " "))
		if ok && secs >= noticeable {
			out = append(out, link{f[len(f)-1], secs})
		}
	}
	return out
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

// linkTexts formats units with the time they took.
func (r *result) linkTexts(links []link) []string {
	var out []string
	for _, l := range links {
		out = append(out, unitName(l.unit)+" "+r.spanText(l.took))
	}
	return out
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
	return cleanLine("/" + path)
}

// bootParts translates the parts of "6.2s (firmware) + 2s (loader) + …".
func (r *result) bootParts(parts string) string {
	names := map[string]i18n.Text{"firmware": i18n.HelperBootPartFirmware, "loader": i18n.HelperBootPartLoader, "kernel": i18n.HelperBootPartKernel, "initrd": i18n.HelperBootPartInitrd, "userspace": i18n.HelperBootPartServices}
	var out []string
	for _, p := range strings.Split(parts, " + ") {
		span, what, ok := strings.Cut(p, " (")
		secs, okSpan := parseSeconds(span)
		name, known := names[strings.TrimSuffix(what, ")")]
		if !ok || !okSpan || !known {
			return parts
		}
		out = append(out, r.say(name)+" "+r.spanText(secs))
	}
	return strings.Join(out, ", ")
}

// bootTotalOf parses "Startup finished in 1s (kernel) + 2s (userspace) = 3s", also without a sum.
func bootTotalOf(line string) (total float64, parts string, ok bool) {
	m := bootTotal().FindStringSubmatch(line)
	if m == nil {
		return 0, "", false
	}
	sum := strings.TrimSpace(m[2])
	if sum == "" {
		sum = strings.TrimSpace(strings.SplitN(m[1], " (", 2)[0])
	}
	total, ok = parseSeconds(sum)
	return total, m[1], ok
}

func (r *result) boot() Reply {
	s := r.step("analyze time")
	if s == nil {
		s = &r.steps[0]
	}
	if strings.Contains(s.Stdout+s.Stderr, "Bootup is not yet finished") {
		return Reply{Text: r.say(i18n.HelperBootUnplanned)}
	}
	lines := outputLines(s.Stdout)
	if len(lines) == 0 {
		return r.unreadableReply(s)
	}
	total, parts, ok := bootTotalOf(lines[0])
	if !ok {
		return r.unreadableReply(s)
	}
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
		holders := slices.DeleteFunc(parseChain(s.Stdout), func(l link) bool { return l.took < noticeable })
		if len(holders) > 0 {
			return bullets([]string{r.say(i18n.HelperBootChain(strings.Join(r.linkTexts(holders[:min(4, len(holders))]), ", ")))})
		}
	}
	if blame := r.step("blame"); blame != nil {
		if slow := parseBlame(blame.Stdout, 4); len(slow) > 0 {
			return joinBlocks(r.say(i18n.HelperBootSlowest), bullets(r.linkTexts(slow)))
		}
	}
	return ""
}

// firmwareDominates reports whether the firmware takes more than half of the boot time: "12.3s (firmware) + 2s
// (loader) + …".
func firmwareDominates(parts string) bool {
	total, firmware := 0.0, 0.0
	for _, p := range strings.Split(parts, " + ") {
		span, what, ok := strings.Cut(p, " (")
		secs, okSpan := parseSeconds(span)
		if !ok || !okSpan {
			continue
		}
		total += secs
		if strings.HasPrefix(what, "firmware") {
			firmware = secs
		}
	}
	return firmware > total/2
}

// link is a unit of the critical chain with its own startup time.
type link struct {
	unit string
	took float64 // seconds
}

var chainRow = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([\w@.\\:-]+\.[a-z]+) @[^+]*\+(.+)$`)
})

// parseChain parses systemd-analyze critical-chain (systemd-analyze(1)) and returns the units that took time,
// longest first.
func parseChain(text string) []link {
	var out []link
	for _, line := range outputLines(text) {
		m := chainRow().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if secs, ok := parseSeconds(m[2]); ok {
			out = append(out, link{m[1], secs})
		}
	}
	slices.SortStableFunc(out, func(a, b link) int { return -cmp.Compare(a.took, b.took) })
	return out
}

// boot reports how long booting took, what it waited for and what failed.
func (q *inquiry) boot() Reply {
	if !q.collect(q.first) {
		return Reply{}
	}
	rep := q.toolReply(q.first)
	times := q.output(q.first, "analyze time")
	if times == nil || !strings.Contains(times.Stdout, "Startup finished in ") {
		return rep
	}
	if !q.collect(failedUnitsStep) {
		return Reply{}
	}
	f := finding{verdict: rep.Text}
	var chain []link
	if s := q.output(q.first, "critical-chain"); s != nil {
		chain = parseChain(s.Stdout)
	}
	return q.proposeSpeedup(f, chain)
}

// proposeSpeedup proposes the obvious way to shorten booting, or a check of failed units.
func (q *inquiry) proposeSpeedup(f finding, chain []link) Reply {
	for _, l := range chain {
		switch {
		case l.unit == "NetworkManager-wait-online.service" && l.took >= 3:
			off := "sudo -n systemctl disable NetworkManager-wait-online.service"
			step := command(off)
			f.meaning, f.fix, f.question = q.say(i18n.HelperBootOnline), &step, q.say(i18n.HelperBootAskBootOnline(q.result(Result{}).spanText(l.took), off))
			return f.reply()
		case strings.HasSuffix(l.unit, ".device") && l.took >= 30:
			f.meaning = q.say(i18n.HelperBootDevice(unitName(l.unit)))
			return f.reply()
		}
	}
	var failed []string
	if s := q.output(failedUnitsStep, ""); s != nil {
		for _, u := range parseUnits(s.Stdout) {
			failed = append(failed, u.unit)
		}
	}
	if len(failed) > 0 {
		unit := strings.TrimSuffix(failed[0], ".service")
		step := intent.Call("read_logs", "unit", unit, "since", "boot")
		f.evidence = append(f.evidence, q.say(i18n.HelperSlowFailedFact(strings.Join(failed[:min(4, len(failed))], ", "))))
		f.fix, f.question = &step, q.say(i18n.HelperChangesAskServiceLogs(unit))
	}
	return f.reply()
}
