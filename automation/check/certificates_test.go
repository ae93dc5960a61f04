package check_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/automation/check"
	"github.com/nidoit/blunux-ai/i18n"
)

// certificate returns a certificate with the given end, and its key, in PEM.
func certificate(t testing.TB, end time.Time) (cert, key string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	c := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: end.Add(-1000 * time.Hour), NotAfter: end}
	der, err := x509.CreateCertificate(rand.Reader, c, c, k.Public(), k)
	require.NoError(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(k)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))
}

const asks = "openssl x509 -noout -enddate -in "

// opensslOutput is the output of openssl for a certificate with the given end.
func opensslOutput(end time.Time) check.Output {
	return ok("notAfter=" + end.UTC().Format("Jan _2 15:04:05 2006") + " GMT\n")
}

func TestCertificatesThatEnd(t *testing.T) {
	r := run(t, "certificates", machine{
		"find":                        ok("/srv/soon.crt\n/srv/later.crt\n/srv/over.cer\n/srv/odd.crt\n/srv/web.pem\n/srv/closed.pem\n/home/kim/.ssh/a.crt\n"),
		asks + "/srv/soon.crt":        opensslOutput(now.Add(9 * day)),
		asks + "/srv/later.crt":       opensslOutput(now.Add(90 * day)),
		asks + "/srv/over.cer":        opensslOutput(now.Add(-time.Hour)),
		asks + "/srv/odd.crt":         fails(1, recorded(t, "certificate-key.txt").Stdout),
		asks + "/srv/web.pem":         opensslOutput(now.Add(2 * day)),
		asks + "/srv/closed.pem":      fails(1, recorded(t, "certificate-rights.txt").Stdout),
		asks + "/home/kim/.ssh/a.crt": opensslOutput(now),
	}, func(p *check.Params) { p.Paths = []string{"/srv"} })
	require.Equal(t, []string{"certificate_soon", "certificate_expired", "certificate_soon"}, codes(r))
	require.Equal(t, check.Warning, r.Findings[2].Severity)
	require.Equal(t, []check.Reason{check.ReasonUnreadable, check.ReasonRights, check.ReasonRefused}, reasons(r))
}

const day = 24 * time.Hour

func TestCertificatesOfCertbotCountOnce(t *testing.T) {
	live := "/etc/letsencrypt/live/example.org/"
	m := machine{
		"find -H /home":               {Exit: 1, Stderr: "find: '/home/kim/.config': No such file or directory\n"},
		"find -H /etc/letsencrypt":    ok(live + "cert.pem\n" + live + "chain.pem\n" + live + "fullchain.pem\n/etc/letsencrypt/live/b/fullchain.pem\n"),
		"openssl":                     opensslOutput(now.Add(day)),
		asks + live + "fullchain.pem": opensslOutput(now),
	}
	r := run(t, "certificates", m, nil)
	require.Equal(t, []string{"certificate_soon", "certificate_soon"}, codes(r))
	require.Equal(t, live+"cert.pem", r.Findings[0].Args.Name)
	require.Empty(t, r.Unknown)
	closed := check.Output{Exit: 1, Stderr: "find: '/etc/letsencrypt/live': Permission denied\n"}
	r = run(t, "certificates", m.with(machine{"find -H /etc/letsencrypt": closed}), nil)
	require.Equal(t, []check.Reason{check.ReasonRights}, reasons(r), "not called fine")
}

func TestNamesThatStandForOtherThingsAreNotToldWhereNobodySaidThatTheyAreCertificates(t *testing.T) {
	m := machine{"find -H /home": ok("/home/kim/.config/x/a.pem\n"), "find -H /etc": ok(""), "openssl": fails(1, recorded(t, "certificate-key.txt").Stdout)}
	require.Empty(t, run(t, "certificates", m, nil).Unknown)
	require.Equal(t, []check.Reason{check.ReasonUnreadable}, reasons(run(t, "certificates", m, func(p *check.Params) { p.Paths = []string{"~/.config"} })))
}

func TestWithoutOpensslNoCertificateIsCalledFine(t *testing.T) {
	r := run(t, "certificates", machine{"find": ok("/srv/a.crt\n/srv/b.crt\n")}, nil)
	require.Equal(t, []check.Unknown{{Subject: "certificates", Reason: check.ReasonMissing, Name: "openssl", Package: "openssl"}}, r.Unknown)
	require.Contains(t, check.Report(i18n.English, "certificates", check.Notification{Silent: true}, r, nil, time.Time{}), "openssl")
	require.Empty(t, run(t, "certificates", machine{"find": ok("")}, nil).Unknown, "nor is it needed for none")
}

func TestOnlyTheLineThatOpensslPrintsIsAnEnd(t *testing.T) {
	at := func(text string) []string {
		return codes(run(t, "certificates", machine{"find": ok("/srv/a.crt\n"), "openssl": ok(text)}, func(p *check.Params) {
			p.Paths, p.Now = []string{"/srv"}, time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
		}))
	}
	require.Equal(t, []string{"certificate_expired"}, at(recorded(t, "certificate.txt").Stdout))
	require.Equal(t, []string{"certificate_expired"}, at("notAfter=Nov  2 04:07:08 2026 GMT\n"))
	for _, text := range []string{
		"", "notAfter=\n", "notAfter=Bad time value\n", "notAfter=Nov 2 04:07:08 2026 GMT\n", "notAfter=Nov  2 4:07:08 2026 GMT\n", "notAfter=Nov  2 04:07:08 2026\n",
		"notAfter=Nov  2 04:07:08 2026 KST\n", "notAfter=Nov 31 04:07:08 2026 GMT\n", "notAfter=nov  2 04:07:08 2026 GMT\n", "notAfter=Nov  2 04:07:08.5 2026 GMT\n",
		"notBefore=Nov  2 04:07:08 2026 GMT\n", "notAfter=Nov  2 04:07:08 2026 GMT\nx\n", " notAfter=Nov  2 04:07:08 2026 GMT\n", "notAfter=Nov  2 04:07:08 12026 GMT\n",
	} {
		require.Empty(t, at(text), "%q", text)
	}
}

func TestWhateverTheEndItIsReadAsPrinted(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		end := time.Unix(rapid.Int64Range(now.Unix()-4e9, now.Add(14*day).Unix()).Draw(r, "end"), 0).UTC()
		res := run(t, "certificates", machine{"find": ok("/srv/a.crt\n"), "openssl": opensslOutput(end)}, func(p *check.Params) { p.Paths = []string{"/srv"} })
		require.Len(r, res.Findings, 1)
		require.True(r, end.Equal(res.Findings[0].Args.At))
	})
}

func needOpenssl(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("asks this machine")
	}
	if _, err := exec.LookPath("openssl"); err != nil {
		skip(t, "no openssl here")
	}
}

func TestCertificatesOnThisMachine(t *testing.T) {
	needOpenssl(t)
	dir := t.TempDir()
	cert, key := certificate(t, now.Add(2*day))
	block, _ := pem.Decode([]byte(cert))
	writeFile(t, dir+"/a.crt", cert)
	writeFile(t, dir+"/b.pem", key+cert)
	writeFile(t, dir+"/c.cer", string(block.Bytes))
	writeFile(t, dir+"/it's a: d.pem", "some words\n"+cert)
	writeFile(t, dir+"/e.pem", key)
	writeFile(t, dir+"/f.crt", "not a certificate")
	require.NoError(t, os.Symlink("nothing", dir+"/g.pem"))
	r := run(t, "certificates", localRunner{}, func(p *check.Params) { p.Paths = []string{dir} })
	require.Equal(t, []string{"certificate_soon", "certificate_soon", "certificate_soon", "certificate_soon"}, codes(r), "%v", r.Unknown)
	for _, f := range r.Findings {
		require.Equal(t, check.Warning, f.Severity)
		require.True(t, now.Add(2*day).Equal(f.Args.At))
	}
	require.ElementsMatch(t, []check.Reason{check.ReasonUnreadable, check.ReasonUnreadable, check.ReasonAbsent}, reasons(r))
}

// The checker allows openssl to read files with keys because openssl prints nothing of a key.
func TestOpensslPrintsNothingOfAKey(t *testing.T) {
	needOpenssl(t)
	cert, key := certificate(t, now)
	for name, text := range map[string]string{"key first": key + cert, "key last": cert + key, "key alone": key, "half a key": key[:80], "words": "secret=" + key[40:70]} {
		file := filepath.Join(t.TempDir(), "x.pem")
		writeFile(t, file, text)
		argv := []string{"openssl", "x509", "-noout", "-dates", "-subject", "-issuer", "-serial", "-fingerprint", "-checkend", "60", "-in", file}
		out, err := localRunner{}.Run(t.Context(), argv...)
		require.NoError(t, err)
		lines := key[28:]
		for i := 0; i+12 <= 64; i += 4 {
			require.NotContains(t, out.Stdout+out.Stderr, lines[i:i+12], name)
		}
		after, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, text, string(after))
	}
}

func FuzzCertificate(f *testing.F) {
	f.Add(recorded(f, "certificate.txt").Stdout, 0)
	f.Add(recorded(f, "certificate-key.txt").Stdout, 1)
	f.Add("notAfter=Dec 31 23:59:59 9999 GMT\n", 0)
	f.Fuzz(func(t *testing.T, text string, exit int) {
		for _, m := range []machine{
			{"find": ok("/srv/a.crt\n"), "openssl": {Stdout: text, Exit: exit}},
			{"find": ok("/srv/a.crt\n"), "openssl": {Stderr: text, Exit: exit}},
			{"find": {Stdout: text, Exit: exit}, "openssl": ok(text)},
		} {
			requireDisplayable(t, run(t, "certificates", m, nil))
		}
	})
}
