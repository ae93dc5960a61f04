package web_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools/web"
)

// TestThreat20SpellingsThatHideAnAddressAreRefused: what a person reads is what is opened. The address itself is judged
// at each connection.
func TestThreat20SpellingsThatHideAnAddressAreRefused(t *testing.T) {
	for _, text := range []string{
		"http://2130706433/", "http://017700000001/", "http://0x7f000001/", "http://0x7f.0.0.1/", "http://0x7f.1/", "http://127.1/", "http://127.0.1/",
		"http://0177.0.0.1/", "http://0177.0.0.01/", "http://127.0.0.0x1/", "http://00000177.0.0.1/", "http://127.000.000.001/", "http://0/", "http://0x0/",
		"http://1/", "http://3232235777/", "http://0xc0a80101/", "http://0xa9fea9fe/", "http://2852039166/", "http://169.254.43518/", "http://10.1/",
		"http://192.168.257/", "http://127.0.0.1.2/", "http://256.0.0.1/", "http://4294967297/", "http://0x100000001/", "http://foo.0x1/", "http://foo.1/",
		"http://127。0。0。1/", "http://127．0．0．1/", "http://１２７.0.0.1/", "http://①②⑦.0.0.1/", "http://ⓛocalhost/", "http://ｌｏｃａｌｈｏｓｔ/", "http://ℒocalhost/",
		"http://%31%32%37.0.0.1/", "http://127.0.0.1%2f/", "http://localhost%00.example.org/", "http://exa mple.org/", "http://example.org\t/", "http://exa\u200bmple.org/",
		"http://example.org@127.0.0.1/", "http://user:pass@example.org/", "http://@example.org/", "http://example.org:80@127.0.0.1/", `http://example.org\@127.0.0.1/`,
		`http:\\127.0.0.1/`, "http:///127.0.0.1/", "http:127.0.0.1", "//127.0.0.1/", "127.0.0.1", "http://", "http://./", "http://..", "http://-a.org/",
		"http://[fe80::1%25eth0]/", "http://[fe80::1%eth0]/", "http://[::1", "http://::1/", "http://[127.0.0.1]/", "http://[v1.x]/", "http://[]/",
		"http://example.org:0/", "http://example.org:65536/", "http://example.org:/", "http://example.org:+80/", "http://example.org:8o/",
		"file:///etc/passwd", "ftp://example.org/", "gopher://127.0.0.1/", "data:text/html,x", "javascript:alert(1)", "unix:///run/x", "HTTPX://example.org/",
		"http://a..b/", "http://a b.org/", "http://日本\u202e.org/",
	} {
		got, _, err := web.Parse(text)
		require.Error(t, err, "%q is %q", text, got)
	}
}

func TestAddressesHaveOneSpelling(t *testing.T) {
	for text, want := range map[string][2]string{
		"https://Example.ORG":                {"https://example.org/", "example.org"},
		" https://example.org./a?b=c#d ":     {"https://example.org/a?b=c", "example.org"},
		"HTTPS://example.org:443/":           {"https://example.org/", "example.org"},
		"http://example.org:8080/x":          {"http://example.org:8080/x", "example.org"},
		"http://127.0.0.1/":                  {"http://127.0.0.1/", "127.0.0.1"},
		"http://[0:0:0:0:0:0:0:1]:9/":        {"http://[::1]:9/", "::1"},
		"http://[::ffff:127.0.0.1]/":         {"http://[::ffff:127.0.0.1]/", "::ffff:127.0.0.1"},
		"https://한국.kr/뉴스":                   {"https://한국.kr/%EB%89%B4%EC%8A%A4", "한국.kr"},
		"https://wiki.archlinux.org/title/X": {"https://wiki.archlinux.org/title/X", "wiki.archlinux.org"},
		"https://example.org/?q=a@b":         {"https://example.org/?q=a@b", "example.org"},
		"https://a_b.example.org/":           {"https://a_b.example.org/", "a_b.example.org"},
	} {
		got, host, err := web.Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, want[1], host, text)
		u, err := url.Parse(got)
		require.NoError(t, err)
		require.Equal(t, host, u.Hostname())
		again, _, err := web.Parse(got)
		require.Equal(t, want[0], got)
		require.NoError(t, err)
		require.Equal(t, got, again)
	}
}

func TestNamesBelowAnotherAreCoveredOnlyWithAStar(t *testing.T) {
	list := []string{"example.org", "*.arch.example", "Nas."}
	for host, want := range map[string]bool{
		"example.org": true, "a.example.org": false, "notexample.org": false, "wiki.arch.example": true, "arch.example": false, "xarch.example": false, "nas": true,
	} {
		require.Equal(t, want, web.Covers(list, host), host)
	}
}

// FuzzParse: an accepted address keeps its spelling and its host.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"http://example.org/", "https://[::1]:8080/a?b#c", "http://127.0.0.1", "http://한국.kr/", "http://a@b/", "http://0x7f.1/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, host, err := web.Parse(text)
		if err != nil {
			return
		}
		again, same, err := web.Parse(got)
		require.NoError(t, err, "%q", got)
		require.Equal(t, got, again)
		require.Equal(t, host, same)
		u, err := url.Parse(got)
		require.NoError(t, err)
		require.Nil(t, u.User)
		require.Equal(t, host, u.Hostname())
	})
}
