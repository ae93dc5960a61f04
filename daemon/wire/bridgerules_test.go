package wire

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/channel"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/stretchr/testify/require"
)

// Messages and questions of automations over a bridge.

// toucher returns a rule that asks for permission to create a file.
func toucher(file, channel string) string {
	return fmt.Sprintf("[[automation]]\nname = \"rule %[1]s\"\nschedule = \"09:00\"\naction = \"do touch %[1]s\"\nnotify = [%[2]q]\n", file, channel)
}

// linked opens a house whose owner has a bridge to each messenger.
func linked(t *testing.T, text string, change ...func(*Options)) *house {
	t.Helper()
	h := withRules(t, doer, nil, text, change...).admit(func(rt *settings.Runtime) { rt.Config.Automations = true })
	for _, c := range channel.WithBridge() {
		require.NoError(t, os.Mkdir(state.Dir(h.home, c.Name), 0o700))
		require.NoError(t, state.Write(state.Dir(h.home, c.Name), state.State{Channel: c.Name, Phase: state.Online}))
	}
	return h
}

// acknowledgeAll acknowledges all notices that wait for a channel, and returns them.
func (h *house) acknowledgeAll(p *peer, channel string) []ipc.Notice {
	h.t.Helper()
	all := h.toldOn(channel)
	for _, n := range all {
		p.ack(n.ID)
	}
	return all
}

// codeFor returns the code of the question about a command.
func (h *house) codeFor(command string) string {
	h.t.Helper()
	for _, ask := range h.waiting() {
		if ask.Command == command {
			return ask.Code
		}
	}
	require.Fail(h.t, "nothing asks", command)
	return ""
}

// whichOne sends a bare yes to two open questions and expects to be asked which one is meant.
func (h *house) whichOne(p *peer, channel, mid string) {
	h.t.Helper()
	_, out := p.bring(letterOf(mid, "네"))
	require.Equal(h.t, ipc.StopReplied, out.Stop)
	n := h.only(p, channel)
	for _, command := range []string{"touch x", "touch y"} {
		require.Contains(h.t, n.Body, h.codeFor(command)+": "+command)
	}
	require.Empty(h.t, n.Approval, "there is no button that may be for the other")
	require.NoFileExists(h.t, filepath.Join(h.home, "x"))
	require.NoFileExists(h.t, filepath.Join(h.home, "y"))
}

func ran(n ipc.Notice) bool {
	return strings.Contains(n.Body, i18n.ApprovedRan(i18n.CommandEnd(i18n.English, i18n.CommandResult{})).In(i18n.English)) || strings.Contains(n.Body, i18n.ApprovedRan(i18n.CommandEnd(i18n.Korean, i18n.CommandResult{})).In(i18n.Korean))
}

func TestThreat07ABareYesOverABridgeForTwoAutomationsIsAskedBack(t *testing.T) {
	for _, c := range channel.WithBridge() {
		t.Run(c.Name, func(t *testing.T) {
			h := linked(t, toucher("x", c.Name)+toucher("y", c.Name))
			h.runRule("rule x")
			h.runRule("rule y")
			p := h.bridge(c.Name)
			h.acknowledgeAll(p, c.Name)
			h.whichOne(p, c.Name, "1")
			_, out := p.bring(letterOf("2", h.codeFor("touch y")+" 네"))
			require.Equal(t, ipc.StopAnswered, out.Stop)
			require.Equal(t, "2", h.await(p, c.Name, ran).Re)
			require.FileExists(t, filepath.Join(h.home, "y"))
			require.NoFileExists(t, filepath.Join(h.home, "x"))

			_, out = p.bring(letterOf("3", "네")) // one is left
			require.Equal(t, ipc.StopAnswered, out.Stop)
			require.Equal(t, "3", h.await(p, c.Name, ran).Re)
			require.FileExists(t, filepath.Join(h.home, "x"))
			require.Equal(t, 1, strings.Count(h.log(), "touch x"))
			require.Equal(t, 1, strings.Count(h.log(), "touch y"))
		})
	}
}

func TestThreat07ABareYesOverABridgeForATurnAndAnAutomationIsAskedBack(t *testing.T) {
	h := linked(t, toucher("x", "telegram"))
	h.runRule("rule x")
	p := h.bridge("telegram")
	h.acknowledgeAll(p, "telegram")
	p.say(letterOf("1", "do touch y"))
	require.Contains(t, p.questionOn(h, "telegram").Body, "touch y")
	h.whichOne(p, "telegram", "2")
	_, out := p.bring(letterOf("3", "네 "+strings.ToLower(h.codeFor("touch x"))))
	require.Equal(t, ipc.StopAnswered, out.Stop)
	require.Equal(t, "3", h.await(p, "telegram", ran).Re)
	require.FileExists(t, filepath.Join(h.home, "x"))
	require.NoFileExists(t, filepath.Join(h.home, "y"))

	_, out = p.bring(letterOf("4", "네"))
	require.Equal(t, ipc.StopAnswered, out.Stop)
	p.ended("m1")
	n := h.await(p, "telegram", func(ipc.Notice) bool { return true })
	require.Equal(t, "it ran", n.Body)
	require.Equal(t, "1", n.Re)
	require.FileExists(t, filepath.Join(h.home, "y"))
}

func TestWhatAnAutomationTellsWaitsForABridgeThatIsRung(t *testing.T) {
	for _, c := range channel.WithBridge() {
		t.Run(c.Name, func(t *testing.T) {
			dir, err := os.MkdirTemp("", "bell") // short, because it contains sockets
			require.NoError(t, err)
			defer os.RemoveAll(dir)
			socket := filepath.Join(dir, "s.sock")
			require.NoError(t, os.MkdirAll(filepath.Dir(ipc.BridgeSocket(socket, c.Name)), 0o700))
			bell, err := ipc.NewLocator().ListenWake(socket, c.Name)
			require.NoError(t, err)
			defer bell.Close()
			h := linked(t, "[[automation]]\nname = \"hi\"\nschedule = \"09:00\"\naction = \"do echo hello\"\nnotify = [\""+c.Name+"\"]\n",
				func(o *Options) { o.Hooks.WakeBridge = func(channel string) { ipc.WakeBridge(socket, channel) } })
			h.runRule("hi")
			select {
			case <-bell.Woken():
			case <-time.After(20 * time.Second):
				require.Fail(t, "nobody rings")
			}
			h.restart() // stored, whichever process is restarted
			p := h.bridge(c.Name)
			p.subscribe(post.TopicNotifications)
			n := p.notice()
			require.Equal(t, "⏰ hi\nit ran", n.Body)
			require.Equal(t, ownerID, n.To)
			require.Equal(t, ipc.MarkupMarkdown, n.Markup)
			require.Empty(t, n.Actions)
			p.ack(n.ID)
			p.ack(n.ID) // of a bridge that missed the first one
			require.Empty(t, h.toldOn(c.Name))
			h.restart()
			require.Empty(t, h.toldOn(c.Name), "told once")
		})
	}
}
