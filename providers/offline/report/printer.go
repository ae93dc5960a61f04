package report

import (
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	cupsUnits    = []string{"cups.service", "cups.socket"}
	printerState = command(machine.PrintingProbe.String())
)

// printer checks the service, the printers and their jobs.
func (q *inquiry) printer() Reply {
	if q.output(printerState, "") == nil && q.output(unitStateStep(false, cupsUnits...), "") == nil {
		return q.toolReply(q.first)
	}
	return q.firstBroken(q.cups, q.queues).reply()
}

func (q *inquiry) cups() *finding {
	is := unitStates(q.anyStdout(unitStateStep(false, cupsUnits...)), cupsUnits...)
	first := q.output(q.first, "")
	switch {
	case first != nil && strings.Contains(first.Stderr+first.Stdout, "could not be found"):
		return q.proposeInstall(q.found(i18n.HelperPrinterCupsMissing), "cups")
	case is == nil || is["cups.service"] == "active" || is["cups.socket"] == "active":
		return nil
	}
	return q.found(i18n.HelperPrinterCupsOff, q.say(i18n.HelperPrinterCupsLine(is["cups.service"], is["cups.socket"]))).
		propose(intent.Call("manage_service", "action", "start", "name", "cups"), q.say(i18n.HelperPrinterAskStartCups))
}

func (q *inquiry) queues() *finding {
	p, known := tryRead(machine.ParsePrinting, q.anyStdout(printerState)+q.stderr(printerState))
	first := q.toolReply(q.first).Text
	switch {
	case !known && first != "":
		return &finding{verdict: first, evidence: []string{q.say(i18n.HelperPrinterCupsUnseen)}}
	case !known, len(p.Queues) == 0 && !p.None:
		return q.found(i18n.HelperPrinterCupsUnseen)
	case len(p.Queues) == 0:
		return &finding{verdict: q.say(i18n.HelperPrinterNoPrinters), meaning: q.say(i18n.HelperPrinterAddPrinter)}
	}
	for _, one := range p.Queues {
		if f := q.stoppedPrinter(p, one); f != nil {
			return f
		}
	}
	return q.printerFine(p)
}

// stoppedPrinter reports a printer that is paused or rejects jobs.
func (q *inquiry) stoppedPrinter(p machine.Printing, one machine.PrintQueue) *finding {
	word := quoteWord(one.Name)
	f := &finding{}
	if p.Jobs > 0 {
		f.note(q.say(i18n.HelperPrinterJobsWait(p.Jobs)))
	}
	switch {
	case one.Disabled:
		f.verdict = q.say(i18n.HelperPrinterPaused(one.Name))
		f.note(q.fact(i18n.HelperPrinterReason, one.Reason))
		if word != "" {
			q.proposeCommand(f, "sudo -n cupsenable "+word, i18n.HelperPrinterAskResumePrinter)
		}
	case one.Rejecting:
		f.verdict = q.say(i18n.HelperPrinterClosed(one.Name))
		if word != "" {
			q.proposeCommand(f, "sudo -n cupsaccept "+word, i18n.HelperPrinterAskAccept)
		}
	default:
		return nil
	}
	return f
}

func (q *inquiry) printerFine(p machine.Printing) *finding {
	one := p.Queues[0]
	if p.DefaultName != "" {
		one = *p.Queue(p.DefaultName)
	}
	f := &finding{verdict: q.say(i18n.HelperPrinterFine(one.Name)), meaning: q.say(i18n.HelperPrinterElse)}
	names := each(p.Queues[:min(5, len(p.Queues))], func(x machine.PrintQueue) string { return x.Name })
	f.note(q.say(i18n.HelperPrinterPrintersLine(strings.Join(names, ", "))))
	f.note(q.fact(i18n.HelperPrinterDeviceLine, cutRunes(one.Device, 80)))
	switch {
	case p.Jobs > 0:
		f.verdict, f.meaning = q.say(i18n.HelperPrinterJobsStuck(one.Name, p.Jobs)), ""
		f.propose(intent.Call("read_logs", "unit", "cups", "since", "boot"), q.say(i18n.HelperPrinterAskCupsLog))
	case !one.Ready:
		f.verdict, f.meaning = q.say(i18n.HelperPrinterUnseen(one.Name)), ""
	case p.DefaultName == "" && quoteWord(one.Name) != "":
		standard := "lpoptions -d " + quoteWord(one.Name)
		f.verdict, f.meaning = q.say(i18n.HelperPrinterNoDefault), ""
		f.propose(command(standard), q.say(i18n.HelperPrinterAskDefault(one.Name, standard)))
	}
	return f
}
