package doctor

import (
	"context"
	"errors"
	"net"
	"net/url"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// model reports which model would answer, and why.
func model(_ context.Context, p Patient) Finding {
	a := p.answer()
	switch {
	case a.Name == "":
		return p.say(Warn, "blunux-ai config check", i18n.DoctorModelNone, "?", "", "-")
	case a.Problem != nil:
		return p.say(Warn, "blunux-ai setup", i18n.DoctorModelNone, a.Name, i18n.ChosenBecause(a.Why, p.Lang), i18n.Tell(a.Problem, p.Lang))
	}
	return p.say(OK, "", i18n.DoctorModel, a.Name, i18n.ChosenBecause(a.Why, p.Lang))
}

// reach sends a free request to the model's server.
func reach(ctx context.Context, p Patient) Finding {
	a := p.answer()
	if a.Server == "" || a.Problem != nil || a.Reach == nil {
		return p.say(OK, "", i18n.DoctorReachLocal)
	}
	host := hostOf(a.Server)
	err := a.Reach(ctx)
	now := p.Now().Format("2006-01-02 15:04")
	switch transport.TroubleOf(err) {
	case transport.Reached:
		return p.say(OK, "", i18n.DoctorReach, host)
	case transport.KeyRefused:
		return p.say(Warn, "blunux-ai setup", i18n.DoctorReachKey, host, serverWords(err))
	case transport.NoName:
		return p.say(Warn, "resolvectl query "+shellWord(bare(host)), i18n.DoctorReachDNS, host)
	case transport.Proxied:
		return p.say(Warn, "env | grep -i proxy", i18n.DoctorReachProxy, host)
	case transport.BadClock:
		return p.say(Warn, "sudo timedatectl set-ntp true", i18n.DoctorReachClock, host, now)
	case transport.Distrusted:
		return p.say(Warn, "curl -sSI "+shellWord("https://"+host), i18n.DoctorReachTLS, host)
	case transport.NobodyListens:
		return p.say(Warn, "ss -ltn", i18n.DoctorReachClosed, host)
	case transport.NoRoute:
		return p.say(Warn, "ip route", i18n.DoctorReachRoute, host)
	case transport.TooLate:
		return p.say(Warn, "ping -c 3 "+shellWord(bare(host)), i18n.DoctorReachSlow, host)
	}
	return p.say(Warn, "blunux-aictl models "+shellWord(strings.Fields(a.Name)[0]), i18n.DoctorReachServer, host, serverWords(err))
}

// serverWords returns the server's error message, or the status.
func serverWords(err error) string {
	var pe *providers.Error
	if !errors.As(err, &pe) || pe.Message == "" {
		return err.Error()
	}
	return pe.Message
}

// hostOf returns the host of a server's address.
func hostOf(server string) string {
	if u, err := url.Parse(server); err == nil && u.Host != "" {
		return u.Host
	}
	return server
}

// bare returns a host without its port.
func bare(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return host
}
