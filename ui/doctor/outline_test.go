package doctor

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools/commandlog"
)

func TestACommandIsToldWithoutWhatItWasGiven(t *testing.T) {
	for command, want := range map[string]string{
		"df -h":                    "df -h",
		"sudo pacman -Syu firefox": "sudo … -Syu …",
		"nmcli device wifi connect home password hu7": "nmcli …",
		"curl -u hong:passw0rd9 https://x.example":    "curl -u …",
		"curl --user=hong:passw0rd9 x":                "curl --user …",
		"mysql -phunter22 db":                         "mysql …",
		"FOO=bar /opt/x/tool --a-b=c | grep -i hong":  "tool --a-b …; grep -i …",
		"ssh hong@secret.example.com 'rm -rf /x'":     "ssh …",
		"echo $(cat /home/hong/x)":                    "echo …; cat …",
		"X=secret":                                    "…",
		"'a;b' c":                                     "[program] …",
		"if (":                                        "[no bash]",
		`x "-p"secret`:                                "x …",
		"x -p$SECRET":                                 "x …",
	} {
		require.Equal(t, want, outline(command), command)
	}
	require.Equal(t, "[not a line of this log]", outlineOf("hunter22"))
}

// A report contains no ids, addresses, tokens in paths, or arguments of commands.
func TestThreat18AReportHoldsNoneOfWhatThePersonIsReachedBy(t *testing.T) {
	p := healthy(t)
	p.Answer = nil
	write(t, p.Paths.Config(), `
[telegram]
allowed_chats = ["-100987654321"]
[discord]
allowed_users = ["80351110224678912"]
[providers.custom]
base_url = "https://llm.private.example.com/v1"
[mcp.far]
url = "https://tools.private.example.com/t/path-token-1234"
`, 0o600)
	write(t, filepath.Join(p.Paths.Logs(), "blunux-ai.log.2026-11-22"), strings.Join([]string{
		`2026-11-22T12:00:00.000Z INF queued session="divorce papers" task=t1 words=2`,
		`2026-11-22T12:00:00.000Z INF told to=whatsapp:hong sender=hong`,
		`2026-11-22T12:00:00.000Z WRN asked llm.private.example.com of -100987654321, 010-1234-5678`,
		`2026-11-22T12:00:00.000Z TRC request body="my words to a model"`, "",
	}, "\n"), 0o600)
	l := commandlog.New(p.Paths.CommandLog(), time.Now)
	for _, c := range []string{"nmcli device wifi connect home password hunter22", "curl -u hong:passw0rd9 http://192.168.7.9/", "ssh hong@secret.example.com", "cat /home/otherone/x"} {
		require.NoError(t, l.Record(commandlog.Confirmed, c))
	}
	names := Names{Home: "/home/minsoo", Files: p.Paths.Home, Hosts: Servers("https://llm.private.example.com/v1", "https://api.openai.com/v1"), IDs: []string{"-100987654321", "80351110224678912"}}
	r := Report{Patient: p, Found: RunChecks(t.Context(), p), Scrub: names.Scrub, Now: time.Now()}
	for _, piece := range r.Pieces(t.Context()) {
		for _, never := range []string{
			"100987654321", "80351110224678912", "private.example.com", "path-token", "divorce", "hong", "1234-5678", "my words", "hunter22", "passw0rd9",
			"192.168.7.9", "secret.example.com", "otherone", p.Paths.Home,
		} {
			require.NotContains(t, piece.Text, never, piece.Name)
		}
	}
}
