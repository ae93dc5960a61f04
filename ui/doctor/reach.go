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
func model(_ context.Context, p Machine) Finding {
	a := p.answer()
	switch {
	case a.Name == "":
		return p.finding(Warn, "blunux-ai config check", i18n.DoctorModelNone("?", "", "-"))
	case a.Problem != nil:
		return p.finding(Warn, "blunux-ai setup", i18n.DoctorModelNone(a.Name, i18n.ChoiceReasons.In(a.Why, p.Lang), i18n.ErrorText(a.Problem, p.Lang)))
	}
	return p.finding(OK, "", i18n.DoctorModel(a.Name, i18n.ChoiceReasons.In(a.Why, p.Lang)))
}

// reach sends a free request to the model's server.
func reach(ctx context.Context, p Machine) Finding {
	a := p.answer()
	if a.Server == "" || a.Problem != nil || a.Reach == nil {
		return p.finding(OK, "", i18n.DoctorReachLocal)
	}
	host := hostOf(a.Server)
	err := a.Reach(ctx)
	now := p.Now().Format("2006-01-02 15:04")
	switch transport.FailureOf(err) {
	case transport.NoFailure:
		return p.finding(OK, "", i18n.DoctorReach(host))
	case transport.KeyRefused:
		return p.finding(Warn, "blunux-ai setup", i18n.DoctorReachKey(host, serverWords(err)))
	case transport.NameNotFound:
		return p.finding(Warn, "resolvectl query "+shellWord(withoutPort(host)), i18n.DoctorReachDns(host))
	case transport.ProxyRefused:
		return p.finding(Warn, "env | grep -i proxy", i18n.DoctorReachProxy(host))
	case transport.BadClock:
		return p.finding(Warn, "sudo timedatectl set-ntp true", i18n.DoctorReachClock(host, now))
	case transport.UntrustedCertificate:
		return p.finding(Warn, "curl -sSI "+shellWord("https://"+host), i18n.DoctorReachTls(host))
	case transport.ConnectionRefused:
		return p.finding(Warn, "ss -ltn", i18n.DoctorReachClosed(host))
	case transport.NoRoute:
		return p.finding(Warn, "ip route", i18n.DoctorReachRoute(host))
	case transport.TimedOut:
		return p.finding(Warn, "ping -c 3 "+shellWord(withoutPort(host)), i18n.DoctorReachSlow(host))
	}
	return p.finding(Warn, "blunux-aictl models "+shellWord(strings.Fields(a.Name)[0]), i18n.DoctorReachServer(host, serverWords(err)))
}

// serverWords returns the server's error message, or the status.
func serverWords(err error) string {
	var pe *providers.Error
	if !errors.As(err, &pe) || pe.Message == "" {
		return err.Error()
	}
	return pe.Message
}

func hostOf(server string) string {
	if u, err := url.Parse(server); err == nil && u.Host != "" {
		return u.Host
	}
	return server
}

func withoutPort(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return host
}
