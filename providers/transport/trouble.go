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

// Failure is the reason why a server cannot be used.
type Failure int

// The troubles.
const (
	NoFailure            Failure = iota // no trouble
	KeyRefused                          // the server rejects the key
	NameNotFound                        // the name cannot be resolved
	ProxyRefused                        // a proxy refuses the connection
	BadClock                            // the clock is outside the certificate's validity
	UntrustedCertificate                // the certificate is not trusted
	ConnectionRefused                   // connection refused
	NoRoute                             // network or host unreachable
	TimedOut                            // timeout
	OtherFailure                        // any other error
)

// FailureOf classifies a request error by its remedy. It uses error types because texts can change between
// versions of net/http. Only a proxy's refusal has no type and is found by its text.
func FailureOf(err error) Failure {
	var dns *net.DNSError
	var op *net.OpError
	var validity x509.CertificateInvalidError
	var verification *tls.CertificateVerificationError
	switch {
	case err == nil:
		return NoFailure
	case providers.KindOf(err) == providers.KindAuth:
		return KeyRefused
	case errors.As(err, &op) && op.Op == "proxyconnect", refusedByProxy(err):
		return ProxyRefused
	case errors.As(err, &dns) && !dns.IsTimeout:
		return NameNotFound
	case errors.As(err, &validity) && validity.Reason == x509.Expired: // also: not valid yet
		return BadClock
	case errors.As(err, &verification):
		return UntrustedCertificate
	case errors.Is(err, syscall.ECONNREFUSED):
		return ConnectionRefused
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return NoRoute
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, ErrOverall), errors.Is(err, ErrFirst), errors.Is(err, ErrIdle), isTimeout(err):
		return TimedOut
	}
	return OtherFailure
}

// refusedByProxy reports whether a proxy refused a tunnel. net/http has no error type for it.
func refusedByProxy(err error) bool {
	var web *url.Error
	return errors.As(err, &web) && strings.Contains(web.Error(), "Proxy Authentication Required")
}

func isTimeout(err error) bool {
	var slow net.Error
	return errors.As(err, &slow) && slow.Timeout()
}
