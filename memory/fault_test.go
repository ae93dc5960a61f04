package memory_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/memory"
)

// If something else is in place of a file, the error names the file and a command that helps, the other files
// work, and the obstacle is not overwritten.
func TestABadFileIsToldAndTheOthersWork(t *testing.T) {
	for reason, plant := range map[string]func(t *testing.T, file string){
		"link": func(t *testing.T, file string) {
			require.NoError(t, os.WriteFile(file+".target", []byte("TARGET"), 0o600))
			require.NoError(t, os.Symlink(file+".target", file))
		},
		"not-regular": func(t *testing.T, file string) { require.NoError(t, unix.Mkfifo(file, 0o600)) },
		"not-text": func(t *testing.T, file string) {
			require.NoError(t, os.WriteFile(file, []byte("\xff\xfea\x00\n\x00"), 0o600))
		},
		"too-large": func(t *testing.T, file string) {
			require.NoError(t, os.WriteFile(file, []byte("- a line of it\n"+strings.Repeat("- "+strings.Repeat("long ", 8000)+"\n", 50<<20/40_000)+"- the last line\n"), 0o600))
		},
	} {
		for _, name := range []string{"USER.md", "MEMORY.md", "daily/2026-02-19.md"} {
			t.Run(reason+" "+name, func(t *testing.T) {
				dir := t.TempDir()
				for _, good := range []string{"USER.md", "MEMORY.md", "daily/2026-02-19.md", "daily/2026-02-18.md"} {
					write(t, dir, good, "- good "+good+"\n")
				}
				require.NoError(t, os.Remove(filepath.Join(dir, name)))
				plant(t, filepath.Join(dir, name))
				before, err := os.Lstat(filepath.Join(dir, name))
				require.NoError(t, err)
				m := at(dir)

				notes, err := m.Notes(t.Context())
				requireFault(t, err, name, reason, "'"+filepath.Join(dir, name)+"'", "blunux-ai memory edit "+name)
				require.GreaterOrEqual(t, len(notes), 3)
				hits, err := m.Recall(t.Context(), memory.Query{Words: "GOOD 2026-02-18"})
				requireFault(t, err, name, reason, "")
				require.Len(t, hits, 1)
				shown, _ := m.Files(t.Context())
				require.Len(t, shown, 4)
				var out strings.Builder
				requireFault(t, m.Export(t.Context(), &out), name, reason, "")
				require.Contains(t, out.String(), "good daily/2026-02-18.md")

				switch name {
				case "USER.md":
					_, err = m.UpdateUser(t.Context(), "new")
				case "MEMORY.md":
					_, err = m.Remember(t.Context(), memory.Note{Text: "new"})
				default:
					_, err = m.Forget(t.Context(), "a line of it")
					if reason != "too-large" {
						require.ErrorIs(t, err, memory.ErrNoNote)
					}
				}
				require.ErrorContains(t, err, "cannot read "+name)
				after, err := os.Lstat(filepath.Join(dir, name))
				require.NoError(t, err)
				require.True(t, os.SameFile(before, after))
				if reason == "link" {
					require.Equal(t, "TARGET", read(t, dir, name+".target"))
				}
			})
		}
	}
}

func TestOfALargeFileTheEndIsShown(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "MEMORY.md", strings.Repeat("- "+strings.Repeat("long ", 8000)+"\n", 50<<20/40_000)+"- the last line\n")
	sections, err := at(dir).Context(t.Context(), memory.ContextQuery{})
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(sections[0].Text, "- the last line"))
	files, err := at(dir).Files(t.Context())
	require.NoError(t, err)
	require.True(t, files[0].Cut)
	require.LessOrEqual(t, len(files[0].Text), 64<<10)
	require.Greater(t, files[0].Size, int64(50_000_000))
}

func TestAFileThatIsReadOnlyStaysAsItIs(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"USER.md", "MEMORY.md"} {
		write(t, dir, name, "- mine\n")
		require.NoError(t, os.Chmod(filepath.Join(dir, name), 0o400))
	}
	m := at(dir)
	_, err := m.Remember(t.Context(), memory.Note{Text: "x"})
	requireFault(t, err, "MEMORY.md", "read-only", "chmod u+w '"+dir+"/MEMORY.md'")
	_, err = m.Forget(t.Context(), "USER.md:1")
	requireFault(t, err, "USER.md", "read-only", "chmod u+w")
	_, err = m.UpdateUser(t.Context(), "x")
	requireFault(t, err, "USER.md", "read-only", "chmod u+w")
	require.Equal(t, "- mine\n", read(t, dir, "MEMORY.md"))
	require.NoFileExists(t, dir+"/USER.md~")
}

// mounted returns a directory on a separate file system.
func mounted(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		require.NotZero(t, os.Geteuid(), "root can mount: %v", err)
		t.Skipf("only root can mount a small disk: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	return dir
}

func TestAFullDiskLosesNothing(t *testing.T) {
	dir := mounted(t, "size=64k")
	m := at(dir)
	_, err := m.Remember(t.Context(), memory.Note{Key: "k", Text: "there"})
	require.NoError(t, err)
	require.NoError(t, m.Append(today, "- 09:00 · a · - · b"))
	before := read(t, dir, "MEMORY.md")
	fill, err := os.Create(dir + "/fill")
	require.NoError(t, err)
	_, err = fill.WriteString(strings.Repeat("x", 64<<10))
	require.ErrorIs(t, err, unix.ENOSPC)
	require.NoError(t, fill.Close())

	_, err = m.Remember(t.Context(), memory.Note{Text: strings.Repeat("y", 4000)})
	requireFault(t, err, "MEMORY.md", "no-space", "df -h")
	_, err = m.UpdateUser(t.Context(), strings.Repeat("y", 5000))
	requireFault(t, err, "USER.md", "no-space", "df -h")
	require.ErrorIs(t, m.Append(today, strings.Repeat("z", 1000)+strings.Repeat("z", 1000)), nil, "a page had room for it")
	require.Equal(t, before, read(t, dir, "MEMORY.md"))
	notes, err := m.Notes(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, notes)
	require.NoError(t, os.Remove(dir+"/fill"))
	_, err = m.Remember(t.Context(), memory.Note{Text: "again"})
	require.NoError(t, err)
	require.Empty(t, leftovers(t, dir))
}

func leftovers(t *testing.T, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(dir + "/.*.md*")
	require.NoError(t, err)
	return all
}

func TestADiskThatIsMountedReadOnly(t *testing.T) {
	dir := mounted(t, "size=64k")
	m := at(dir)
	write(t, dir, "MEMORY.md", "- mine\n")
	require.NoError(t, unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	_, err := m.Remember(t.Context(), memory.Note{Text: "x"})
	require.ErrorContains(t, err, "read-only")
	require.ErrorContains(t, err, "findmnt -T")
	require.ErrorContains(t, m.Append(today, "x"), "cannot write today's note")
	_, err = m.Clear(t.Context())
	require.ErrorContains(t, err, "read-only")
	sections, err := m.Context(t.Context(), memory.ContextQuery{Words: "mine"})
	require.NoError(t, err)
	require.Len(t, sections, 1)
}

func TestALinkInPlaceOfTheDaysIsNotFollowed(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "elsewhere/2026-02-19.md", "- secret\n")
	write(t, dir, "memory/MEMORY.md", "- mine\n")
	require.NoError(t, os.Symlink(dir+"/elsewhere", dir+"/memory/daily"))
	m := at(dir + "/memory")
	notes, err := m.Notes(t.Context())
	requireFault(t, err, "daily", "link", "")
	require.Len(t, notes, 1)
	require.ErrorContains(t, m.Append(today, "x"), "it is a link")
	requireFault(t, m.RollUp(t.Context(), today), "daily", "link", "")
	gone, err := m.Clear(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"MEMORY.md", "daily"}, gone)
	require.Equal(t, "- secret\n", read(t, dir, "elsewhere/2026-02-19.md"))
}

func TestAFileThatIsSavedMeanwhileIsNotOverwritten(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "MEMORY.md", "- one\n")
	m := at(dir)
	memory.Meanwhile(m, func() { write(t, dir, "MEMORY.md", "- one\n- saved by hand\n") })
	_, err := m.Remember(t.Context(), memory.Note{Key: "k", Text: "x"})
	require.NoError(t, err)
	require.Equal(t, "- one\n- saved by hand\n- **k**: x (2026-02-20)\n", read(t, dir, "MEMORY.md"))
}
