package machine

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

var (
	// StartupProbe shows how long booting took.
	StartupProbe = Probe{"systemd-analyze", "time"}
	// BlameProbe lists how long each unit took to start.
	BlameProbe = Probe{"systemd-analyze", "blame", "--no-pager"}
	// ChainProbe lists the units for which booting waited.
	ChainProbe = Probe{"systemd-analyze", "critical-chain", "--no-pager"}
)

var bootTotal = pattern(`Startup finished in (.*?)(?: = (.*))?$`)

// parseSeconds parses systemd's durations: "1min 2.345s", "890ms".
func parseSeconds(s string) (float64, bool) {
	total, any := 0.0, false
	for _, f := range strings.Fields(s) {
		i := strings.IndexFunc(f, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
		if i <= 0 {
			return 0, false
		}
		n, err := strconv.ParseFloat(f[:i], 64)
		factor, known := map[string]float64{"h": 3600, "min": 60, "s": 1, "ms": 0.001, "us": 0.000001}[f[i:]]
		if err != nil || !known {
			return 0, false
		}
		total, any = total+n*factor, true
	}
	return total, any
}

// ParseBlame parses systemd-analyze blame (systemd-analyze(1)): a duration and a unit, slowest first.
func ParseBlame(text []byte) ([]StartupTime, error) {
	return rows(lineRows(text, func(line string) (StartupTime, bool) {
		f := strings.Fields(line)
		secs, ok := parseSeconds(strings.Join(f[:len(f)-1], " "))
		return StartupTime{f[len(f)-1], secs}, ok
	}), text, "systemd-analyze blame")
}

// Startup is the output of systemd-analyze time.
type Startup struct {
	Total float64       // seconds
	Parts []StartupTime // firmware, loader, kernel, initrd, userspace
}

// ParseStartup parses "Startup finished in 1s (kernel) + 2s (userspace) = 3s" (systemd-analyze(1)), also without a sum.
func ParseStartup(text []byte) (Startup, error) {
	line, _, _ := strings.Cut(strings.Join(Lines(text), "\n"), "\n")
	m := bootTotal().FindStringSubmatch(line)
	if m == nil {
		return Startup{}, &UnreadableError{"systemd-analyze", line}
	}
	sum := strings.TrimSpace(m[2])
	if sum == "" {
		sum = strings.TrimSpace(strings.SplitN(m[1], " (", 2)[0])
	}
	total, ok := parseSeconds(sum)
	s := Startup{Total: total}
	for _, p := range strings.Split(m[1], " + ") {
		span, name, named := strings.Cut(p, " (")
		took, known := parseSeconds(span)
		ok = ok && named && known
		s.Parts = append(s.Parts, StartupTime{strings.TrimSuffix(name, ")"), took})
	}
	return readable(s, ok, "systemd-analyze")
}

// StartupTime is a unit or a part of the boot with its own startup time.
type StartupTime struct {
	Unit string
	Took float64 // seconds
}

var chainRow = pattern(`([\w@.\\:-]+\.[a-z]+) @[^+]*\+(.+)$`)

// ParseChain parses systemd-analyze critical-chain (systemd-analyze(1)) and returns the units that took time,
// longest first.
func ParseChain(text []byte) ([]StartupTime, error) {
	out := lineRows(text, func(line string) (t StartupTime, ok bool) {
		if m := chainRow().FindStringSubmatch(line); m != nil {
			t.Unit = m[1]
			t.Took, ok = parseSeconds(m[2])
		}
		return t, ok
	})
	return rows(largestFirst(out, func(t StartupTime) float64 { return t.Took }), text, "systemd-analyze critical-chain")
}

var (
	// KernelProbe shows the release of the running kernel.
	KernelProbe = Probe{"uname", "-r"}
	// ModuleTreesProbe lists the kernels that have modules.
	ModuleTreesProbe = Probe{"ls", "/usr/lib/modules"}
	// DKMSProbe lists the modules built by DKMS.
	DKMSProbe = Probe{"dkms", "status"}
)

var kernelRelease = pattern(`^\d+\.\d+[\w.+-]*$`)

// IsKernelRelease reports whether a word has the form of uname -r and of the directories in /usr/lib/modules.
func IsKernelRelease(word string) bool { return len(word) < 100 && kernelRelease().MatchString(word) }

// ParseModuleTrees parses ls /usr/lib/modules: the releases of the installed kernels.
func ParseModuleTrees(text []byte) ([]string, error) {
	out := slices.DeleteFunc(strings.Fields(string(text)), func(w string) bool { return !IsKernelRelease(w) })
	return readable(out, len(out) > 0, "/usr/lib/modules")
}

// ModuleTree is a directory of /usr/lib/modules.
type ModuleTree struct {
	HasModules bool // it has modules or names its package, so it is not a rest
	HasPackage bool // it names its package
}

// ParseModuleFiles parses find's paths below /usr/lib/modules (-printf '%P\n'), two levels deep.
func ParseModuleFiles(text []byte) (map[string]ModuleTree, error) {
	out := map[string]ModuleTree{}
	for _, line := range Lines(text) {
		release, below, _ := strings.Cut(line, "/")
		if !IsKernelRelease(release) || len(out) > 40 {
			continue
		}
		t := out[release]
		t.HasModules = t.HasModules || below == "kernel" || below == "pkgbase"
		t.HasPackage = t.HasPackage || below == "pkgbase"
		out[release] = t
	}
	return readable(out, len(out) > 0, "/usr/lib/modules")
}

// Kernel is an installed kernel.
type Kernel struct {
	Package string `json:"package"`
	Release string `json:"release"`
}

// ParseKernels parses grep -H on the files that name the package of a kernel:
// "/usr/lib/modules/RELEASE/pkgbase:PACKAGE".
func ParseKernels(text []byte) ([]Kernel, error) {
	return rows(lineRows(text, func(line string) (Kernel, bool) {
		file, pkg, ok := strings.Cut(line, ":")
		k := Kernel{strings.TrimSpace(pkg), path.Base(path.Dir(file))}
		return k, ok && strings.HasSuffix(file, "/pkgbase") && IsKernelRelease(k.Release)
	}), text, "/usr/lib/modules")
}

// KernelFlavor distinguishes Arch's kernels: 6.17.8-arch1-1, 6.12.58-1-lts, 6.17.8-zen1-1-zen.
func KernelFlavor(release string) string {
	for _, f := range []string{"lts", "zen", "hardened", "rt", "cachyos"} {
		if strings.Contains(release, f) {
			return f
		}
	}
	return ""
}

// IsNewerKernel compares releases by their numbers, so 6.9 is before 6.10.
func IsNewerKernel(a, b string) bool { return slices.Compare(numbersOf(a), numbersOf(b)) > 0 }

func numbersOf(release string) []uint64 {
	var out []uint64
	for _, word := range strings.FieldsFunc(release, func(r rune) bool { return r < '0' || r > '9' }) {
		n, _ := strconv.ParseUint(word, 10, 64) // a longer number is the largest one
		out = append(out, n)
	}
	return out
}

// ParseDKMS parses dkms status (dkms(8)): "module/version, kernel, architecture: installed". It returns the releases
// for which each module is installed.
func ParseDKMS(text []byte) (map[string][]string, error) {
	out := map[string][]string{}
	for _, line := range Lines(text) {
		head, state, ok := strings.Cut(line, ": ")
		f := strings.Split(head, ", ")
		if !ok || f[0] == "" || !strings.ContainsAny(head, "/,") {
			continue
		}
		built := out[f[0]]
		if len(f) > 1 && strings.HasPrefix(state, "installed") {
			built = append(built, f[1])
		}
		out[f[0]] = built
	}
	return readable(out, len(out) > 0 || len(Lines(text)) == 0, "dkms")
}

// UptimeProbe shows how long the machine has been running.
var UptimeProbe = Probe{"uptime"}

// Uptime is the output of uptime.
type Uptime struct {
	Days, Hours, Minutes int
	Load                 string // the averages of 1, 5 and 15 minutes, "" if they are missing
}

var uptimeForm = pattern(`up\s+(?:(\d+)\s+days?,\s*)?(?:(\d+):(\d\d)|(\d+)\s+min)?`)

// ParseUptime parses uptime(1): "09:12:33 up 3 days, 1:02, 1 user, load average: 0.52, 0.58, 0.59".
func ParseUptime(text []byte) (Uptime, error) {
	var u Uptime
	_, load, _ := strings.Cut(strings.Join(Lines(text), "\n"), "load average:")
	u.Load = strings.TrimSpace(load)
	f := uptimeForm().FindSubmatch(text)
	if f == nil {
		return u, &UnreadableError{Source: "uptime"}
	}
	ok := false
	for i, to := range []*int{&u.Days, &u.Hours, &u.Minutes, &u.Minutes} {
		if n, err := strconv.Atoi(string(f[i+1])); err == nil {
			*to, ok = n, true
		}
	}
	return readable(u, ok, "uptime")
}
