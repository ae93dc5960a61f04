package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

func TestStandardInputLosesItsControlsOnly(t *testing.T) {
	in, err := readInput(t.Context(), strings.NewReader("a\x00\x1b[2mb\r\nc\td\x07한\xff"), nil)
	require.NoError(t, err)
	require.Equal(t, "a[2mb\nc\td한\ufffd", in.text(1000, i18n.English))
}

func TestWhatIsTooLongKeepsItsEnds(t *testing.T) {
	in, err := readInput(t.Context(), strings.NewReader("BEGIN"+strings.Repeat("x", 1<<20)+"END"), nil)
	require.NoError(t, err)
	require.Equal(t, 1<<20+8, in.size())
	text := in.text(ipc.MaxLine, i18n.English)
	require.True(t, strings.HasPrefix(text, "BEGINx") && strings.HasSuffix(text, "xEND"))
	require.Contains(t, text, "[786440 bytes omitted]")
	require.Equal(t, "ab\n[3 bytes omitted]\nfg", input{ipc.Excerpt{Head: []byte("abcdefg")}}.text(4, i18n.English))
}

func TestEveryInputFitsItsLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SliceOfN(rapid.Byte(), 1, 6).Draw(t, "unit")
		times := rapid.IntRange(0, 100_000).Draw(t, "times")
		question := stripControls(strings.Repeat(rapid.StringN(0, 8, 16).Draw(t, "question"), rapid.IntRange(0, 10_000).Draw(t, "asked")))
		in, err := readEnds(printableReader{bytes.NewReader(bytes.Repeat(unit, times))})
		if err != nil {
			t.Fatal(err)
		}
		m := ipc.Message{Type: ipc.TypeMessage, Body: question}.WithData(ipc.Request{Stdin: in.text(stdinBudget(question), i18n.Korean)})
		if _, err := ipc.Append(nil, m); err != nil {
			t.Fatal(err)
		}
		s := rapid.String().Draw(t, "text")
		encoded, err := json.Marshal(s)
		if err != nil || len(encoded)-2 > ipc.WireSize([]byte(s)) {
			t.Fatalf("%q takes %d bytes, thought to take %d", s, len(encoded)-2, ipc.WireSize([]byte(s)))
		}
	})
}

func TestASilentPipeIsToldOnceAndCanBeLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		told := 0
		_, err := readInput(ctx, r, func() { told++ })
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 1, told)
		w.Close()
	})
}

func TestAPipeThatTalksIsNotToldOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		go func() {
			_, _ = io.WriteString(w, "a")
			time.Sleep(time.Minute)
			w.Close()
		}()
		in, err := readInput(t.Context(), r, func() { t.Error("told") })
		require.NoError(t, err)
		require.Equal(t, "a", in.text(10, i18n.English))
	})
}
