package diagnose

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/machine"
)

// Suspend is the question why the computer does not sleep, or does not wake up.
func Suspend() Topic {
	return Topic{ID: "suspend", About: i18n.DiagnoseAboutSuspend, causes: []cause{
		{"masked", sleepMasked},
		{"lid-ignored", lidIgnored},
		{"inhibited", sleepInhibited},
		{"hook-failed", sleepHookFailed},
		{"device-refused", deviceRefused},
		{"nvidia-services", nvidiaServices},
		{"no-resume", noResume},
		{"light-sleep", lightSleep},
	}}
}

// Battery is the question about a battery that does not charge or is soon empty.
func Battery() Topic {
	return Topic{ID: "battery", About: i18n.DiagnoseAboutBattery, sound: batterySound, causes: []cause{
		{"threshold", chargeThreshold},
		{"not-charging", notCharging},
		{"no-charger", noCharger},
		{"cpu-hog", drains},
		{"worn", batteryWorn},
	}}
}

// sleepMasked finds that sleeping is masked.
func sleepMasked(f *Facts) *Finding {
	look := machine.SleepTargetsProbe
	units, _ := parse(f, look, machine.ParseUnitProperties)
	var masked []string
	for _, u := range units {
		if u["LoadState"] == "masked" && plain(u["Id"]) != "" {
			masked = append(masked, u["Id"])
		}
	}
	if len(masked) == 0 {
		return nil
	}
	names := strings.Join(masked, " ")
	return proved(i18n.SuspendMasked(names), seeLine(look, names+" masked")).offer(i18n.SuspendMaskedGoal(names),
		run(i18n.SuspendMaskedGoal(names), "sudo -n systemctl unmask "+names, "systemctl show -p LoadState -- "+masked[0],
			"LoadState=loaded", "sudo -n systemctl mask "+names))
}

// lidIgnored finds a setting that lets closing the lid do nothing. The last file wins.
func lidIgnored(f *Facts) *Finding {
	look := machine.LidProbe
	out, known := f.output(look) // one of both may not exist
	lines, _ := machine.ParseConfigLines([]byte(out.Stdout))
	sorting.Stably(lines, func(a, b machine.ConfigLine) int { return strings.Compare(a.File, b.File) })
	var last machine.ConfigLine
	for _, line := range lines {
		if strings.HasPrefix(line.Text, "HandleLidSwitch=") {
			last = line
		}
	}
	if value := strings.TrimSpace(strings.TrimPrefix(last.Text, "HandleLidSwitch=")); !known || value != "ignore" ||
		plain(last.File) != last.File {
		return nil
	}
	return proved(i18n.SuspendLid(last.File), seeLine(look, last.File+": "+last.Text)).
		offer(i18n.SuspendLidGoal(last.File),
			run(i18n.SuspendLidGoal(last.File), "sudo -n sed -i s/^HandleLidSwitch=ignore/HandleLidSwitch=suspend/ "+last.File,
				"grep HandleLidSwitch "+last.File, "HandleLidSwitch=suspend",
				"sudo -n sed -i s/^HandleLidSwitch=suspend/HandleLidSwitch=ignore/ "+last.File),
			run(i18n.SuspendLogindGoal, "sudo -n systemctl reload systemd-logind.service",
				"systemctl is-active systemd-logind.service", "active", ""))
}

// sleepInhibited finds a program that keeps the computer from sleeping. Those that only delay do not.
func sleepInhibited(f *Facts) *Finding {
	look := machine.InhibitorsProbe
	all, _ := parse(f, look, machine.ParseInhibitors)
	for _, i := range all {
		if !strings.HasPrefix(i.Mode, "block") || !slices.ContainsFunc(strings.Split(i.What, ":"),
			func(w string) bool { return w == "sleep" || w == "idle" }) {
			continue
		}
		return proved(i18n.SuspendInhibited(i.Program, i.PID, i.Why), seeLine(look, i.Who+" "+i.What+" "+i.Why+" "+i.Mode)).
			advise(i18n.SuspendInhibitedAdvice(i.Program))
	}
	return nil
}

// sleepHookFailed finds a script that failed before sleeping.
func sleepHookFailed(f *Facts) *Finding {
	out, known := f.output(machine.SleepLogProbe)
	line := lineWith(machine.LogLines([]byte(out.Stdout)), "/system-sleep/")
	if low := strings.ToLower(line); !known || !strings.Contains(low, "fail") && !strings.Contains(low, "exit status") {
		return nil
	}
	at := strings.Index(line, "/")
	file, _, _ := strings.Cut(line[at:], " ")
	file = strings.TrimRight(file, ":.")
	return proved(i18n.SuspendHook(file), seeLine(machine.SleepLogProbe, line)).advise(i18n.SuspendHookAdvice(file))
}

// deviceRefused finds a device that did not let the machine sleep.
func deviceRefused(f *Facts) *Finding {
	line := f.logged("failed to suspend async", "failed to suspend: error", "some devices failed to suspend",
		"failed to freeze")
	if line == "" {
		return nil
	}
	return proved(i18n.SuspendDevice, seeLine(machine.KernelMessagesProbe, line)).advise(i18n.SuspendDeviceAdvice)
}

// nvidiaServices finds that NVIDIA's driver is in use without the services that keep its memory.
func nvidiaServices(f *Facts) *Finding {
	look := machine.NvidiaSleepProbe
	u := f.units(look)
	if !slices.Contains(machine.LoadedModules(f.stdout(machine.LoadedModulesProbe)), "nvidia") ||
		!u.isDisabled("nvidia-suspend.service") {
		return nil
	}
	var steps []Step
	for _, name := range []string{"nvidia-suspend.service", "nvidia-resume.service"} {
		if u.isDisabled(name) {
			steps = append(steps, control(i18n.UnitEnable(name), "enable", name, false))
		}
	}
	return likely(i18n.SuspendNvidia, seeLine(look, "nvidia-suspend.service disabled"),
		seeLine(machine.LoadedModulesProbe, "nvidia")).
		offer(i18n.SuspendNvidiaGoal, steps...)
}

// noResume finds that hibernation has no place to write memory to, or that the kernel does not look there.
func noResume(f *Facts) *Finding {
	if !f.mentions(i18n.DiagnoseWordsHibernate) {
		return nil
	}
	swaps, known := f.output(machine.MarkedSwapsProbe)
	line := f.stdout(machine.CommandLineProbe)
	if !known || swaps.Exit != 0 || line == "" {
		return nil
	}
	real := slices.DeleteFunc(machine.ParseSwaps([]byte(swaps.Stdout)),
		func(s string) bool { return strings.HasPrefix(s, "/dev/zram") })
	if len(real) == 0 {
		return proved(i18n.SuspendNoSwap, see(machine.MarkedSwapsProbe, i18n.SuspendNoSwapSeen)).
			advise(i18n.SuspendNoSwapAdvice)
	}
	if strings.Contains(line, "resume=") {
		return nil
	}
	return likely(i18n.SuspendNoResume(real[0]), seeLine(machine.CommandLineProbe, line)).
		advise(i18n.SuspendNoResumeAdvice)
}

// lightSleep finds that the machine uses the lighter way to sleep although it has a deeper one.
func lightSleep(f *Facts) *Finding {
	if state := f.stdout(machine.SleepStateProbe); !strings.Contains(state, "[s2idle]") ||
		!strings.Contains(state, "deep") || !f.mentions(i18n.DiagnoseWordsBattery) {
		return nil
	}
	return proved(i18n.SuspendLight, seeLine(machine.SleepStateProbe, f.stdout(machine.SleepStateProbe))).
		advise(i18n.SuspendLightAdvice)
}

// battery returns the machine's own battery and whether a charger is connected.
func (f *Facts) battery() (b machine.Battery, ok bool) {
	supplies, err := parse(f, machine.UeventsProbe, machine.ParseSupplies)
	all := machine.Batteries(supplies)
	if err != nil || len(all) == 0 {
		return b, false
	}
	return all[0], true
}

// chargeThreshold finds that charging ends early on purpose.
func chargeThreshold(f *Facts) *Finding {
	look := machine.ThresholdsProbe
	lines, _ := parse(f, look, machine.ParseConfigLines)
	b, ok := f.battery()
	for _, line := range lines {
		limit, isNumber := machine.ParseNumber(line.Text)
		if !ok || !isNumber || limit < 20 || limit >= 100 || b.Percent < limit-5 || plain(line.File) != line.File ||
			b.Unplugged {
			continue
		}
		return proved(i18n.BatteryThreshold(percent(limit), line.File), seeLine(look, line.File+": "+line.Text),
			seeLine(machine.UeventsProbe, percent(b.Percent)+" %")).advise(i18n.BatteryThresholdAdvice(line.File))
	}
	return nil
}

// notCharging finds that a charger is connected and the battery still loses charge.
func notCharging(f *Facts) *Finding {
	b, ok := f.battery()
	if !ok || !b.Plugged || b.Percent > 90 || !strings.EqualFold(b.State, "discharging") &&
		!strings.EqualFold(b.State, "not charging") || chargeThreshold(f) != nil {
		return nil
	}
	return proved(i18n.BatteryNotCharging(percent(b.Percent)),
		seeLine(machine.UeventsProbe, b.State+" "+percent(b.Percent)+" %")).advise(i18n.BatteryNotChargingAdvice)
}

// batteryWorn finds a battery that holds much less than when it was new.
func batteryWorn(f *Facts) *Finding {
	b, ok := f.battery()
	if !ok || b.Health <= 0 || b.Health > 70 {
		return nil
	}
	return proved(i18n.BatteryWorn(percent(b.Health)), seeLine(machine.UeventsProbe, percent(b.Health)+" %")).
		advise(i18n.BatteryWornAdvice)
}

// noCharger finds that a battery that should charge has no charger.
func noCharger(f *Facts) *Finding {
	b, ok := f.battery()
	if !ok || !b.Unplugged || !strings.EqualFold(b.State, "discharging") || !f.mentions(i18n.DiagnoseWordsCharge) {
		return nil
	}
	return proved(i18n.BatteryNoCharger(percent(b.Percent)),
		seeLine(machine.UeventsProbe, b.State+" "+percent(b.Percent)+" %")).advise(i18n.BatteryNoChargerAdvice)
}

// drains finds a program that uses up the battery.
func drains(f *Facts) *Finding {
	if b, ok := f.battery(); !ok || !strings.EqualFold(b.State, "discharging") {
		return nil
	}
	return cpuHog(f)
}

// batterySound reports the charge and the state, or that there is no battery.
func batterySound(f *Facts) *Finding {
	b, ok := f.battery()
	if out, known := f.output(machine.UeventsProbe); known && !ok &&
		(out.Exit == 0 || strings.Contains(out.Stderr, "No such file")) {
		return proved(i18n.BatteryNone, see(machine.UeventsProbe, i18n.DesktopNone))
	}
	if !ok {
		return nil
	}
	found := proved(i18n.BatteryFine(percent(b.Percent)), seeLine(machine.UeventsProbe, b.Name+": "+b.State))
	if b.Health > 0 {
		found.Evidence = append(found.Evidence, see(machine.UeventsProbe, i18n.BatteryHealth(percent(b.Health))))
	}
	if _, snap := f.busiest(); topUsers(snap) != "" && strings.EqualFold(b.State, "discharging") {
		found.Evidence = append(found.Evidence, seeLine(machine.TopProbe, topUsers(snap)))
	}
	return found
}
