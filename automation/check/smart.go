package check

import (
	"regexp"
	"strings"

	"github.com/nidoit/blunux-ai/machine"
)

// driveForm matches the devices that can report their health.
var driveForm = regexp.MustCompile(`^/dev/(sd[a-z]{1,3}|hd[a-z]|nvme[0-9]{1,3}n[0-9]{1,3}|vd[a-z]{1,2}|mmcblk[0-9]{1,2})$`)

// drivePaths returns the disks in lsblk's output that can report their health.
func drivePaths(text string) ([]string, bool) {
	all, err := machine.ParseBlockJSON([]byte(text))
	var paths []string
	for _, d := range all {
		if d.Type == "disk" && driveForm.MatchString(d.Path) && len(paths) < 24 {
			paths = append(paths, d.Path)
		}
	}
	return paths, err == nil
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
	out, ok := l.run("smart", machine.DrivePathsProbe...)
	if !ok {
		return
	}
	paths, ok := drivePaths(out.Stdout)
	if !ok || out.Truncated {
		l.unknown("smart", outputProblem(out), "lsblk")
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
