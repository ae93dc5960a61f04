package diagnose

import (
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Slow is the question why the computer is slow.
func Slow() Topic {
	return Topic{ID: "slow", About: i18n.DiagnoseAboutSlow, causes: []cause{
		{"disk-failing", diskFailing},
		{"indexer", indexer},
		{"cpu-hog", cpuHog},
		{"swapping", swapping},
		{"btrfs-busy", btrfsBusy},
		{"disk-wait", diskWait},
		{"throttled", throttled},
		{"power-saver", powerSaver},
		{"governor", slowGovernor},
	}}
}

// Heat is the question why the computer is hot or loud.
func Heat() Topic {
	return Topic{ID: "heat", About: i18n.DiagnoseAboutHeat, causes: []cause{
		{"fan-stopped", fanStopped}, {"critical", critical}, {"throttled", throttled}, {"cpu-hog", cpuHog},
	}}
}

// busiest returns the program that uses most of the processor.
func (f *Facts) busiest() (u machine.Usage, snap machine.Snapshot) {
	snap, err := machine.ParseTop([]byte(f.stdout(machine.TopProbe)))
	if all := snap.Busiest(); err == nil && len(all) > 0 {
		return all[0], snap
	}
	return u, snap
}

// indexers are programs that read all files for searching.
var indexers = map[string]string{
	"baloo_file": "balooctl6 suspend", "baloo_file_extr": "balooctl6 suspend", "baloo_file_extractor": "balooctl6 suspend",
	"tracker-miner-f": "systemctl --user stop tracker-miner-fs-3", "tracker-extract": "systemctl --user stop tracker-miner-fs-3", "localsearch-3": "systemctl --user stop localsearch-3", "updatedb": "systemctl status updatedb.timer",
}

// indexer finds that an index of all files is being made.
func indexer(f *Facts) *Finding {
	u, _ := f.busiest()
	stop, ok := indexers[u.Program]
	if !ok || u.CPU < 50 {
		return nil
	}
	return proved(i18n.SlowIndexer(u.Program, percent(u.CPU)), seeLine(machine.TopProbe, u.Program+" "+percent(u.CPU)+" %")).advise(i18n.SlowIndexerAdvice(stop))
}

// cpuHog finds a program that keeps a processor core busy.
func cpuHog(f *Facts) *Finding {
	u, snap := f.busiest()
	if _, is := indexers[u.Program]; is || u.CPU < 80 {
		return nil
	}
	pid := ""
	for _, t := range snap.Tasks {
		if t.Program == u.Program && pid == "" {
			pid = percent(float64(t.PID))
		}
	}
	return proved(i18n.SlowCpu(u.Program, pid, percent(u.CPU)), seeLine(machine.TopProbe, u.Program+" "+percent(u.CPU)+" %")).advise(i18n.SlowCpuAdvice(u.Program, pid))
}

// swapping finds that the machine waits for memory.
func swapping(f *Facts) *Finding {
	look := machine.MemoryPressureProbe
	all, err := machine.ParsePressure([]byte(f.stdout(look)))
	m, _, ok := f.meminfo()
	if err != nil || len(all) != 1 || !ok || all[0].Full.Avg60 < 10 || m.Available > m.Total/5 {
		return nil
	}
	return proved(i18n.SlowSwap(percent(all[0].Full.Avg60), size(m.Available), size(m.Total)), seeLine(look, "full avg60="+percent(all[0].Full.Avg60)),
		seeLine(machine.MeminfoProbe, "MemAvailable "+size(m.Available))).advise(i18n.MemoryZramAdvice)
}

// btrfsBusy finds a btrfs that is being balanced or the like.
func btrfsBusy(f *Facts) *Finding {
	look := machine.BtrfsOperationsProbe
	lines, _ := machine.ParseConfigLines([]byte(f.stdout(look)))
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
	all, err := machine.ParsePressure([]byte(f.stdout(look)))
	_, snap := f.busiest()
	waiting := snap.WaitingPrograms()
	if err != nil || len(all) != 3 || all[1].Some.Avg60 < 40 || len(waiting) == 0 {
		return nil
	}
	return proved(i18n.SlowDisk(strings.Join(waiting, ", "), percent(all[1].Some.Avg60)), seeLine(look, "io some avg60="+percent(all[1].Some.Avg60)), seeLine(machine.TopProbe, strings.Join(waiting, ", "))).
		advise(i18n.SlowDiskAdvice)
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
		offer(i18n.SlowSaverGoal, run(i18n.SlowSaverGoal, "powerprofilesctl set balanced", "powerprofilesctl get", "balanced", "powerprofilesctl set power-saver"))
}

// slowGovernor finds a governor that keeps the processor at its lowest speed. With intel_pstate and amd_pstate, powersave does not.
func slowGovernor(f *Facts) *Finding {
	look := machine.GovernorProbe
	lines := f.lines(look)
	if len(lines) != 2 || lines[0] != "powersave" || strings.Contains(lines[1], "pstate") {
		return nil
	}
	return proved(i18n.SlowGovernor(lines[1]), seeLine(look, lines[0]+", "+lines[1])).advise(i18n.SlowGovernorAdvice)
}

// hottest returns the hottest sensor.
func (f *Facts) hottest() machine.Temperature {
	all, _ := machine.ParseSensors([]byte(f.stdout(machine.SensorsProbe)))
	if len(all) == 0 {
		return machine.Temperature{}
	}
	return all[0]
}

// fanStopped finds a fan that does not turn although it is hot.
func fanStopped(f *Facts) *Finding {
	fans, err := machine.ParseFans([]byte(f.stdout(machine.SensorsProbe)))
	hot := f.hottest()
	for _, fan := range fans {
		if err == nil && fan.RPM == 0 && hot.Celsius >= 85 {
			return proved(i18n.HeatFan(fan.Name, hot.Where, percent(hot.Celsius)), seeLine(machine.SensorsProbe, fan.Name+": 0 RPM, "+hot.Where+": "+percent(hot.Celsius)+" °C")).advise(i18n.HeatFanAdvice)
		}
		if fan.RPM > 0 {
			return nil
		}
	}
	return nil
}

// critical finds a sensor near the limit that its chip reports.
func critical(f *Facts) *Finding {
	all, _ := machine.ParseSensors([]byte(f.stdout(machine.SensorsProbe)))
	for _, t := range all {
		if limit := max(t.Crit, t.High); limit > 40 && t.Celsius >= limit-5 {
			return proved(i18n.HeatCritical(t.Where, percent(t.Celsius), percent(limit)), seeLine(machine.SensorsProbe, t.Where+": "+percent(t.Celsius)+" °C")).advise(i18n.SlowThrottledAdvice)
		}
	}
	return nil
}
