package diagnose

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Scanner is the question why the scanner is not found.
func Scanner() Topic {
	return Topic{ID: "scanner", About: i18n.DiagnoseAboutScanner, causes: []cause{
		{"not-installed", scanAbsent},
		{"no-driver", scanNoBackend},
		{"avahi-off", scanAvahi},
		{"no-network-driver", scanNoAirscan},
	}}
}

// scanPackages returns the installed packages of scanners.
func (f *Facts) scanPackages() (names []string, ok bool) {
	out, known := f.output(machine.ScanPackagesProbe)
	if !known || out.Cut || out.Stdout == "" && !strings.Contains(out.Stderr, "was not found") {
		return nil, false
	}
	for _, line := range machine.Lines(out.Stdout) {
		name, _, _ := strings.Cut(line, " ")
		names = append(names, name)
	}
	return names, true
}

func scanAbsent(f *Facts) *Finding {
	have, ok := f.scanPackages()
	if !ok || slices.Contains(have, "sane") {
		return nil
	}
	return proved(i18n.ScanAbsent, see(machine.ScanPackagesProbe, i18n.DesktopNone)).
		offer(i18n.ScanInstallGoal, install(i18n.ScanInstallGoal, "sane sane-airscan"))
}

// scanNoBackend finds that all drivers are off: sane-dll(5).
func scanNoBackend(f *Facts) *Finding {
	out, known := f.output(machine.ScanBackendsProbe)
	extras, listed := f.shown(machine.ScanExtrasProbe)
	if !known || out.Exit != 0 || out.Cut || !listed || len(extras) > 0 {
		return nil
	}
	for _, line := range machine.Lines(out.Stdout) {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			return nil
		}
	}
	return proved(i18n.ScanOff, see(machine.ScanBackendsProbe, i18n.DesktopNone),
		see(machine.ScanExtrasProbe, i18n.DesktopNone)).advise(i18n.ScanOffAdvice)
}

func scanAvahi(f *Facts) *Finding {
	have, _ := f.scanPackages()
	look, name := machine.PrintUnitsProbe, "avahi-daemon.service"
	u := f.units(look)
	if !slices.Contains(have, "sane-airscan") || !u.isIdle(name) {
		return nil
	}
	found := likely(i18n.ScanAvahi(name), u.see(look, name))
	return found.offer(i18n.DesktopStart(name), u.start(name, false)...)
}

func scanNoAirscan(f *Facts) *Finding {
	have, ok := f.scanPackages()
	if !ok || !slices.Contains(have, "sane") || slices.Contains(have, "sane-airscan") {
		return nil
	}
	return likely(i18n.ScanAirscan, seeLine(machine.ScanPackagesProbe, strings.Join(have, " "))).
		offer(i18n.ScanInstallGoal, install(i18n.ScanInstallGoal, "sane-airscan"))
}
