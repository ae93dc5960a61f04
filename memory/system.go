package memory

import (
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/google/renameio/v2"

	"github.com/nidoit/blunux-ai/machine"
)

// SystemInfo is the content of SYSTEM.md (NARE TDD section 4.6: the first eleven fields). A field that could not
// be determined is empty.
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

	Graphics       []string // names with their drivers
	Session        string   // wayland, x11, tty
	InputMethod    string   // fcitx5, fcitx, ibus, kime, nimf, uim, scim
	RootFS, HomeFS string   // type and options; HomeFS only if home is a separate file system
	Firmware       string   // UEFI or BIOS
	BootLoader     string
	Locale         string
	TimeZone       string
	Chassis        string   // laptop, desktop, tablet, server
	Init           string   // name of the first process
	Kernels        []string // installed kernel packages
	PackageManager string
	AURHelper      string // yay, paru
}

// DetectSystem reads facts from the machine's files. It starts no program. root is "/" except in tests.
func DetectSystem(root string, getenv func(string) string) SystemInfo {
	f := factReader{root, getenv}
	info := SystemInfo{
		Distro:     machine.ParseAssignments([]byte(f.read("etc/os-release")))["PRETTY_NAME"],
		Kernel:     strings.TrimSpace(f.read("proc/sys/kernel/osrelease")),
		DesktopEnv: getenv("XDG_CURRENT_DESKTOP"),
		Shell:      getenv("SHELL"),
		CPU:        cpuModel(f.read("proc/cpuinfo")),
		Hostname:   strings.TrimSpace(f.read("proc/sys/kernel/hostname")),
		Username:   f.user(),
		Graphics:   f.graphics(), Session: f.session(), InputMethod: f.inputMethod(),
		Firmware: f.firmware(), BootLoader: f.bootLoader(), Chassis: f.chassis(),
		Locale: f.locale(), TimeZone: f.timeZone(), Init: strings.TrimSpace(f.read("proc/1/comm")),
		Kernels:        f.kernels(),
		PackageManager: f.firstProgram("pacman", "apt", "dnf", "zypper", "apk", "xbps-install", "emerge"),
		AURHelper:      f.firstProgram("paru", "yay"),
	}
	info.RootFS, info.HomeFS = f.fileSystems()
	mem, _ := machine.ParseMeminfo([]byte(f.read("proc/meminfo"))) // 0 if it is unreadable
	info.MemoryTotalGB, info.MemoryUsedGB = mem.Total/(1<<30), (mem.Total-mem.Available)/(1<<30)
	var st syscall.Statfs_t
	if syscall.Statfs(root, &st) == nil {
		block := float64(st.Bsize) / (1 << 30)
		info.DiskTotalGB = float64(st.Blocks) * block
		info.DiskUsedGB = float64(st.Blocks-st.Bfree) * block
	}
	return info
}

// cpuModel returns the name of the first processor (proc_cpuinfo(5)).
func cpuModel(text string) string {
	fields, _ := machine.ParseFields([]byte(text)) // empty if it is unreadable
	return fields["model name"]
}

// systemHead is the beginning of SYSTEM.md, for people. A prompt leaves it out.
const systemHead = "# System\n\nWritten by blunux-ai at every start; edits here are lost. Facts about you belong in USER.md.\n\n"

// Markdown returns the text of SYSTEM.md. Used memory and disk are rounded to whole GiB, so that the file does
// not change at every start.
func (s SystemInfo) Markdown() string {
	var b strings.Builder
	b.WriteString(systemHead)
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
		{"Machine", s.Chassis},
		{"Graphics", strings.Join(s.Graphics, "; ")},
		{"Session", s.Session},
		{"Input method", s.InputMethod},
		{"Root is on", s.RootFS},
		{"Home is on", s.HomeFS},
		{"Firmware", s.Firmware},
		{"Boot loader", s.BootLoader},
		{"Init", s.Init},
		{"Locale", s.Locale},
		{"Time zone", s.TimeZone},
		{"Package manager", s.PackageManager},
		{"AUR helper", s.AURHelper},
		{"Kernels", strings.Join(s.Kernels, ", ")},
	} {
		if value := oneLine(row.value); value != "" {
			fmt.Fprintf(&b, "- %s: %s\n", row.name, value)
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

// RefreshSystem rewrites SYSTEM.md if its text has changed, and reports whether it did.
func (m *Memory) RefreshSystem(info SystemInfo) (changed bool, err error) {
	text := info.Markdown()
	if old, err := m.readWhole(systemFile); err == nil && old.text == text {
		return false, nil
	}
	// The program owns this file, so replace even a link or a read-only file.
	file := m.path(systemFile)
	if err = os.MkdirAll(m.dir, 0o700); err == nil {
		err = renameio.WriteFile(file, []byte(text), 0o600, renameio.WithTempDir(m.dir))
	}
	return err == nil, fault("write", file, systemFile, err)
}
