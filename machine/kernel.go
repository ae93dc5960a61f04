package machine

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

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
type Kernel struct{ Package, Release string }

// ParseKernels parses grep -H on the files that name the package of a kernel:
// "/usr/lib/modules/RELEASE/pkgbase:PACKAGE".
func ParseKernels(text []byte) ([]Kernel, error) {
	var out []Kernel
	for _, line := range Lines(text) {
		file, pkg, ok := strings.Cut(line, ":")
		release := path.Base(path.Dir(file))
		if pkg = strings.TrimSpace(pkg); ok && strings.HasSuffix(file, "/pkgbase") && IsKernelRelease(release) {
			out = append(out, Kernel{pkg, release})
		}
	}
	return rows(out, text, "/usr/lib/modules")
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
