package memory_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestWhatIsKnownOfThePersonIsReplacedAndKept(t *testing.T) {
	dir := t.TempDir()
	m := at(dir)
	c, err := m.UpdateUser(t.Context(), "# Me\r\n\r\n- tea\x1b[2J\n\n")
	require.NoError(t, err)
	require.Equal(t, []string{"# Me", "- tea[2J"}, c.Added)
	require.Equal(t, "# Me\n\n- tea[2J\n", read(t, dir, "USER.md"))
	require.NoFileExists(t, dir+"/USER.md~")

	plan, err := m.UserChange("# Me\n\n- coffee\n- vim\n- tea[2J\n")
	require.NoError(t, err)
	require.Equal(t, []string{"- coffee", "- vim"}, plan.Added)
	require.Empty(t, plan.Removed, "it only adds")
	c, err = m.UpdateUser(t.Context(), "# You\n- tea[2J")
	require.NoError(t, err)
	require.Equal(t, []string{"# You"}, c.Added)
	require.Equal(t, []string{"# Me"}, c.Removed)
	require.Equal(t, "# Me\n\n- tea[2J\n", read(t, dir, "USER.md~"))

	write(t, dir, "USER.md", "\ufeff# Mine\r\n")
	c, err = m.UpdateUser(t.Context(), "# Mine\n")
	require.NoError(t, err)
	require.Empty(t, append(c.Added, c.Removed...))
	require.Equal(t, "\ufeff# Mine\r\n", read(t, dir, "USER.md"), "nothing but line ends")
	_, err = m.UpdateUser(t.Context(), strings.Repeat("x", 257<<10))
	requireFault(t, err, "USER.md", "full", "edit")
}

func TestAMovedLineIsRemovedAndAdded(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "USER.md", "## Likes\n- tea\n## Hates\n- rain\n")
	c, err := at(dir).UserChange("## Likes\n- rain\n## Hates\n- tea\n")
	require.NoError(t, err)
	require.NotEmpty(t, c.Removed, "what stands under another heading means something else")
}

// A change lists every changed line: the new text is the old one without the removed and with the added lines.
func TestAChangeTellsEveryLine(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir := t.TempDir()
		draw := func(name string) []string {
			return rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "- d"}), 0, 12).Draw(rt, name)
		}
		old, now := draw("old"), draw("new")
		write(t, dir, "USER.md", strings.Join(old, "\n"))
		c, err := at(dir).UpdateUser(rt.Context(), strings.Join(now, "\n"))
		require.NoError(rt, err)
		require.ElementsMatch(rt, append(old, c.Added...), append(now, c.Removed...))
		if len(c.Removed) == 0 {
			rest := now
			for _, l := range old {
				for len(rest) > 0 && rest[0] != l {
					rest = rest[1:]
				}
				require.NotEmpty(rt, rest)
				rest = rest[1:]
			}
		}
	})
}
