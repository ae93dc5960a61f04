package secret

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The texts are concatenated, so that secret scanners of this repository do not report them.
const (
	alnum36 = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5"
	base43  = "yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk"
	word93  = "R2D2C3P0-BEEP_BOOP-BUZZ_WHIRR-CLICK_SPIN-TURN_JUMP-SKIP_HOP-DANCE_SING-PLAY_WORK-LEARN_GROW1"
)

func TestSecretsAreTakenOut(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"key: sk-" + "ant-api03-" + word93 + "AA", "key: [redacted:anthropic-key]"},
		{"OPENAI_API_KEY=sk-" + "proj-" + word93, "OPENAI_API_KEY=[redacted:openai-key]"},
		{`{"key":"sk-` + `svcacct-` + alnum36 + `"}`, `{"key":"[redacted:openai-key]"}`},
		{"sk-" + "or-v1-" + strings.Repeat("0a1b2c3d", 8), "[redacted:openrouter-key]"},
		{"export K=sk-" + strings.Repeat("0a1b2c3d", 4) + " # deepseek", "export K=[redacted:api-key] # deepseek"},
		{"gsk_" + alnum36 + "aaaaa", "[redacted:groq-key]"},
		{"(xai-" + alnum36 + alnum36 + ")", "([redacted:xai-key])"},
		{"hf_" + alnum36, "[redacted:huggingface-token]"},
		{"curl 'https://g.example/v1?key=AI" + "zaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY'", "curl 'https://g.example/v1?key=[redacted:google-key]'"},
		{"ya29." + alnum36, "[redacted:google-token]"},
		{"ghp_" + alnum36 + " gho_" + alnum36, "[redacted:github-token] [redacted:github-token]"},
		{"github_pat_" + "11ABCDEFG0" + alnum36 + "_" + alnum36, "[redacted:github-token]"},
		{"https://oauth2:ghs_" + alnum36 + "@github.com/x/y", "https://oauth2:[redacted:github-token]@github.com/x/y"},
		{"glpat-" + "aB3dE5gH7jK9mN1pQ3sT", "[redacted:gitlab-token]"},
		{"xoxb-" + "781236542736-2364535789652-GkwFDQoHqzXDVsC6GzqYUypD", "[redacted:slack-token]"},
		{"xapp-" + "1-A052FGTS2DL-5171572773297-610b6a11f4b7", "[redacted:slack-token]"},
		{"aws_access_key_id = AK" + "IAIOSFODNN7EXAMPLE", "aws_access_key_id = [redacted:aws-key-id]"},
		{"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY", "aws_secret_access_key = [redacted:secret]"},
		{"aws_secret_access_key = /JalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY", "aws_secret_access_key = [redacted:secret]"},
		{"https://api.telegram.org/bot110201543:AA" + "HdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1/getMe", "https://api.telegram.org/bot[redacted:telegram-token]/getMe"},
		{"token 110201543:AA" + "HdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1", "token [redacted:telegram-token]"},
		{"M" + "TE4NDA1NDY0OTUyNDg0NjU5Mg.GhIjKl.aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5_-", "[redacted:discord-token]"},
		{"jwt ey" + "JhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.a_5icKBDo-8Ej", "jwt [redacted:jwt]"},
		{"AGE-SECRET-KEY-1" + strings.Repeat("QPZRY9X8", 7) + "GF", "[redacted:age-key]"},
		{"untrusted comment: minisign encrypted secret key\nRWRTY0Iy" + strings.Repeat(alnum36, 5) + "==", "untrusted comment: minisign encrypted secret key\n[redacted:minisign-key]"},
		{"npm_" + alnum36, "[redacted:npm-token]"},
		{"//registry/:_authToken=npm_" + alnum36, "//registry/:_authToken=[redacted:npm-token]"},
		{"tskey-" + "auth-kDkAn1CNTRL-" + alnum36, "[redacted:tailscale-key]"},

		{"password=hunter2", "password=[redacted:secret]"},
		{`psk="correct horse battery staple"`, `psk="[redacted:secret]"`},
		{"psk=correcthorse", "psk=[redacted:secret]"},
		{"802-11-wireless-security.psk:           correcthorse", "802-11-wireless-security.psk:           [redacted:secret]"},
		{"Passphrase=correct", "Passphrase=[redacted:secret]"},
		{`{"user":"blu","password": "h\"2, x"}`, `{"user":"blu","password": "[redacted:secret]"}`},
		{`{\"password\":\"hunter22\",\"a\":1}`, `{\"password\":\"[redacted:secret]\",\"a\":1}`},
		{"$cfg['password'] = 'hunter2';", "$cfg['password'] = '[redacted:secret]';"},
		{"DB_PASSWORD: hunter2hunter2", "DB_PASSWORD: [redacted:secret]"},
		{"db.pwd=hunter2", "db.pwd=[redacted:secret]"},
		{"host=a;password=ab;cd;user=x", "host=a;password=[redacted:secret];user=x"},
		{"?password=ab&cd&user=x", "?password=[redacted:secret]&user=x"},
		{"mysql --user root --password hunter2x db", "mysql --user root --password [redacted:secret] db"},
		{"--api-key=" + alnum36, "--api-key=[redacted:secret]"},
		{"x-api-key: " + alnum36, "x-api-key: [redacted:secret]"},
		{"client_secret => 'a1b2c3d4e5'", "client_secret => '[redacted:secret]'"},
		{"token: 550e8400-e29b-41d4-a716-446655440000", "token: [redacted:secret]"},
		{"PrivateKey = " + base43 + "=", "PrivateKey = [redacted:secret]"},
		{"PresharedKey=" + base43 + "=", "PresharedKey=[redacted:secret]"},
		{"비밀번호: hunter2!", "비밀번호: [redacted:secret]"},
		{"密码：hunter2!", "密码：[redacted:secret]"},
		{"\x1b[32mghp_" + alnum36 + "\x1b[0m", "\x1b[32m[redacted:github-token]\x1b[0m"},
		{`a\nghp_` + alnum36, `a\n[redacted:github-token]`},
		{"x%3Dghp_" + alnum36, "x%3D[redacted:github-token]"},

		{"postgres://blu:hunter2@db.example/x", "postgres://blu:[redacted:url-password]@db.example/x"},
		{"git clone https://0a1b2c3d4e5f6a7b8c9d@git.example/x", "git clone https://[redacted:url-password]@git.example/x"},
		{"redis://:p@ss@host:6379", "redis://:[redacted:url-password]@host:6379"},
		{"Authorization: Bearer abcdef0123456789", "Authorization: Bearer [redacted:authorization]"},
		{`curl -H "Authorization: Basic Ymx1Omh1bnRlcjI=" x`, `curl -H "Authorization: Basic [redacted:authorization]" x`},
		{`'authorization': 'token abcdef012345'`, `'authorization': 'token [redacted:authorization]'`},
		{"sent bearer abcdef0123456789 there", "sent bearer [redacted:bearer-token] there"},

		{pem("PRIVATE KEY"), "[redacted:private-key]\n"},
		{"a\n" + pem("OPENSSH PRIVATE KEY") + "b\n", "a\n[redacted:private-key]\nb\n"},
		{"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n" + base43 + "\nabc=\n-----END RSA PRIVATE KEY-----\n", "[redacted:private-key]\n"},
		{`"private_key": "` + strings.ReplaceAll(pem("PRIVATE KEY"), "\n", `\n`) + `", "x": 1`, `"private_key": "[redacted:private-key]", "x": 1`},
		{"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n" + base43 + "\nabcd\n=aB3d\n-----END PGP PRIVATE KEY BLOCK-----\nafter", "[redacted:private-key]\nafter"},
		{"Nov 21 host a: " + strings.Join(strings.Split(strings.TrimSpace(pem("EC PRIVATE KEY")), "\n"), "\nNov 21 host a: "), "Nov 21 host a: [redacted:private-key]\nNov 21 host a:\nNov 21 host a:\nNov 21 host a:"},
		{"-----BEGIN PRIVATE KEY-----\n" + base43 + "\nFilesystem      Size\ntmpfs 1", "[redacted:private-key]\nFilesystem      Size\ntmpfs 1"},
	} {
		got := NewRedactor(nil).Redact(c.text)
		require.Equal(t, c.want, got, c.text)
		require.Equal(t, got, NewRedactor(nil).Redact(got))
	}
}

func pem(label string) string {
	return "-----BEGIN " + label + "-----\n" + base43 + "\nabc=\n-----END " + label + "-----\n"
}

func TestKnownValuesAreFoundInEveryForm(t *testing.T) {
	known := `p"a<s>s wörd&1/2+3`
	r := NewRedactor([]string{known, "short", "two lines\nof this secret\n"})
	asJSON, err := json.Marshal(known)
	require.NoError(t, err)
	for _, text := range []string{
		known, string(asJSON[1 : len(asJSON)-1]), strings.ReplaceAll(known, `"`, `\"`), url.QueryEscape(known), url.PathEscape(known),
	} {
		require.Equal(t, "a [redacted:known] b", r.Redact("a "+text+" b"))
		require.Equal(t, "[redacted:known][redacted:known]", r.Redact(text+text))
	}
	for _, around := range []string{"", "x", "xy", "xyz"} {
		for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding} {
			got := r.Redact(enc.EncodeToString([]byte(around + known + around)))
			require.Contains(t, got, "[redacted:known]")
			require.LessOrEqual(t, len(strings.ReplaceAll(got, "[redacted:known]", "")), 2*(len(around)+3))
		}
	}
	require.Equal(t, "short stays", r.Redact("short stays"))
	require.Equal(t, "[redacted:known]\n[redacted:known]", r.Redact("two lines\nof this secret"))
}

func TestAKnownValueThatStandsInAMarkerSpoilsNone(t *testing.T) {
	r := NewRedactor([]string{"redacted", "password", "[redacted:known]"})
	require.Equal(t, "password=[redacted:secret]", r.Redact("password=hunter2"))
}

func TestOverlappingValuesLeaveNothing(t *testing.T) {
	r := NewRedactor([]string{"aaaaaaaaaa", "abcdefghij", "fghijklmnop"})
	require.Equal(t, "x[redacted:known]y", r.Redact("xaaaaaaaaaaaaaaay"))
	require.Equal(t, "[redacted:known]", r.Redact("abcdefghijklmnop"))
}
