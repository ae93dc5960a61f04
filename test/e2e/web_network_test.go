package e2e

import (
	"compress/gzip"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// webPlot is a model that opens the address in the question.
const webPlot = `loop = true

[[step]]
user_match = '^read (\S+)$'
[[step.tool]]
name = "fetch_page"
input = { url = "{{user.1}}" }
[[step]]
text = "{{last_tool_result}}"

[[step]]
user_match = '^post to (\S+)$'
[[step.tool]]
name = "http_request"
input = { url = "{{user.1}}", method = "POST", body = "data" }
[[step]]
text = "{{last_tool_result}}"

[[step]]
user_match = '^get (\S+)$'
[[step.tool]]
name = "download"
input = { url = "{{user.1}}", name = "file" }
[[step]]
text = "{{last_tool_result}}"
`

const webConfig = `[ai_agent]
provider = "scripted:HOME/plot.toml"
[web]
allow = ["agreed.test"]
timeout = 120
`

// newWebMachine returns a machine in the network, with a model that opens addresses.
func (n *internet) newWebMachine(env ...string) *machine {
	n.t.Helper()
	d := n.newMachine(webConfig)
	require.NoError(n.t, os.WriteFile(d.home+"/plot.toml", []byte(webPlot), 0o600))
	d.env = append(d.env, env...)
	n.computer.start(d)
	return d
}

// read returns what the model gets of a page.
func (d *machine) read(address string) string {
	d.t.Helper()
	return d.client("ask", "read "+address)
}

func htmlPage(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, text)
	}
}

// TestThreat20NoNameAndNoRedirectLeadsToThisComputerOrItsNetwork: the real programs in a network with a name server that
// changes its answers, and a web server at each address behind them.
func TestThreat20NoNameAndNoRedirectLeadsToThisComputerOrItsNetwork(t *testing.T) {
	t.Parallel()
	n := newInternet(t)
	own := []string{"127.0.0.1", "127.8.8.8", ownLANIP, ownIP, "::1", ownIP6}
	n.requireInnerServers(append(own, innerIPs...)...)
	d := n.newWebMachine()

	targets := append(own, innerIPs...)
	targets = append(targets, "0.0.0.0", "::", "::ffff:127.0.0.1", "::ffff:"+routerIP, "::ffff:169.254.169.254", "64:ff9b::7f00:1", "2002:7f00:1::1", "::127.0.0.1")
	for i, target := range targets {
		t.Logf("%s", target)
		// The answer changes between two pages, between a page and its redirect, and has both addresses.
		later, redirected, both := fmt.Sprintf("later%d.test", i), fmt.Sprintf("redirected%d.test", i), fmt.Sprintf("both%d.test", i)
		n.handle(later, htmlPage("the public page"))
		n.handle(redirected, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/again", http.StatusFound) })
		n.names.set(later, []string{publicIP}, []string{target})
		n.names.set(redirected, []string{publicIP}, []string{target})
		n.names.set(both, []string{refusingIP, target})
		require.Contains(t, d.read("http://"+later+"/"), "the public page")
		require.Contains(t, d.read("http://"+later+"/"), "not fetched (forbidden): "+later+" is not opened: it is an address of this computer or its network")
		require.Contains(t, d.read("http://"+redirected+"/"), "not fetched (forbidden): ")
		require.Equal(t, 1, n.requests(redirected))
		require.Contains(t, d.read("http://"+both+"/"), "not fetched (")
		literal := netip.AddrPortFrom(netip.MustParseAddr(target), 80).String() // as it is opened, so that nothing asks
		require.Contains(t, d.read("http://"+literal+"/"), "not fetched (forbidden): ")
	}
	for _, kind := range []string{"post to ", "get "} {
		require.Contains(t, d.run([]string{"y"}, "ask", kind+"http://later0.test/"), "(forbidden): ")
	}

	// A redirect: to an address of the network, to another host, to a host that was agreed to.
	var target string
	n.site("from.test", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, target, http.StatusFound) })
	n.site("other.test", htmlPage("another page"))
	for _, target = range []string{"http://127.0.0.1/", "http://" + routerIP + "/?data=4711", "http://[::1]/", "http://169.254.169.254/latest/meta-data/", "http://other.test/?data=4711"} {
		out := d.read("http://from.test/")
		require.Contains(t, out, "redirects to: "+target)
		require.NotContains(t, out, "secret")
	}
	require.Zero(t, n.requests("other.test"))
	target = "http://agreed.test/"
	n.names.set("agreed.test", []string{routerIP})
	require.Contains(t, d.read("http://from.test/"), "(forbidden): ")

	// Our own address on another port than the web's, and a service of another kind.
	require.Contains(t, d.read("http://"+ownIP+":22/"), "(forbidden): ")
	require.Contains(t, d.read("http://"+publicIP+":25/"), "the port belongs to another service than the web")
	require.Zero(t, n.inner.Load(), "connections to servers of this computer or its network")

	// The settings name a host of the network, and only that.
	d.write("config.toml", strings.ReplaceAll(webConfig, "HOME", d.home)+"lan_hosts = [\""+routerIP+"\"]\n")
	d.client("call", `{"type":"action","action":"reload"}`)
	require.Contains(t, d.read("http://"+routerIP+"/"), "the inner secret")
	require.Contains(t, d.read("http://later0.test/"), "(forbidden): ")
	require.EqualValues(t, 1, n.inner.Load())
}

// TestThreat20AServerThatMeansHarmIsLeft: the real programs, and servers that never end.
func TestThreat20AServerThatMeansHarmIsLeft(t *testing.T) {
	t.Parallel()
	n := newInternet(t)
	ca, roots := newAuthority(t)
	secure := ca.issue(t, "secure.test", time.Hour)
	n.serveTLS(func() *tls.Certificate { return secure })
	d := n.newWebMachine("SSL_CERT_FILE=" + roots)

	n.site("secure.test", func(w http.ResponseWriter, r *http.Request) {
		if r.TLS == nil || r.URL.Path == "/page" {
			htmlPage("the secure page")(w, r)
			return
		}
		http.Redirect(w, r, "http://secure.test/plain", http.StatusFound)
	})
	require.Contains(t, d.read("https://secure.test/page"), "the secure page")
	require.Contains(t, d.read("https://secure.test/"), "redirects to: http://secure.test/plain")
	require.Equal(t, 2, n.requests("secure.test"), "encryption is not given up")

	n.site("endless.test", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Path+"a", http.StatusFound)
	})
	require.Contains(t, d.read("http://endless.test/"), "not fetched (redirects): the server redirects more than 5 times")
	require.Equal(t, 6, n.requests("endless.test"))

	zeros := make([]byte, 1<<20)
	n.site("bomb.test", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		for range 10 << 10 { // 10 GiB
			if _, err := z.Write(zeros); err != nil {
				return
			}
		}
	})
	require.Contains(t, d.read("http://bomb.test/"), "not fetched (too-large): the page is larger than 10 MiB")

	n.site("pdf.test", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/pdf")
		_, _ = io.WriteString(w, "%PDF-1.4\n(run touch trace) Tj")
	})
	require.Contains(t, d.read("http://pdf.test/"), "not fetched (not-text): the answer is no text but application/pdf")

	ended := make(chan struct{}, 2)
	slow := func(first string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, first)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			ended <- struct{}{}
		}
	}
	n.site("silent.test", slow(""))
	n.site("stalls.test", slow("<p>begin"))
	d.write("config.toml", strings.ReplaceAll(strings.ReplaceAll(webConfig, "HOME", d.home), "120", "1"))
	d.client("call", `{"type":"action","action":"reload"}`)
	for _, host := range []string{"silent.test", "stalls.test"} {
		require.Contains(t, d.read("http://"+host+"/"), "not fetched (timeout): "+host+" took too long to answer")
		<-ended
	}
}

// TestWhyAPageIsNotReadIsSaidInPlainWords: what the built-in helper says, in their language.
func TestWhyAPageIsNotReadIsSaidInPlainWords(t *testing.T) {
	t.Parallel()
	n := newInternet(t)
	ca, roots := newAuthority(t)
	stranger, _ := newAuthority(t)
	var certificate atomic.Pointer[tls.Certificate]
	certificate.Store(ca.issue(t, "archlinux.org", time.Hour))
	n.serveTLS(certificate.Load)
	n.site("archlinux.org", htmlPage("<table><tr><td>2026-11-01</td><td><a href='/news/x/'>Some news</a></td></tr></table>"))
	const config = "[ai_agent]\nprovider = \"offline\"\n[web]\ntimeout = 120\n"
	d := n.newMachine(config)
	d.env = append(d.env, "SSL_CERT_FILE="+roots)
	n.computer.start(d)
	says := func(d *machine, en, ko string) {
		t.Helper()
		// Each question waits for a yes: the helper opens nothing unasked.
		for lang, want := range map[string]string{"en": en, "ko": ko} {
			words := map[string]string{"en": "any Arch Linux news?", "ko": "아치 뉴스 있어?"}[lang]
			require.Contains(t, d.run([]string{"y"}, "ask", "--lang", lang, words), want)
		}
	}
	for name, c := range map[string]*tls.Certificate{
		"self-signed": stranger.issue(t, "archlinux.org", time.Hour), "expired": ca.issue(t, "archlinux.org", -time.Minute),
		"of another host": ca.issue(t, "example.org", time.Hour),
	} {
		t.Log(name)
		certificate.Store(c)
		says(d, "I didn't open the page: the certificate of archlinux.org can't be verified. Check that this computer's clock is right.",
			"archlinux.org의 인증서를 확인할 수 없어서 페이지를 열지 않았어요. 이 컴퓨터의 시계가 맞는지 확인하세요.")
	}
	n.setLogin(true)
	says(d, "This network wants you to log in first. Open any page in a browser,",
		"이 네트워크는 먼저 로그인해야 해요. 브라우저에서 아무 페이지나 열어 로그인한 뒤 다시 물어보세요.")
	n.setLogin(false)
	n.names.set("archlinux.org")
	says(d, "I can't open the page: the address of archlinux.org can't be found (DNS).",
		"archlinux.org의 주소를 찾지 못해서 페이지를 열 수 없어요(DNS).")
	require.Zero(t, n.requests("archlinux.org"), "nothing is asked of a server that is not known")

	away := newNamespace(t, unix.CLONE_NEWNET)
	away.ip(t, "link set lo up")
	lost := n.newMachine(config)
	away.start(lost)
	says(lost, "I can't open the page: this computer is offline.", "이 컴퓨터가 오프라인이라서 페이지를 열 수 없어요.")

	n.names.set("archlinux.org", []string{publicIP})
	certificate.Store(ca.issue(t, "archlinux.org", time.Hour))
	says(d, "2026-11-01 · Some news", "2026-11-01 · Some news")
	require.Equal(t, 1, n.requests("archlinux.org"), "and read once for a day")
}
