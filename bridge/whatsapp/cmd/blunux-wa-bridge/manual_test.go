package main

import (
	"bytes"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/bridge/program"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/test/helptest"
)

func TestEverythingInTheHelpIsToldInThreeLanguages(t *testing.T) {
	require.Empty(t, helptest.MissingTexts(func(lang i18n.Lang) *cobra.Command {
		return (&program.Program{Kind: kind(), Lang: lang, Getenv: func(string) string { return "" }, Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}).Root()
	}), "the same in two languages, or empty")
}

func TestWhatThePersonHasToDoIsToldWithACommand(t *testing.T) {
	for phase, text := range kind().PhaseHelp {
		require.True(t, phase.NeedsPerson())
		require.Contains(t, text.In(i18n.English), "blunux-wa-bridge", phase)
	}
}

func TestNumbersAsTheyAreTyped(t *testing.T) {
	p := &program.Program{Kind: kind(), Lang: i18n.English, Err: &bytes.Buffer{}}
	for typed, want := range map[string]string{
		"+82 10-1234-5678": "821012345678", "1 (555) 123-4567": "15551234567", "": "",
		"010-1234-5678": "-", "12345": "-", "82101234567890123": "-", "82abc12345": "-",
	} {
		got, err := phoneNumber(p, typed)
		if want == "-" {
			require.Error(t, err, typed)
			continue
		}
		require.NoError(t, err, typed)
		require.Equal(t, want, got)
	}
}
