package commandlog

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestARecordKnowsWhetherItHasAnEnd(t *testing.T) {
	d := newPlace(t)
	l := d.log()
	ended, err := l.HasEnd(Ref{1})
	require.NoError(t, err)
	require.False(t, ended, "there is no log yet")

	first, err := l.Begin(Entry{Class: Confirmed, Command: "first"})
	require.NoError(t, err)
	second, err := l.Begin(Entry{Class: Confirmed, Command: strings.Repeat("long ", 50_000)})
	require.NoError(t, err)
	require.NoError(t, l.End(second, Result{Exit: 3}))
	for range 100 {
		d.run("df -h")
	}
	for ref, want := range map[Ref]bool{first: false, second: true} {
		data, err := json.Marshal(ref)
		require.NoError(t, err)
		var kept Ref
		require.NoError(t, json.Unmarshal(data, &kept))
		require.Equal(t, ref, kept)
		ended, err := d.log().HasEnd(kept)
		require.NoError(t, err)
		require.Equal(t, want, ended)
	}
	require.NoError(t, d.log().End(first, Result{}))
	ended, err = l.HasEnd(first)
	require.NoError(t, err)
	require.True(t, ended)
	require.True(t, d.verify().OK)
}
