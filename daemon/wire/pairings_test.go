package wire

import (
	"testing"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/stretchr/testify/require"
)

// pairing sends a pairing action and returns the result.
func (p *peer) pairing(action string, change ipc.PairingChange) ipc.Message {
	p.t.Helper()
	p.say(ipc.Message{Type: ipc.TypeAction, ID: "pair", Action: action}.WithData(change))
	return p.read()
}

func (p *peer) admission(sender string) ipc.Admission {
	p.t.Helper()
	var a ipc.Admission
	require.NoError(p.t, p.pairing(ipc.ActionPairingAsk, ipc.PairingChange{Sender: sender}).Decode(&a))
	return a
}

func TestThreat11ABridgeLetsInNobodyTheOwnerHasNot(t *testing.T) {
	h := open(t, doer)
	rt := h.settings.Current()
	rt.Remote.Owners = map[string][]string{"whatsapp": {"+82 10-1234-5678"}}
	bridge, here := h.connectAs("whatsapp"), h.hello()
	require.True(t, bridge.admission("821012345678@s.whatsapp.net").Admitted)
	for _, other := range []string{"8210123456789", "1012345678", "821012345678@g.us", "", "+82 10-1234-567x"} {
		require.False(t, bridge.admission(other).Admitted, other)
	}
	a := bridge.admission("49151000000")
	require.Len(t, a.Code, 6)
	require.Empty(t, bridge.admission("49151000000").Code, "once a day")

	for _, action := range []string{ipc.ActionPairingApprove, ipc.ActionPairingDeny, ipc.ActionPairingRemove} {
		m := bridge.pairing(action, ipc.PairingChange{Code: a.Code, Channel: "whatsapp", Sender: "49151000000"})
		require.NotNil(t, m.Error, action)
		require.Equal(t, ipc.CodeDenied, m.Error.Code)
	}
	require.Equal(t, ipc.CodeDenied, bridge.query(ipc.Query{What: "pairing"}).Error.Code)

	require.Nil(t, here.pairing(ipc.ActionPairingApprove, ipc.PairingChange{Code: a.Code}).Error)
	require.True(t, bridge.admission("+49 151 000000").Admitted)
	require.False(t, h.connectAs("telegram").admission("49151000000").Admitted)
	h.restart()
	here = h.hello()
	require.True(t, h.connectAs("whatsapp").admission("49151000000").Admitted, "also for the next daemon")
	var list ipc.PairingList
	require.NoError(t, here.query(ipc.Query{What: "pairing"}).Decode(&list))
	require.Equal(t, "49151000000", list.Paired[0].Sender)
	require.Len(t, list.Waiting, 3, "the stranger of telegram, and two numbers that only resemble the allowed one")
	require.Nil(t, here.pairing(ipc.ActionPairingRemove, ipc.PairingChange{Channel: "whatsapp", Sender: "49151000000"}).Error)
	require.False(t, h.connectAs("whatsapp").admission("49151000000").Admitted)
	require.Contains(t, here.pairing(ipc.ActionPairingApprove, ipc.PairingChange{Code: "ZZZZZZ"}).Error.Hint, "blunux-aictl pairing")
}

func TestACommandIsJudgedForALookWithoutATrace(t *testing.T) {
	h := open(t, doer)
	p := h.hello()
	for command, want := range map[string]ipc.Judgement{
		"df -h":                  {Class: "SAFE"},
		"rm -rf /home/blu":       {Class: "BLOCKED", Reasons: []string{"delete-root"}},
		"sudo pacman -S firefox": {Class: "CONFIRM", Privileged: true},
		"if then":                {Class: "CONFIRM"},
	} {
		var got ipc.Judgement
		require.NoError(t, p.query(ipc.Query{What: "judge", Text: command}).Decode(&got))
		require.Equal(t, want.Class, got.Class, command)
		require.Equal(t, want.Privileged, got.Privileged, command)
		if want.Reasons != nil {
			require.Subset(t, got.Reasons, want.Reasons)
		}
	}
	require.Empty(t, h.log())
	require.Equal(t, ipc.CodeDenied, h.connectAs("signal").query(ipc.Query{What: "judge", Text: "df"}).Error.Code)
}

func TestWhoLooksOnSeesWhatACommandPrints(t *testing.T) {
	h := open(t, doer)
	p := h.hello(ipc.CapTool, ipc.CapOutput)
	p.say(ipc.Message{Type: ipc.TypeMessage, ID: "m1", Body: "do seq 1 3000"})
	frames := p.until(ipc.TypeResponse)
	var printed string
	var last ipc.Tool
	for _, f := range frames[:len(frames)-1] {
		var tool ipc.Tool
		require.NoError(t, f.Decode(&tool))
		require.Equal(t, "t1", tool.Call)
		require.Equal(t, last.State == ipc.ToolDone, false, "nothing comes behind the end")
		printed += tool.Output
		last = tool
	}
	require.Equal(t, ipc.ToolDone, last.State)
	require.True(t, last.Cut)
	require.Contains(t, printed, "1\n2\n3\n")
	require.Contains(t, printed, "\n3000\n")
}

func TestAPeerIsSpokenToAsItsSurroundingsSpeakUnlessSomebodyChose(t *testing.T) {
	h := open(t, doer)
	said := func(hello ipc.Hello) string {
		p := h.connect()
		p.say(ipc.Message{Type: ipc.TypeHello, ID: "h"}.WithData(hello))
		p.read()
		return p.pairing(ipc.ActionPairingApprove, ipc.PairingChange{Code: "ZZZZZZ"}).Error.Message
	}
	require.Contains(t, said(ipc.Hello{Channel: "cli", Locale: "ko"}), "없는 코드이거나 하루가 지난 코드")
	require.Contains(t, said(ipc.Hello{Channel: "cli", Locale: "ko", Lang: "zh"}), "没有此代码")
	h.settings.Current().Language.Chosen = true
	require.Contains(t, said(ipc.Hello{Channel: "cli", Locale: "ko"}), "ZZZZZZ: unknown code")
}

func TestAConversationIsNamedByWhatShows(t *testing.T) {
	p := open(t, doer).hello()
	for _, m := range []ipc.Message{
		{Type: ipc.TypeMessage, ID: "m", Session: "a\x1b]0;x\a", Body: "hi"},
		{Type: ipc.TypeAction, ID: "r", Action: ipc.ActionReset, Session: "a\u202eb"},
	} {
		p.say(m)
		require.Equal(t, ipc.CodeBadRequest, p.read().Error.Code)
	}
}

func TestNobodyIsTurnedAwayWhileItIsNotKnownWhoMayWrite(t *testing.T) {
	var broken error
	h := open(t, doer, func(o *Options) {
		good := o.Build
		o.Build = func(own OwnTools) (*settings.Runtime, error) {
			if broken != nil {
				return nil, broken
			}
			rt, err := good(own)
			if err == nil {
				rt.Remote.Owners = map[string][]string{"telegram": {ownerID}}
			}
			return rt, err
		}
	})
	broken = &config.Error{File: "config.toml", Line: 3, Col: 1, Problem: "unknown key x"}
	h.settings.Runtime.Store(nil) // like a daemon that was started with it
	p := h.bridge("telegram")
	unknown := func(m ipc.Message) {
		require.NotNil(t, m.Error)
		require.NotContains(t, []ipc.Code{ipc.CodeDenied, ipc.CodeBadRequest, ipc.CodeTooLarge}, m.Error.Code, "the bridge keeps the message")
	}
	unknown(p.query(ipc.Query{What: "channel"}))
	p.say(letterOf("1", "hello"))
	unknown(p.read())
	unknown(p.pairing(ipc.ActionPairingAsk, ipc.PairingChange{Sender: ownerID}))
	broken = nil
	var policy ipc.ChannelPolicy
	require.NoError(t, p.query(ipc.Query{What: "channel"}).Decode(&policy))
	require.Equal(t, []string{ownerID}, policy.Admitted)
	require.True(t, p.admission(ownerID).Admitted)
}
