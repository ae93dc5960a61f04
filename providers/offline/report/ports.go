package report

import (
	"fmt"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

func (r *result) ports() Reply {
	s := &r.steps[0]
	list := read(machine.ParseSockets, s.Stdout)
	if len(list) == 0 {
		if s.Exit != 0 || len(machine.Lines(s.Stdout)) > 1 {
			return r.unreadableReply(s)
		}
		return Reply{Text: r.say(i18n.HelperNetworkPortsNone)}
	}
	if port := r.portAsked(); port != "" {
		return r.onePort(port, list)
	}
	var lines []string
	for _, l := range list[:min(15, len(list))] {
		lines = append(lines, fmt.Sprintf("%s/%s: %s, %s", l.Port, l.Protocol, r.programName(l), r.reach(l)))
	}
	if more := len(list) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("… (+%d)", more))
	}
	return Reply{Text: joinBlocks(r.say(i18n.HelperNetworkPortsOpen(len(list))), bullets(lines))}
}

func (r *result) portAsked() string {
	if r.ask == nil {
		return ""
	}
	return r.ask.Port()
}

func (r *result) onePort(port string, list []machine.Listener) Reply {
	for _, l := range list {
		if l.Port == port {
			return Reply{Text: r.say(i18n.HelperNetworkPortUsed(port, r.programName(l), l.Protocol+", "+r.reach(l)))}
		}
	}
	return Reply{Text: r.say(i18n.HelperNetworkPortFree(port))}
}

func (r *result) programName(l machine.Listener) string {
	if l.Program == "" {
		return r.say(i18n.HelperNetworkPortUnknown)
	}
	return l.Program
}

func (r *result) reach(l machine.Listener) string {
	if l.Outside {
		return r.say(i18n.HelperNetworkPortOutside)
	}
	return r.say(i18n.HelperNetworkPortLocal)
}
