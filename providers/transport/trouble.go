package transport

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

	"github.com/nidoit/blunux-ai/providers"
)

// Trouble is what keeps a server from answering.
type Trouble int

// The troubles.
const (
	Reached       Trouble = iota // none
	KeyRefused                   // the server answers, and refuses the key
	NoName                       // its address is not found
	Proxied                      // a proxy on the way refuses
	BadClock                     // this machine's clock does not fit its certificate
	Distrusted                   // its certificate is not trusted
	NobodyListens                // the connection is refused
	NoRoute                      // no way leads there
	TooLate                      // nothing came in time
	OwnTrouble                   // anything else, of the server's own
)

// TroubleOf sorts an error of a request by what would help. Who looks for the
// cause in an error's words would miss it in the next version of net/http, so
// only proxies are found by them, whose refusals have no type of their own.
func TroubleOf(err error) Trouble {
	var dns *net.DNSError
	var op *net.OpError
	var validity x509.CertificateInvalidError
	var verification *tls.CertificateVerificationError
	switch {
	case err == nil:
		return Reached
	case providers.KindOf(err) == providers.KindAuth:
		return KeyRefused
	case errors.As(err, &op) && op.Op == "proxyconnect", refusedByProxy(err):
		return Proxied
	case errors.As(err, &dns) && !dns.IsTimeout:
		return NoName
	case errors.As(err, &validity) && validity.Reason == x509.Expired: // also: not valid yet
		return BadClock
	case errors.As(err, &verification):
		return Distrusted
	case errors.Is(err, syscall.ECONNREFUSED):
		return NobodyListens
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return NoRoute
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, ErrOverall), errors.Is(err, ErrFirst), errors.Is(err, ErrIdle), isTimeout(err):
		return TooLate
	}
	return OwnTrouble
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
