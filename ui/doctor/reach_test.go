package doctor

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// certServer is a server with a certificate for a period, and a client that trusts its issuer.
func certServer(t *testing.T, from, until time.Time) (*httptest.Server, *http.Client) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "models"}, NotBefore: from, NotAfter: until,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	require.NoError(t, err)
	made, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") }))
	s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	s.StartTLS()
	t.Cleanup(s.Close)
	pool := x509.NewCertPool()
	pool.AddCert(made)
	return s, &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
}

func get(ctx context.Context, c *http.Client, address string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	resp, err := c.Do(req)
	if err != nil {
		return &providers.Error{Kind: providers.KindNetwork, Provider: "claude", Message: "cannot reach the server", Err: err}
	}
	return resp.Body.Close()
}

// Uses real errors of real connections.
func TestEachFailureOfARequestIsToldByWhatHelps(t *testing.T) {
	now := time.Now()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	proxy := func(address string) *http.Client {
		u, err := url.Parse(address)
		require.NoError(t, err)
		return &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(u)}}
	}
	guarded := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusProxyAuthRequired) }))
	t.Cleanup(guarded.Close)
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts in the kernel and never answers
	require.NoError(t, err)
	t.Cleanup(func() { silent.Close() })
	good, trusting := certServer(t, now.Add(-time.Hour), now.Add(time.Hour))
	old, trustingOld := certServer(t, now.Add(-48*time.Hour), now.Add(-24*time.Hour))
	early, trustingEarly := certServer(t, now.Add(24*time.Hour), now.Add(48*time.Hour))
	noDNS := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "api.example.net", IsNotFound: true}}
	}}}
	for name, test := range map[string]struct {
		ask  func(ctx context.Context) error
		want transport.Failure
		text string
		help string
	}{
		"it answers":             {func(ctx context.Context) error { return get(ctx, trusting, good.URL) }, transport.NoFailure, "is reachable", ""},
		"the key is refused":     {func(context.Context) error { return &providers.Error{Kind: providers.KindAuth, Status: 401} }, transport.KeyRefused, "rejected the key", "blunux-ai setup"},
		"its name is not known":  {func(ctx context.Context) error { return get(ctx, noDNS, "https://api.example.net") }, transport.NameNotFound, "DNS", "resolvectl query api.example.net"},
		"the proxy is not there": {func(ctx context.Context) error { return get(ctx, proxy(closed.URL), "https://api.example.net") }, transport.ProxyRefused, "proxy", "env | grep -i proxy"},
		"the proxy wants a name": {func(ctx context.Context) error { return get(ctx, proxy(guarded.URL), "https://api.example.net") }, transport.ProxyRefused, "proxy", "env | grep -i proxy"},
		"the clock is ahead":     {func(ctx context.Context) error { return get(ctx, trustingOld, old.URL) }, transport.BadClock, "computer's time (2026-11-22 12:00)", "timedatectl set-ntp"},
		"the clock is behind":    {func(ctx context.Context) error { return get(ctx, trustingEarly, early.URL) }, transport.BadClock, "computer's time (2026-11-22 12:00)", "timedatectl set-ntp"},
		"nobody signed for it":   {func(ctx context.Context) error { return get(ctx, http.DefaultClient, good.URL) }, transport.UntrustedCertificate, "not trusted", "curl -sSI"},
		"nobody listens":         {func(ctx context.Context) error { return get(ctx, http.DefaultClient, closed.URL) }, transport.ConnectionRefused, "refused the connection", "ss -ltn"},
		"nobody answers": {func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
			defer cancel()
			return get(ctx, http.DefaultClient, "http://"+silent.Addr().String())
		}, transport.TimedOut, "in time", "ping -c 3 api.example.net"},
		"the server is in trouble": {func(context.Context) error { return &providers.Error{Kind: providers.KindAPI, Status: 500} }, transport.OtherFailure, "responded with an error", "blunux-aictl models claude"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.want, transport.FailureOf(test.ask(t.Context())), "%v", test.ask(t.Context()))
			p := healthy(t)
			p.Answer = func(config.Config) Answer {
				return Answer{Name: "claude sonnet", Why: "key", Server: "https://api.example.net/v1", Reach: test.ask}
			}
			f := find(t, RunChecks(t.Context(), p), "reach")
			require.Contains(t, f.Text, test.text)
			require.NotRegexp(t, `dial tcp|lookup |x509:|context deadline`, f.Text, "no words of the network library")
			require.Contains(t, f.Help, test.help)
			require.Equal(t, test.want == transport.NoFailure, f.State == OK)
		})
	}
}
