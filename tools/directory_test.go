package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
)

func TestTheDirectoryListsTheDeferredTools(t *testing.T) {
	var all []providers.ToolDefinition
	for _, tool := range allTools(t) {
		all = append(all, tool.Definition)
	}
	offered := providers.Request{Tools: all}.Offered()
	require.Len(t, offered, 10)
	size := 0
	for _, d := range offered {
		if d.Name == "send_file" {
			continue // only for messengers
		}
		size += len(d.Name) + len(d.Description) + len(d.InputSchema)
	}
	require.Less(t, size, 2900, "these go with each request")

	foreign := providers.ToolDefinition{Name: "calendar__add", Description: "Adds an appointment\nto the " + strings.Repeat("large ", 20) + "calendar", Deferred: true}
	d, ok := tools.Directory(append(all, foreign))
	require.True(t, ok)
	require.True(t, d.Directory)
	for _, def := range all {
		require.Equal(t, def.Deferred, strings.Contains(d.Description, " "+def.Name+",") || strings.Contains(d.Description, " "+def.Name+"."), def.Name)
	}
	require.True(t, strings.HasSuffix(d.Description, "\n- calendar__add: Adds an appointment to the "+strings.Repeat("large ", 5)+"lar…"), d.Description)
	require.True(t, json.Valid(d.InputSchema))
	require.True(t, tools.PrintsOwnText(d.Name))
	_, ok = tools.Directory(offered)
	require.False(t, ok)
}
