package wire

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/notes"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/stretchr/testify/require"
)

// In every form and place, but without the conversations of other channels.
func TestH10WhatRemainsOfAForgottenNoteIsFound(t *testing.T) {
	paths := config.Paths{Home: t.TempDir()}
	write := func(name, text string) {
		file := filepath.Join(paths.Home, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	n := notes.New(paths, config.Memory{}, nil, secret.NewRedactor(nil))
	const text = `Ann's "cat" <Momo> lives in Busan`
	write("sessions/agent%3Amain%3Asession%3Acli%2Fa.jsonl", `{"content":"`+`Ann's \"cat\" \u003cMomo\u003e lives in Busan`+`"}`)
	write("sessions/agent%3Amain%3Asession%3Awhatsapp%2Fb.jsonl", `{"content":"`+`Ann's \"cat\" <Momo> lives in Busan`+`"}`)
	write("sessions/agent%3Amain%3Asession%3Acli%2Fc.jsonl", "Ann's cat lives in Busan")
	write("logs/commands.log", strings.Repeat("x", 256<<10)+`remember -- 'Ann'\''s "cat" <Momo> lives in Busan'`)
	write("chat_history", text)
	write("memory/MEMORY.md", text)
	write("credentials/x", text)
	require.NoError(t, os.Symlink(filepath.Join(paths.Home, "chat_history"), filepath.Join(paths.Home, "link")))

	here := n.FindCopies(t.Context(), text, "")
	require.ElementsMatch(t, []string{"cli/a", "whatsapp/b"}, here.Conversations)
	require.Equal(t, []string{"chat_history", "logs/commands.log"}, here.Files)
	require.Equal(t, []string{"whatsapp/b"}, n.FindCopies(t.Context(), text, "agent:main:session:whatsapp/").Conversations)
	require.Empty(t, n.FindCopies(t.Context(), "tea", "").Files)

	done := notes.ForgottenNote{Change: memory.Change{Also: []memory.FileLines{{File: "USER.md", Lines: 1}}, Still: []string{"daily/2026-11.md"}}, Copies: notes.RemainingCopies{
		Conversations: []string{"cli/a", "cli/b", "cli/c", "cli/d"},
	}}
	require.Equal(t, "Also removed 1 repeated line from USER.md\nStill in files that cannot be changed: daily/2026-11.md\n"+
		"Still in the conversation cli/a. To delete it: blunux-aictl sessions delete cli/a\nStill in the conversation cli/b. To delete it: blunux-aictl sessions delete cli/b\n"+
		"Still in the conversation cli/c. To delete it: blunux-aictl sessions delete cli/c\nAlso in 1 more conversation. To find them: blunux-aictl sessions search", done.Describe(i18n.English))
	require.Empty(t, notes.ForgottenNote{}.Describe(i18n.Korean))
}
