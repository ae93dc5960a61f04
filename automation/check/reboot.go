package check

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/machine"
)

// rebootFix checks whether the machine will boot: it examines kernels, modules, images and /boot before a person
// restarts it.
const rebootFix = `blunux-aictl ask "can I reboot?"`

func reboot(l *look) {
	out, ok := l.run("reboot", machine.KernelProbe...)
	if !ok {
		return
	}
	running := strings.TrimSpace(out.Stdout)
	if !machine.IsKernelRelease(running) || out.Exit != 0 {
		l.unknown("reboot", outputProblem(out), "uname")
		return
	}
	out, ok = l.run("reboot", "find", "/usr/lib/modules", "-mindepth", "1", "-maxdepth", "2", "(", "-type", "d", "-o", "-name", "pkgbase", ")", "-printf", "%P\\n")
	if !ok {
		return
	}
	found, _ := machine.ParseModuleFiles([]byte(out.Stdout)) // none if it is unreadable
	if len(found) == 0 || out.Truncated {
		l.unknown("reboot", map[bool]Reason{true: ReasonTruncated, false: ReasonAbsent}[out.Truncated], "/usr/lib/modules")
		return
	}
	if !found[running].HasModules {
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
func (l *look) successor(running string, found map[string]machine.ModuleTree) string {
	if !found[running].HasPackage || len(found) == 1 {
		return ""
	}
	argv := []string{"grep", "-s", "-H", "."}
	for release, k := range found {
		if k.HasPackage {
			argv = append(argv, "/usr/lib/modules/"+release+"/pkgbase")
		}
	}
	slices.Sort(argv[4:])
	out, ok := l.run("reboot", argv...)
	if !ok {
		return ""
	}
	list, _ := machine.ParseKernels([]byte(out.Stdout)) // none if it is unreadable
	own, best := "", running
	for _, k := range list {
		if k.Release == running {
			own = k.Package
		}
	}
	for _, k := range list {
		if k.Package != "" && k.Package == own && machine.IsNewerKernel(k.Release, best) {
			best = k.Release
		}
	}
	if best == running {
		return ""
	}
	return best
}
