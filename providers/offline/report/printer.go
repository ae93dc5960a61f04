package report

import (
	"regexp"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	sayCupsMissing   = i18n.T("인쇄 서비스(CUPS)가 설치되어 있지 않아서 인쇄할 수 없어요.", "The print service (CUPS) is not installed, so nothing can be printed.", "没有安装打印服务（CUPS），因此无法打印。")
	sayCupsOff       = i18n.T("인쇄 서비스(CUPS)가 꺼져 있어요.", "The print service (CUPS) is not running.", "打印服务（CUPS）没有运行。")
	sayCupsLine      = i18n.T("cups.service %[1]s, cups.socket %[2]s(`systemctl is-active`)", "cups.service %[1]s, cups.socket %[2]s (`systemctl is-active`)", "cups.service %[1]s，cups.socket %[2]s（`systemctl is-active`）")
	askStartCups     = i18n.T("시작할까요? (`systemctl start cups`)", "Shall I start it? (`systemctl start cups`)", "要启动它吗？（`systemctl start cups`）")
	sayNoPrinters    = i18n.T("인쇄 서비스는 돌고 있지만 등록된 프린터가 없어요.", "The print service runs, but no printer is set up.", "打印服务在运行，但没有添加打印机。")
	sayAddPrinter    = i18n.T("브라우저에서 http://localhost:631/admin 을 열거나 데스크톱의 프린터 설정에서 추가해 주세요. 네트워크 프린터는 같은 공유기에 켜져 있어야 보여요.", "Open http://localhost:631/admin in a browser, or the desktop's printer settings, and add it. A network printer must be on and on the same network.", "请在浏览器中打开 http://localhost:631/admin 或在桌面的打印机设置中添加。网络打印机需要开机并在同一网络中。")
	sayPrinterPaused = i18n.T("프린터 %[1]s{이/가} 멈춰(일시 정지) 있어요.", "The printer %[1]s is paused.", "打印机 %[1]s 已暂停。")
	sayPrinterReason = i18n.T("CUPS가 적은 이유: %[1]s(`lpstat -t`)", "CUPS's reason: %[1]s (`lpstat -t`)", "CUPS 给出的原因：%[1]s（`lpstat -t`）")
	askResumePrinter = i18n.T("다시 켤까요? 기다리던 인쇄가 바로 나와요. (`%[1]s`)", "Shall I resume it? Waiting jobs print at once. (`%[1]s`)", "要恢复吗？等待中的任务会立即打印。（`%[1]s`）")
	sayPrinterClosed = i18n.T("프린터 %[1]s{이/가} 새 인쇄를 받지 않게 되어 있어요.", "The printer %[1]s does not accept jobs.", "打印机 %[1]s 不接受新任务。")
	askAccept        = i18n.T("다시 받게 할까요? (`%[1]s`)", "Shall I let it accept jobs? (`%[1]s`)", "要让它重新接受任务吗？（`%[1]s`）")
	sayJobsWait      = i18n.T("인쇄 %[1]d건이 기다리고 있어요(`lpstat -t`)", "Jobs waiting: %[1]d (`lpstat -t`)", "有 %[1]d 个任务在等待（`lpstat -t`）")
	sayJobsStuck     = i18n.T("프린터 %[1]s{은/는} 켜져 있지만 인쇄 %[2]d건이 나가지 않고 있어요. 프린터의 전원·용지와 연결을 확인해 주세요.", "The printer %[1]s is enabled, but jobs do not go out (waiting: %[2]d). Check its power, paper and connection.", "打印机 %[1]s 已启用，但有 %[2]d 个任务没有打印。请检查电源、纸张和连接。")
	askCupsLog       = i18n.T("인쇄 로그에서 이유를 찾아볼까요?", "Shall I look for the reason in the print service's log?", "要在打印日志中查找原因吗？")
	sayNoDefault     = i18n.T("프린터는 있지만 기본 프린터가 정해져 있지 않아요.", "There is a printer, but no default one.", "有打印机，但没有设置默认打印机。")
	askDefault       = i18n.T("%[1]s{을/를} 기본으로 정할까요? (`%[2]s`)", "Shall I make %[1]s the default? (`%[2]s`)", "要将 %[1]s 设为默认吗？（`%[2]s`）")
	sayPrinterUnseen = i18n.T("프린터 %[1]s{은/는} 등록돼 있지만 지금 켜져 있는지는 출력에 없어요(`lpstat -t`).", "The printer %[1]s is set up, but the output does not say whether it is enabled (`lpstat -t`).", "打印机 %[1]s 已添加，但输出中没有它是否启用的信息（`lpstat -t`）。")
	sayPrinterElse   = i18n.T("그래도 안 나오면 프린터의 전원·용지와 연결을 확인해 주세요.", "If nothing is printed, check the printer's power, paper and connection.", "如果仍不打印，请检查打印机的电源、纸张和连接。")
	sayPrinterFine   = i18n.T("프린터 %[1]s{은/는} 켜져 있고 인쇄를 받을 수 있어요.", "The printer %[1]s is enabled and accepts jobs.", "打印机 %[1]s 已启用并可接受任务。")
	sayPrintersLine  = i18n.T("프린터: %[1]s(`lpstat -t`)", "Printers: %[1]s (`lpstat -t`)", "打印机：%[1]s（`lpstat -t`）")
	sayDeviceLine    = i18n.T("연결: %[1]s(`lpstat -t`)", "Connection: %[1]s (`lpstat -t`)", "连接：%[1]s（`lpstat -t`）")
	sayCupsUnseen    = i18n.T("등록된 프린터는 알아보지 못했어요(`lpstat -t`).", "Which printers are set up could not be read (`lpstat -t`).", "无法读取已添加的打印机（`lpstat -t`）。")
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
		f := &finding{verdict: q.say(sayCupsMissing)}
		f.propose(intent.Call("install_package", "name", "cups"), q.say(askInstallIt, "cups"))
		return f
	case is == nil || is["cups.service"] == "active" || is["cups.socket"] == "active":
		return nil
	}
	f := &finding{verdict: q.say(sayCupsOff), evidence: []string{q.say(sayCupsLine, is["cups.service"], is["cups.socket"])}}
	f.propose(intent.Call("manage_service", "action", "start", "name", "cups"), q.say(askStartCups))
	return f
}

func (q *inquiry) queues() *finding {
	p := parsePrinting(q.anyStdout(printerState) + q.stderr(printerState))
	if !p.read && len(p.queues) == 0 {
		f := &finding{verdict: q.toolReply(q.first).Text, evidence: []string{q.say(sayCupsUnseen)}}
		if f.verdict == "" {
			f.verdict = q.say(sayCupsUnseen)
			f.evidence = nil
		}
		return f
	}
	if len(p.queues) == 0 && !p.none {
		return &finding{verdict: q.say(sayCupsUnseen)}
	}
	if len(p.queues) == 0 {
		return &finding{verdict: q.say(sayNoPrinters), meaning: q.say(sayAddPrinter)}
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
		f.note(q.say(sayJobsWait, p.jobs))
	}
	switch {
	case one.disabled:
		f.verdict = q.say(sayPrinterPaused, one.name)
		if one.reason != "" {
			f.note(q.say(sayPrinterReason, one.reason))
		}
		if word != "" {
			resume := "sudo -n cupsenable " + word
			f.propose(command(resume), q.say(askResumePrinter, resume))
		}
	case one.rejecting:
		f.verdict = q.say(sayPrinterClosed, one.name)
		if word != "" {
			accept := "sudo -n cupsaccept " + word
			f.propose(command(accept), q.say(askAccept, accept))
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
	f := &finding{verdict: q.say(sayPrinterFine, one.name), meaning: q.say(sayPrinterElse)}
	var names []string
	for _, x := range p.queues[:min(5, len(p.queues))] {
		names = append(names, x.name)
	}
	f.note(q.say(sayPrintersLine, strings.Join(names, ", ")))
	if one.device != "" {
		f.note(q.say(sayDeviceLine, cutRunes(one.device, 80)))
	}
	switch {
	case p.jobs > 0:
		f.verdict, f.meaning = q.say(sayJobsStuck, one.name, p.jobs), ""
		f.propose(intent.Call("read_logs", "unit", "cups", "since", "boot"), q.say(askCupsLog))
	case !one.ready:
		f.verdict, f.meaning = q.say(sayPrinterUnseen, one.name), ""
	case p.defaultName == "" && quoteWord(one.name) != "":
		standard := "lpoptions -d " + quoteWord(one.name)
		f.verdict, f.meaning = q.say(sayNoDefault), ""
		f.propose(command(standard), q.say(askDefault, one.name, standard))
	}
	return f
}
