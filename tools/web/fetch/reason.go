package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/nidoit/blunux-ai/internal/peer"
	"github.com/nidoit/blunux-ai/tools/web"
	"github.com/nidoit/blunux-ai/tools/web/guard"
)

// probeTimeout bounds the question whether a network wants a login.
const probeTimeout = 5 * time.Second

const wantsLogin = "the network wants a login first: open any page in a browser"

// explain returns why a request failed, as an error with a code. ctx is the caller's, and within that of the request.
func (f Fetcher) explain(ctx, within context.Context, q web.Request, err error) error {
	var known *peer.Error
	if errors.As(err, &known) {
		return known
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	host := ""
	if u, err := url.Parse(q.URL); err == nil {
		host = u.Hostname()
	}
	switch {
	case errors.Is(err, guard.ErrForbidden) && !isAddress(host) && f.isCaptive(ctx, q): // its name server names the login page
		return web.Fail(web.CodePortal, wantsLogin)
	case errors.Is(err, guard.ErrForbidden), errors.Is(err, guard.ErrPort):
		return web.Fail(web.CodeForbidden, host+" is not opened: "+reasonOf(err))
	case f.isOffline():
		return web.Fail(web.CodeOffline, "this computer is offline: it has no network connection")
	case within.Err() != nil || isTimeout(err):
		if f.isCaptive(ctx, q) {
			return web.Fail(web.CodePortal, wantsLogin)
		}
		return web.Fail(web.CodeTimeout, host+" took too long to answer")
	case f.isCaptive(ctx, q):
		return web.Fail(web.CodePortal, wantsLogin)
	}
	var name *net.DNSError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &name) && !name.IsNotFound:
		return web.Fail(web.CodeName, "the name server does not answer, so the address of "+host+" is not known")
	case errors.As(err, &name):
		return web.Fail(web.CodeName, "there is no host "+host+": no name server knows it")
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return web.Fail(web.CodeCertificate, "the certificate of "+host+" has expired, or the clock of this computer is wrong")
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return web.Fail(web.CodeCertificate, "the certificate of "+host+" cannot be verified, so who answers is not known: "+reasonOf(err))
	case errors.Is(err, syscall.ENETUNREACH):
		return web.Fail(web.CodeOffline, "this computer has no way to the internet")
	}
	return web.Fail(web.CodeUnreachable, host+" cannot be reached: "+reasonOf(err))
}

// reasonOf returns an error's innermost text in one short line.
func reasonOf(err error) string {
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err
	}
	text := strings.Join(strings.Fields(err.Error()), " ")
	const most = 200
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

func isAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

func isTimeout(err error) bool {
	var slow net.Error
	var name *net.DNSError
	return errors.As(err, &slow) && slow.Timeout() && !errors.As(err, &name)
}

// isOffline reports whether this computer has no address by which others can be reached.
func (f Fetcher) isOffline() bool {
	all, err := f.Interfaces()
	if err != nil {
		return false
	}
	for _, a := range all {
		p, err := netip.ParsePrefix(a.String())
		if err == nil && p.Addr().IsGlobalUnicast() {
			return false
		}
	}
	return true
}

// isCaptive reports whether the network answers in the place of others until a person has logged in.
func (f Fetcher) isCaptive(ctx context.Context, q web.Request) bool {
	if f.Probe == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.Probe, http.NoBody)
	if err != nil {
		return false
	}
	req.Header.Set("User-Agent", q.Agent)
	client, end := f.client(web.Request{Method: http.MethodPost, LAN: q.LAN}, "") // which follows no redirect
	defer end()
	res, err := client.Do(req)
	if err != nil {
		return errors.Is(err, guard.ErrForbidden)
	}
	defer res.Body.Close()
	if isRedirect(res.StatusCode) || res.StatusCode == http.StatusNetworkAuthenticationRequired {
		return true
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, int64(len(ProbeAnswer))))
	return err == nil && res.StatusCode == http.StatusOK && string(data) != ProbeAnswer
}
