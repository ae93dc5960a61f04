package automation

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestASignatureIsForTheRuleAsItStands(t *testing.T) {
	s := Signatures{Path: filepath.Join(t.TempDir(), "state", "signatures.json")}
	ctx := context.Background()
	r := Rule{Name: "n", Action: "do", Check: "disk", AutoApply: true, Commands: [][]string{{"systemctl", "restart", "a b"}, {"true"}}}
	require.False(t, s.Signed(r))
	require.NoError(t, s.Sign(ctx, r))
	require.True(t, s.Signed(r))
	fi, err := os.Stat(s.Path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), fi.Mode().Perm())
	for name, change := range map[string]func(*Rule){
		"name":          func(r *Rule) { r.Name = "m" },
		"action":        func(r *Rule) { r.Action = "do " },
		"check":         func(r *Rule) { r.Check = "" },
		"a word":        func(r *Rule) { r.Commands = [][]string{{"systemctl", "restart", "a c"}, {"true"}} },
		"words parted":  func(r *Rule) { r.Commands = [][]string{{"systemctl", "restart", "a", "b"}, {"true"}} },
		"one fewer":     func(r *Rule) { r.Commands = r.Commands[:1] },
		"other order":   func(r *Rule) { r.Commands = [][]string{r.Commands[1], r.Commands[0]} },
		"not by itself": func(r *Rule) { r.AutoApply = false },
	} {
		other := r
		change(&other)
		require.False(t, s.Signed(other), name)
	}
	require.NotEqual(t, Digest(Rule{Name: "a\xff"}), Digest(Rule{Name: "a\xfe"}))
	require.NoError(t, os.Chmod(s.Path, 0o644))
	require.False(t, s.Signed(r))
	require.NoError(t, os.Chmod(s.Path, 0o600))
	require.NoError(t, s.Withdraw(ctx, "n"))
	require.False(t, s.Signed(r))
	require.NoError(t, s.Withdraw(ctx, "n"))
	require.ErrorIs(t, s.Sign(ctx, Rule{Name: "n", AutoApply: true}), errNoCommands)
}

func TestD5SignaturesHaveAVersion(t *testing.T) {
	s, ctx := Signatures{Path: filepath.Join(t.TempDir(), "signed.json")}, context.Background()
	rule := func(name string) Rule {
		return Rule{Name: name, Schedule: "09:00", AutoApply: true, Commands: [][]string{{"true"}}}
	}
	old := `{"v": {"digest": "` + Digest(rule("v")) + `", "at": "2026-01-02T03:04:05Z"}, "signed": {"digest": "` + Digest(rule("signed")) + `", "at": "2026-01-02T03:04:05Z"}}`
	require.NoError(t, os.WriteFile(s.Path, []byte(old), 0o600))
	for range 2 {
		require.True(t, s.Signed(rule("v")))
		require.True(t, s.Signed(rule("signed")))
		require.NoError(t, s.Sign(ctx, rule("n")))
	}
	text, err := os.ReadFile(s.Path)
	require.NoError(t, err)
	require.Contains(t, string(text), `{"v":1,`)
	for _, newer := range []string{`{"v":2,"signed":{}}`, `{"v":2,"sealed":[]}`, `{"v":"2"}`} {
		require.NoError(t, os.WriteFile(s.Path, []byte(newer), 0o600))
		require.False(t, s.Signed(rule("n")))
		require.Error(t, s.Sign(ctx, rule("n")))
		kept, err := os.ReadFile(s.Path)
		require.NoError(t, err)
		require.Equal(t, newer, string(kept))
	}
}
