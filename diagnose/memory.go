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

// Memory is the question why programs end by themselves or memory runs out.
func Memory() Topic {
	return Topic{ID: "memory", About: i18n.DiagnoseAboutMemory, causes: []cause{
		{"limit-killed", limitKilled},
		{"oom-killed", oomKilled},
		{"oomd-killed", oomdKilled},
		{"tmpfs-in-memory", tmpfsInMemory},
		{"memory-hog", memoryHog},
		{"zram-off", zramOff},
		{"no-swap", noSwap},
	}}
}

// kill returns the latest process that the kernel killed, of a control group with a limit or of the whole machine.
func (f *Facts) kill(limited bool) (machine.Kill, bool) {
	out, known := f.output(machine.KillsProbe)
	for _, k := range slices.Backward(machine.ParseKills([]byte(out.Stdout))) {
		if known && (k.Group != "") == limited {
			return k, true
		}
	}
	return machine.Kill{}, false
}

// limitKilled finds a process that was killed because its unit's limit was reached.
func limitKilled(f *Facts) *Finding {
	k, ok := f.kill(true)
	if !ok {
		return nil
	}
	unit := k.Group[strings.LastIndex(k.Group, "/")+1:]
	return proved(i18n.MemoryLimit(k.Program, k.PID, k.At, size(k.Bytes), unit),
		seeLine(machine.KillsProbe, k.At+" "+k.Program+" "+k.Group)).advise(i18n.MemoryLimitAdvice(unit))
}

// oomKilled finds a process that the kernel killed because the machine had no memory left.
func oomKilled(f *Facts) *Finding {
	k, ok := f.kill(false)
	if !ok {
		return nil
	}
	found := proved(i18n.MemoryKilled(k.Program, k.PID, k.At, size(k.Bytes)),
		seeLine(machine.KillsProbe, k.At+" Killed process "+k.PID+" ("+k.Program+")"))
	if swaps, known := f.output(machine.MarkedSwapsProbe); known && swaps.Exit == 0 &&
		len(machine.ParseSwaps([]byte(swaps.Stdout))) == 0 {
		found.Says = i18n.MemoryKilledNoSwap(k.Program, k.PID, k.At, size(k.Bytes))
		return found.advise(i18n.MemoryZramAdvice)
	}
	return found.advise(i18n.MemoryKilledAdvice(k.Program))
}

// oomdKilled finds what systemd-oomd killed.
func oomdKilled(f *Facts) *Finding {
	out, known := f.output(machine.OOMDProbe)
	line := lineWith(machine.LogLines([]byte(out.Stdout)), "killed /")
	_, after, ok := strings.Cut(line, "illed /")
	if !known || !ok {
		return nil
	}
	at, _, _ := strings.Cut(line, " ")
	group, why, _ := strings.Cut(after, " due to ")
	return proved(i18n.MemoryOomd(group[strings.LastIndex(group, "/")+1:], at), seeLine(machine.OOMDProbe, line)).
		advise(i18n.MemoryOomdAdvice(why))
}

// meminfo returns how much memory there is, false if it is not known. isShort reports that little of it is left.
func (f *Facts) meminfo() (m machine.Meminfo, isShort, ok bool) {
	m, err := parse(f, machine.MeminfoProbe, machine.ParseMeminfo)
	return m, m.Available < m.Total*0.12, err == nil && m.Total > 0
}

// tmpfsInMemory finds files in memory that take much of it.
func tmpfsInMemory(f *Facts) *Finding {
	m, _, ok := f.meminfo()
	look := machine.SpaceProbe("")
	for _, r := range f.rooms(look) {
		if !ok || r.Type != "tmpfs" || r.used < m.Total/4 {
			continue
		}
		return proved(i18n.MemoryTmpfs(r.Target, size(r.used), size(m.Total)), seeLine(look, r.line()),
			seeLine(machine.MeminfoProbe, "MemTotal "+size(m.Total))).
			advise(i18n.FullTmpfsAdvice(r.Target))
	}
	return nil
}

// memoryHog finds the program with most memory while little is left.
func memoryHog(f *Facts) *Finding {
	m, isShort, ok := f.meminfo()
	if !ok || !isShort {
		return nil
	}
	all, _ := parse(f, machine.PSProbe, machine.ParsePS)
	users := machine.UsageOf(all)
	sorting.Stably(users, func(a, b machine.Usage) int { return cmp.Compare(b.RSS, a.RSS) })
	if len(users) == 0 || users[0].RSS < m.Total/10 {
		return nil
	}
	var names []string
	for _, u := range users[:min(3, len(users))] {
		names = append(names, u.Program+" "+size(u.RSS))
	}
	most := users[0]
	return proved(i18n.MemoryHog(most.Program, size(most.RSS), size(m.Available), size(m.Total)),
		seeLine(machine.PSProbe, strings.Join(names, ", ")),
		seeLine(machine.MeminfoProbe, "MemAvailable "+size(m.Available)+", SwapFree "+size(m.SwapFree))).
		advise(i18n.MemoryKilledAdvice(most.Program))
}

// zramOff finds that compressed swap is set up but not in use.
func zramOff(f *Facts) *Finding {
	swaps, known := f.output(machine.MarkedSwapsProbe)
	if !known || swaps.Exit != 0 || strings.Contains(swaps.Stdout, "zram") {
		return nil
	}
	set := lineWith(f.lines(machine.ZramConfigurationProbe), "[zram")
	if set == "" {
		return nil
	}
	return proved(i18n.MemoryZram, seeLine(machine.ZramConfigurationProbe, set),
		see(machine.MarkedSwapsProbe, i18n.MemoryNoZramSeen)).
		offer(i18n.MemoryZramGoal, control(i18n.MemoryZramGoal, "start", "systemd-zram-setup@zram0.service", false))
}

// noSwap finds that little memory is left and there is no swap.
func noSwap(f *Facts) *Finding {
	m, isShort, ok := f.meminfo()
	if !ok || !isShort || m.SwapTotal > 0 {
		return nil
	}
	return proved(i18n.MemoryNoSwap(size(m.Available), size(m.Total)),
		seeLine(machine.MeminfoProbe, "MemAvailable "+size(m.Available)+", SwapTotal 0 B")).advise(i18n.MemoryZramAdvice)
}

// percent formats a share without decimals.
func percent(share float64) string { return strconv.Itoa(int(share)) }
