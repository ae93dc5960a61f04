package check

import (
	"cmp"
	"strings"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
	"github.com/nidoit/blunux-ai/machine"
)

var supplyForm = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_.-]{0,60}$`)

func battery(l *look) {
	out, ok := l.run("battery", "find", "/sys/class/power_supply/", "-mindepth", "1", "-maxdepth", "1", "-printf", "%f\\n")
	if !ok {
		return
	}
	if out.Exit != 0 && out.failure() != ReasonAbsent {
		l.unknown("battery", out.failure(), "/sys/class/power_supply")
		return
	}
	for name := range strings.Lines(out.Stdout) {
		if name = strings.TrimSpace(name); supplyForm.MatchString(name) {
			l.supply(name)
		} else {
			l.unknown("battery", ReasonUnreadable, "/sys/class/power_supply")
		}
	}
}

func (l *look) supply(name string) {
	key := "battery:" + name
	out, ok := l.run(key, "cat", "/sys/class/power_supply/"+name+"/uevent")
	if !ok {
		return
	}
	all, _ := machine.ParseSupplies([]byte(out.Stdout)) // none if it is unreadable
	switch {
	case len(all) == 0:
		l.unknown(key, outputProblem(out), name)
		return
	case !all[0].IsBattery():
		return // mains, a mouse
	case all[0].Present == "0" || all[0].Health == 0:
		l.unknown(key, ReasonUnsupported, name)
		return
	}
	health := min(all[0].Health, 100)
	l.figure(Figure{Key: key, Value: health, Unit: Percent, Name: name})
	switch {
	case health < l.over():
		l.find(Finding{Key: key, Severity: Notice, Code: "battery_worn", Args: Args{Name: name, Value: health}})
	case health < l.over()+2:
		l.near(key)
	}
}

var zoneForm = lazyregexp.New(`^thermal_zone[0-9]{1,3}$`)

func temperature(l *look) {
	all, ok := l.sensors()
	if !ok {
		return
	}
	hottest := all[0]
	for _, h := range all {
		if h.Celsius > hottest.Celsius {
			hottest = h
		}
		l.checkHeat(h)
	}
	l.figure(Figure{Key: "temperature", Value: hottest.Celsius, Unit: Celsius})
}

// checkHeat compares a temperature with the rule's limit, else with its chip's critical temperature, else with the
// default limit.
func (l *look) checkHeat(h machine.Temperature) {
	limit, critical := l.over(), max(l.over()+10, 95)
	if h.Crit >= 60 { // less is a broken sensor's
		critical = h.Crit
		if l.p.Over == nil {
			limit = h.Crit - 5
		}
	}
	f := Finding{Key: "temperature:" + h.Key, Severity: Warning, Code: "hot", Args: Args{Name: display(h.Where, 50), Value: h.Celsius, Limit: limit}}
	l.level(f, h.Celsius, limit, critical, 5)
}

// sensors reads temperatures from lm_sensors, or from the kernel if that has none.
func (l *look) sensors() ([]machine.Temperature, bool) {
	out, why := l.try(machine.SensorsJSONProbe...)
	if why == "" && strings.TrimSpace(out.Stdout) != "" && !out.Truncated {
		all, err := machine.ParseSensorsJSON([]byte(out.Stdout))
		if err != nil {
			l.unknown("temperature", ReasonUnreadable, "sensors")
			return nil, false
		}
		if len(all) > 0 {
			return all, true
		}
	}
	if all := l.zones(); len(all) > 0 {
		return all, true
	}
	why = cmp.Or(why, ReasonAbsent)
	l.unknown("temperature", why, "sensors")
	return nil, false
}

func (l *look) zones() []machine.Temperature {
	out, why := l.try("find", "/sys/class/thermal", "-maxdepth", "1", "-name", "thermal_zone*", "-printf", "%f\\n")
	if why != "" {
		return nil
	}
	argv := []string{"grep", "-s", "-H", "."}
	for zone := range strings.Lines(out.Stdout) {
		if zone = strings.TrimSpace(zone); zoneForm.MatchString(zone) && len(argv) < 100 {
			argv = append(argv, "/sys/class/thermal/"+zone+"/type", "/sys/class/thermal/"+zone+"/temp")
		}
	}
	if len(argv) == 4 {
		return nil
	}
	if out, why = l.try(argv...); why != "" {
		return nil
	}
	all, _ := machine.ParseZones([]byte(out.Stdout)) // none if it is unreadable
	return all
}

// driveForm matches the devices that can report their health.
var driveForm = lazyregexp.New(`^/dev/(sd[a-z]{1,3}|hd[a-z]|nvme[0-9]{1,3}n[0-9]{1,3}|vd[a-z]{1,2}|mmcblk[0-9]{1,2})$`)

// drivePaths returns the disks in lsblk's output that can report their health, 24 at most.
func drivePaths(out Output) ([]string, bool) {
	all, err := machine.ParseBlockJSON([]byte(out.Stdout))
	var paths []string
	for _, d := range all {
		if d.Type == "disk" && driveForm.MatchString(d.Path) && len(paths) < 24 {
			paths = append(paths, d.Path)
		}
	}
	return paths, err == nil && !out.Truncated
}

// parseDrive reads smartctl's report. why is "" if it contains a verdict.
func parseDrive(text string) (d machine.SmartReport, why Reason) {
	d, err := machine.ParseSmartJSON([]byte(text))
	if err != nil {
		return d, ReasonUnreadable
	}
	if d.HasVerdict() {
		return d, ""
	}
	for _, m := range d.Smartctl.Messages {
		if (Output{Stderr: m.Text}).failure() == ReasonRights {
			return d, ReasonRights
		}
	}
	// Bit 0 is an invalid command line, bit 1 a device that could not be opened (smartctl(8), "EXIT STATUS").
	if d.Smartctl.Exit&3 != 0 && d.Support == nil {
		return d, ReasonFailed
	}
	return d, ReasonUnsupported
}

func smart(l *look) {
	paths, ok := readOutput(l, "smart", "lsblk", drivePaths, machine.DrivePathsProbe...)
	if !ok {
		return
	}
	for _, path := range paths {
		out, why := l.try("smartctl", "-H", "-A", "-j", path)
		if why != "" {
			l.unknown("smart", why, "smartctl") // the same for every disk
			return
		}
		l.drive(path, out)
	}
}

func (l *look) drive(path string, out Output) {
	d, why := parseDrive(out.Stdout)
	if why == ReasonUnreadable && out.failure() == ReasonRights {
		why = ReasonRights
	}
	if why != "" {
		l.unknown("smart:"+path, why, path)
		return
	}
	name, fix := strings.TrimPrefix(path, "/dev/"), "sudo smartctl -a "+path
	found := func(kind, code string, severity Severity, args Args) {
		args.Name = name
		l.find(Finding{Key: "smart:" + path + ":" + kind, Severity: severity, Code: code, Fix: fix, Args: args})
	}
	if !*d.Status.Passed {
		found("failing", "smart_failing", Critical, Args{})
	} else if d.NVMe != nil && d.NVMe.Warning != 0 {
		found("warning", "smart_warning", Warning, Args{})
	}
	if n := d.BadSectors(); n > 0 {
		found("sectors", "smart_sectors", Warning, Args{Count: n})
	}
	if d.NVMe == nil || d.NVMe.Used == nil || *d.NVMe.Used < 0 || *d.NVMe.Used > 255 {
		return
	}
	l.figure(Figure{Key: "smart_wear:" + path, Value: *d.NVMe.Used, Unit: Percent, Name: name})
	if *d.NVMe.Used >= l.over() {
		found("worn", "smart_worn", Warning, Args{Value: *d.NVMe.Used})
	}
}
