package machine

import "strings"

var (
	// MountsProbe lists the mounted file systems.
	MountsProbe = Probe{"cat", "/proc/mounts"}
	// FSTabProbe lists the file systems to mount.
	FSTabProbe = Probe{"cat", "/etc/fstab"}
)

// Mount is a mounted file system.
type Mount struct {
	Source, Target, Type string
	Options              []string // those of the mount, then those of the file system
}

// unescapeMount decodes the octal escapes of the kernel's tables.
var unescapeMount = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

func newMount(source, target, kind, options string) Mount {
	return Mount{unescapeMount.Replace(source), unescapeMount.Replace(target), kind, strings.Split(options, ",")}
}

// ParseMounts parses /proc/mounts (proc_pid_mounts(5)).
func ParseMounts(text []byte) ([]Mount, error) {
	var out []Mount
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) >= 4 {
			out = append(out, newMount(f[0], f[1], f[2], f[3]))
		}
	}
	return readable(out, len(out) > 0, "/proc/mounts")
}

// ParseMountInfo parses /proc/PID/mountinfo (proc_pid_mountinfo(5)).
func ParseMountInfo(text []byte) ([]Mount, error) {
	var out []Mount
	for line := range strings.Lines(string(text)) {
		left, right, ok := strings.Cut(line, " - ")
		if l, r := strings.Fields(left), strings.Fields(right); ok && len(l) >= 6 && len(r) >= 3 {
			out = append(out, newMount(r[1], l[4], r[0], l[5]+","+r[2]))
		}
	}
	return readable(out, len(out) > 0, "mountinfo")
}

// ParseSwaps parses /proc/swaps (proc_swaps(5)): the devices and files used as swap.
func ParseSwaps(text []byte) []string {
	var out []string
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 0 && strings.HasPrefix(f[0], "/") {
			out = append(out, unescapeMount.Replace(f[0]))
		}
	}
	return out
}

// ParseFSTab parses fstab(5).
func ParseFSTab(text []byte) []Mount {
	var out []Mount
	for _, line := range Lines(text) {
		if f := strings.Fields(line); len(f) > 2 && !strings.HasPrefix(f[0], "#") {
			out = append(out, newMount(f[0], f[1], f[2], strings.Join(f[3:], ",")))
		}
	}
	return out
}
