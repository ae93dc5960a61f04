package pacnew

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/machine"
)

// versions are three versions of a file on the disk.
type versions struct{ dir, mine, base, new string }

func (v versions) write(t require.TestingT) (mine, base, new string) {
	mine, base, new = filepath.Join(v.dir, "mine"), filepath.Join(v.dir, "base"), filepath.Join(v.dir, "new")
	for path, text := range map[string]string{mine: v.mine, base: v.base, new: v.new} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return mine, base, new
}

// diff3 returns the output of diff3; it exits with 1 for conflicts.
func diff3(t require.TestingT, args ...string) string {
	cmd := exec.Command("diff3", args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	out, err := cmd.Output()
	if err != nil {
		require.Equal(t, 1, cmd.ProcessState.ExitCode(), "%v: %v", args, err)
	}
	return string(out)
}

// merged returns the parts of a merge whose changes the real diff3 shows, as [machine.MergeProbe] filters them.
func (v versions) merged(t require.TestingT) []part {
	mine, base, new := v.write(t)
	var heads bytes.Buffer
	for line := range strings.Lines(diff3(t, "-a", mine, new, base)) {
		if strings.HasPrefix(line, "====") || len(line) > 2 && strings.Contains("123", line[:1]) && line[1] == ':' && line[2] >= '0' && line[2] <= '9' {
			heads.WriteString(line)
		}
	}
	changes, err := machine.ParseDiff3(heads.Bytes())
	require.NoError(t, err, heads.String())
	parts, err := merge(v.mine, v.new, changes)
	require.NoError(t, err, "%+v\n%s", v, heads.String())
	return parts
}

// edits returns a text after random changes of its lines: some are changed, removed or added. The end may have no newline.
func edits(t *rapid.T, lines []string, who string) string {
	var out []string
	for i, line := range lines {
		switch rapid.IntRange(0, 11).Draw(t, fmt.Sprintf("%s %d", who, i)) {
		case 0:
			out = append(out, line+" "+rapid.SampledFrom([]string{"a", "b", who}).Draw(t, "value"))
		case 1:
		case 2:
			out = append(out, line, rapid.SampledFrom([]string{"# both", "# " + who, "", "=======", ">>>>>>> x"}).Draw(t, "added"))
		default:
			out = append(out, line)
		}
	}
	text := strings.Join(out, "\n")
	if len(out) > 0 && rapid.IntRange(0, 7).Draw(t, who+" end") > 0 {
		text += "\n"
	}
	return text
}

func draw(t *rapid.T, dir string) versions {
	n := rapid.IntRange(0, 30).Draw(t, "lines")
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("key%d = %d", i, rapid.IntRange(0, 3).Draw(t, "value"))
		if rapid.IntRange(0, 5).Draw(t, "blank") == 0 {
			lines[i] = ""
		}
	}
	base := strings.Join(lines, "\n")
	if n > 0 {
		base += "\n"
	}
	return versions{dir, edits(t, lines, "mine"), base, edits(t, lines, "new")}
}

// TestAMergeIsWhatDiff3Merges: without a conflict, the text is that of diff3 -m -E, which takes the same change of both as one; there are as many conflicts as it has.
func TestAMergeIsWhatDiff3Merges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		v := draw(t, dir)
		if v.mine == v.new {
			return
		}
		parts := v.merged(t)
		mine, base, new := v.write(t)
		open := len(conflicts(parts))
		text, whole := resolve(parts, nil)
		require.Equal(t, open == 0, whole)
		if open == 0 {
			require.Equal(t, strings.TrimSuffix(diff3(t, "-a", "-m", "-E", mine, base, new), "\n"), strings.TrimSuffix(text, "\n"))
		}
		plain := 0
		for line := range strings.Lines(diff3(t, "-a", mine, new, base)) {
			if line == "====\n" {
				plain++
			}
		}
		require.Equal(t, plain, open)
	})
}

// TestAMergeLosesNoLine: a line that one side added is in the text, or in a conflict that the person decides. No side brings
// the marks of a conflict.
func TestAMergeLosesNoLine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		v := draw(t, dir)
		if v.mine == v.new {
			return
		}
		parts := v.merged(t)
		open := conflicts(parts)
		for _, side := range []Side{Mine, New} {
			sides := map[int]Side{}
			for i := range open {
				sides[i+1] = side
			}
			text, whole := resolve(parts, sides)
			require.True(t, whole)
			kept := lineCounts(text)
			for _, c := range open {
				for _, line := range slices.Concat(c.mine, c.new) {
					kept[strings.TrimSuffix(line, "\n")]++
				}
			}
			base := lineCounts(v.base)
			for _, version := range []string{v.mine, v.new} {
				for line, n := range lineCounts(version) {
					if added := n - base[line]; added > 0 && base[line] == 0 {
						require.Positive(t, kept[line], "%q of\n%s\nis not in\n%s", line, version, text)
					}
				}
			}
			require.LessOrEqual(t, strings.Count(text, ">>>>>>> x"), strings.Count(v.mine, ">>>>>>> x")+strings.Count(v.new, ">>>>>>> x"))
			require.NotContains(t, text, "<<<<<<<")
			require.NotContains(t, text, "|||||||")
		}
	})
}

func lineCounts(text string) map[string]int {
	counts := map[string]int{}
	for line := range strings.Lines(text) {
		counts[strings.TrimSuffix(line, "\n")]++
	}
	return counts
}

// TestAMergeOfOtherFilesIsRefused: changes that do not fit the texts are never applied.
func TestAMergeOfOtherFilesIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		v := draw(t, dir)
		spans := rapid.Custom(func(t *rapid.T) machine.Span {
			return machine.Span{From: rapid.IntRange(0, 40).Draw(t, "from"), To: rapid.IntRange(0, 40).Draw(t, "to")}
		})
		changes := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) machine.Change3 {
			return machine.Change3{Only: rapid.IntRange(0, 3).Draw(t, "only"), Spans: [3]machine.Span{spans.Draw(t, "a"), spans.Draw(t, "b"), spans.Draw(t, "c")}}
		}), 0, 4).Draw(t, "changes")
		parts, err := merge(v.mine, v.new, changes)
		if err != nil {
			require.ErrorIs(t, err, errChanged)
			return
		}
		mine, new := map[int]Side{}, map[int]Side{}
		open := conflicts(parts)
		for i := range open {
			mine[i+1], new[i+1] = Mine, New
		}
		if len(open) == len(changes) { // all is decided by the person: each side is that side's file
			text, _ := resolve(parts, mine)
			require.Equal(t, v.mine, text)
			text, _ = resolve(parts, new)
			require.Equal(t, v.new, text)
		}
	})
}

func TestChoices(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Choice{
		"": {}, "mine": {Whole: Mine}, "New": {Whole: New}, "1=mine 2=new": {Sides: map[int]Side{1: Mine, 2: New}},
		"1 and 3 mine, 2 new": {Sides: map[int]Side{1: Mine, 3: Mine, 2: New}}, "take the new one": {Whole: New},
	} {
		got, err := ParseChoice(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"both", "1", "1=mine 1=new", "mine new", "1=mine new", "mine 1=new", "0=mine", "99=mine", "1=mine 2", strings.Repeat("1 mine ", 200)} {
		_, err := ParseChoice(text)
		require.Error(t, err, text)
	}
}
