package doctor

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/tools/commandlog"
)

// fixerTest is a fixer that records questions, commands and messages.
type fixerTest struct {
	Fixer
	asked, said []string
	ran         [][]string
}

func operate(t *testing.T, p Machine, yes bool, fail error) *fixerTest {
	t.Helper()
	socket, err := p.Dialer.Path()
	require.NoError(t, err)
	s := &fixerTest{}
	s.Fixer = Fixer{
		Lang: i18n.English, Paths: p.Paths, Socket: socket, Log: commandlog.New(p.Paths.CommandLog(), time.Now),
		Ask: func(_ context.Context, command string) (bool, error) {
			s.asked = append(s.asked, command)
			return yes, nil
		},
		Run: func(_ context.Context, argv []string) error {
			text, err := os.ReadFile(p.Paths.CommandLog())
			require.NoError(t, err)
			require.Contains(t, string(text), "CONFIRMED   "+CommandLine(argv), "it is written down before it runs")
			s.ran = append(s.ran, argv)
			return fail
		},
		Say: func(text string) { s.said = append(s.said, text) },
	}
	return s
}

func TestWhatIsConfirmedIsWrittenDownAndRun(t *testing.T) {
	p := healthy(t)
	require.NoError(t, os.Chmod(p.Paths.Home, 0o755))
	found := RunChecks(t.Context(), p)
	s := operate(t, p, true, nil)
	n, err := s.OfferFixes(t.Context(), append(found, found...)) // each command is offered once
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Equal(t, [][]string{{"chmod", "700", p.Paths.Home}}, s.ran)
	require.Equal(t, []string{"chmod 700 " + p.Paths.Home}, s.asked)
	report, err := s.Log.Verify()
	require.NoError(t, err)
	require.True(t, report.OK)
	audit, err := os.ReadFile(filepath.Join(p.Paths.Logs(), "audit.jsonl"))
	require.NoError(t, err)
	require.Contains(t, string(audit), `"tool":"doctor"`)
	require.Contains(t, string(audit), `"event":"end"`)
}

func TestWhatIsNotConfirmedIsLeft(t *testing.T) {
	p := healthy(t)
	require.NoError(t, os.Chmod(p.Paths.Home, 0o755))
	s := operate(t, p, false, nil)
	n, err := s.OfferFixes(t.Context(), RunChecks(t.Context(), p))
	require.NoError(t, err)
	require.Zero(t, n)
	require.Empty(t, s.ran)
	require.NoFileExists(t, p.Paths.CommandLog())
}

func TestAFailureIsToldAndTheNextIsOffered(t *testing.T) {
	p := healthy(t)
	s := operate(t, p, true, errors.New("no such luck"))
	n, err := s.OfferFixes(t.Context(), []Finding{{Fix: enableCommand(timerUnit)}, {Fix: []string{"chmod", "700", p.Paths.Home}}})
	require.NoError(t, err)
	require.Equal(t, 2, n)
	require.Contains(t, strings.Join(s.said, "\n"), "no such luck")
}

func TestWhatCannotBeWrittenDownDoesNotRun(t *testing.T) {
	p := healthy(t)
	s := operate(t, p, true, nil)
	require.NoError(t, os.WriteFile(filepath.Join(p.Paths.Home, "logs"), nil, 0o600)) // a file instead of the directory
	_, err := s.OfferFixes(t.Context(), []Finding{{Fix: []string{"chmod", "700", p.Paths.Home}}})
	require.ErrorContains(t, err, "no command was run")
	require.Empty(t, s.ran)
}

// A daemon can start to listen between the check and the approval.
func TestASocketThatCameToLifeMeanwhileStays(t *testing.T) {
	p := healthy(t)
	s := operate(t, p, true, nil)
	found := []Finding{{Fix: []string{"rm", s.Socket}}}
	l, err := net.Listen("unix", s.Socket)
	require.NoError(t, err)
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	_, err = s.OfferFixes(t.Context(), found)
	require.NoError(t, err)
	require.Empty(t, s.ran)
	require.NoError(t, l.Close())
	_, err = s.OfferFixes(t.Context(), found)
	require.NoError(t, err)
	require.Equal(t, [][]string{{"rm", s.Socket}}, s.ran)
}

func TestNothingToMendIsSaid(t *testing.T) {
	p := healthy(t)
	s := operate(t, p, true, nil)
	_, err := s.OfferFixes(t.Context(), []Finding{{Check: "lock", State: Warn, Help: "sudo rm " + dbLock}})
	require.NoError(t, err)
	require.Empty(t, s.asked)
	require.Contains(t, s.said[0], "No problems can be fixed automatically")
}

// Only these few commands are offered, regardless of what a check suggests, and only for the program's own files
// and units.
func TestOnlyHarmlessCommandsAreOffered(t *testing.T) {
	m := Fixer{Paths: config.Paths{Home: "/home/blu/.config/blunux-ai"}, Socket: "/run/user/1000/blunux-ai.sock"}
	for _, command := range []string{
		"chmod 700 /home/blu/.config/blunux-ai", "chmod 600 /home/blu/.config/blunux-ai/credentials/claude", "rm /run/user/1000/blunux-ai.sock",
		"systemctl --user daemon-reload", "systemctl --user restart blunux-ai-agent.service",
		"systemctl --user enable --now blunux-ai-agent.socket", "systemctl --user enable --now blunux-ai-agent.timer",
		"systemctl --user enable --now blunux-wa-bridge.service", "systemctl --user restart blunux-telegram-bridge.service",
		"systemctl --user enable --now blunux-ai-bridges.socket", "chmod 600 /home/blu/.config/blunux-ai/telegram/token",
		"chmod 700 /home/blu/.config/blunux-ai/whatsapp/session", "chmod 600 /home/blu/.config/blunux-ai/whatsapp/session/store.db",
	} {
		require.True(t, m.isHarmless(strings.Fields(command)), command)
	}
	for _, command := range []string{
		"", "chmod", "chmod 777 /home/blu/.config/blunux-ai", "chmod 700 /home/blu", "chmod 700 /home/blu/.config/blunux-ai/../..",
		"chmod 700 /home/blu/.config/blunux-ai-other", "chmod 600 /home/blu/.config/blunux-ai/config.toml", "rm /etc/passwd",
		"rm -rf /run/user/1000/blunux-ai.sock", "sudo systemctl --user daemon-reload", "systemctl daemon-reload", "systemctl --user stop blunux-ai-agent.service",
		"systemctl --user restart sshd.service", "systemctl --user enable --now evil.service", "systemctl --user enable blunux-ai-agent.socket",
		"chmod 600 /home/blu/.config/blunux-ai/telegram/state.json", "chmod 600 /home/blu/.config/blunux-ai/telegram/token /etc/passwd",
		"systemctl --user restart blunux-ai-bridges.socket", "blunux-wa-bridge login", "pacman -Syu", "sudo rm /var/lib/pacman/db.lck", "pkexec chmod 700 /home/blu/.config/blunux-ai",
	} {
		require.False(t, m.isHarmless(strings.Fields(command)), command)
	}
	words := rapid.SampledFrom([]string{
		"systemctl", "--user", "--now", "enable", "restart", "daemon-reload", "chmod", "700", "600", "rm", "sudo", "pacman", "-rf", "/", "evil.service",
		"blunux-ai-agent.service", "/home/blu", "/home/blu/.config/blunux-ai", "/home/blu/.config/blunux-ai/credentials/../../..", "..",
	})
	rapid.Check(t, func(rt *rapid.T) {
		argv := rapid.SliceOfN(words, 0, 5).Draw(rt, "argv")
		if !m.isHarmless(argv) {
			return
		}
		line := strings.Join(argv, " ")
		for _, never := range []string{"sudo", "pacman", "-rf", "evil", ".."} {
			require.NotContains(rt, line, never)
		}
		require.Contains(rt, []string{"systemctl", "chmod", "rm"}, argv[0])
	})
}

func TestEveryBadKeyFileIsToldAndNoLinkIsFollowedAfterTheYes(t *testing.T) {
	p := healthy(t)
	for _, name := range []string{"claude", "openai"} {
		write(t, filepath.Join(p.Paths.Credentials(), name), "sk-0123456789\n", 0o644)
	}
	f := keys(t.Context(), p)
	require.Contains(t, f.Text, "claude")
	require.Contains(t, f.Text, "openai")
	one, two := filepath.Join(p.Paths.Credentials(), "claude"), filepath.Join(p.Paths.Credentials(), "openai")
	require.Equal(t, []string{"chmod", "600", one, two}, f.Fix)
	require.True(t, areOwn(f.Fix[2:]))
	require.NoError(t, os.Remove(two))
	require.NoError(t, os.Symlink("/etc/passwd", two))
	require.False(t, areOwn(f.Fix[2:]))
}
