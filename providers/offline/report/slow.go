package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/machine"
)

// chores are programs with temporary work.
var chores = map[string]i18n.Text{
	"baloo_file": i18n.HelperSlowChoreIndex, "baloo_file_extr": i18n.HelperSlowChoreIndex, "baloo_file_extractor": i18n.HelperSlowChoreIndex, "tracker-miner-f": i18n.HelperSlowChoreIndex, "tracker-miner-fs-3": i18n.HelperSlowChoreIndex, "tracker-extract": i18n.HelperSlowChoreIndex,
	"tracker-extract-3": i18n.HelperSlowChoreIndex, "localsearch-3": i18n.HelperSlowChoreIndex, "localsearch-ext": i18n.HelperSlowChoreIndex, "updatedb": i18n.HelperSlowChoreIndex, "plocate-build": i18n.HelperSlowChoreIndex, "mandb": i18n.HelperSlowChoreIndex,
	"pacman": i18n.HelperSlowChoreUpdate, "yay": i18n.HelperSlowChoreUpdate, "paru": i18n.HelperSlowChoreUpdate, "packagekitd": i18n.HelperSlowChoreUpdate, "mkinitcpio": i18n.HelperSlowChoreUpdate, "depmod": i18n.HelperSlowChoreUpdate, "dkms": i18n.HelperSlowChoreUpdate,
	"cc1": i18n.HelperSlowChoreBuild, "cc1plus": i18n.HelperSlowChoreBuild, "rustc": i18n.HelperSlowChoreBuild, "cargo": i18n.HelperSlowChoreBuild, "ld": i18n.HelperSlowChoreBuild, "makepkg": i18n.HelperSlowChoreBuild, "clang": i18n.HelperSlowChoreBuild, "clang++": i18n.HelperSlowChoreBuild, "ninja": i18n.HelperSlowChoreBuild, "make": i18n.HelperSlowChoreBuild,
	"rsync": i18n.HelperSlowChoreBackup, "cp": i18n.HelperSlowChoreBackup, "borg": i18n.HelperSlowChoreBackup, "restic": i18n.HelperSlowChoreBackup, "timeshift": i18n.HelperSlowChoreBackup, "btrfs": i18n.HelperSlowChoreBackup, "snapper": i18n.HelperSlowChoreBackup,
}

// vitals are the figures that can explain why a machine is slow.
type vitals struct {
	top                 machine.Snapshot
	hasTop              bool
	cores               int
	cpu, io, mem        float64 // percent of the last minute in which something waited
	hasPressure         bool
	memory              machine.Free
	hasMemory           bool
	full                *machine.Filesystem // the fullest file system of this machine
	heat                *machine.Temperature
	hogs                []machine.Usage // averages since their start, used if top is missing
	throttled, badReads int
	failed              []string
}

// slow checks everything that can make a machine slow and reports the most likely cause first.
func (q *inquiry) slow() Reply {
	if q.resultOf(topNow) == nil {
		return q.toolReply(q.first)
	}
	v := q.vitals()
	if v.waitsForDisk() && !q.collect(diskErrors) || v.isHot() && !q.collect(throttleStep) {
		return Reply{}
	}
	v.badReads, v.throttled = len(logLines(q.stdout(diskErrors))), len(logLines(q.stdout(throttleStep)))
	if v.isEmpty() {
		return Reply{Text: joinBlocks(q.say(i18n.HelperSlowBlind), q.toolReply(q.first).Text)}
	}
	f, found := q.slowness(v)
	f.evidence = append(f.evidence, q.vitalFacts(v, !found)...)
	return f.reply()
}

func (q *inquiry) vitals() vitals {
	var v vitals
	v.top, v.hasTop = tryRead(machine.ParseTop, q.anyStdout(topNow))
	if s := q.output(topCPU, "ps"); s != nil && len(v.top.Tasks) == 0 {
		v.hogs = busiestFirst(machine.UsageOf(read(machine.ParsePS, s.Stdout)))
	}
	v.cores = q.cores()
	if p := read(machine.ParsePressure, q.stdout(allPressure)); len(p) == 3 {
		v.cpu, v.io, v.mem, v.hasPressure = p[0].Some.Avg60, p[1].Some.Avg60, p[2].Some.Avg60, true
	}
	v.memory, v.hasMemory = tryRead(machine.ParseFree, q.anyStdout(memoryStep))
	for _, fs := range realFileSystems(read(machine.ParseDF, q.anyStdout(diskStep))) {
		if !isRemote(fs) && hasAnyPrefix(fs.Target+"/", "//", "/home/", "/var/", "/tmp/") && v.full == nil {
			v.full = &fs
		}
	}
	v.heat = hottestCPU(read(machine.ParseSensors, q.anyStdout(heatStep)))
	v.failed = unitNames(read(machine.ParseUnits, q.anyStdout(failedUnitsStep)), "")
	return v
}

// cores returns the number of processor cores, 0 if it is unknown.
func (q *inquiry) cores() int {
	n, err := strconv.Atoi(strings.TrimSpace(q.stdout(coreCount)))
	if err != nil || n < 0 || n >= 10000 {
		return 0
	}
	return n
}

// hottestCPU prefers the processor's own sensors to those of disks and boards.
func hottestCPU(list []machine.Temperature) *machine.Temperature {
	for _, h := range list {
		if containsAny(h.Where, "coretemp", "k10temp", "zenpower", "cpu_thermal", "Tctl", "Package") {
			return &h
		}
	}
	if len(list) == 0 {
		return nil
	}
	return &list[0]
}

func (v vitals) isEmpty() bool {
	return !v.hasTop && !v.hasPressure && !v.hasMemory && v.full == nil && len(v.hogs) == 0
}

func (v vitals) waitsForMemory() bool {
	return v.hasMemory && (v.mem >= 5 || isTight(v.memory) && isSwapHeavy(v.memory) || v.memory.Available < v.memory.Total/20)
}
func (v vitals) waitsForDisk() bool { return v.io >= 20 || v.top.Waiting >= 20 }
func (v vitals) isHot() bool        { return v.heat != nil && v.heat.Celsius >= limitOf(*v.heat) }

// slowness reports the most likely cause, most serious first: a machine short of memory also waits for the disk,
// and a hot one is also busy. found is false if there is none.
func (q *inquiry) slowness(v vitals) (f *finding, found bool) {
	switch {
	case v.waitsForMemory():
		return q.slowMemory(v), true
	case v.full != nil && v.full.Percent >= 98:
		f := q.found(i18n.HelperSlowFull(v.full.Target, v.full.Percent, v.full.Available))
		return f.propose(diskStep, q.say(i18n.HelperSlowAskWhatFills)), true
	case v.waitsForDisk():
		return q.slowDisk(v), true
	case v.isHot():
		f := q.found(i18n.HelperSlowHot(placeOf(*v.heat), celsius(v.heat.Celsius)))
		f.meaning = q.say(i18n.HelperSlowHotFix)
		return f, true
	}
	if f := q.slowBusy(v); f != nil {
		return f, true
	}
	return q.slowNothing(v), false
}

func (q *inquiry) slowMemory(v vitals) *finding {
	f := q.found(i18n.HelperSlowMemory(formatSize(v.memory.Total), formatSize(v.memory.Available)))
	users := v.top.Busiest()
	if s := q.output(topCPU, "ps"); s != nil { // all processes, not only the busy ones
		users = machine.UsageOf(read(machine.ParsePS, s.Stdout))
	}
	if len(users) == 0 {
		return f
	}
	largest := slices.MaxFunc(users, func(a, b machine.Usage) int { return cmp.Compare(a.RSS, b.RSS) })
	if largest.RSS > v.memory.Total/10 {
		f.meaning = q.say(i18n.HelperSlowMemoryFix(largest.Program, formatSize(largest.RSS)))
	}
	return f
}

func (q *inquiry) slowDisk(v vitals) *finding {
	f := q.found(i18n.HelperSlowDisk(v.io))
	if v.io < 20 {
		f.verdict = q.say(i18n.HelperSlowDiskWait(v.top.Waiting))
	}
	stuck := v.top.WaitingPrograms()
	f.meaning = cmp.Or(q.choreOf(stuck), q.say(i18n.HelperSlowDiskGood))
	if v.badReads > 0 {
		f.meaning = q.say(i18n.HelperSlowDiskBad(v.badReads))
		if disk := faultyDisk(logLines(q.stdout(diskErrors))); disk != "" {
			f.propose(smartStep(disk), q.say(i18n.HelperErrorsAskSmart(smartCommand(disk))))
		}
	}
	if len(stuck) > 0 {
		f.evidence = []string{q.say(i18n.HelperSlowWaiters(strings.Join(stuck, ", ")))}
	}
	return f
}

// choreOf explains the first program with temporary work, "" for none.
func (q *inquiry) choreOf(programs []string) string {
	for _, p := range programs {
		if what, ok := chores[p]; ok {
			return q.say(i18n.HelperSlowChore(p, q.say(what)))
		}
	}
	return ""
}

// slowBusy reports an overloaded processor, nil if it is not.
func (q *inquiry) slowBusy(v vitals) *finding {
	users := v.top.Busiest()
	names := each(users[:min(3, len(users))], func(u machine.Usage) string { return u.Program })
	f := &finding{meaning: cmp.Or(q.choreOf(names), q.say(i18n.HelperSlowCloseIt))}
	switch {
	case len(users) > 0 && users[0].CPU >= 80 && (users[0].CPU >= float64(max(v.cores, 1))*25 || v.top.Busy >= 50):
		f.verdict = q.say(i18n.HelperSlowBusy(users[0].Program, users[0].CPU, q.coresAre(v.cores)))
	case v.top.Busy < 85 && v.cpu < 30:
		return nil
	case v.top.Measured:
		f.verdict = q.say(i18n.HelperSlowCrowd(v.top.Busy))
	default:
		f.verdict = q.say(i18n.HelperSlowQueue(v.cpu))
	}
	return f
}

func (q *inquiry) coresAre(n int) string {
	if n == 0 {
		return q.say(i18n.HelperSlowCoresUnknown)
	}
	return q.say(i18n.HelperSlowCoresAre(n))
}

// slowNothing reports that no cause was found, and anything else that was noticed.
func (q *inquiry) slowNothing(v vitals) *finding {
	f := &finding{verdict: q.say(i18n.HelperSlowNothing), meaning: q.say(i18n.HelperSlowAskAgain)}
	if !v.hasTop || !v.hasMemory {
		f.verdict = q.say(i18n.HelperSlowNarrow)
	}
	if len(v.failed) > 0 {
		unit := strings.TrimSuffix(v.failed[0], ".service")
		f.propose(q.unitLog(unit), q.say(i18n.HelperChangesAskServiceLogs(unit)))
	}
	return f
}

// vitalFacts returns the figures behind the answer, each with its source. If a cause was found, normal figures are
// omitted.
func (q *inquiry) vitalFacts(v vitals, all bool) []string {
	load, heat := "", ""
	if v.hasTop {
		load = q.loadFact(v)
	}
	if v.heat != nil {
		worth := all || v.heat.Celsius >= limitOf(*v.heat)-15
		heat = q.sayIf(worth, i18n.HelperSlowHeatFact(placeOf(*v.heat), celsius(v.heat.Celsius)))
	}
	busy := v.top.Measured && (all || v.top.Busy >= 50 || v.top.Waiting >= 10)
	memory := v.hasMemory && (all || usedPercent(v.memory) >= 75 || isSwapHeavy(v.memory))
	stalls := v.hasPressure && (all || max(v.cpu, v.io, v.mem) >= 5)
	total, available, swap := formatSize(v.memory.Total), formatSize(v.memory.Available), formatSize(v.memory.SwapUsed)
	blind := v.missingPrograms()
	return nonEmpty(
		q.appFact(v), load, q.sayIf(busy, i18n.HelperSlowBusyFact(v.top.Busy, v.top.Waiting)), q.topFact(v),
		q.sayIf(memory, i18n.HelperSlowMemFact(total, available, swap)),
		q.sayIf(stalls, i18n.HelperSlowStallFact(v.cpu, v.io, v.mem)), heat,
		q.sayIf(v.throttled > 0, i18n.HelperSlowThrottled(v.throttled)),
		q.sayIf(len(v.failed) > 0, i18n.HelperSlowFailedFact(firstOf(v.failed, 4))),
		q.sayIf(len(blind) > 0 && all, i18n.HelperSlowNotLooked(strings.Join(blind, ", "))),
	)
}

// missingPrograms returns the programs whose figures are missing.
func (v vitals) missingPrograms() []string {
	seen := []bool{v.hasTop, v.hasMemory, v.hasPressure, v.full != nil, v.heat != nil}
	var out []string
	for i, name := range []string{"`top`", "`free`", "`/proc/pressure`", "`df`", "`sensors`"} {
		if !seen[i] {
			out = append(out, name)
		}
	}
	return out
}

// appFact reports on the program in the question.
func (q *inquiry) appFact(v vitals) string {
	name := q.input("name")
	if name == "" {
		return ""
	}
	for _, u := range v.top.Busiest() {
		if strings.EqualFold(u.Program, name) {
			return q.say(i18n.HelperSlowAppFact(u.Program, u.CPU, formatSize(u.RSS)))
		}
	}
	if s := q.output(q.first, "pgrep"); s != nil && strings.TrimSpace(s.Stdout) == "" && s.Exit == 1 {
		return q.say(i18n.HelperSlowAppGone(name))
	}
	return ""
}

func (q *inquiry) loadFact(v vitals) string {
	if v.cores == 0 {
		return q.say(i18n.HelperSlowLoadAlone(v.top.Load))
	}
	return q.say(i18n.HelperSlowLoadFact(v.top.Load, v.cores))
}

// topFact names the three busiest programs.
func (q *inquiry) topFact(v vitals) string {
	users, text := v.top.Busiest(), i18n.HelperSlowNowFact
	if len(users) == 0 {
		users, text = v.hogs, i18n.HelperSlowSinceFact
	}
	return q.fact(text, busiestNames(users))
}

func (q *inquiry) topNowFact() string {
	return q.topFact(vitals{top: read(machine.ParseTop, q.anyStdout(topNow))})
}

// busiestNames lists the first three programs that use the processor.
func busiestNames(users []machine.Usage) string {
	users = filter(users, func(u machine.Usage) bool { return u.CPU >= 1 })
	return strings.Join(each(users[:min(3, len(users))], func(u machine.Usage) string {
		return fmt.Sprintf("%s %.0f%%", u.Program, u.CPU)
	}), ", ")
}

func busiestFirst(users []machine.Usage) []machine.Usage {
	sorting.Stably(users, func(a, b machine.Usage) int { return -cmp.Compare(a.CPU, b.CPU) })
	return users
}
