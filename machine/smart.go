package machine

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// SmartProbe shows what a disk records about its health. It needs rights that users often do not have. kind is the way to an
// adapter of a USB disk that smartctl does not know (smartctl(8), -d), "" for the usual one.
func SmartProbe(device, kind string) Probe {
	if kind != "" {
		return Probe{"smartctl", "-d", kind, "-H", "-A", "-j", device}
	}
	return Probe{"smartctl", "-H", "-A", "-j", device}
}

var diskName = pattern(`\b(?:(sd[a-z]{1,2})\d*|(nvme\d+(?:n\d+)?)(?:p\d+)?|(mmcblk\d+)(?:p\d+)?|(vd[a-z])\d*|(dm-\d+)|(ata\d+)(?:\.\d+)?)\b`)

// DiskOf returns the disk that a text names, without its partition, "" for none.
func DiskOf(text string) string {
	m := diskName().FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return cmp.Or(m[1:]...)
}

// IsVirtual reports whether a disk is one of a virtual machine.
func (b BlockDevice) IsVirtual() bool {
	return b.Transport == "virtio" || hasAnyPrefix(b.Name, "vd", "xvd") || containsAny(b.Model, "QEMU", "VBOX", "VMware", "Virtual")
}

// SmartUnknown marks a value that the output does not contain.
const SmartUnknown = -1

// SmartRecord is what a disk records about its health. Missing values are [SmartUnknown].
type SmartRecord struct {
	Verdict                           string // PASSED, FAILED or ""
	Reallocated, Pending, Lost, Cable int
	Used, Left, Spare, SpareLimit     int // percent
	Hours, Heat                       int
	Warning                           string // NVMe's critical warning if not 0x00
}

// Record returns the values of a report. ok is false if it has none.
func (r SmartReport) Record() (rec SmartRecord, ok bool) {
	const no = SmartUnknown
	rec = SmartRecord{"", no, no, no, no, no, no, no, no, no, no, ""}
	set := func(to *int, value *float64, most float64) {
		if value != nil && *value >= 0 && *value <= most {
			*to = int(*value)
		}
	}
	const most = 1e12
	set(&rec.Hours, r.On.Hours, most)
	set(&rec.Heat, r.Temperature.Current, 149)
	if r.HasVerdict() {
		rec.Verdict = map[bool]string{true: "PASSED", false: "FAILED"}[*r.Status.Passed]
	}
	if n := r.NVMe; n != nil {
		set(&rec.Used, n.Used, most)
		set(&rec.Spare, n.Spare, most)
		set(&rec.SpareLimit, n.SpareLimit, most)
		set(&rec.Lost, &n.Errors, most)
		if n.Warning > 0 && n.Warning <= 0xff {
			rec.Warning = fmt.Sprintf("0x%02x", int(n.Warning))
		}
	}
	for _, a := range r.Attributes.Table {
		rec.attribute(a)
	}
	return rec, r.HasVerdict() || r.NVMe != nil || len(r.Attributes.Table) > 0
}

// attribute adds a row of an ATA disk.
func (rec *SmartRecord) attribute(a SmartAttribute) {
	switch raw := a.count(); a.Name {
	case "Reallocated_Sector_Ct", "Reallocated_Sector_Count":
		rec.Reallocated = raw
	case "Current_Pending_Sector", "Current_Pending_Sector_Count":
		rec.Pending = raw
	case "Offline_Uncorrectable", "Reported_Uncorrect":
		rec.Lost = max(rec.Lost, raw)
	case "UDMA_CRC_Error_Count", "CRC_Error_Count":
		rec.Cable = raw
	case "Wear_Leveling_Count", "Media_Wearout_Indicator", "SSD_Life_Left", "Percent_Lifetime_Remain", "Remaining_Lifetime_Perc":
		if a.Value >= 1 && a.Value <= 100 {
			rec.Left = int(a.Value)
		}
	}
	if a.Failed == "now" {
		rec.Verdict = "FAILED"
	}
}

// SmartAttribute is a row of an ATA disk. Failed is "now" or "past" if its value fell below the limit.
type SmartAttribute struct {
	ID     int     `json:"id"`
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Failed string  `json:"when_failed"`
	Raw    struct {
		Value float64 `json:"value"`
		Text  string  `json:"string"`
	} `json:"raw"`
}

// count returns the number at the beginning of the raw value: some disks pack more into it.
func (a SmartAttribute) count() int {
	text, _, _ := strings.Cut(a.Raw.Text, " ")
	if n, err := strconv.Atoi(text); err == nil && n >= 0 {
		return n
	}
	if a.Raw.Value < 0 || a.Raw.Value > 1e12 {
		return SmartUnknown
	}
	return int(a.Raw.Value)
}

// SmartReport is the output of smartctl -H -A -j for a disk. The names are smartmontools' (smartctl(8), --json;
// ataprint.cpp, nvmeprint.cpp).
type SmartReport struct {
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
		Table []SmartAttribute `json:"table"`
	} `json:"ata_smart_attributes"`
	NVMe *struct {
		Warning    float64  `json:"critical_warning"`
		Used       *float64 `json:"percentage_used"`
		Errors     float64  `json:"media_errors"`
		Spare      *float64 `json:"available_spare"`
		SpareLimit *float64 `json:"available_spare_threshold"`
	} `json:"nvme_smart_health_information_log"`
	On struct {
		Hours *float64 `json:"hours"`
	} `json:"power_on_time"`
	Temperature struct {
		Current *float64 `json:"current"`
	} `json:"temperature"`
}

// HasVerdict reports whether the disk says that it is healthy or failing.
func (r SmartReport) HasVerdict() bool { return r.Status != nil && r.Status.Passed != nil }

// ParseSmartJSON parses smartctl -j. It is an error if the program did not describe its own run.
func ParseSmartJSON(text []byte) (SmartReport, error) {
	var r SmartReport
	return readable(r, json.Unmarshal(text, &r) == nil && r.Smartctl != nil, "smartctl")
}

// NeedsKind reports whether smartctl does not know the adapter of a USB disk and asks for its kind (smartmontools, os_linux.cpp).
func (r SmartReport) NeedsKind() bool { return strings.Contains(r.message(), "Unknown USB bridge") }

// message returns the messages of the program in one line.
func (r SmartReport) message() string {
	var all []string
	if r.Smartctl != nil {
		for _, m := range r.Smartctl.Messages {
			all = append(all, m.Text)
		}
	}
	return CleanLine(strings.Join(all, "; "))
}

// Trouble returns why a report has no values in the program's own words, "" if it has some.
func (r SmartReport) Trouble() string {
	if _, ok := r.Record(); ok {
		return ""
	}
	return r.message()
}

// SplitSmart returns the reports of several runs of smartctl -j one after another, each as it was printed.
func SplitSmart(text []byte) (each []string) {
	for in := json.NewDecoder(bytes.NewReader(text)); ; {
		var one json.RawMessage
		if in.Decode(&one) != nil {
			return each
		}
		each = append(each, string(one))
	}
}

// BadSectors counts unreadable sectors: attributes 197 and 198, and NVMe's media errors. Sectors that were
// reallocated in time (5) do not count.
func (r SmartReport) BadSectors() int64 {
	n := 0.0
	for _, a := range r.Attributes.Table {
		if a.ID == 197 || a.ID == 198 {
			n = max(n, a.Raw.Value)
		}
	}
	if r.NVMe != nil {
		n = max(n, r.NVMe.Errors)
	}
	return int64(min(n, 1e15))
}
