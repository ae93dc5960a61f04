package report

import (
	"regexp"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	cupsUnits    = []string{"cups.service", "cups.socket"}
	printerState = command("lpstat -t")
)

// printQueue is one printer of lpstat.
type printQueue struct {
	name, device, reason string
	disabled, rejecting  bool
	ready                bool // lpstat reports it as enabled
}

// printerStatus is the output of lpstat -t.
type printerStatus struct {
	queues      []printQueue
	defaultName string // the default printer
	jobs        int
	none        bool
	read        bool
}

func (p *printerStatus) queue(name string) *printQueue {
	for i := range p.queues {
		if p.queues[i].name == name {
			return &p.queues[i]
		}
	}
	p.queues = append(p.queues, printQueue{name: name})
	return &p.queues[len(p.queues)-1]
}

// jobName matches a job of lpstat: the printer and a number.
var jobName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\S+-\d+$`) })

// parsePrinting parses lpstat -t (lpstat(1)). The reason of a paused printer is on the indented line below it.
func parsePrinting(text string) printerStatus {
	var p printerStatus
	paused := ""
	for _, line := range outputLines(text) {
		f := strings.Fields(line)
		reasonOf := paused
		paused = ""
		switch {
		case strings.HasPrefix(line, "scheduler is"):
			p.read = true
		case strings.HasPrefix(line, "no system default"):
			p.none, p.read = true, true
		case strings.Contains(line, "No destinations added"):
			p.none, p.read = true, true
		case strings.HasPrefix(line, "system default destination: "):
			p.defaultName = strings.TrimPrefix(line, "system default destination: ")
		case strings.HasPrefix(line, "device for ") && len(f) >= 4:
			p.queue(strings.TrimSuffix(f[2], ":")).device = f[3]
		case strings.HasPrefix(line, "printer ") && len(f) >= 3:
			q := p.queue(f[1])
			if f[2] == "disabled" {
				q.disabled, paused = true, f[1]
			}
			q.ready = !q.disabled && strings.Contains(line, "enabled")
		case len(f) > 2 && f[1] == "not" && f[2] == "accepting":
			p.queue(f[0]).rejecting = true
		case strings.HasPrefix(line, " ") && reasonOf != "":
			p.queue(reasonOf).reason = cutRunes(strings.TrimSpace(line), 100)
		case len(f) >= 4 && jobName().MatchString(f[0]) && !strings.HasPrefix(line, " ") && f[1] != "accepting":
			p.jobs++
		}
	}
	return p
}

// printer checks the service, the printers and their jobs.
func (q *inquiry) printer() Reply {
	if !q.collect(q.first, unitStateStep(false, cupsUnits...), printerState) {
		return Reply{}
	}
	if q.output(printerState, "") == nil && q.output(unitStateStep(false, cupsUnits...), "") == nil {
		return q.toolReply(q.first)
	}
	return conclude(q.firstBroken(q.cups, q.queues))
}

func (q *inquiry) cups() *finding {
	is := unitStates(q.anyStdout(unitStateStep(false, cupsUnits...)), cupsUnits...)
	first := q.output(q.first, "")
	switch {
	case first != nil && strings.Contains(first.Stderr+first.Stdout, "could not be found"):
		f := &finding{verdict: q.say(i18n.HelperPrinterCupsMissing)}
		f.propose(intent.Call("install_package", "name", "cups"), q.say(i18n.HelperPackagesAskInstallIt("cups")))
		return f
	case is == nil || is["cups.service"] == "active" || is["cups.socket"] == "active":
		return nil
	}
	f := &finding{verdict: q.say(i18n.HelperPrinterCupsOff), evidence: []string{q.say(i18n.HelperPrinterCupsLine(is["cups.service"], is["cups.socket"]))}}
	f.propose(intent.Call("manage_service", "action", "start", "name", "cups"), q.say(i18n.HelperPrinterAskStartCups))
	return f
}

func (q *inquiry) queues() *finding {
	p := parsePrinting(q.anyStdout(printerState) + q.stderr(printerState))
	if !p.read && len(p.queues) == 0 {
		f := &finding{verdict: q.toolReply(q.first).Text, evidence: []string{q.say(i18n.HelperPrinterCupsUnseen)}}
		if f.verdict == "" {
			f.verdict = q.say(i18n.HelperPrinterCupsUnseen)
			f.evidence = nil
		}
		return f
	}
	if len(p.queues) == 0 && !p.none {
		return &finding{verdict: q.say(i18n.HelperPrinterCupsUnseen)}
	}
	if len(p.queues) == 0 {
		return &finding{verdict: q.say(i18n.HelperPrinterNoPrinters), meaning: q.say(i18n.HelperPrinterAddPrinter)}
	}
	for _, one := range p.queues {
		if f := q.stoppedPrinter(p, one); f != nil {
			return f
		}
	}
	return q.printerFine(p)
}

// stoppedPrinter reports a printer that is paused or rejects jobs.
func (q *inquiry) stoppedPrinter(p printerStatus, one printQueue) *finding {
	word := quoteWord(one.name)
	f := &finding{}
	if p.jobs > 0 {
		f.note(q.say(i18n.HelperPrinterJobsWait(p.jobs)))
	}
	switch {
	case one.disabled:
		f.verdict = q.say(i18n.HelperPrinterPaused(one.name))
		if one.reason != "" {
			f.note(q.say(i18n.HelperPrinterReason(one.reason)))
		}
		if word != "" {
			resume := "sudo -n cupsenable " + word
			f.propose(command(resume), q.say(i18n.HelperPrinterAskResumePrinter(resume)))
		}
	case one.rejecting:
		f.verdict = q.say(i18n.HelperPrinterClosed(one.name))
		if word != "" {
			accept := "sudo -n cupsaccept " + word
			f.propose(command(accept), q.say(i18n.HelperPrinterAskAccept(accept)))
		}
	default:
		return nil
	}
	return f
}

func (q *inquiry) printerFine(p printerStatus) *finding {
	one := p.queues[0]
	if p.defaultName != "" {
		one = *p.queue(p.defaultName)
	}
	f := &finding{verdict: q.say(i18n.HelperPrinterFine(one.name)), meaning: q.say(i18n.HelperPrinterElse)}
	var names []string
	for _, x := range p.queues[:min(5, len(p.queues))] {
		names = append(names, x.name)
	}
	f.note(q.say(i18n.HelperPrinterPrintersLine(strings.Join(names, ", "))))
	if one.device != "" {
		f.note(q.say(i18n.HelperPrinterDeviceLine(cutRunes(one.device, 80))))
	}
	switch {
	case p.jobs > 0:
		f.verdict, f.meaning = q.say(i18n.HelperPrinterJobsStuck(one.name, p.jobs)), ""
		f.propose(intent.Call("read_logs", "unit", "cups", "since", "boot"), q.say(i18n.HelperPrinterAskCupsLog))
	case !one.ready:
		f.verdict, f.meaning = q.say(i18n.HelperPrinterUnseen(one.name)), ""
	case p.defaultName == "" && quoteWord(one.name) != "":
		standard := "lpoptions -d " + quoteWord(one.name)
		f.verdict, f.meaning = q.say(i18n.HelperPrinterNoDefault), ""
		f.propose(command(standard), q.say(i18n.HelperPrinterAskDefault(one.name, standard)))
	}
	return f
}
