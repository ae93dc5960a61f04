package report

import (
	"cmp"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers"
)

// uptime formats the uptime, "" if it is unknown.
func (r *result) uptime(u machine.Uptime, known bool) string {
	if !known {
		return ""
	}
	var parts []string
	add := func(n int, one i18n.Text, many func(int) i18n.Text) {
		switch n {
		case 0:
		case 1:
			parts = append(parts, r.say(one))
		default:
			parts = append(parts, r.say(many(n)))
		}
	}
	add(u.Days, i18n.HelperSystemDay, i18n.HelperSystemDays)
	add(u.Hours, i18n.HelperSystemHour, i18n.HelperSystemHours)
	add(u.Minutes, i18n.HelperSystemMinute, i18n.HelperSystemMinutes)
	return cmp.Or(strings.Join(parts, " "), r.say(i18n.HelperSystemMinutes(0)))
}

func (r *result) system() Reply {
	out := func(part string) string {
		if s := r.step(part); s != nil && s.Exit == 0 {
			return strings.Join(machine.Lines(s.Stdout), "\n")
		}
		return ""
	}
	kernel, distro, upText := strings.TrimSpace(out("uname")), machine.ParseAssignments([]byte(out("os-release")))["PRETTY_NAME"], out("uptime")
	running, known := tryRead(machine.ParseUptime, upText)
	up := r.uptime(running, known)
	head, osFact, kernelFact := i18n.HelperSystemOverview, r.fact(i18n.HelperSystemFactOs, distro), r.fact(i18n.HelperSystemFactKernel, kernel)
	upFact := r.fact(i18n.HelperSystemFactUptime, up)
	var facts []string
	switch {
	case r.asksAbout("uptime") && up != "":
		head, facts = i18n.HelperSystemUptime(up), nonEmpty(r.fact(i18n.HelperSystemLoad, running.Load))
	case r.asksAbout("kernel") && kernel != "":
		head, facts = i18n.HelperSystemKernel(kernel), nonEmpty(osFact)
	case r.asksAbout("os", "version") && !r.asksAbout("specs") && distro != "":
		head, facts = i18n.HelperSystemOs(distro), nonEmpty(kernelFact, upFact)
	default:
		facts = nonEmpty(osFact, kernelFact, r.fact(i18n.HelperSystemFactCpu, cpuModel(out("lscpu"))), r.memoryFact(out("free")), upFact)
		if len(facts) == 0 {
			return r.unreadableReply(&r.steps[0])
		}
	}
	return Reply{Text: joinBlocks(r.say(head), bullets(facts))}
}

func (r *result) fact(text func(string) i18n.Text, value string) string {
	if value == "" {
		return ""
	}
	return r.say(text(value))
}

func (r *result) memoryFact(text string) string {
	st, ok := tryRead(machine.ParseFree, text)
	if !ok {
		return ""
	}
	return r.say(i18n.HelperSystemFactMemory(formatSize(st.Total), formatSize(st.Available)))
}

func nonEmpty(list ...string) []string { return filter(list, func(s string) bool { return s != "" }) }

// cpuModel returns model and count from lscpu(1).
func cpuModel(text string) string {
	info := read(machine.ParseFields, text)
	model := info["Model name"]
	if n := info["CPU(s)"]; n != "" && model != "" {
		model += " × " + n
	}
	return model
}

func (r *result) cpu(s *providers.Step) Reply {
	info := read(machine.ParseFields, s.Stdout)
	if info["CPU(s)"] == "" {
		return r.unreadableReply(s)
	}
	model := info["Model name"]
	if model == "" {
		model = info["Architecture"]
	}
	text := r.say(i18n.HelperSystemCores(model, info["CPU(s)"]))
	if info["Socket(s)"] != "" && info["Core(s) per socket"] != "" && info["Thread(s) per core"] != "" {
		text = joinBlocks(text, bullets([]string{r.say(i18n.HelperSystemPhysical(info["Socket(s)"], info["Core(s) per socket"], info["Thread(s) per core"]))}))
	}
	return Reply{Text: text}
}

func (q *inquiry) hostname() Reply {
	name := strings.TrimSpace(q.stdout(q.first))
	if name == "" || quoteWord(name) != name {
		return q.toolReply(q.first)
	}
	return Reply{Text: q.say(i18n.HelperHostnameHostname(name))}
}
