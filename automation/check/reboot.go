package check

import (
	"regexp"
	"slices"
	"strings"
)

// releaseForm matches a kernel release below /usr/lib/modules.
var releaseForm = regexp.MustCompile(`^[0-9][0-9A-Za-z._+-]*$`)

// kernels are the kernel releases that have modules, from find's output below /usr/lib/modules. whole reports
// that the directory is complete, and packed that it names its package.
type kernels map[string]struct{ whole, packed bool }

func parseKernels(text string) kernels {
	found := kernels{}
	for line := range strings.Lines(text) {
		release, below, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "/")
		if !releaseForm.MatchString(release) || len(release) > 100 || len(found) > 40 {
			continue
		}
		k := found[release]
		k.whole = k.whole || below == "kernel" || below == "pkgbase"
		k.packed = k.packed || below == "pkgbase"
		found[release] = k
	}
	return found
}

// isNewer compares releases by their numbers, so 6.9 is before 6.10.
func isNewer(a, b string) bool {
	x, y := numbersOf(a), numbersOf(b)
	return slices.Compare(x, y) > 0
}

func numbersOf(release string) []float64 {
	var out []float64
	for _, word := range strings.FieldsFunc(release, func(r rune) bool { return r < '0' || r > '9' }) {
		out = append(out, number(word))
	}
	return out
}

// rebootFix checks whether the machine will boot: it examines kernels, modules, images and /boot before a person
// restarts it.
const rebootFix = `blunux-aictl ask "can I reboot?"`

func reboot(l *look) {
	out, ok := l.run("reboot", "uname", "-r")
	if !ok {
		return
	}
	running := strings.TrimSpace(out.Stdout)
	if !releaseForm.MatchString(running) || out.Exit != 0 {
		l.unknown("reboot", outputProblem(out), "uname")
		return
	}
	out, ok = l.run("reboot", "find", "/usr/lib/modules", "-mindepth", "1", "-maxdepth", "2", "(", "-type", "d", "-o", "-name", "pkgbase", ")", "-printf", "%P\\n")
	if !ok {
		return
	}
	found := parseKernels(out.Stdout)
	if len(found) == 0 || out.Truncated {
		l.unknown("reboot", map[bool]Reason{true: ReasonTruncated, false: ReasonAbsent}[out.Truncated], "/usr/lib/modules")
		return
	}
	if !found[running].whole {
		l.find(Finding{Key: "reboot", Severity: Warning, Code: "reboot_modules", Fix: rebootFix, Args: Args{Name: display(running, 60)}})
		return
	}
	if next := l.successor(running, found); next != "" {
		l.find(Finding{
			Key: "reboot", Severity: Notice, Code: "reboot_kernel", Fix: rebootFix,
			Args: Args{Name: display(running, 60), Detail: display(next, 60)},
		})
	}
}

// successor returns a newer installed release of the running kernel's package, or "". The running one is kept by
// kernel-modules-hook and the like.
func (l *look) successor(running string, found kernels) string {
	if !found[running].packed || len(found) == 1 {
		return ""
	}
	argv := []string{"grep", "-s", "-H", "."}
	for release, k := range found {
		if k.packed {
			argv = append(argv, "/usr/lib/modules/"+release+"/pkgbase")
		}
	}
	slices.Sort(argv[4:])
	out, ok := l.run("reboot", argv...)
	if !ok {
		return ""
	}
	of := map[string]string{}
	for line := range strings.Lines(out.Stdout) {
		path, name, _ := strings.Cut(strings.TrimSpace(line), ":")
		of[strings.TrimSuffix(strings.TrimPrefix(path, "/usr/lib/modules/"), "/pkgbase")] = name
	}
	best := running
	for release, name := range of {
		if name != "" && name == of[running] && isNewer(release, best) {
			best = release
		}
	}
	if best == running {
		return ""
	}
	return best
}
