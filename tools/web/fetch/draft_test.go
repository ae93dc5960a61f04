package fetch

import (
	"bufio"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("WRITES_A_DRAFT_IN"); dir != "" { // until it is killed
		root, err := os.OpenRoot(dir)
		if err == nil {
			_, err = newNamedDraft(root)
		}
		if err != nil {
			panic(err)
		}
		os.Stdout.WriteString("written\n")
		select {}
	}
	os.Exit(m.Run())
}

func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestADraftIsAFileOnceItIsPublished(t *testing.T) {
	for name, create := range map[string]func(*os.Root) (*draft, error){"without a name": newDraft, "with one": newNamedDraft} {
		t.Run(name, func(t *testing.T) {
			root, err := os.OpenRoot(t.TempDir())
			require.NoError(t, err)
			defer root.Close()
			require.NoError(t, os.WriteFile(filepath.Join(root.Name(), "taken"), []byte("mine"), 0o600))
			for _, bad := range []string{"", ".", "..", "a/b", "../b", "/b"} {
				d, err := create(root)
				require.NoError(t, err)
				require.Error(t, d.publish(bad), bad)
				require.NoError(t, d.Close())
			}
			require.Equal(t, []string{"taken"}, namesIn(t, root.Name()), "what is discarded leaves nothing")
			d, err := create(root)
			require.NoError(t, err)
			_, err = d.WriteString("new")
			require.NoError(t, err)
			require.ErrorIs(t, d.publish("taken"), fs.ErrExist)
			require.NoError(t, d.publish("free"))
			require.NoError(t, d.Close())
			require.Equal(t, []string{"free", "taken"}, namesIn(t, root.Name()))
			for file, want := range map[string]string{"free": "new", "taken": "mine"} {
				got, err := os.ReadFile(filepath.Join(root.Name(), file))
				require.NoError(t, err)
				require.Equal(t, want, string(got))
			}
			fi, err := os.Lstat(filepath.Join(root.Name(), "free"))
			require.NoError(t, err)
			require.Equal(t, fs.FileMode(0o600), fi.Mode())
		})
	}
}

// TestAKilledProgramsDraftIsRemovedByTheNextDownload, where the file system makes it have a name. Those of programs that
// run, and files of other names, stay.
func TestAKilledProgramsDraftIsRemovedByTheNextDownload(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	start := func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "WRITES_A_DRAFT_IN="+dir)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		_, err = bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		return cmd
	}
	kill := func(cmd *exec.Cmd) {
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()
	}
	killed := start()
	left := namesIn(t, dir)
	require.Len(t, left, 1)
	require.Regexp(t, partName, left[0])
	kill(killed)
	outside := filepath.Join(t.TempDir(), "outside")
	require.NoError(t, os.WriteFile(outside, nil, 0o600))
	link, others := ".blunux-ai-AAAABBBBCCCC.part", []string{".blunux-ai-x.part", "a.part"}
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, link)))
	for _, name := range others {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	running := start()
	defer kill(running)
	removeLeftovers(root)
	names := namesIn(t, dir)
	require.NotContains(t, names, left[0])
	require.Len(t, names, 4, "the one that is written, the link, and those of other names: %v", names)
	require.Subset(t, names, append(others, link))
	require.FileExists(t, outside)
}
