package report

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
)

// usage adds up the processes of one program.
type usage struct {
	program  string
	cpu, mem float64 // percent
	rss      float64 // bytes
	count    int
}

// parsePS adds up ps aux by program. Columns are those of ps(1), "u" format: USER PID %CPU %MEM VSZ RSS TTY
// STAT START TIME COMMAND. The command is everything from the eleventh field on.
func parsePS(text string) (list []usage, total int) {
	byName := map[string]*usage{}
	for _, line := range outputLines(text) {
		f := strings.Fields(line)
		if len(f) < 11 {
			continue
		}
		cpu, okCPU := parseNumber(f[2])
		mem, okMem := parseNumber(f[3])
		rss, err := strconv.ParseFloat(f[5], 64)
		if !okCPU || !okMem || err != nil || rss < 0 {
			continue
		}
		total++
		name := programOf(f[10:])
		if name == "ps" || strings.HasPrefix(f[7], "Z") {
			continue // a zombie uses nothing
		}
		u := byName[name]
		if u == nil {
			u = &usage{program: name}
			byName[name] = u
		}
		u.cpu, u.mem, u.rss, u.count = u.cpu+cpu, u.mem+mem, u.rss+rss*1024, u.count+1
	}
	for _, u := range byName {
		list = append(list, *u)
	}
	slices.SortFunc(list, func(a, b usage) int { return cmp.Compare(a.program, b.program) })
	return list, total
}

// programOf returns the program of a command line: the script of an interpreter, or else the base of the path.
// "chrome --type=renderer" is chrome.
func programOf(command []string) string {
	name := strings.TrimSuffix(path.Base(command[0]), ":")
	if strings.HasPrefix(command[0], "[") {
		return strings.Join(command, " ")
	}
	switch strings.TrimRight(name, "0123456789.") {
	case "python", "node", "bash", "sh", "perl", "ruby", "java", "electron":
		for _, arg := range command[1:] {
			if !strings.HasPrefix(arg, "-") && !strings.Contains(arg, "=") && len(arg) > 1 {
				return name + " " + path.Base(arg)
			}
		}
	}
	return name
}

func (r *result) processes() Reply {
	s := &r.steps[0]
	if strings.HasPrefix(strings.TrimSpace(s.Command), "pgrep") {
		return r.processByName(s)
	}
	list, total := parsePS(s.Stdout)
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

func (r *result) byMemory(list []usage, total int) Reply {
	slices.SortStableFunc(list, func(a, b usage) int { return -cmp.Compare(a.rss, b.rss) })
	top := list[0]
	var lines []string
	for _, u := range list[:min(shownPrograms, len(list))] {
		lines = append(lines, r.say(i18n.HelperProcessMemoryLine(u.program, u.mem, formatSize(u.rss), u.count)))
	}
	text := joinBlocks(r.say(i18n.HelperProcessTopMemory(top.program, top.mem, formatSize(top.rss))), r.say(i18n.HelperProcessTopListMem), bullets(lines))
	if r.asksAbout("amount", "list", "process") {
		text = joinBlocks(text, r.say(i18n.HelperProcessTotal(total)))
	}
	if top.mem >= 40 {
		text = joinBlocks(text, r.say(i18n.HelperProcessHungryHint))
	}
	return Reply{Text: text}
}

func (r *result) byCPU(list []usage) Reply {
	slices.SortStableFunc(list, func(a, b usage) int { return -cmp.Compare(a.cpu, b.cpu) })
	top := list[0]
	var lines []string
	for _, u := range list[:min(shownPrograms, len(list))] {
		lines = append(lines, r.say(i18n.HelperProcessCpuLine(u.program, u.cpu, u.count)))
	}
	first := r.say(i18n.HelperProcessTopCpu(top.program, top.cpu))
	if top.cpu < 5 {
		first = r.say(i18n.HelperProcessIdleCpu(top.program, top.cpu))
	}
	text := joinBlocks(first, r.say(i18n.HelperProcessTopListCpu), bullets(lines))
	if top.cpu >= 80 {
		text = joinBlocks(text, r.say(i18n.HelperProcessHungryHint))
	}
	return Reply{Text: text}
}

// processByName reports whether a program runs, from pgrep -a.
func (r *result) processByName(s *providers.Step) Reply {
	name := r.str("name")
	var lines []string
	for _, line := range outputLines(s.Stdout) {
		pid, command, _ := strings.Cut(strings.TrimSpace(line), " ")
		if _, err := strconv.Atoi(pid); err != nil || hasAnyPrefix(path.Base(command), "pgrep", "blunux-ai") {
			continue
		}
		lines = append(lines, r.say(i18n.HelperProcessProcessesRow(pid, cutRunes(command, 90))))
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
