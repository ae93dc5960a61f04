package report

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers"
)

func (r *result) processes() Reply {
	s := &r.steps[0]
	if strings.HasPrefix(strings.TrimSpace(s.Command), "pgrep") {
		return r.processByName(s)
	}
	all := read(machine.ParsePS, s.Stdout)
	list, total := machine.UsageOf(all), len(all)
	if len(list) == 0 {
		if s.Exit == 0 && total > 0 {
			return Reply{Text: r.say(i18n.HelperProcessNoProcesses(s.Command))}
		}
		return r.unreadableReply(s)
	}
	var rep Reply
	if r.str("sort") == "cpu" {
		rep = r.byCPU(list)
	} else {
		rep = r.byMemory(list, total)
	}
	rep.Text = joinBlocks(rep.Text, r.zombieNote(s.Stdout))
	return rep
}

const shownPrograms = 5

func (r *result) byMemory(list []machine.Usage, total int) Reply {
	slices.SortStableFunc(list, func(a, b machine.Usage) int { return -cmp.Compare(a.RSS, b.RSS) })
	top := list[0]
	var lines []string
	for _, u := range list[:min(shownPrograms, len(list))] {
		lines = append(lines, r.say(i18n.HelperProcessMemoryLine(u.Program, u.Mem, formatSize(u.RSS), u.Count)))
	}
	text := joinBlocks(r.say(i18n.HelperProcessTopMemory(top.Program, top.Mem, formatSize(top.RSS))), r.say(i18n.HelperProcessTopListMem), bullets(lines))
	if r.asksAbout("amount", "list", "process") {
		text = joinBlocks(text, r.say(i18n.HelperProcessTotal(total)))
	}
	if top.Mem >= 40 {
		text = joinBlocks(text, r.say(i18n.HelperProcessHungryHint))
	}
	return Reply{Text: text}
}

func (r *result) byCPU(list []machine.Usage) Reply {
	slices.SortStableFunc(list, func(a, b machine.Usage) int { return -cmp.Compare(a.CPU, b.CPU) })
	top := list[0]
	var lines []string
	for _, u := range list[:min(shownPrograms, len(list))] {
		lines = append(lines, r.say(i18n.HelperProcessCpuLine(u.Program, u.CPU, u.Count)))
	}
	first := r.say(i18n.HelperProcessTopCpu(top.Program, top.CPU))
	if top.CPU < 5 {
		first = r.say(i18n.HelperProcessIdleCpu(top.Program, top.CPU))
	}
	text := joinBlocks(first, r.say(i18n.HelperProcessTopListCpu), bullets(lines))
	if top.CPU >= 80 {
		text = joinBlocks(text, r.say(i18n.HelperProcessHungryHint))
	}
	return Reply{Text: text}
}

// processByName reports whether a program runs, from pgrep -a.
func (r *result) processByName(s *providers.Step) Reply {
	name := r.str("name")
	var lines []string
	for _, p := range read(machine.ParsePgrep, s.Stdout) {
		if !hasAnyPrefix(path.Base(p.Command), "pgrep", "blunux-ai") {
			lines = append(lines, r.say(i18n.HelperProcessProcessesRow(itoa(p.PID), cutRunes(p.Command, 90))))
		}
	}
	switch {
	case len(lines) > 0:
		shown := lines[:min(3, len(lines))]
		if len(lines) > len(shown) {
			shown = append(slices.Clone(shown), fmt.Sprintf("… (+%d)", len(lines)-len(shown)))
		}
		return Reply{Text: joinBlocks(r.say(i18n.HelperProcessRunningYes(name, len(lines))), bullets(shown))}
	case s.Exit > 1:
		return Reply{Text: r.failureText(s)}
	}
	return Reply{Text: r.say(i18n.HelperProcessRunningNo(name, s.Command))}
}

func cutRunes(s string, limit int) string {
	if rs := []rune(s); len(rs) > limit {
		return string(rs[:limit]) + "…"
	}
	return s
}
