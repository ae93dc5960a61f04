package wire

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/serve"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

const ownerID = "821012345678"

// admit allows the owner on every channel.
func (h *house) admit(change ...func(*settings.Runtime)) *house {
	build := h.settings.Build
	h.settings.Build = func() (*settings.Runtime, error) {
		rt, err := build()
		if err == nil {
			rt.Remote.Owners = map[string][]string{"whatsapp": {"+82 10-1234-5678"}, "telegram": {ownerID}, "discord": {ownerID}}
			for _, c := range change {
				c(rt)
			}
		}
		return rt, err
	}
	require.NoError(h.t, h.settings.BuildRuntime())
	return h
}

// bridge connects over the socket of a channel's bridge.
func (h *house) bridge(channel string) *peer {
	here, there := socketPair(h.t)
	d := h.Daemon
	h.wg.Go(func() { d.server.ServeConn(context.Background(), there, ipc.Peer{UID: os.Getuid()}, channel) })
	h.t.Cleanup(func() { here.Close() })
	p := &peer{t: h.t, Conn: ipc.NewConn(here)}
	p.say(ipc.Message{Type: ipc.TypeHello, ID: "h", V: 1}.WithData(ipc.Hello{Client: "test-bridge/1", Channel: channel, Lang: "en", Caps: []string{ipc.CapDelta, ipc.CapTool}}))
	require.Equal(h.t, ipc.TypeHello, p.read().Type)
	return p
}

// socketPair returns the two ends of a connection with a buffer.
func socketPair(t *testing.T) (here, there net.Conn) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	ends := make([]net.Conn, 2)
	for i, fd := range fds {
		f := os.NewFile(uintptr(fd), "socket")
		ends[i], err = net.FileConn(f)
		require.NoError(t, err)
		require.NoError(t, f.Close())
	}
	return ends[0], ends[1]
}

// letterOf returns a message as a bridge sends it.
func letterOf(mid, body string) ipc.Message {
	return ipc.Message{Type: ipc.TypeMessage, ID: "m" + mid, From: ownerID, Body: body}.WithData(ipc.InboundMessage{MID: mid})
}

// bring sends a message and returns the daemon's frames: what was accepted, and how it ended.
func (p *peer) bring(m ipc.Message) (ipc.Accepted, ipc.Outcome) {
	p.t.Helper()
	p.say(m)
	return p.ended(m.ID)
}

func (p *peer) ended(id string) (a ipc.Accepted, out ipc.Outcome) {
	p.t.Helper()
	for {
		f := p.frameOf(id)
		require.NotEqual(p.t, ipc.TypeError, f.Type, "%+v", f.Error)
		switch f.Type {
		case ipc.TypeAccepted:
			require.NoError(p.t, f.Decode(&a))
		case ipc.TypeResponse:
			require.True(p.t, f.Done)
			require.Empty(p.t, f.Body, "words come as a notice")
			require.NoError(p.t, f.Decode(&out))
			return a, out
		}
	}
}

// toldOn returns the notices that wait for a channel, without acknowledging them.
func (h *house) toldOn(channel string) (all []ipc.Notice) {
	for _, t := range h.post.Outbox.Waiting(channel) {
		all = append(all, post.NoticeOf(t))
	}
	return all
}

// only returns the one waiting notice, and acknowledges it.
func (h *house) only(p *peer, channel string) ipc.Notice {
	h.t.Helper()
	waiting := h.toldOn(channel)
	require.Len(h.t, waiting, 1, "%+v", waiting)
	p.ack(waiting[0].ID)
	return waiting[0]
}

func (p *peer) ack(ids ...string) {
	p.t.Helper()
	p.say(ipc.Message{Type: ipc.TypeAction, ID: "k", Action: ipc.ActionAck}.WithData(ipc.Acknowledgement{IDs: ids}))
	require.Nil(p.t, p.frameOf("k").Error)
}

// frameOf returns the next frame of a request. Frames of others wait for their turn.
func (p *peer) frameOf(id string) ipc.Message {
	p.t.Helper()
	if i := slices.IndexFunc(p.waiting, func(f ipc.Message) bool { return f.Re == id }); i >= 0 {
		f := p.waiting[i]
		p.waiting = slices.Delete(p.waiting, i, i+1)
		return f
	}
	for {
		f := p.read()
		if f.Re == id {
			return f
		}
		p.waiting = append(p.waiting, f)
	}
}

// await waits for a notice on a channel and acknowledges it.
func (h *house) await(p *peer, channel string, is func(ipc.Notice) bool) ipc.Notice {
	h.t.Helper()
	news, drop := h.post.Events.Subscribe([]string{post.TopicNotifications})
	defer drop()
	for {
		for _, n := range h.toldOn(channel) {
			if is(n) {
				p.ack(n.ID)
				return n
			}
		}
		<-news
	}
}

// questionOn waits for the question of a running task.
func (p *peer) questionOn(h *house, channel string) ipc.Notice {
	p.t.Helper()
	return h.await(p, channel, func(n ipc.Notice) bool { return n.Approval != "" })
}

func TestAQuestionOverABridgeIsAnsweredByANotice(t *testing.T) {
	h := open(t, doer).admit()
	p := h.bridge("telegram")
	a, out := p.bring(letterOf("1", "/ai hello"))
	require.NotEmpty(t, a.Task)
	require.False(t, a.Duplicate)
	require.Equal(t, "end_turn", out.Stop)
	n := h.only(p, "telegram")
	require.Equal(t, "task:"+a.Task, n.ID)
	require.Equal(t, "you said hello", n.Body)
	require.Equal(t, "1", n.Re)
	require.Equal(t, ownerID, n.To)
	require.Equal(t, ipc.MarkupMarkdown, n.Markup)

	for range 5 {
		again, out := p.bring(letterOf("1", "/ai hello"))
		require.Equal(t, ipc.Accepted{Task: a.Task, Duplicate: true}, again)
		require.Equal(t, ipc.StopDuplicate, out.Stop)
	}
	require.Empty(t, h.toldOn("telegram"))
	require.Len(t, h.tasks.List(), 1)
}

func TestAConfirmationOverABridge(t *testing.T) {
	h := open(t, doer).admit()
	p := h.bridge("whatsapp")
	p.say(letterOf("1", "do touch x"))
	q := p.questionOn(h, "whatsapp")
	require.Contains(t, q.Body, "touch x")
	require.Equal(t, ipc.MarkupPlain, q.Markup)
	require.Equal(t, []string{ipc.ActionAllowOnce, ipc.ActionAllowSession, ipc.ActionReject}, q.Actions)
	require.Equal(t, h.waiting()[0].Digest, q.Digest)
	_, out := p.bring(letterOf("2", "네"))
	require.Equal(t, ipc.StopAnswered, out.Stop)
	p.ended("m1")
	require.Equal(t, "it ran", h.only(p, "whatsapp").Body)
	require.FileExists(t, filepath.Join(h.home, "x"))
	require.Equal(t, "CONFIRMED   touch x\n", h.log())

	again, _ := p.bring(letterOf("2", "네"))
	require.True(t, again.Duplicate, "a yes counts once")
	_, out = p.bring(letterOf("3", "네"))
	require.Equal(t, "end_turn", out.Stop, "with nothing waiting it is only a word")
}

func TestThreat11OnlyWhoIsLetInIsHeardOverABridge(t *testing.T) {
	h := open(t, doer).admit()
	for channel, others := range map[string][]string{
		"whatsapp": {"", "1012345678", "8210123456789", "82101234567", "+821012345678", "821012345678@s.whatsapp.net", "821012345678@g.us", "821012345678-1", "x821012345678", "８２１０１２３４５６７８", "1"},
		"telegram": {"", "-821012345678", "82101234567", "@me", "8210123456780", " 821012345678"},
	} {
		p := h.bridge(channel)
		for _, other := range others {
			m := letterOf("1", "do touch x")
			m.From = other
			p.say(m)
			got := p.read()
			require.Equal(t, ipc.CodeDenied, got.Error.Code, "%s %q", channel, other)
			require.True(t, got.Done)
			p.say(ipc.Message{Type: ipc.TypeAction, ID: "a", Action: ipc.ActionAllowOnce, From: other}.WithData(ipc.Answer{Code: "AAAA", Digest: "x"}))
			require.Equal(t, ipc.CodeDenied, p.read().Error.Code)
		}
	}
	require.Empty(t, h.tasks.List())
	h.admit(func(rt *settings.Runtime) { rt.Remote.Closed = []string{"whatsapp"} })
	p := h.bridge("whatsapp")
	p.say(letterOf("1", "hello"))
	require.Equal(t, ipc.CodeDenied, p.read().Error.Code, "switched off")
	h.admit(func(rt *settings.Runtime) { rt.Remote.Owners = nil })
	p.say(letterOf("1", "hello"))
	require.Equal(t, ipc.CodeDenied, p.read().Error.Code, "an empty list lets nobody in")
}

func TestThreat12ABridgeDoesNothingButBringMessages(t *testing.T) {
	h := open(t, doer).admit()
	h.park("touch x")
	here, there := net.Pipe()
	defer here.Close()
	h.wg.Go(func() { h.server.ServeConn(context.Background(), there, ipc.Peer{}, "telegram") })
	p := &peer{t: t, Conn: ipc.NewConn(here)}
	p.say(ipc.Message{Type: ipc.TypeHello, ID: "h"}.WithData(ipc.Hello{Channel: "whatsapp"}))
	require.Equal(t, ipc.CodeBadRequest, p.read().Error.Code, "the socket is for another channel")
	_, err := p.Read()
	require.Error(t, err, "and is closed")

	for _, p := range []*peer{h.bridge("whatsapp"), h.connectAs("whatsapp", ipc.CapAsk)} {
		refused := func(m ipc.Message) {
			t.Helper()
			m.ID, m.From = "x", ownerID
			p.say(m)
			got := p.read()
			require.NotNil(t, got.Error, "%s %s", m.Type, m.Action)
			require.Equal(t, ipc.CodeDenied, got.Error.Code, "%s %s", m.Type, m.Action)
		}
		for _, kind := range []string{
			ipc.TypeResponse, ipc.TypeDelta, ipc.TypeTool, ipc.TypeAsk, ipc.TypeResolved, ipc.TypeCall, ipc.TypeResult, ipc.TypeEvent, ipc.TypeError,
			ipc.TypeAccepted, ipc.TypeCancel, "config", "set", "run", "exec", "grant",
		} {
			refused(ipc.Message{Type: kind, Body: "touch x"}.WithData(map[string]string{"name": "run_command", "task": "t0"}))
		}
		for _, what := range serve.QueryNames() {
			if what != "channel" {
				refused(ipc.Message{Type: ipc.TypeQuery}.WithData(ipc.Query{What: what, Text: "rm"}))
			}
		}
		for _, action := range []string{
			ipc.ActionEdit, ipc.ActionReset, ipc.ActionDeleteSession, ipc.ActionRemember, ipc.ActionForget, ipc.ActionRefreshMemory, ipc.ActionClearMemory,
			ipc.ActionImportMemory, ipc.ActionPollNotifications, ipc.ActionReload, ipc.ActionStop, ipc.ActionAutomationRun, ipc.ActionAutomationAdd,
			ipc.ActionAutomationChange, ipc.ActionAutomationRemove, ipc.ActionAutomationEnable, ipc.ActionAutomationDisable, ipc.ActionAutomationSnooze,
			ipc.ActionPairingApprove, ipc.ActionPairingDeny, ipc.ActionPairingRemove, "", "set", "run_command",
		} {
			refused(ipc.Message{Type: ipc.TypeAction, Action: action}.WithData(map[string]string{"text": "x"}))
		}
		for _, topic := range []string{ipc.TopicLog, ipc.TopicDaemonLog} {
			p.say(ipc.Message{Type: ipc.TypeSubscribe, ID: "s"}.WithData(ipc.Subscription{Topics: []string{topic}}))
			require.NotNil(t, p.read().Error, topic)
		}
		var policy ipc.ChannelPolicy
		require.NoError(t, p.query(ipc.Query{What: "channel", Text: "ZZZZ ../../x"}).Decode(&policy))
		require.Equal(t, ipc.ChannelPolicy{Channel: "whatsapp", Admitted: []string{ownerID}, Prefixes: i18n.Prefixes, PerMinute: 5, Lang: "en", Closed: []string{"ZZZZ", "../../x"}}, policy)
	}
	require.NoFileExists(t, filepath.Join(h.home, "x"))
	require.Empty(t, h.log())
}

func TestThreat08AButtonCountsForWhoWasAskedAndForWhatStoodAboveIt(t *testing.T) {
	h := open(t, doer).admit(func(rt *settings.Runtime) { rt.Remote.Owners["telegram"] = append(rt.Remote.Owners["telegram"], "42") })
	p := h.bridge("telegram")
	p.say(letterOf("1", "do touch x"))
	q := p.questionOn(h, "telegram")
	press := func(p *peer, from, action string, a ipc.Answer) ipc.Message {
		p.say(ipc.Message{Type: ipc.TypeAction, ID: "b", Action: action, From: from}.WithData(a))
		for {
			if m := p.read(); m.Re == "b" {
				return m
			}
		}
	}
	right := ipc.Answer{Code: q.Approval, Digest: q.Digest}
	require.Equal(t, ipc.CodeBadRequest, press(p, ownerID, ipc.ActionAllowOnce, ipc.Answer{Code: q.Approval}).Error.Code)
	require.Equal(t, ipc.CodeDenied, press(p, ownerID, ipc.ActionAllowOnce, ipc.Answer{Code: q.Approval, Digest: "sha256:other"}).Error.Code)
	require.NotNil(t, press(p, "42", ipc.ActionAllowOnce, right).Error, "somebody else was asked")
	require.Equal(t, ipc.CodeDenied, press(p, "43", ipc.ActionAllowOnce, right).Error.Code)
	require.NotNil(t, press(h.bridge("whatsapp"), ownerID, ipc.ActionAllowOnce, right).Error, "another channel")
	require.NoFileExists(t, filepath.Join(h.home, "x"))

	got := press(p, ownerID, ipc.ActionAllowOnce, right)
	require.Nil(t, got.Error)
	require.Equal(t, "Approved.", got.Body)
	h.await(p, "telegram", func(n ipc.Notice) bool { return n.Body == "it ran" })
	late := press(p, ownerID, ipc.ActionReject, right)
	require.Equal(t, ipc.CodeExpired, late.Error.Code)
	require.Contains(t, late.Error.Message, "was already approved at")
	require.NotNil(t, press(p, "42", ipc.ActionReject, right).Error)
	require.NotContains(t, press(p, "42", ipc.ActionReject, right).Error.Message, "touch x", "what others were asked is not told")
}

func TestWhatIsWrittenWrongOverABridgeIsToldOnce(t *testing.T) {
	h := open(t, doer).admit()
	p, n := h.bridge("telegram"), 0
	for body, want := range map[string]string{
		"":                             i18n.BridgeEmpty.In(i18n.English),
		"\u200b\u202e \u2066":          i18n.BridgeEmpty.In(i18n.English),
		"/ai":                          i18n.BridgeEmpty.In(i18n.English),
		strings.Repeat("x", 64<<10+1):  i18n.BridgeTooLong.In(i18n.English),
		"/start":                       i18n.BridgeGreeting.In(i18n.English),
		"stop":                         i18n.BridgeNothing.In(i18n.English),
		"취소":                           i18n.BridgeNothing.In(i18n.Korean),
		"/new":                         i18n.ResetDone.In(i18n.English),
		"do ec\u200bho \u202ehi\u2066": "it ran",
		"👍🏽":                           "you said 👍🏽",
	} {
		n++
		m := letterOf(strconv.Itoa(n), body)
		p.bring(m)
		require.Equal(t, want, h.only(p, "telegram").Body, "%q", body)
		again, _ := p.bring(m)
		require.True(t, again.Duplicate, "%q", body)
		require.Empty(t, h.toldOn("telegram"))
	}
	require.Equal(t, "SAFE        echo hi\n", h.log())
}
