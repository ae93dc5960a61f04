package memory_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/memory"
)

// fakeMachine returns a root directory with the files of a machine.
func fakeMachine(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	write(t, root, "etc/os-release", "NAME=\"Blunux\"\nPRETTY_NAME=\"Blunux Linux\"\nID=blunux\n")
	write(t, root, "proc/sys/kernel/osrelease", "6.9.1-arch1-1\n")
	write(t, root, "proc/sys/kernel/hostname", "blue\n")
	write(t, root, "proc/cpuinfo", "processor\t: 0\nmodel name\t: AMD Ryzen 7 5800X 8-Core Processor\nprocessor\t: 1\nmodel name\t: another\n")
	write(t, root, "proc/meminfo", "MemTotal:       16777216 kB\nMemFree:         1048576 kB\nMemAvailable:   12582912 kB\n")
	return root
}

func environment(name string) string {
	return map[string]string{"XDG_CURRENT_DESKTOP": "KDE", "SHELL": "/bin/zsh", "USER": "blu"}[name]
}

func TestDetectSystemReadsTheMachinesOwnFiles(t *testing.T) {
	got := memory.DetectSystem(fakeMachine(t), environment)
	require.Positive(t, got.DiskTotalGB)
	require.LessOrEqual(t, got.DiskUsedGB, got.DiskTotalGB)
	got.DiskTotalGB, got.DiskUsedGB = 0, 0
	require.Equal(t, memory.SystemInfo{
		Distro: "Blunux Linux", Kernel: "6.9.1-arch1-1", DesktopEnv: "KDE", Shell: "/bin/zsh",
		CPU: "AMD Ryzen 7 5800X 8-Core Processor", MemoryTotalGB: 16, MemoryUsedGB: 4,
		Hostname: "blue", Username: "blu",
	}, got)
}

func TestWhatCannotBeFoundOutIsEmptyAndUnsaid(t *testing.T) {
	got := memory.DetectSystem(filepath.Join(t.TempDir(), "nothing"), func(string) string { return "" })
	require.Equal(t, memory.SystemInfo{}, got)
	require.NotContains(t, got.Markdown(), "- ")
}

func TestWhereNobodySaysWhoItIsTheAccountsDo(t *testing.T) {
	root := t.TempDir()
	write(t, root, "etc/passwd", "nobody:x:65534:65534::/:/bin/false\nblu:x:"+strconv.Itoa(os.Getuid())+":1000::/home/blu:/bin/zsh\n")
	require.Equal(t, "blu", memory.DetectSystem(root, func(string) string { return "" }).Username)
}

func TestDetectSystemOnThisMachine(t *testing.T) {
	got := memory.DetectSystem("/", os.Getenv)
	require.NotEmpty(t, got.Kernel)
	require.NotEmpty(t, got.Hostname)
	require.Positive(t, got.MemoryTotalGB)
	require.Positive(t, got.MemoryUsedGB)
	require.Less(t, got.MemoryUsedGB, got.MemoryTotalGB)
	require.Positive(t, got.DiskTotalGB)
	require.Contains(t, got.Markdown(), "- Kernel: "+got.Kernel+"\n")
}

func TestSystemMarkdown(t *testing.T) {
	info := memory.DetectSystem(fakeMachine(t), environment)
	info.DiskTotalGB, info.DiskUsedGB = 465.7, 123.4
	require.Equal(t, `# System

Written by blunux-ai at every start; edits here are lost. Facts about you belong in USER.md.

- Distribution: Blunux Linux
- Kernel: 6.9.1-arch1-1
- Desktop: KDE
- Shell: /bin/zsh
- Processor: AMD Ryzen 7 5800X 8-Core Processor
- Memory: 4 of 16 GiB used at start
- Root file system: 123 of 466 GiB used at start
- Host: blue
- User: blu
`, info.Markdown())
}

func TestRefreshSystemWritesOnlyWhatHasChanged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "memory")
	m := at(dir)
	file := filepath.Join(dir, "SYSTEM.md")
	info := memory.SystemInfo{Kernel: "6.9", MemoryTotalGB: 16, MemoryUsedGB: 4.1}
	refresh(t, m, info, true)
	require.Equal(t, info.Markdown(), read(t, dir, "SYSTEM.md"))
	fi, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), fi.Mode().Perm())

	long := time.Unix(1000, 0)
	require.NoError(t, os.Chtimes(file, long, long))
	info.MemoryUsedGB = 4.2 // rounds to the same GiB
	refresh(t, m, info, false)
	fi, err = os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, long, fi.ModTime(), "nothing changed, nothing is written")

	info.Kernel = "6.10"
	refresh(t, m, info, true)
	require.Contains(t, read(t, dir, "SYSTEM.md"), "6.10")
}

func TestRefreshSystemTellsWhyItCannotWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := at(file).RefreshSystem(memory.SystemInfo{})
	require.ErrorContains(t, err, "cannot write SYSTEM.md")
}

func refresh(t *testing.T, m *memory.Memory, info memory.SystemInfo, want bool) {
	t.Helper()
	changed, err := m.RefreshSystem(info)
	require.NoError(t, err)
	require.Equal(t, want, changed)
}
