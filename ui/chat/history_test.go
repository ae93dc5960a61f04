package chat

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/i18n"
)

func TestALineWithABlankBeforeItAndKeysAreNotWrittenDown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	h := HistoryFile(path)
	c := newChat(i18n.English, func(o *Options) { o.History = h })
	for _, line := range []string{" my pin is 1234", "use sk-ant-api03-" + strings.Repeat("aB3dE", 18) + " please", "plain"} {
		setText(&c.prompt.area, line)
		cmd := c.addHistory(c.prompt.text())
		if cmd != nil {
			require.Nil(t, cmd())
		}
	}
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotContains(t, string(data), "1234")
	require.NotContains(t, string(data), "aB3dE")
	require.Contains(t, string(data), "plain")
	lines, err := h.Load()
	require.NoError(t, err)
	require.Len(t, lines, 2)
	require.Len(t, c.history.lines, 3, "in this chat all of it is recalled")

	c.prompt.clear()
	c.do(pasted("  a blank before"))
	c.press("enter")
	require.Equal(t, "  a blank before", c.history.lines[3])
	require.Equal(t, "a blank before", c.last().Body)
}

func TestThreat15ALinkOrPipeInPlaceOfWhatWasTypedIsRefused(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	require.NoError(t, os.WriteFile(target, []byte("theirs\n"), 0o644))
	link, pipe := filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	require.NoError(t, os.Symlink(target, link))
	require.NoError(t, unix.Mkfifo(pipe, 0o600))
	for _, path := range []string{link, pipe} {
		h := HistoryFile(path)
		require.Error(t, h.Append("mine"))
		_, err := h.Load()
		require.Error(t, err)
	}
	data, err := os.ReadFile(target)
	require.NoError(t, err)
	require.Equal(t, "theirs\n", string(data))
}

func TestWritingItAnewFollowsNoLinkAndHasItsMode(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	require.NoError(t, os.WriteFile(target, []byte("theirs\n"), 0o644))
	path := filepath.Join(dir, "history")
	require.NoError(t, os.Symlink(target, path+".new"))
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("\"x\"\n", 2*maxRecalled+1)), 0o644))
	lines, err := HistoryFile(path).Load()
	require.NoError(t, err)
	require.Len(t, lines, maxRecalled)
	data, err := os.ReadFile(target)
	require.NoError(t, err)
	require.Equal(t, "theirs\n", string(data))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestAHugeHistoryIsReadFromItsEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	f, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, f.Truncate(1<<40))
	_, err = f.WriteAt([]byte("\n\"latest\"\n"), 1<<40)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	lines, err := HistoryFile(path).Load()
	require.NoError(t, err)
	require.Equal(t, []string{"latest"}, lines)
}

func TestChatsBesideOneAnotherLoseNoLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("\"old\"\n", 2*maxRecalled+1)), 0o600))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			h := HistoryFile(path)
			for range 20 {
				if err := h.Append("mine"); err != nil {
					t.Error(err)
				}
				if _, err := h.Load(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	lines, err := HistoryFile(path).Load()
	require.NoError(t, err)
	require.Equal(t, 160, strings.Count(strings.Join(lines, " "), "mine"))
}
