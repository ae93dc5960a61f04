package check

import "github.com/nidoit/blunux-ai/machine"

const memoryFix = "ps -eo rss,comm --sort=-rss"

func memory(l *look) {
	l.memoryUse()
	out, ok := l.run("memory:pressure", machine.MemoryPressureProbe...)
	if !ok {
		return
	}
	list, _ := machine.ParsePressure([]byte(out.Stdout)) // none if it is unreadable
	if len(list) == 0 || !list[0].HasFull {
		// Kernels without pressure information lack the file or refuse to read it. The used memory is known all
		// the same.
		l.unknown("memory:pressure", outputProblem(out), "/proc/pressure/memory")
		return
	}
	full := list[0].Full.Avg60 // of the last minute, in which all tasks were stalled
	f := Finding{Key: "memory:pressure", Severity: Warning, Code: "memory_pressure", Fix: memoryFix, Args: Args{Value: full}}
	l.level(f, full, 10, 40, 5)
}

func (l *look) memoryUse() {
	out, ok := l.run("memory", machine.MeminfoProbe...)
	if !ok {
		return
	}
	m, err := machine.ParseMeminfo([]byte(out.Stdout))
	if err != nil {
		l.unknown("memory", outputProblem(out), "/proc/meminfo")
		return
	}
	used := 100 * (m.Total - m.Available) / m.Total
	f := Finding{Key: "memory:used", Severity: Warning, Code: "memory_full", Fix: memoryFix, Args: Args{Value: used, Bytes: int64(m.Available)}}
	l.level(f, used, l.over(), 97, 5)
	l.figure(Figure{Key: "memory", Value: used, Unit: Percent})
	if m.SwapTotal == 0 {
		return
	}
	swap := 100 * (m.SwapTotal - m.SwapFree) / m.SwapTotal
	l.figure(Figure{Key: "swap", Value: swap, Unit: Percent})
	// A full swap matters only if memory is scarce too, because the kernel swaps out idle programs in advance.
	f = Finding{Key: "memory:swap", Severity: Warning, Code: "swap_full", Fix: memoryFix, Args: Args{Value: swap}}
	if used >= 80 {
		l.level(f, swap, 90, 101, 5)
	} else if used >= 75 && swap >= 85 {
		l.near(f.Key)
	}
}
