package memory

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/google/renameio/v2"
)

// SystemInfo is what SYSTEM.md says of the machine (NARE TDD section 4.6).
// A field that could not be found out is empty.
type SystemInfo struct {
	Distro        string
	Kernel        string
	DesktopEnv    string
	Shell         string
	CPU           string
	MemoryTotalGB float64 // GiB
	MemoryUsedGB  float64
	DiskTotalGB   float64 // GiB, of the root file system
	DiskUsedGB    float64
	Hostname      string
	Username      string
}

// DetectSystem reads the machine's own files; it starts no program. root is
// "/" but in tests.
func DetectSystem(root string, getenv func(string) string) SystemInfo {
	at := func(file string) string { return filepath.Join(root, file) }
	info := SystemInfo{
		Distro:     keyed(at("etc/os-release"), "PRETTY_NAME", "="),
		Kernel:     firstWordOf(at("proc/sys/kernel/osrelease")),
		DesktopEnv: getenv("XDG_CURRENT_DESKTOP"),
		Shell:      getenv("SHELL"),
		CPU:        keyed(at("proc/cpuinfo"), "model name", ":"),
		Hostname:   firstWordOf(at("proc/sys/kernel/hostname")),
		Username:   getenv("USER"),
	}
	total, available := kilobytes(at("proc/meminfo"), "MemTotal"), kilobytes(at("proc/meminfo"), "MemAvailable")
	info.MemoryTotalGB, info.MemoryUsedGB = total/(1<<20), (total-available)/(1<<20)
	var st syscall.Statfs_t
	if syscall.Statfs(root, &st) == nil {
		block := float64(st.Bsize) / (1 << 30)
		info.DiskTotalGB = float64(st.Blocks) * block
		info.DiskUsedGB = float64(st.Blocks-st.Bfree) * block
	}
	return info
}

// keyed returns the value of the first line "key<sep>value" of a file.
func keyed(file, key, sep string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		k, v, ok := strings.Cut(sc.Text(), sep)
		if ok && strings.TrimSpace(k) == key {
			return strings.Trim(strings.TrimSpace(v), `"'`)
		}
	}
	return ""
}

func kilobytes(file, key string) float64 {
	n, err := strconv.ParseFloat(strings.TrimSuffix(keyed(file, key, ":"), " kB"), 64)
	if err != nil {
		return 0
	}
	return n
}

func firstWordOf(file string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// Markdown returns SYSTEM.md's text. What changes by the minute (used memory
// and disk) is rounded to whole GiB, so that the file is not written at every
// start.
func (s SystemInfo) Markdown() string {
	var b strings.Builder
	b.WriteString("# System\n\nWritten by blunux-ai at every start; edits here are lost. Facts about you belong in USER.md.\n\n")
	for _, row := range []struct{ name, value string }{
		{"Distribution", s.Distro},
		{"Kernel", s.Kernel},
		{"Desktop", s.DesktopEnv},
		{"Shell", s.Shell},
		{"Processor", s.CPU},
		{"Memory", gib(s.MemoryUsedGB, s.MemoryTotalGB)},
		{"Root file system", gib(s.DiskUsedGB, s.DiskTotalGB)},
		{"Host", s.Hostname},
		{"User", s.Username},
	} {
		if row.value != "" {
			fmt.Fprintf(&b, "- %s: %s\n", row.name, row.value)
		}
	}
	return b.String()
}

func gib(used, total float64) string {
	if total == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f of %.0f GiB used at start", used, total)
}

// RefreshSystem writes SYSTEM.md anew where its text has changed, and tells
// whether it has.
func (m *Memory) RefreshSystem(info SystemInfo) (changed bool, err error) {
	text := info.Markdown()
	if old, err := m.whole(systemFile); err == nil && old.text == text {
		return false, nil
	}
	// It is nobody's own: whatever stands in its place is replaced.
	file := m.path(systemFile)
	if err = os.MkdirAll(m.dir, 0o700); err == nil {
		err = renameio.WriteFile(file, []byte(text), 0o600, renameio.WithTempDir(m.dir))
	}
	return err == nil, fault("write", file, systemFile, err)
}
