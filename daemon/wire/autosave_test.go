package wire

import (
	"testing"
	"time"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/notes"
	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/stretchr/testify/require"
)

// No lines are added to daily notes. Existing notes and days stay.
func TestU18WithoutAutoSaveOnlyWhatWasAskedForIsKept(t *testing.T) {
	paths := config.Paths{Home: t.TempDir()}
	off := false
	for _, save := range []*bool{nil, &off} {
		n := notes.New(paths, config.Memory{AutoSave: save}, nil, secret.NewRedactor(nil))
		require.NoError(t, n.Append(time.Now(), "- 09:12 · hi · - · hello"))
	}
	n := notes.New(paths, config.Memory{AutoSave: &off}, nil, secret.NewRedactor(nil))
	_, err := n.Remember(t.Context(), memory.Note{Text: "likes tea"})
	require.NoError(t, err)
	counted, err := n.Count(t.Context())
	require.NoError(t, err)
	require.Equal(t, []memory.CategoryCount{{Category: "core", Notes: 1}, {Category: "daily", Notes: 1}}, counted.Categories)

	said := func(cfg config.Config) string {
		all, err := toolsOf(cfg)
		require.NoError(t, err)
		text := ""
		for _, tool := range all {
			if name := tool.Definition.Name; name == "remember" || name == "update_user" {
				text += tool.Definition.Description
			}
		}
		return text
	}
	require.NotContains(t, said(config.Config{}), "switched off")
	require.Contains(t, said(config.Config{Memory: config.Memory{AutoSave: &off}}), "switched off")
}
