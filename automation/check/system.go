package check

import (
	"cmp"
	"context"
	"encoding/json"
	"net/netip"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/machine"
)

const memoryFix = "ps -eo rss,comm --sort=-rss"

func memory(l *look) {
	l.memoryUse()
	// Kernels without pressure information lack the file or refuse to read it. The used memory is known all the same.
	full, ok := readOutput(l, "memory:pressure", "/proc/pressure/memory", func(out Output) (float64, bool) {
		list, _ := machine.ParsePressure([]byte(out.Stdout)) // none if it is unreadable
		if len(list) == 0 || !list[0].HasFull {
			return 0, false
		}
		return list[0].Full.Avg60, true // of the last minute, in which all tasks were stalled
	}, machine.MemoryPressureProbe...)
	if ok {
		f := Finding{Key: "memory:pressure", Severity: Warning, Code: "memory_pressure", Fix: memoryFix, Args: Args{Value: full}}
		l.level(f, full, 10, 40, 5)
	}
}

func (l *look) memoryUse() {
	m, ok := readOutput(l, "memory", "/proc/meminfo", func(out Output) (machine.Meminfo, bool) {
		m, err := machine.ParseMeminfo([]byte(out.Stdout))
		return m, err == nil
	}, machine.MeminfoProbe...)
	if !ok {
		return
	}
	used := 100 * (m.Total - m.Available) / m.Total
	f := Finding{Key: "memory:used", Severity: Warning, Code: "memory_full", Fix: memoryFix, Args: Args{Value: used, Bytes: int64(m.Available)}}
	l.level(f, used, l.over(), 97, 5)
	l.figure(Figure{Key: "memory", Value: used, Unit: Percent})
	if m.SwapTotal == 0 {
		return
	}
	swap := 100 * (m.SwapTotal - m.SwapFree) / m.SwapTotal
	l.figure(Figure{Key: "swap", Value: swap, Unit: Percent})
	// A full swap matters only if memory is scarce too, because the kernel swaps out idle programs in advance.
	f = Finding{Key: "memory:swap", Severity: Warning, Code: "swap_full", Fix: memoryFix, Args: Args{Value: swap}}
	if used >= 80 {
		l.level(f, swap, 90, 101, 5)
	} else if used >= 75 && swap >= 85 {
		l.near(f.Key)
	}
}

// parseUnits reads a list of failed units. Older versions of systemd print it as a table (--plain --no-legend), of
// which every line must be a unit.
func parseUnits(text string, parse func([]byte) ([]machine.Unit, error)) ([]machine.Unit, bool) {
	units, err := parse([]byte(text))
	return units, err == nil && !slices.ContainsFunc(units, func(u machine.Unit) bool { return u.Active != "failed" })
}

func failedUnits(l *look) {
	total, known := 0, true
	for _, manager := range []string{"system", "user"} {
		units, ok := l.failedOf(manager)
		total, known = total+len(units), known && ok
		for _, u := range units {
			l.find(unitFinding(manager, u))
		}
	}
	if known {
		l.count("failed_units", total)
	}
}

func (l *look) failedOf(manager string) ([]machine.Unit, bool) {
	subject := "failed_units:" + manager
	argv := []string{"systemctl", "--" + manager, "list-units", "--failed", "--no-pager"}
	out, ok := l.run(subject, append(argv, "--output=json")...)
	if !ok {
		return nil, false
	}
	if units, ok := parseUnits(out.Stdout, machine.ParseUnitsJSON); ok && out.Exit == 0 {
		return units, true
	}
	// A systemd that cannot print this list as JSON prints the number of units in words, even for none.
	if out.Exit == 0 && !out.Truncated && strings.TrimSpace(out.Stdout) != "" {
		if out, ok = l.run(subject, append(argv, "--plain", "--no-legend", "--full")...); !ok {
			return nil, false
		}
		if units, ok := parseUnits(out.Stdout, machine.ParseUnits); ok && out.Exit == 0 && !out.Truncated && len(units) == len(machine.Lines(out.Stdout)) {
			return units, true
		}
	}
	l.unknown(subject, outputProblem(out), "systemctl")
	return nil, false
}

func unitFinding(manager string, u machine.Unit) Finding {
	f := Finding{
		Key: "failed_units:" + manager + ":" + u.Name, Severity: Warning, Code: "unit_failed",
		Args: Args{Name: display(u.Name, 60), Detail: display(u.Description, 60)},
	}
	if manager == "user" {
		f.Code = "user_unit_failed"
		f.Fix = appendName("systemctl --user status", u.Name, "systemctl --user --failed")
		if strings.HasPrefix(u.Name, "app-") {
			f.Severity = Notice // a program that the person started and saw end
		}
		return f
	}
	f.Fix = appendName("systemctl status", u.Name, "systemctl --failed")
	return f
}

// rebootFix checks whether the machine will boot: it examines kernels, modules, images and /boot before a person
// restarts it.
const rebootFix = `blunux-aictl ask "can I reboot?"`

func reboot(l *look) {
	running, ok := readOutput(l, "reboot", "uname", func(out Output) (string, bool) {
		release := strings.TrimSpace(out.Stdout)
		return release, machine.IsKernelRelease(release) && out.Exit == 0
	}, machine.KernelProbe...)
	if !ok {
		return
	}
	out, ok := l.run("reboot", "find", "/usr/lib/modules", "-mindepth", "1", "-maxdepth", "2", "(", "-type", "d", "-o",
		"-name", "pkgbase", ")", "-printf", "%P\\n")
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
	own, best := "", ""
	for _, k := range list {
		if k.Release == running {
			own = k.Package
		}
	}
	for _, k := range list {
		if k.Package != "" && k.Package == own && machine.IsNewerKernel(k.Release, cmp.Or(best, running)) {
			best = k.Release
		}
	}
	return best
}

// parseRoutes reads the default routes. The first gateway is an address of IPv4, or "" for a point-to-point link.
func parseRoutes(out Output) ([]machine.Route, bool) {
	list, err := machine.ParseRoutesJSON([]byte(out.Stdout))
	if err != nil || out.Exit != 0 || out.Truncated ||
		slices.ContainsFunc(list, func(r machine.Route) bool { return r.Destination != "default" }) {
		return nil, false
	}
	if len(list) == 0 || list[0].Gateway == "" {
		return list, true
	}
	a, err := netip.ParseAddr(list[0].Gateway)
	return list, err == nil && a.Is4()
}

// network checks for a default route and pings its gateway. It contacts no other host.
func network(l *look) {
	routes, ok := readOutput(l, "network", "ip", parseRoutes, machine.DefaultRouteProbe...)
	switch {
	case !ok:
		return
	case len(routes) == 0:
		l.find(Finding{Key: "network:route", Severity: Warning, Code: "network_none", Fix: "nmcli device"})
		return
	case routes[0].Gateway == "":
		return // a point-to-point link
	}
	gateway := routes[0].Gateway
	out, ok := l.run("network:gateway", "ping", "-n", "-c", "2", "-W", "2", gateway)
	switch {
	case !ok:
	case out.Exit == 1: // no answer (ping(8))
		l.find(Finding{Key: "network:gateway", Severity: Notice, Code: "network_gateway", Args: Args{Name: gateway}})
	case out.Exit != 0:
		l.unknown("network:gateway", out.failure(), "ping")
	}
}

var healthChecks = []string{"disk", "memory", "failed_units", "journal_errors", "updates", "security_updates", "reboot", "temperature", "smart", "pacnew"}

// health checks the whole machine and combines the findings and figures of several checks.
func health(l *look) {
	var before map[string]json.RawMessage
	_ = json.Unmarshal(l.p.Previous, &before) // if empty or invalid, every check starts over
	kept := map[string]json.RawMessage{}
	runner := &cachedRunner{runner: l.runner}
	for _, r := range simpleChecks() {
		if !slices.Contains(healthChecks, r.name) || l.ctx.Err() != nil {
			continue
		}
		p := Params{Now: l.p.Now, Zone: l.p.Zone, Home: l.p.Home, Previous: before[r.name]}
		res := Check{&r}.run(l.ctx, runner, p)
		l.res.Findings = append(l.res.Findings, res.Findings...)
		l.res.Figures = append(l.res.Figures, res.Figures...)
		l.res.Near = append(l.res.Near, res.Near...)
		l.res.Unknown = append(l.res.Unknown, res.Unknown...)
		if res.Keep != nil {
			kept[r.name] = res.Keep
		}
	}
	if len(kept) > 0 {
		if keep, err := json.Marshal(kept); err == nil {
			l.res.Keep = keep
		}
	}
}

// cachedRunner is a [Runner] that caches results, for commands that several checks of one look share.
type cachedRunner struct {
	runner Runner
	cache  map[string]answer
}

type answer struct {
	out Output
	err error
}

// Run returns the cached result if there is one.
func (o *cachedRunner) Run(ctx context.Context, argv ...string) (Output, error) {
	key := strings.Join(argv, "\x00")
	if a, ok := o.cache[key]; ok {
		return a.out, a.err
	}
	out, err := o.runner.Run(ctx, argv...)
	if o.cache == nil {
		o.cache = map[string]answer{}
	}
	o.cache[key] = answer{out, err}
	return out, err
}
