package machine

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
)

// SmartTextProbe shows what a disk records about its health. It needs rights that users often do not have. Adapters of USB
// disks mostly pass the commands of SAT on (smartctl(8), -d).
func SmartTextProbe(device string, usb bool) Probe {
	if usb {
		return Probe{"smartctl", "-d", "sat", "-H", "-A", device}
	}
	return Probe{"smartctl", "-H", "-A", device}
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

// SmartRecord is the output of smartctl -H -A (smartctl(8)). Missing values are [SmartUnknown].
type SmartRecord struct {
	Verdict                           string // PASSED, FAILED or ""
	Reallocated, Pending, Lost, Cable int
	Used, Left, Spare, SpareLimit     int // percent
	Hours, Heat                       int
	Warning                           string // NVMe's critical warning if not 0x00
}

var (
	smartVerdict = pattern(`^SMART (?:overall-health self-assessment test result|Health Status): *([A-Z]+)`)
	// ID# NAME FLAG VALUE WORST THRESH TYPE UPDATED WHEN_FAILED RAW_VALUE
	smartAttribute = pattern(`^ *\d+ (\S+) +0x[0-9a-f]{4} +(\d{1,3}) +\d{1,3} +(?:\d{1,3}|-{3}) +\S+ +\S+ +(\S+) +(\d{1,12})`)
	smartField     = pattern(`^([A-Z][A-Za-z ]+): +([\d,]+|0x[0-9a-f]{2})(?:%| Celsius)?\b`)
)

// ParseSmart parses the tables of ATA and NVMe disks.
func ParseSmart(text []byte) (SmartRecord, error) {
	ok := false
	var rec SmartRecord
	for _, v := range []*int{
		&rec.Reallocated, &rec.Pending, &rec.Lost, &rec.Cable, &rec.Used, &rec.Left,
		&rec.Spare, &rec.SpareLimit, &rec.Hours, &rec.Heat,
	} {
		*v = SmartUnknown
	}
	for _, line := range Lines(text) {
		switch {
		case smartVerdict().MatchString(line):
			rec.Verdict, ok = smartVerdict().FindStringSubmatch(line)[1], true
		case smartAttribute().MatchString(line):
			rec.attribute(smartAttribute().FindStringSubmatch(line))
			ok = true
		case smartField().MatchString(line):
			m := smartField().FindStringSubmatch(line)
			ok = rec.field(m[1], m[2]) || ok
		}
	}
	if rec.Verdict == "OK" {
		rec.Verdict = "PASSED" // SCSI's word
	}
	return readable(rec, ok, "smartctl")
}

// attribute parses a row of an ATA disk.
func (rec *SmartRecord) attribute(m []string) {
	name, value, raw := m[1], smartNumber(m[2]), smartNumber(m[4])
	switch name {
	case "Reallocated_Sector_Ct", "Reallocated_Sector_Count":
		rec.Reallocated = raw
	case "Current_Pending_Sector", "Current_Pending_Sector_Count":
		rec.Pending = raw
	case "Offline_Uncorrectable", "Reported_Uncorrect":
		rec.Lost = max(rec.Lost, raw)
	case "UDMA_CRC_Error_Count", "CRC_Error_Count":
		rec.Cable = raw
	case "Power_On_Hours", "Power_On_Hours_and_Msec":
		rec.Hours = raw
	case "Temperature_Celsius", "Airflow_Temperature_Cel":
		if raw > 0 && raw < 150 && (rec.Heat == SmartUnknown || name == "Temperature_Celsius") {
			rec.Heat = raw
		}
	case "Wear_Leveling_Count", "Media_Wearout_Indicator", "SSD_Life_Left", "Percent_Lifetime_Remain", "Remaining_Lifetime_Perc":
		if value >= 1 && value <= 100 {
			rec.Left = value
		}
	}
	if m[3] == "FAILING_NOW" {
		rec.Verdict = "FAILED"
	}
}

// field parses a line of an NVMe disk and reports whether it is a known one.
func (rec *SmartRecord) field(name, value string) bool {
	to := map[string]*int{
		"Temperature": &rec.Heat, "Available Spare": &rec.Spare, "Available Spare Threshold": &rec.SpareLimit,
		"Percentage Used": &rec.Used, "Power On Hours": &rec.Hours, "Media and Data Integrity Errors": &rec.Lost,
	}[name]
	switch n := smartNumber(value); {
	case name == "Critical Warning" && strings.Trim(value, "0x") != "":
		rec.Warning = value
	case to != nil && (name != "Temperature" || n < 150):
		*to = n
	}
	return to != nil || name == "Critical Warning"
}

// smartNumber parses "4,321". It returns SmartUnknown if s is not a number.
func smartNumber(s string) int {
	n, err := strconv.Atoi(strings.ReplaceAll(s, ",", ""))
	if err != nil || n < 0 {
		return SmartUnknown
	}
	return n
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

// HasVerdict reports whether the disk says that it is healthy or failing.
func (r SmartReport) HasVerdict() bool { return r.Status != nil && r.Status.Passed != nil }

// ParseSmartJSON parses smartctl -j. It is an error if the program did not describe its own run.
func ParseSmartJSON(text []byte) (SmartReport, error) {
	var r SmartReport
	return readable(r, json.Unmarshal(text, &r) == nil && r.Smartctl != nil, "smartctl")
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
