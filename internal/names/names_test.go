package names_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/internal/names"
)

// TestTheTableIsWellFormed reports errors in new rows.
func TestTheTableIsWellFormed(t *testing.T) {
	all := names.All()
	require.Greater(t, len(all), 400)
	for _, n := range all {
		require.Contains(t, []string{"app", "daemon", "cli"}, n.Kind, n.Package)
		require.Regexp(t, `^[a-z0-9@._+-]+$`, n.Package)
		for _, other := range n.Aliases {
			require.Equal(t, strings.ToLower(strings.TrimSpace(other)), other, n.Package)
			require.NotEmpty(t, other, n.Package)
		}
	}
}

func TestANameIsCalledByAllItsTexts(t *testing.T) {
	n := names.FromRow([]string{"foo-bin", "user:Foo", "daemon", "푸, foo box"})
	require.Equal(t, names.Name{Package: "foo-bin", Service: "Foo", User: true, Kind: "daemon", Aliases: []string{"푸", "foo box"}}, n)
	require.Equal(t, []string{"foo-bin", "foo", "푸", "foo box"}, n.AllNames())
	require.Equal(t, []string{"vlc"}, names.FromRow([]string{"vlc", "-", "app"}).AllNames())
	require.Empty(t, names.FromRow(nil).Service)
}

func TestTraditionalCharactersAreWrittenSimplified(t *testing.T) {
	require.Equal(t, "备份硬盘在书房", names.Simplified("備份硬碟在書房"))
	require.Equal(t, "크롬 chrome", names.Simplified("크롬 chrome"))
}
