package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const stream = `
{"Action":"run","Package":"github.com/nidoit/blunux-ai/tui","Test":"TestGood"}
{"Action":"output","Package":"github.com/nidoit/blunux-ai/tui","Test":"TestGood","Output":"nobody reads this\n"}
{"Action":"pass","Package":"github.com/nidoit/blunux-ai/tui","Test":"TestGood","Elapsed":2.5}
{"Action":"output","Package":"github.com/nidoit/blunux-ai/tui","Test":"TestIdle","Output":"    run_test.go:54: no pseudoterminal\n"}
{"Action":"skip","Package":"github.com/nidoit/blunux-ai/tui","Test":"TestIdle"}
{"Action":"output","Package":"github.com/nidoit/blunux-ai/tui","Output":"PASS\n"}
{"Action":"pass","Package":"github.com/nidoit/blunux-ai/tui","Elapsed":3}
go: downloading something
`

const bad = `
{"Action":"output","Package":"github.com/nidoit/blunux-ai/daemon","Test":"TestBad","Output":"    it is wrong\n"}
{"Action":"fail","Package":"github.com/nidoit/blunux-ai/daemon","Test":"TestBad","Elapsed":1}
{"Action":"output","Package":"github.com/nidoit/blunux-ai/daemon","Test":"TestHangs","Output":"panic: test timed out\n"}
{"Action":"fail","Package":"github.com/nidoit/blunux-ai/daemon","Elapsed":40}
`

func tell(t *testing.T, known map[string]bool, strict bool, text string) (string, bool) {
	var out bytes.Buffer
	y := newTally(&out)
	require.NoError(t, y.read(strings.NewReader(text)))
	_, well := y.close(known, strict, time.Minute)
	return out.String(), well
}

func TestWhatMattersIsTold(t *testing.T) {
	out, well := tell(t, map[string]bool{"tui TestIdle": true}, true, stream)
	require.True(t, well)
	require.NotContains(t, out, "nobody reads this")
	for _, part := range []string{
		"ok       3.0s  tui\n", "go: downloading something\n", "    2.5s  tui TestGood\n", "skipped: tui TestIdle: no pseudoterminal\n",
		"1 tests passed, 0 failed, 1 skipped (0 unexpectedly) in 1 packages, 1m0s\n",
	} {
		require.Contains(t, out, part)
	}
}

func TestAnUnexpectedSkipFailsWhereNoneMayBe(t *testing.T) {
	out, well := tell(t, nil, true, stream)
	require.False(t, well)
	require.Contains(t, out, "SKIPPED UNEXPECTEDLY: tui TestIdle: no pseudoterminal\n")
	_, well = tell(t, nil, false, stream)
	require.True(t, well)
}

func TestAllAFailedTestSaidIsShown(t *testing.T) {
	out, well := tell(t, nil, false, stream+bad)
	require.False(t, well)
	for _, part := range []string{
		"    it is wrong\npanic: test timed out\nFAIL    40.0s  daemon\n", "FAILED: daemon TestBad\nFAILED: daemon TestHangs (did not end)\n", "2 failed",
	} {
		require.Contains(t, out, part)
	}
}
