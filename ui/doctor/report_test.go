package doctor

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/systemd"
	"github.com/nidoit/blunux-ai/tools/commandlog"
)

// unpackArchive returns the files of an archive.
func unpackArchive(t *testing.T, archive []byte) map[string]string {
	t.Helper()
	zipped, err := gzip.NewReader(bytes.NewReader(archive))
	require.NoError(t, err)
	files := map[string]string{}
	for r := tar.NewReader(zipped); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files
		}
		require.NoError(t, err)
		require.EqualValues(t, 0o600, h.Mode)
		text, err := io.ReadAll(r)
		require.NoError(t, err)
		files[h.Name] = string(text)
	}
}

// Keys, the home directory, and names and telephone numbers of the person and the machine are in every possible
// place, and must not be in the report. Neither must conversations and notes.
func TestAReportTellsNothingOfAnybody(t *testing.T) {
	const key, home, user, host, person, number = "sk-ant-api03-0123456789abcdefghijKLMNOP", "/home/minsoo", "minsoo", "MinsooLaptop", "Kim Min-soo", "+821012345678"
	p := healthy(t)
	p.User = user
	all := strings.Join([]string{"key " + key, "in " + home + "/.config", "of " + user + "@" + host, person + "님이", user + "가", number, "821012345678@c.us"}, " ")
	p.Manager = installed().with(serviceUnit, func(u *systemd.UnitState) { u.Fragment = home + "/.config/systemd/user/x.service" })
	write(t, p.Paths.Config(), "[whatsapp]\nallowed_numbers = [\""+number+"\"]\n[mcp.notes]\ncommand = [\"notes\", \"--token\", \"plain-word-secret\"]\nenv = { TOKEN = \"another-plain-secret\" }\n", 0o600)
	write(t, filepath.Join(p.Paths.Logs(), "blunux-ai.log.2026-11-22"), "2026-11-22T12:00:00.000+09:00 INF "+all+"\n", 0o600)
	require.NoError(t, commandlog.New(p.Paths.CommandLog(), time.Now).Record(commandlog.Confirmed, "curl -H 'Authorization: Bearer "+key+"' "+home+"/x # "+all))
	write(t, filepath.Join(p.Paths.Memory(), "MEMORY.md"), "a note of mine\n", 0o600)
	write(t, filepath.Join(p.Paths.Sessions(), "x.jsonl"), "a word of mine\n", 0o600)
	write(t, filepath.Join(p.Paths.Credentials(), "claude"), key+"\n", 0o600)
	p.Answer = nil
	p.Rules = func() Rules { return Rules{Problems: []string{home + "/.config/automations.toml:1: " + all}} }

	names := Names{Home: home, Users: []string{user}, Hosts: []string{host + ".local"}, People: []string{person}}
	redactor := secret.NewRedactor([]string{key})
	r := Report{Patient: p, Found: RunChecks(t.Context(), p), Scrub: func(s string) string { return names.Scrub(redactor.Redact(s)) }, Now: time.Now()}
	pieces := r.Pieces(t.Context())
	var archive bytes.Buffer
	require.NoError(t, Write(&archive, "report", pieces, time.Now()))
	files := unpackArchive(t, archive.Bytes())
	require.Len(t, files, 6)
	for name, text := range files {
		for _, never := range []string{key, home, user, host, strings.ToLower(host), person, number, "821012345678", "plain-word-secret", "another-plain-secret", "of mine"} {
			require.NotContains(t, text, never, name)
		}
	}
	require.Contains(t, files["report/daemon.log"], "~/.config")
	require.Contains(t, files["report/daemon.log"], "[user]@[host]")
	require.Contains(t, files["report/commands.log"], "CONFIRMED")
	require.Contains(t, files["report/units.txt"], "blunux-ai-agent.socket: loaded active enabled")
	require.Contains(t, files["report/config.toml"], "allowed_numbers")
	require.Contains(t, files["report/doctor.json"], `"check": "automations"`)
	require.Contains(t, files["report/versions.txt"], "blunux-ai 1.2.3\ngo1")
}

func TestNamesAreReplacedWhereTheyStandAlone(t *testing.T) {
	n := Names{Home: "/home/blu", Users: []string{"blu", "root"}, Hosts: []string{"box.example.net"}}
	for from, to := range map[string]string{
		"/home/blu/.config": "~/.config",
		"/home/blunux":      "/home/[user]",
		"https://hong:pw@llm.example.com:8443/v1/tok": "https://[host]:8443/[path]",
		"https://api.anthropic.com/v1?key=x":          "https://api.anthropic.com/v1",
		"hong@secret.example.com and app@1.service":   "[mail] and app@1.service",
		"at 192.168.7.9, 10.0.0.1; 010-1234-5678":     "at [ip], [ip]; [number]",
		"to 8.8.8.8 since 6.1.12":                     "to 8.8.8.8 since 6.1.12",
		"blunux-ai of blu":                            "blunux-ai of [user]",
		"BLU on BOX":                                  "[user] on [host]",
		"blu@box.example.net:":                        "[user]@[host]:",
		"boxes in a box":                              "boxes in a [host]",
		"blu가 왔어요":                                    "[user]가 왔어요",
		`{"a":"x\n/home/blu"}`:                        `{"a":"x\n~"}`,
		`"x\nblu"`:                                    `"x\n[user]"`,
		"%2Fhome%2Fblu%2F":                            "%2Fhome%2F[user]%2F",
		"root owns it":                                "root owns it",
		"call +82 10-1234-5678 now":                   "call [number] now",
		"2026-11-22T12:00:00.000+09:00 ":              "2026-11-22T12:00:00.000+09:00 ",
	} {
		require.Equal(t, to, n.Scrub(from))
	}
}

func TestScrubbingTwiceChangesNothingMore(t *testing.T) {
	n := Names{Home: "/home/minsoo", Users: []string{"minsoo"}, Hosts: []string{"laptop-7"}, People: []string{"김민수"}}
	words := rapid.SampledFrom([]string{"/home/minsoo", "minsoo", "laptop-7", "김민수", "님", " ", "/", "x", "-", "+821012345678", "\n", "[user]"})
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOf(words).Draw(rt, "words"), "")
		once := n.Scrub(text)
		require.Equal(rt, once, n.Scrub(once))
	})
}

func TestALogThatCannotBeReadIsSaid(t *testing.T) {
	p := healthy(t)
	require.NoError(t, os.MkdirAll(p.Paths.CommandLog(), 0o700))
	r := Report{Patient: p, Scrub: func(s string) string { return s }, Now: time.Now()}
	for _, piece := range r.Pieces(t.Context()) {
		if piece.Name == "commands.log" {
			require.Contains(t, piece.Text, "not a regular file")
		}
	}
}
