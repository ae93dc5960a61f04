package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
)

// model tells who would answer, and why that one.
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

// reach asks whoever would answer for something that costs nothing.
func reach(ctx context.Context, p Patient) Finding {
	a := p.answer()
	if a.Server == "" || a.Problem != nil || a.Reach == nil {
		return p.say(OK, "", i18n.DoctorReachLocal)
	}
	host := hostOf(a.Server)
	err := a.Reach(ctx)
	now := p.Now().Format("2006-01-02 15:04")
	switch verdictOf(err) {
	case reached:
		return p.say(OK, "", i18n.DoctorReach, host)
	case keyRefused:
		return p.say(Warn, "blunux-ai setup", i18n.DoctorReachKey, host, err)
	case noName:
		return p.say(Warn, "resolvectl query "+shellWord(bare(host)), i18n.DoctorReachDNS, host, err)
	case proxied:
		return p.say(Warn, "env | grep -i proxy", i18n.DoctorReachProxy, host, err)
	case badClock:
		return p.say(Warn, "sudo timedatectl set-ntp true", i18n.DoctorReachClock, host, now, err)
	case distrusted:
		return p.say(Warn, "curl -sSI "+shellWord("https://"+host), i18n.DoctorReachTLS, host, err)
	case nobody:
		return p.say(Warn, "ss -ltn", i18n.DoctorReachClosed, host, err)
	case late:
		return p.say(Warn, "ping -c 3 "+shellWord(bare(host)), i18n.DoctorReachSlow, host, err)
	}
	return p.say(Warn, "blunux-aictl models "+shellWord(strings.Fields(a.Name)[0]), i18n.DoctorReachServer, host, err)
}

// verdict is what keeps a server from answering.
type verdict int

const (
	reached verdict = iota
	keyRefused
	noName
	proxied
	badClock
	distrusted
	nobody // listens
	late
	trouble // of the server's own
)

// verdictOf sorts an error of a request by what would help. Who looks for the
// cause in an error's words would miss it in the next version of net/http, so
// only proxies are found by them, whose refusals have no type of their own.
func verdictOf(err error) verdict {
	var dns *net.DNSError
	var op *net.OpError
	var validity x509.CertificateInvalidError
	var verification *tls.CertificateVerificationError
	switch {
	case err == nil:
		return reached
	case providers.KindOf(err) == providers.KindAuth:
		return keyRefused
	case errors.As(err, &op) && op.Op == "proxyconnect", refusedByProxy(err):
		return proxied
	case errors.As(err, &dns) && !dns.IsTimeout:
		return noName
	case errors.As(err, &validity) && validity.Reason == x509.Expired: // also: not valid yet
		return badClock
	case errors.As(err, &verification):
		return distrusted
	case errors.Is(err, syscall.ECONNREFUSED):
		return nobody
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), isTimeout(err):
		return late
	}
	return trouble
}

// refusedByProxy finds a proxy's refusal of a tunnel, which has no type of its own.
func refusedByProxy(err error) bool {
	var web *url.Error
	return errors.As(err, &web) && strings.Contains(web.Error(), "Proxy Authentication Required")
}

func isTimeout(err error) bool {
	var slow net.Error
	return errors.As(err, &slow) && slow.Timeout()
}

// hostOf is a server as a person knows it, without what stands behind the host.
func hostOf(server string) string {
	if u, err := url.Parse(server); err == nil && u.Host != "" {
		return u.Host
	}
	return server
}

// bare is a host without its port.
func bare(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return host
}
