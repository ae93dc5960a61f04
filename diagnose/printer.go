package diagnose

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Printer is the question why something is not printed. The object is the name of a queue.
func Printer() Topic {
	return Topic{ID: "printer", Object: ADevice, About: i18n.DiagnoseAboutPrinter, sound: printerWell, causes: []cause{
		{"not-installed", printAbsent},
		{"service-masked", masked(machine.PrintUnitsProbe, false, "cups.service", "cups.socket")},
		{"service-stopped", printStopped},
		{"no-queue", noQueue},
		{"filter-missing", filterMissing},
		{"avahi-off", avahiOff},
		{"mdns-missing", mdnsMissing},
		{"host-silent", printerSilent},
		{"paused", queuePaused},
		{"rejecting", queueRejects},
		{"job-held", jobHeld},
		{"no-default", noDefaultPrinter},
		{"jobs-wait", jobsWait},
	}}
}

func (f *Facts) printUnits() unitStates { return f.units(machine.PrintUnitsProbe) }

func printAbsent(f *Facts) *Finding {
	if u := f.printUnits(); u["cups.service"]["LoadState"] != "not-found" {
		return nil
	}
	return proved(i18n.PrintAbsent, seeLine(machine.PrintUnitsProbe, "cups.service LoadState=not-found")).
		offer(i18n.PrintAbsentGoal, install(i18n.PrintAbsentGoal, "cups cups-filters"),
			control(i18n.UnitEnable("cups.socket"), "enable", "cups.socket", false),
			control(i18n.DesktopStart("cups.socket"), "start", "cups.socket", false))
}

func printStopped(f *Facts) *Finding {
	u := f.printUnits()
	if !u.isIdle("cups.service") || u.isActive("cups.socket") {
		return nil
	}
	return proved(i18n.DesktopStopped("cups.service"), u.see(machine.PrintUnitsProbe, "cups.service")).
		offer(i18n.DesktopStart("cups.service"), u.start("cups.service", false)...)
}

// queues returns the queues in question: the named one, or all.
func (f *Facts) queues() (all []machine.PrintQueue, p machine.Printing, ok bool) {
	text := f.stdout(machine.PrintingProbe)
	p, err := machine.ParsePrinting([]byte(text))
	all = slices.DeleteFunc(slices.Clone(p.Queues), func(q machine.PrintQueue) bool {
		return plain(q.Name) != q.Name || f.Object != "" &&
			!strings.Contains(strings.ToLower(q.Name), strings.ToLower(f.Object))
	})
	return all, p, err == nil && strings.Contains(text, "scheduler is running")
}

func noQueue(f *Facts) *Finding {
	_, p, ok := f.queues()
	if !ok || len(p.Queues) > 0 {
		return nil
	}
	return proved(i18n.PrintNone, see(machine.PrintingProbe, i18n.DesktopNone)).advise(i18n.PrintNoneAdvice)
}

// filterMissing finds that the driver's program is missing: CUPS, scheduler/job.c.
func filterMissing(f *Facts) *Finding {
	all, _, _ := f.queues()
	for _, q := range all {
		if lineWith([]string{q.Reason}, "not available: no such file", "stopped with status", "filter failed",
			"unable to open ppd") == "" {
			continue
		}
		found := likely(i18n.PrintFilter(q.Name), seeLine(machine.PrintingProbe, q.Reason))
		found.Certain = strings.Contains(q.Reason, "No such file")
		return found.advise(i18n.PrintFilterAdvice(q.Name))
	}
	return nil
}

// isLocalName reports whether a queue finds its printer by mDNS.
func isLocalName(q machine.PrintQueue) bool {
	scheme, host := deviceHost(q)
	return scheme == "dnssd" || strings.HasSuffix(host, ".local")
}

// deviceHost returns the scheme and the host of a queue's address. The host of dnssd has blanks, which net/url refuses.
func deviceHost(q machine.PrintQueue) (scheme, host string) {
	scheme, rest, _ := strings.Cut(q.Device, "://")
	host, _, _ = strings.Cut(rest, "/")
	host = host[strings.LastIndexByte(host, '@')+1:]
	if !strings.HasPrefix(host, "[") {
		host, _, _ = strings.Cut(host, ":")
	}
	return scheme, host
}

func avahiOff(f *Facts) *Finding {
	all, _, _ := f.queues()
	look, name := machine.PrintUnitsProbe, "avahi-daemon.service"
	u := f.printUnits()
	i := slices.IndexFunc(all, isLocalName)
	if i < 0 || !u.isIdle(name) && !u.isMasked(name) {
		return nil
	}
	steps := u.start(name, false)
	if u.isMasked(name) {
		steps = unmask(i18n.DesktopUnmask(name), name, false)
	}
	return proved(i18n.PrintAvahi(all[i].Name, name), seeLine(machine.PrintingProbe, all[i].Device), u.see(look, name)).
		offer(i18n.DesktopStart(name), steps...)
}

func mdnsMissing(f *Facts) *Finding {
	all, _, _ := f.queues()
	i := slices.IndexFunc(all, func(q machine.PrintQueue) bool {
		return isLocalName(q) &&
			!strings.HasPrefix(q.Device, "dnssd:")
	})
	lines := f.lines(machine.HostsOrderProbe)
	if i < 0 || len(lines) == 0 || strings.Contains(lines[0], "mdns") {
		return nil
	}
	file, number, _ := numbered(lines[0])
	if file == "" {
		return nil
	}
	word := "mdns_minimal [NOTFOUND=return] "
	return proved(i18n.PrintMdns(all[i].Name, number), seeLine(machine.PrintingProbe, all[i].Device),
		seeLine(machine.HostsOrderProbe, lines[0])).offer(i18n.PrintMdnsGoal,
		install(i18n.PrintMdnsInstall, "nss-mdns"),
		run(i18n.PrintMdnsGoal, "sudo -n sed -i '"+number+`s/^hosts: */&`+word+"/' "+file, "grep ^hosts: "+file,
			"mdns_minimal", "sudo -n sed -i '"+number+`s/mdns_minimal \[NOTFOUND=return\] //`+"' "+file))
}

// printerSilent finds that the printer's address does not answer in the local network.
func printerSilent(f *Facts) *Finding {
	all, _, _ := f.queues()
	for _, q := range all {
		_, host := deviceHost(q)
		if plain(host) == "" {
			continue
		}
		if line := f.isSilent(host); line != "" {
			return proved(i18n.PrintSilent(q.Name, host), seeLine(machine.PrintingProbe, q.Device),
				seeLine(machine.NeighboursProbe, line)).advise(i18n.PrintSilentAdvice(q.Name))
		}
	}
	return nil
}

func queuePaused(f *Facts) *Finding {
	all, p, _ := f.queues()
	i := slices.IndexFunc(all, func(q machine.PrintQueue) bool { return q.Disabled })
	if i < 0 || filterMissing(f) != nil { // it would pause again
		return nil
	}
	q := all[i]
	says := i18n.PrintPaused(q.Name, q.Since)
	if q.Reason != "" {
		says = i18n.PrintPausedReason(q.Name, q.Reason, q.Since)
	}
	undo := "sudo -n cupsdisable " + q.Name
	if reason := machine.CleanLine(q.Reason); reason != "" && !strings.ContainsAny(reason, "'\"\\$`!") {
		undo = "sudo -n cupsdisable -r '" + reason + "' " + q.Name
	}
	seen := append([]Evidence{seeLine(machine.PrintingProbe, "printer "+q.Name+" disabled: "+q.Reason)}, seeJobs(p)...)
	found := proved(says, seen...).offer(i18n.PrintPausedGoal(q.Name),
		run(i18n.PrintPausedGoal(q.Name), "sudo -n cupsenable "+q.Name, machine.PrinterProbe(q.Name).String(), "enabled since", undo))
	found.Repair.Ask = i18n.PrintPausedAsk
	if hasWord(q.Reason, i18n.PrintWordsPaper) { // RFC 8011, "printer-state-reasons", and what drivers and people write
		found.Repair.Ask = i18n.PrintPausedPaper
	}
	return found
}

// seeJobs shows how many jobs wait, if any do.
func seeJobs(p machine.Printing) []Evidence {
	if p.Jobs == 0 {
		return nil
	}
	return []Evidence{see(machine.PrintingProbe, i18n.PrintJobsWait(p.Jobs))}
}

func queueRejects(f *Facts) *Finding {
	all, _, _ := f.queues()
	i := slices.IndexFunc(all, func(q machine.PrintQueue) bool { return q.Rejecting })
	if i < 0 {
		return nil
	}
	name := all[i].Name
	goal := i18n.PrintAcceptGoal(name)
	return proved(i18n.PrintRejects(name), seeLine(machine.PrintingProbe, name+" not accepting requests")).
		offer(goal, run(goal, "sudo -n cupsaccept "+name, "lpstat -a "+name, name+" accepting", "sudo -n cupsreject "+name))
}

// jobHeld finds a job that waits for a person: lpstat(1), "Alerts".
func jobHeld(f *Facts) *Finding {
	job := ""
	for _, line := range f.lines(machine.PrintJobsProbe) {
		if !strings.HasPrefix(line, " ") {
			job, _, _ = strings.Cut(line, " ")
			continue
		}
		if !strings.Contains(line, "job-hold-until-specified") || plain(job) != job || job == "" {
			continue
		}
		goal := i18n.PrintJobGoal(job)
		return proved(i18n.PrintJob(job), seeLine(machine.PrintJobsProbe, job+" "+line)).
			offer(goal, run(goal, "lp -i "+job+" -H resume", "lpstat -W completed -o", job, "lp -i "+job+" -H hold"))
	}
	return nil
}

func noDefaultPrinter(f *Facts) *Finding {
	all, p, ok := f.queues()
	if !ok || len(all) == 0 || p.DefaultName != "" || !p.None || f.Object != "" {
		return nil
	}
	found := likely(i18n.PrintDefault, seeLine(machine.PrintingProbe, "no system default destination"))
	if len(all) > 1 {
		return found.advise(i18n.PrintDefaultAdvice)
	}
	goal := i18n.PrintDefaultGoal(all[0].Name)
	return found.offer(goal, run(goal, "lpoptions -d "+all[0].Name, "lpstat -d", all[0].Name, ""))
}

// jobsWait finds that jobs wait although no queue is stopped. The log of CUPS may say why.
func jobsWait(f *Facts) *Finding {
	all, p, ok := f.queues()
	if !ok || len(all) == 0 || p.Jobs == 0 || slices.ContainsFunc(all, func(q machine.PrintQueue) bool { return q.Disabled || q.Rejecting }) || jobHeld(f) != nil {
		return nil
	}
	return likely(i18n.PrintStuck(defaultQueue(all, p).Name, p.Jobs), seeJobs(p)...).
		showing(machine.PrintLogProbe, failureLine(f.lines(machine.PrintLogProbe), "error", "fail", "not responding", "timed out", "unable"))
}

// defaultQueue returns the default printer, or the first one.
func defaultQueue(all []machine.PrintQueue, p machine.Printing) machine.PrintQueue {
	return all[max(0, slices.IndexFunc(all, func(q machine.PrintQueue) bool { return q.Name == p.DefaultName }))]
}

// printerWell says which printer takes jobs.
func printerWell(f *Facts) *Finding {
	all, p, ok := f.queues()
	if !ok || len(all) == 0 {
		return nil
	}
	q, names := defaultQueue(all, p), []string{}
	for _, one := range all[:min(5, len(all))] {
		names = append(names, one.Name)
	}
	if !q.Ready {
		return nil
	}
	return likely(i18n.PrintFine(q.Name), see(machine.PrintingProbe, i18n.PrintQueues(strings.Join(names, ", "))), see(machine.PrintingProbe, i18n.PrintDevice(machine.CleanLine(q.Device)))).
		advise(i18n.PrintElse)
}
