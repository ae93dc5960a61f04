package secret

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPasswordsThatProgramsAreGivenAreFound(t *testing.T) {
	r := NewRedactor(nil)
	for text, want := range map[string]string{
		"nmcli device wifi connect home password hunter22":   "nmcli device wifi connect home password [redacted:secret]",
		"nmcli c modify home wifi-sec.psk hunter22x":         "nmcli c modify home wifi-sec.psk [redacted:secret]",
		"curl -u hong:passw0rd9 https://x.example":           "curl -u hong:[redacted:url-password] https://x.example",
		"curl -s --user 'hong:open' x":                       "curl -s --user 'hong:[redacted:url-password]' x",
		"curl --proxy-user hong:openup x":                    "curl --proxy-user hong:[redacted:url-password] x",
		"http -u hong:passw0rd9 x":                           "http -u hong:[redacted:url-password] x",
		"docker run -u 1000:1000 x":                          "docker run -u 1000:1000 x",
		"docker run -u node:node x":                          "docker run -u node:node x",
		"systemctl --user restart x:y":                       "systemctl --user restart x:y",
		"journalctl -u ssh":                                  "journalctl -u ssh",
		"your password expires tomorrow":                     "your password expires tomorrow",
		"password required pam_unix.so":                      "password required pam_unix.so",
		"Failed password for invalid user a1 from 192.0.2.1": "Failed password for invalid user a1 from 192.0.2.1",
		"curl -u hong:$PASSWORD x":                           "curl -u hong:$PASSWORD x",
	} {
		got := r.Redact(text)
		require.Equal(t, want, got)
		require.Equal(t, got, r.Redact(got))
	}
}
