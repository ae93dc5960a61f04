package wire

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/stretchr/testify/require"
)

// switchOff has the effect of a reload after enabled = false.
func (h *house) switchOff() {
	rt := *h.settings.Current()
	rt.Config.DisabledIn = "/home/blu/.config/blunux-ai/config.toml"
	h.settings.Runtime.Store(&rt)
}

func TestU15SwitchedOffNothingRunsAndEveryQuestionSaysHowToSwitchItOn(t *testing.T) {
	h := open(t, doer).admit()
	code, denied := h.park("touch parked"), h.park("touch refused")
	h.switchOff()

	p := h.hello()
	p.say(ipc.Message{Type: ipc.TypeMessage, ID: "1", Body: "do touch asked"}.WithData(ipc.Request{Lang: "ko"}))
	m := p.read()
	require.Equal(t, ipc.CodeSwitchedOff, m.Error.Code)
	require.Equal(t, i18n.ErrSwitchedOff.In(i18n.Korean), m.Error.Message)
	require.Contains(t, m.Error.Hint, "/home/blu/.config/blunux-ai/config.toml")

	m = p.settle(ipc.ActionAllowOnce, ipc.Answer{Code: code})
	require.Equal(t, ipc.CodeSwitchedOff, m.Error.Code, "an approved command is not run")
	require.Equal(t, ipc.TypeResult, p.settle(ipc.ActionReject, ipc.Answer{Code: denied}).Type, "a no needs nothing to run")

	whatsapp := h.connect()
	whatsapp.say(ipc.Message{Type: ipc.TypeMessage, From: "821012345678", Body: "do touch afar"})
	m = whatsapp.read()
	require.Contains(t, m.Body, i18n.ErrSwitchedOff.In(i18n.English))
	require.NotContains(t, m.Body, "config.toml", "files are told at the machine only")

	bridge := h.bridge("telegram")
	_, out := bridge.bring(letterOf("1", "do touch bridged"))
	require.Equal(t, ipc.StopReplied, out.Stop, "and not brought again")

	for _, name := range []string{"parked", "refused", "asked", "afar", "bridged"} {
		require.NoFileExists(t, filepath.Join(h.home, name))
	}
	p.say(ipc.Message{Type: ipc.TypeQuery, ID: "q"}.WithData(ipc.Query{What: "status"}))
	var s ipc.Status
	require.NoError(t, json.Unmarshal(p.read().Data, &s))
	require.Contains(t, s.Problems[0], "switched off")

	h.settings.Current().Config.DisabledIn = ""
	require.Equal(t, ipc.TypeResult, p.settle(ipc.ActionAllowOnce, ipc.Answer{Code: code}).Type, "the approval still waits")
	require.FileExists(t, filepath.Join(h.home, "parked"))
}
