package main

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

func TestWhatWaitsIsToldInTheLanguageOfTheAnswer(t *testing.T) {
	var out, errOut strings.Builder
	d := &display{lang: i18n.English, out: &out, errOut: &errOut}
	d.answer("네", ipc.Outcome{Lang: "ko", Pending: []string{"K7QX"}})
	require.Equal(t, i18n.PendingApproval.In(i18n.Korean, "K7QX")+"\n", errOut.String())
	errOut.Reset()
	d.answer("yes", ipc.Outcome{Pending: []string{"K7QX"}})
	require.Equal(t, i18n.PendingApproval.In(i18n.English, "K7QX")+"\n", errOut.String())
}

func TestARefusalIsToldInWords(t *testing.T) {
	for _, code := range []string{
		"blocked", "denied", "expired", "cancelled", "queued", "read_only", "bad_input",
		"no_tool", "unparsed", "missing", "log", "mismatch", "repeated",
	} {
		for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
			var errOut strings.Builder
			d := &display{lang: lang, errOut: &errOut, errTTY: true}
			f := ipc.Message{Type: ipc.TypeTool}.WithData(ipc.Tool{State: ipc.ToolRefused, Reason: code, Command: "COMMAND"})
			require.NoError(t, d.tool(f))
			words := i18n.Refusal(code, lang)
			require.Contains(t, errOut.String(), words)
			if lang != i18n.English {
				require.NotEqual(t, code, words)
			}
		}
	}
	require.Equal(t, "a-new-one", i18n.Refusal("a-new-one", i18n.Korean))
}

// full is a stream that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestAFailedWriteIsRemembered(t *testing.T) {
	o := &output{w: full{}}
	_, err := o.Write([]byte("a"))
	require.ErrorIs(t, err, syscall.ENOSPC)
	_, again := o.Write([]byte("b"))
	require.True(t, errors.Is(again, syscall.ENOSPC) && errors.Is(o.err, syscall.ENOSPC))
	require.Error(t, printJSON(o, 1))
}
