package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

func TestU12NothingOfTheInsideIsShown(t *testing.T) {
	for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
		shown := shownStatus(lang, 0)
		require.NotRegexp(t, `(?i)goroutine|고루틴|协程|heap|힙|agent:main|\(\d+\), (out|보냄|发)`, shown)
		row := ipc.SessionRow{Key: "agent:main:session:tui/20261123-0100", Title: "디스크"}
		require.NotContains(t, sessionLine(row, lang), "agent:")
		require.Contains(t, sessionLine(row, lang), "tui/20261123-0100")
		var out bytes.Buffer
		printUsage(&out, ipc.UsageReport{By: "session", Rows: []ipc.UsageRow{{Name: "agent:main:session:cli/default"}}}, lang)
		require.NotContains(t, out.String(), "agent:")
	}
}

func TestU12FiguresStayInJSON(t *testing.T) {
	raw, err := json.Marshal(ipc.Status{Process: ipc.Process{Goroutines: 24}})
	require.NoError(t, err)
	require.Contains(t, string(raw), `"goroutines":24`)
}
