package diagnose

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Crash is the question why a program ended by itself. The object is its name; without one, the latest crash is meant.
func Crash() Topic {
	return Topic{ID: "crash", Object: AProgram, About: i18n.DiagnoseAboutCrash, sound: noCrash, causes: []cause{
		{"graphics", crashedInGraphics},
		{"crashed", crashedOften},
		{"oom-killed", crashedWithoutMemory},
	}}
}

// Shutdown is the question why the computer went down by itself.
func Shutdown() Topic {
	return Topic{ID: "shutdown", About: i18n.DiagnoseAboutShutdown, sound: orderlyShutdown, causes: []cause{
		{"overheated", overheated},
		{"graphics-hung", graphicsHung},
		{"log-cut", logCut},
	}}
}

var signals = map[string]i18n.Text{
	"SIGSEGV": i18n.CrashSegv, "SIGABRT": i18n.CrashAbort, "SIGTRAP": i18n.CrashTrap, "SIGILL": i18n.CrashIll, "SIGBUS": i18n.CrashBus,
}

// crashes returns the crashes of two weeks, latest last. ok is false if they are not known: without any,
// coredumpctl(1) says so and exits with 1.
func (f *Facts) crashes() (all []machine.Crash, ok bool) {
	out, known := f.output(machine.CrashesProbe)
	all, err := machine.ParseCrashes([]byte(out.Stdout))
	if err != nil && strings.TrimSpace(out.Stdout) != "" {
		f.unreadable[machine.CrashesProbe.String()] = Unreadable
	}
	return all, known && (len(all) > 0 || strings.Contains(out.Stderr, "No coredumps found"))
}

// lastCrash returns the latest crash of the object, how often that program crashed, and where it crashed, "" if that is
// not known.
func (f *Facts) lastCrash() (last machine.Crash, count int, site string) {
	all, _ := f.crashes()
	for _, c := range slices.Backward(all) {
		switch {
		case !strings.Contains(strings.ToLower(c.Program()), strings.ToLower(f.Object)):
		case count == 0:
			last, count = c, 1
		case c.Exe == last.Exe:
			count++
		}
	}
	if count > 0 {
		site, _ = parse(f, machine.CrashProbe(last.PID), machine.ParseCrashSite) // without a trace there is none
	}
	return last, count, site
}

// crashFinding is a cause with the evidence of the crash.
func (f *Facts) crashFinding(found *Finding, last machine.Crash, site string) *Finding {
	found.Evidence = append(found.Evidence, seeLine(machine.CrashesProbe, last.Signal+" "+last.Exe))
	if site != "" {
		found.Evidence = append(found.Evidence, see(machine.CrashProbe(last.PID), i18n.CrashSite(site)))
	}
	if others := f.otherCrashes(last.Exe); others != "" {
		found.Evidence = append(found.Evidence, see(machine.CrashesProbe, i18n.CrashOthers(others)))
	}
	return found
}

// otherCrashes counts the crashes of at most four programs but one, the latest first.
func (f *Facts) otherCrashes(but string) string {
	all, _ := f.crashes()
	counts := map[string]int{}
	var names []string
	for _, c := range slices.Backward(all) {
		if c.Exe == but {
			continue
		}
		if counts[c.Program()]++; counts[c.Program()] == 1 {
			names = append(names, c.Program())
		}
	}
	for i, name := range names {
		names[i] = name + " ×" + strconv.Itoa(counts[name])
	}
	return strings.Join(names[:min(4, len(names))], ", ")
}

// graphicsLibraries are parts of names of libraries of graphics drivers: Mesa's and NVIDIA's.
var graphicsLibraries = []string{
	"(libgallium", "(libnvidia", "(libGLX", "(libEGL_", "(libvulkan_", "(libnouveau", "(radeonsi_dri", "(iris_dri", "(nvidia_drv",
}

// crashedInGraphics finds a program that crashed in a library of the graphics driver.
func crashedInGraphics(f *Facts) *Finding {
	last, count, site := f.lastCrash()
	if count == 0 || !slices.ContainsFunc(graphicsLibraries, func(s string) bool { return strings.Contains(site, s) }) {
		return nil
	}
	found := likely(i18n.CrashGraphics(last.Program(), count, last.When, site)).advise(i18n.CrashGraphicsAdvice)
	return f.crashFinding(found, last, site)
}

// crashedOften finds that the program crashed, with the signal that ended it.
func crashedOften(f *Facts) *Finding {
	last, count, site := f.lastCrash()
	if count == 0 || crashedInGraphics(f) != nil {
		return nil
	}
	signal := i18n.DiagnoseLine(last.Signal)
	if text, ok := signals[last.Signal]; ok {
		signal = text
	}
	found := proved(i18n.CrashCrashed(last.Program(), count, last.When, signal)).advise(i18n.CrashAdvice)
	return f.crashFinding(found, last, site)
}

// crashedWithoutMemory finds that the kernel killed the program for lack of memory.
func crashedWithoutMemory(f *Facts) *Finding {
	k, ok := f.kill(false)
	if !ok || !strings.Contains(strings.ToLower(k.Program), strings.ToLower(f.Object)) {
		return nil
	}
	return oomKilled(f)
}

// noCrash reports that no crash is recorded.
func noCrash(f *Facts) *Finding {
	if _, ok := f.crashes(); !ok {
		return nil
	}
	if f.Object == "" {
		return proved(i18n.CrashNone, see(machine.CrashesProbe, i18n.DesktopNone))
	}
	return f.withOthers(proved(i18n.CrashNoneOf(f.Object), see(machine.CrashesProbe, i18n.DesktopNone)))
}

// withOthers adds which programs crashed.
func (f *Facts) withOthers(found *Finding) *Finding {
	if others := f.otherCrashes(""); others != "" {
		found.Evidence = append(found.Evidence, see(machine.CrashesProbe, i18n.CrashOthers(others)))
	}
	return found
}

// lastLog returns the end of the log of the boot before, and when it ended. ok is false if it is not known, or a part is missing.
func (f *Facts) lastLog() (lines []string, ended string, ok bool) {
	look := machine.LastBootProbe
	lines = machine.LogLines([]byte(f.stdout(look)))
	out, known := f.output(look)
	switch {
	case len(lines) > 0:
		if ended = machine.LogTime(lines[len(lines)-1]); ended == "" {
			f.unreadable[look.String()] = Unreadable
		}
	case known && !out.isRefused() && !out.Cut:
		f.unreadable[look.String()] = NoLog
	}
	return lines, ended, ended != ""
}

// overheated finds that the kernel switched off because of a temperature: Linux, drivers/thermal/thermal_core.c.
func overheated(f *Facts) *Finding {
	lines, _, ok := f.lastLog()
	line := lineWith(lines, "critical temperature reached")
	if !ok || line == "" {
		return nil
	}
	return proved(i18n.ShutdownHot, seeLine(machine.LastBootProbe, line)).advise(i18n.HelperSlowHotFix)
}

// isOrderly reports whether the log ends as systemd ends it.
func isOrderly(lines []string) bool {
	return lineWith(lines, "journal stopped", "systemd-shutdown", "system power off", "system reboot", "powering off", "power off",
		"rebooting", "shutting down", "reached target late shutdown") != ""
}

// graphicsHung finds a log that ends soon after the graphics card stopped answering.
func graphicsHung(f *Facts) *Finding {
	lines, ended, ok := f.lastLog()
	line := lineWith(lines, "gpu hang", "gpu reset", "ring gfx", "ring sdma", "nvrm: xid")
	if !ok || line == "" || isOrderly(lines) {
		return nil
	}
	return f.withOthers(likely(i18n.ShutdownGraphics(ended), seeLine(machine.LastBootProbe, line)).advise(i18n.CrashGraphicsAdvice))
}

// logCut finds a log without a proper end: the power failed, or the computer hung.
func logCut(f *Facts) *Finding {
	lines, ended, ok := f.lastLog()
	if !ok || isOrderly(lines) || graphicsHung(f) != nil {
		return nil
	}
	found := likely(i18n.ShutdownCut(ended)).advise(i18n.ShutdownCutAdvice)
	for _, line := range lines[max(0, len(lines)-3):] {
		found.Evidence = append(found.Evidence, seeLine(machine.LastBootProbe, line))
	}
	return f.withOthers(found)
}

// orderlyShutdown reports that the computer was shut down as usual.
func orderlyShutdown(f *Facts) *Finding {
	lines, ended, ok := f.lastLog()
	if !ok || !isOrderly(lines) {
		return nil
	}
	return f.withOthers(proved(i18n.ShutdownOrderly(ended), seeLine(machine.LastBootProbe, lines[len(lines)-1])))
}
