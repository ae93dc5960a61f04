package main

import (
	"encoding/json"
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
	require.Equal(t, i18n.PendingApproval("K7QX").In(i18n.Korean)+"\n", errOut.String())
	errOut.Reset()
	d.answer("yes", ipc.Outcome{Pending: []string{"K7QX"}})
	require.Equal(t, i18n.PendingApproval("K7QX").In(i18n.English)+"\n", errOut.String())
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
	require.NotContains(t, i18n.Refusal("a-new-one", i18n.Korean), "a-new-one")
}

func TestNothingElseIsShownWhileAQuestionIsOpen(t *testing.T) {
	var out, errOut strings.Builder
	d := &display{lang: i18n.English, out: &out, errOut: &errOut, errTTY: true}
	d.asks = newConfirmer(d)
	answered := make(chan struct{})
	d.asks.last = answered
	delta := func(text string) ipc.Message { return ipc.Message{Type: ipc.TypeDelta, Re: "m1", Body: text} }
	running := ipc.Message{Type: ipc.TypeTool, Re: "m1"}.WithData(ipc.Tool{Class: "SAFE", Command: "echo '[y/N/a/e/?] '", State: ipc.ToolRunning})
	for _, f := range []ipc.Message{delta("Run this command?\n"), running, delta("[y/N/a/e/?] ")} {
		require.NoError(t, d.handleFrame(t.Context(), f))
	}
	require.Empty(t, out.String()+errOut.String())
	close(answered)
	require.NoError(t, d.handleFrame(t.Context(), delta("after")))
	require.Equal(t, "Run this command?\n[y/N/a/e/?] after", out.String())
	require.Equal(t, "▸ SAFE echo '[y/N/a/e/?] '\n", errOut.String())

	// The last frame is shown when the confirmation ends.
	d.asks.last = make(chan struct{})
	require.NoError(t, d.handleFrame(t.Context(), delta(", and the end")))
	require.NotContains(t, out.String(), "the end")
	close(d.asks.last)
	d.asks.close()
	require.Contains(t, out.String(), "after, and the end")
}

func TestACommandInProgressShowsWhatItHides(t *testing.T) {
	var errOut strings.Builder
	d := &display{lang: i18n.English, errOut: &errOut, errTTY: true}
	f := ipc.Message{Type: ipc.TypeTool}.WithData(ipc.Tool{Class: "SAFE\x1b[2J", Command: "ls\u202e  \x1b]0;x\x07\nrm", State: ipc.ToolRunning})
	require.NoError(t, d.tool(f))
	require.Equal(t, "▸ SAFE⟨\\x1b⟩[2J ls⟨\\u{202E}⟩␣␣⟨\\x1b⟩]0;x⟨\\x07⟩ …\n", errOut.String())
}

func TestStandardOutputWritesNoControls(t *testing.T) {
	var b strings.Builder
	o := &output{w: &b}
	require.NoError(t, printJSON(o, map[string]string{"a": "\u009b2J\x7f\u202e\U000e0041\x1b한\t"}))
	require.Equal(t, `{"a":"\u009b2J\u007f\u202e\udb40\udc41\u001b한\t"}`+"\n", b.String())
	var back map[string]string
	require.NoError(t, json.Unmarshal([]byte(b.String()), &back))
	require.Equal(t, "\u009b2J\x7f\u202e\U000e0041\x1b한\t", back["a"])

	b.Reset()
	n, err := o.Write([]byte("text\x1b]52;c;eA==\a\r\n\xe2\x82"))
	require.NoError(t, err)
	require.Equal(t, 20, n)
	require.Equal(t, "text\\u001b]52;c;eA==\\u0007\\u000d\n\\ufffd\\ufffd", b.String())
}

// failingWriter is a writer that always fails.
type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestAFailedWriteIsRemembered(t *testing.T) {
	o := &output{w: failingWriter{}}
	_, err := o.Write([]byte("a"))
	require.ErrorIs(t, err, syscall.ENOSPC)
	_, again := o.Write([]byte("b"))
	require.True(t, errors.Is(again, syscall.ENOSPC) && errors.Is(o.err, syscall.ENOSPC))
	require.Error(t, printJSON(o, 1))
}
