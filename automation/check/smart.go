package check

import (
	"encoding/json"
	"regexp"
	"strings"
)

// driveForm matches the devices that can report their health.
var driveForm = regexp.MustCompile(`^/dev/(sd[a-z]{1,3}|hd[a-z]|nvme[0-9]{1,3}n[0-9]{1,3}|vd[a-z]{1,2}|mmcblk[0-9]{1,2})$`)

// parseDrives parses lsblk -J -d (lsblk(8)): an object with a list of blockdevices. It returns those of type disk
// whose names match driveForm.
func parseDrives(text string) (paths []string, ok bool) {
	var list struct {
		Devices []struct {
			Path string `json:"path"`
			Type string `json:"type"`
		} `json:"blockdevices"`
	}
	if json.Unmarshal([]byte(text), &list) != nil || list.Devices == nil {
		return nil, false
	}
	for _, d := range list.Devices {
		if d.Type == "disk" && driveForm.MatchString(d.Path) && len(paths) < 24 {
			paths = append(paths, d.Path)
		}
	}
	return paths, true
}

// drive is the output of smartctl -H -A -j for a disk. The names are smartmontools' (smartctl(8), --json;
// ataprint.cpp, nvmeprint.cpp).
type drive struct {
	Smartctl *struct {
		Exit     int `json:"exit_status"`
		Messages []struct {
			Text string `json:"string"`
		} `json:"messages"`
	} `json:"smartctl"`
	Support *struct {
		Available bool `json:"available"`
	} `json:"smart_support"`
	Status *struct {
		Passed *bool `json:"passed"`
	} `json:"smart_status"`
	Attributes struct {
		Table []struct {
			ID  int `json:"id"`
			Raw struct {
				Value float64 `json:"value"`
			} `json:"raw"`
		} `json:"table"`
	} `json:"ata_smart_attributes"`
	NVMe *struct {
		Warning float64  `json:"critical_warning"`
		Used    *float64 `json:"percentage_used"`
		Errors  float64  `json:"media_errors"`
	} `json:"nvme_smart_health_information_log"`
}

// parseDrive parses smartctl's JSON. why is "" if it contains a verdict.
func parseDrive(text string) (d drive, why Reason) {
	if json.Unmarshal([]byte(text), &d) != nil || d.Smartctl == nil {
		return d, ReasonUnreadable
	}
	if d.Status != nil && d.Status.Passed != nil {
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

// badSectors counts unreadable sectors: attributes 197 and 198, and NVMe's media errors. Sectors that were
// reallocated in time (5) do not count.
func (d drive) badSectors() int64 {
	n := 0.0
	for _, a := range d.Attributes.Table {
		if a.ID == 197 || a.ID == 198 {
			n = max(n, a.Raw.Value)
		}
	}
	if d.NVMe != nil {
		n = max(n, d.NVMe.Errors)
	}
	return int64(min(n, 1e15))
}

func smart(l *look) {
	out, ok := l.run("smart", "lsblk", "-J", "-d", "-o", "NAME,PATH,TYPE")
	if !ok {
		return
	}
	paths, ok := parseDrives(out.Stdout)
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
	if n := d.badSectors(); n > 0 {
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
