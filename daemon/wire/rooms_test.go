package wire

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/ipc"
)

// The owner, and another admitted person, in a channel of a server.
const (
	partnerID = "42"
	roomID    = "771000000000000002"
)

var (
	ownerInRoom   = ipc.InRoom(ownerID, roomID)
	partnerInRoom = ipc.InRoom(partnerID, roomID)
)

// admitInRoom admits the owner and the partner, also in the room.
func (h *house) admitInRoom() *house {
	return h.admit(func(rt *settings.Runtime) {
		rt.Remote.Owners["discord"] = []string{ownerID, partnerID}
		rt.Remote.Rooms = map[string][]string{"discord": {roomID}}
	})
}

// letterFrom returns a message of another sender.
func letterFrom(from, mid, body string) ipc.Message {
	m := letterOf(mid, body)
	m.From = from
	return m
}

func TestThreat11OnlyAdmittedPeopleAreHeardInNamedRooms(t *testing.T) {
	h := open(t, doer).admitInRoom()
	p := h.bridge("discord")
	_, out := p.bring(letterFrom(ownerInRoom, "1", "hello"))
	require.Equal(t, "end_turn", out.Stop)
	n := h.only(p, "discord")
	require.Equal(t, ownerInRoom, n.To)
	require.Equal(t, "you said hello", n.Body)
	_, direct := p.bring(letterFrom(ownerID, "2", "hello"))
	require.Equal(t, ownerID, h.only(p, "discord").To)
	_, other := p.bring(letterFrom(partnerInRoom, "3", "hello"))
	require.Equal(t, partnerInRoom, h.only(p, "discord").To)
	require.NotEqual(t, out.Session, direct.Session, "what is said in direct messages stays there")
	require.NotEqual(t, out.Session, other.Session)
	for _, from := range []string{
		ipc.InRoom("43", roomID), ipc.InRoom(ownerID, "771"), ownerID + "@", "@" + roomID, ownerInRoom + "@1", ipc.InRoom(ownerID, " "+roomID), ownerID + "@c.us", "@",
	} {
		p.say(letterFrom(from, "4", "hello"))
		require.Equal(t, ipc.CodeDenied, p.frameOf("m4").Error.Code, from)
		p.say(ipc.Message{Type: ipc.TypeAction, ID: "b", Action: ipc.ActionAllowOnce, From: from}.WithData(ipc.Answer{Code: "AAAA", Digest: "x"}))
		require.Equal(t, ipc.CodeDenied, p.frameOf("b").Error.Code, from)
		p.say(ipc.Message{Type: ipc.TypeAction, ID: "u", Action: ipc.ActionUndo, From: from}.WithData(ipc.Answer{Code: "AAAA"}))
		require.Equal(t, ipc.CodeDenied, p.frameOf("u").Error.Code, from)
	}
	for _, channel := range []string{"telegram", "whatsapp"} {
		q := h.bridge(channel)
		q.say(letterFrom(ownerInRoom, "5", "hello"))
		require.Equal(t, ipc.CodeDenied, q.frameOf("m5").Error.Code, channel)
	}
	require.Empty(t, p.admission(ipc.InRoom("43", roomID)), "others would read the code")
	var policy ipc.ChannelPolicy
	require.NoError(t, p.query(ipc.Query{What: "channel"}).Decode(&policy))
	require.Equal(t, []string{roomID}, policy.Rooms)
	require.Equal(t, []string{partnerID, ownerID}, policy.Admitted)
}

func TestThreat08AQuestionInARoomIsItsAuthors(t *testing.T) {
	h := open(t, doer).admitInRoom()
	p := h.bridge("discord")
	p.say(letterFrom(ownerInRoom, "1", "do touch x"))
	q := p.questionOn(h, "discord")
	require.Equal(t, ownerInRoom, q.To)
	require.Contains(t, q.Body, "touch x")
	right := ipc.Answer{Code: q.Approval, Digest: q.Digest}
	press := func(from string) ipc.Message {
		p.say(ipc.Message{Type: ipc.TypeAction, ID: "b", Action: ipc.ActionAllowOnce, From: from}.WithData(right))
		return p.frameOf("b")
	}
	for _, other := range []string{partnerInRoom, partnerID, ipc.InRoom("43", roomID), ownerID} {
		require.NotNil(t, press(other).Error, other)
	}
	_, _ = p.bring(letterFrom(partnerInRoom, "2", "yes "+q.Approval))
	_, _ = p.bring(letterFrom(ownerID, "3", "yes"))
	require.NoFileExists(t, filepath.Join(h.home, "x"))
	require.Nil(t, press(ownerInRoom).Error)
	h.await(p, "discord", func(n ipc.Notice) bool { return n.Body == "it ran" && n.To == ownerInRoom })
	require.FileExists(t, filepath.Join(h.home, "x"))
}

func TestTheLimitOfQuestionsIsThePersons(t *testing.T) {
	h := open(t, doer).admitInRoom()
	p := h.bridge("discord")
	for i, from := range []string{ownerInRoom, ownerID, ownerInRoom, ownerID, ownerInRoom} {
		_, out := p.bring(letterFrom(from, string(rune('1'+i)), "hello"))
		require.Equal(t, "end_turn", out.Stop)
	}
	_, out := p.bring(letterFrom(ownerID, "6", "hello"))
	require.Equal(t, ipc.StopLimited, out.Stop)
}

func TestAnAutomationNeverTellsARoom(t *testing.T) {
	h := withRules(t, doer, nil, "[[automation]]\nname = \"a\"\nschedule = \"@yearly\"\naction = \"hello\"\nnotify = [\"discord:"+ownerInRoom+"\"]\n").admitInRoom()
	h.runRule("a")
	all := h.toldOn("discord")
	require.NotEmpty(t, all)
	for _, n := range all {
		require.Equal(t, ownerID, n.To)
	}
}

func TestBridgesAskForTheRoomsAfterAChange(t *testing.T) {
	rung := make(chan string, 100)
	h := open(t, doer, func(o *Options) { o.Hooks.WakeBridge = func(channel string) { rung <- channel } }).admitInRoom()
	for len(rung) > 0 {
		<-rung
	}
	require.NoError(t, h.settings.Reload())
	var all []string
	for len(rung) > 0 {
		all = append(all, <-rung)
	}
	require.Contains(t, all, "discord")
}
