package diagnose

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/machine"
)

// Slow is the question why the computer is slow, or a program.
func Slow() Topic {
	return Topic{ID: "slow", Object: AProgram, About: i18n.DiagnoseAboutSlow, sound: slowSound, causes: []cause{
		{"disk-failing", diskFailing},
		{"swapping", swapping},
		{"memory-hog", memoryHog},
		{"disk-full", slowFull},
		{"btrfs-busy", btrfsBusy},
		{"chore", choreRuns},
		{"disk-wait", diskWait},
		{"critical", critical},
		{"cpu-hog", cpuHog},
		{"cpu-crowd", cpuCrowd},
		{"throttled", throttled},
		{"power-saver", powerSaver},
		{"governor", slowGovernor},
	}}
}

// Heat is the question why the computer is hot or loud.
func Heat() Topic {
	return Topic{ID: "heat", About: i18n.DiagnoseAboutHeat, sound: heatSound, causes: []cause{
		{"fan-stopped", fanStopped},
		{"critical", critical},
		{"throttled", throttled},
		{"chore", choreRuns},
		{"cpu-hog", cpuHog},
		{"no-tool", noSensors},
	}}
}

// busiest returns the program that uses most of the processor.
func (f *Facts) busiest() (u machine.Usage, snap machine.Snapshot) {
	snap, err := parse(f, machine.TopProbe, machine.ParseTop)
	if all := snap.Busiest(); err == nil && len(all) > 0 {
		return all[0], snap
	}
	return u, snap
}

// indexers are programs that read all files for searching, with what pauses them.
var indexers = map[string]string{
	"baloo_file": "balooctl6 suspend", "baloo_file_extr": "balooctl6 suspend", "baloo_file_extractor": "balooctl6 suspend",
	"tracker-miner-f":    "systemctl --user stop tracker-miner-fs-3",
	"tracker-miner-fs-3": "systemctl --user stop tracker-miner-fs-3",
	"tracker-extract":    "systemctl --user stop tracker-miner-fs-3",
	"tracker-extract-3":  "systemctl --user stop tracker-miner-fs-3",
	"localsearch-3":      "systemctl --user stop localsearch-3", "localsearch-ext": "systemctl --user stop localsearch-3",
	"updatedb": "systemctl status updatedb.timer", "plocate-build": "systemctl status updatedb.timer",
	"mandb": "systemctl status man-db.timer",
}

// workers are other programs whose work ends by itself.
var workers = []struct {
	names string
	task  i18n.Text
}{
	{" pacman yay paru packagekitd mkinitcpio depmod dkms ", i18n.SlowChoreUpdate},
	{" cc1 cc1plus rustc cargo ld makepkg clang clang++ ninja make ", i18n.SlowChoreBuild},
	{" rsync cp borg restic timeshift btrfs snapper ", i18n.SlowChoreBackup},
}

// Chore says what a program does whose work ends by itself. ok is false for others.
func Chore(program string) (task i18n.Text, ok bool) {
	if indexers[program] != "" {
		return i18n.SlowChoreIndex, true
	}
	for _, w := range workers {
		if strings.Contains(w.names, " "+program+" ") {
			return w.task, true
		}
	}
	return task, false
}

// choreRuns finds work that uses the processor and ends by itself.
func choreRuns(f *Facts) *Finding {
	u, _ := f.busiest()
	task, ok := Chore(u.Program)
	if !ok || u.CPU < 50 {
		return nil
	}
	found := proved(i18n.SlowChore(u.Program, task, percent(u.CPU)),
		seeLine(machine.TopProbe, u.Program+" "+percent(u.CPU)+" %"))
	if pause := indexers[u.Program]; pause != "" {
		found.advise(i18n.SlowIndexerAdvice(pause))
	}
	return found
}

// cpuHog finds a program that keeps a processor core busy.
func cpuHog(f *Facts) *Finding {
	u, snap := f.busiest()
	if u.CPU < 80 || choreRuns(f) != nil {
		return nil
	}
	pid := ""
	for _, t := range snap.Tasks {
		if t.Program == u.Program && pid == "" {
			pid = percent(float64(t.PID))
		}
	}
	return proved(i18n.SlowCpu(u.Program, pid, percent(u.CPU)),
		seeLine(machine.TopProbe, u.Program+" "+percent(u.CPU)+" %")).advise(i18n.SlowCpuAdvice(u.Program, pid))
}

// topUsers names the three programs that use the processor most.
func topUsers(snap machine.Snapshot) string {
	var names []string
	for _, u := range snap.Busiest() {
		if u.CPU >= 1 && len(names) < 3 {
			names = append(names, u.Program+" "+percent(u.CPU)+" %")
		}
	}
	return strings.Join(names, ", ")
}

// cpuCrowd finds that several programs together keep the processor busy.
func cpuCrowd(f *Facts) *Finding {
	u, snap := f.busiest()
	if u.CPU >= 80 || snap.Busy < 85 {
		return nil
	}
	return proved(i18n.SlowCrowd(percent(snap.Busy)), seeLine(machine.TopProbe, topUsers(snap))).
		advise(i18n.SlowCrowdAdvice)
}

// swapping finds that the machine waits for memory, or has next to none left.
func swapping(f *Facts) *Finding {
	look := machine.MemoryPressureProbe
	all, err := parse(f, look, machine.ParsePressure)
	m, _, ok := f.meminfo()
	swapped := m.SwapTotal - m.SwapFree
	switch {
	case !ok:
	case err == nil && len(all) == 1 && all[0].Full.Avg60 >= 10 && m.Available <= m.Total/5:
		return proved(i18n.SlowSwap(percent(all[0].Full.Avg60), size(m.Available), size(m.Total)),
			seeLine(look, "full avg60="+percent(all[0].Full.Avg60)),
			seeLine(machine.MeminfoProbe, "MemAvailable "+size(m.Available))).advise(i18n.MemoryZramAdvice)
	case m.Available < m.Total/10 && m.SwapTotal > 0 && swapped > m.SwapTotal/2 && memoryHog(f) == nil:
		return proved(i18n.SlowSwapped(size(m.Available), size(m.Total), size(swapped)),
			seeLine(machine.MeminfoProbe, "MemAvailable "+size(m.Available)+", SwapFree "+size(m.SwapFree))).
			advise(i18n.MemoryZramAdvice)
	}
	return nil
}

// slowFull finds a full file system where programs keep what they work on.
func slowFull(f *Facts) *Finding {
	look := machine.SpaceProbe("")
	for _, r := range f.rooms(look) {
		if r.share() >= 0.98 && slices.Contains([]string{"/", "/home", "/var", "/tmp"}, r.Target) {
			return proved(i18n.SlowFull(r.Target, size(r.avail)), seeLine(look, r.line())).advise(i18n.SlowFullAdvice(r.Target))
		}
	}
	return nil
}

// slowSound reports the figures that could have shown a cause, and what the program in question uses.
func slowSound(f *Facts) *Finding {
	_, snap := f.busiest()
	m, _, ok := f.meminfo()
	if !snap.Measured && !ok {
		return nil
	}
	found := proved(i18n.SlowNothing)
	if !snap.Measured || !ok {
		found = likely(i18n.SlowNarrow)
	}
	add := func(look machine.Probe, line string) {
		if line != "" {
			found.Evidence = append(found.Evidence, seeLine(look, line))
		}
	}
	for _, u := range snap.Busiest() {
		if f.Object != "" && strings.EqualFold(u.Program, f.Object) {
			add(machine.TopProbe, u.Program+" "+percent(u.CPU)+" %, "+size(u.RSS))
		}
	}
	if snap.Measured {
		found.Evidence = append(found.Evidence, see(machine.TopProbe,
			i18n.SlowLoad(percent(snap.Busy), percent(snap.Waiting))))
	}
	add(machine.TopProbe, topUsers(snap))
	if ok {
		found.Evidence = append(found.Evidence, see(machine.MeminfoProbe,
			i18n.SlowMemory(size(m.Available), size(m.Total), size(m.SwapTotal-m.SwapFree))))
	}
	if all, err := parse(f, machine.PressureProbe, machine.ParsePressure); err == nil && len(all) == 3 {
		found.Evidence = append(found.Evidence, see(machine.PressureProbe,
			i18n.SlowWaits(percent(all[0].Some.Avg60), percent(all[1].Some.Avg60), percent(all[2].Some.Avg60))))
	}
	if hot := f.hottest(); hot.Celsius > 0 {
		add(machine.SensorsProbe, hot.Where+": "+percent(hot.Celsius)+" °C")
	}
	failed, _ := parse(f, machine.FailedUnitsProbe, machine.ParseUnits) // without the list, no unit is named
	for _, u := range failed {
		add(machine.FailedUnitsProbe, u.Name+" "+u.Active)
	}
	return found.advise(i18n.SlowAskAgain)
}

// btrfsBusy finds a btrfs that is being balanced or the like.
func btrfsBusy(f *Facts) *Finding {
	look := machine.BtrfsOperationsProbe
	lines, _ := parse(f, look, machine.ParseConfigLines)
	for _, line := range lines {
		if line.Text != "none" {
			return proved(i18n.SlowBtrfs(line.Text), seeLine(look, line.File+": "+line.Text)).advise(i18n.SlowBtrfsAdvice)
		}
	}
	return nil
}

// diskWait finds programs that wait for a disk.
func diskWait(f *Facts) *Finding {
	look := machine.PressureProbe
	all, err := parse(f, look, machine.ParsePressure)
	_, snap := f.busiest()
	waiting := snap.WaitingPrograms()
	if err != nil || len(all) != 3 || all[1].Some.Avg60 < 20 || choreRuns(f) != nil {
		return nil
	}
	if len(waiting) == 0 {
		return proved(i18n.SlowDiskWait(percent(all[1].Some.Avg60)),
			seeLine(look, "io some avg60="+percent(all[1].Some.Avg60))).advise(i18n.SlowDiskAdvice)
	}
	found := proved(i18n.SlowDisk(strings.Join(waiting, ", "), percent(all[1].Some.Avg60)),
		seeLine(look, "io some avg60="+percent(all[1].Some.Avg60)), seeLine(machine.TopProbe, strings.Join(waiting, ", ")))
	for _, program := range waiting {
		if task, ok := Chore(program); ok {
			return found.advise(i18n.SlowChoreAdvice(program, task))
		}
	}
	return found.advise(i18n.SlowDiskAdvice)
}

// throttled finds that the processor was slowed down because it was too hot.
func throttled(f *Facts) *Finding {
	line := f.logged("clock throttled", "thermal throttling")
	if line == "" {
		return nil
	}
	return proved(i18n.SlowThrottled, seeLine(machine.KernelMessagesProbe, line)).advise(i18n.SlowThrottledAdvice)
}

// powerSaver finds that the power profile saves energy.
func powerSaver(f *Facts) *Finding {
	look := machine.PowerProfileProbe
	if strings.TrimSpace(f.stdout(look)) != "power-saver" {
		return nil
	}
	return proved(i18n.SlowSaver, seeLine(look, "power-saver")).
		offer(i18n.SlowSaverGoal, run(i18n.SlowSaverGoal, "powerprofilesctl set balanced", "powerprofilesctl get", "balanced",
			"powerprofilesctl set power-saver"))
}

// slowGovernor finds a governor that keeps the processor at its lowest speed. With intel_pstate and amd_pstate,
// powersave does not.
func slowGovernor(f *Facts) *Finding {
	look := machine.GovernorProbe
	lines := f.lines(look)
	if len(lines) != 2 || lines[0] != "powersave" || strings.Contains(lines[1], "pstate") {
		return nil
	}
	return proved(i18n.SlowGovernor(lines[1]), seeLine(look, lines[0]+", "+lines[1])).advise(i18n.SlowGovernorAdvice)
}

// temperatures returns the readings of sensors, or else of the kernel, hottest first, with the look that shows them.
func (f *Facts) temperatures() ([]machine.Temperature, machine.Probe) {
	all, err := parse(f, machine.SensorsProbe, machine.ParseSensors)
	if err == nil && len(all) > 0 {
		return all, machine.SensorsProbe
	}
	out, _ := f.output(machine.ZonesProbe) // a zone that is off is on the other output
	all, _ = machine.ParseZones([]byte(out.Stdout))
	sorting.Stably(all, func(a, b machine.Temperature) int { return cmp.Compare(b.Celsius, a.Celsius) })
	return all, machine.ZonesProbe
}

// hottest returns the hottest sensor.
func (f *Facts) hottest() machine.Temperature {
	all, _ := f.temperatures()
	if len(all) == 0 {
		return machine.Temperature{}
	}
	return all[0]
}

// fanStopped finds a fan that does not turn although it is hot.
func fanStopped(f *Facts) *Finding {
	fans, err := parse(f, machine.SensorsProbe, machine.ParseFans)
	hot := f.hottest()
	for _, fan := range fans {
		if err == nil && fan.RPM == 0 && hot.Celsius >= 85 {
			return proved(i18n.HeatFan(fan.Name, hot.Where, percent(hot.Celsius)),
				seeLine(machine.SensorsProbe, fan.Name+": 0 RPM, "+hot.Where+": "+percent(hot.Celsius)+" °C")).
				advise(i18n.HeatFanAdvice)
		}
		if fan.RPM > 0 {
			return nil
		}
	}
	return nil
}

// critical finds a sensor near its limit. Until it is cooler, the power profile can save energy.
func critical(f *Facts) *Finding {
	all, look := f.temperatures()
	for _, t := range all {
		if t.Celsius < t.Limit() {
			continue
		}
		says := i18n.HeatHot(t.Where, percent(t.Celsius))
		if bound := t.Bound(); bound >= 60 {
			says = i18n.HeatCritical(t.Where, percent(t.Celsius), percent(bound))
		}
		found := proved(says, seeLine(look, t.Where+": "+percent(t.Celsius)+" °C")).advise(i18n.SlowThrottledAdvice)
		if line := f.logged("clock throttled", "thermal throttling"); line != "" {
			found.Evidence = append(found.Evidence, seeLine(machine.KernelMessagesProbe, line))
		}
		if profile := strings.TrimSpace(f.stdout(machine.PowerProfileProbe)); profile == "performance" ||
			profile == "balanced" {
			found.offer(i18n.HeatSaverGoal, run(i18n.HeatSaverGoal, "powerprofilesctl set power-saver",
				machine.PowerProfileProbe.String(), "power-saver", "powerprofilesctl set "+profile))
		}
		return found
	}
	return nil
}

// noSensors finds that nothing reports temperatures because the program for it is missing.
func noSensors(f *Facts) *Finding {
	out, _ := f.output(machine.SensorsProbe)
	_, known := f.output(machine.ZonesProbe)
	if all, _ := f.temperatures(); !known || out.Missing == "" || len(all) > 0 {
		return nil
	}
	return proved(i18n.HeatNoTool, see(machine.ZonesProbe, i18n.DesktopNone)).
		offer(i18n.HeatToolGoal, install(i18n.HeatToolGoal, "lm_sensors"))
}

// heatSound reports the temperatures and the fans.
func heatSound(f *Facts) *Finding {
	all, look := f.temperatures()
	if out, _ := f.output(machine.SensorsProbe); len(all) == 0 &&
		strings.Contains(out.Stderr+out.Stdout, "No sensors found") {
		return proved(i18n.HeatNone, seeLine(machine.SensorsProbe, "No sensors found"), see(look, i18n.DesktopNone))
	}
	if len(all) == 0 {
		return nil
	}
	var readings []string
	for _, t := range all[:min(5, len(all))] {
		readings = append(readings, t.Where+": "+percent(t.Celsius)+" °C")
	}
	found := proved(i18n.HeatFine(all[0].Where, percent(all[0].Celsius)), seeLine(look, strings.Join(readings, ", ")))
	fans, _ := parse(f, machine.SensorsProbe, machine.ParseFans) // not all machines report them
	for _, fan := range fans {
		found.Evidence = append(found.Evidence, seeLine(machine.SensorsProbe, fan.Name+": "+strconv.Itoa(fan.RPM)+" RPM"))
	}
	return found
}
