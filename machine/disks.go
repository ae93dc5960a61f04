package machine

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

var (
	// DFProbe shows how full the file systems are.
	DFProbe = Probe{"df", "-h"}
	// InodesProbe shows how many files the file systems can still hold.
	InodesProbe = Probe{"df", "-i"}
)

// Filesystem is a row of df. The sizes are as printed; [ParseSize] reads them.
type Filesystem struct {
	Source, Target        string
	Type                  string // "" if df did not print it
	Size, Used, Available string
	Percent               int // -1 if df does not know or did not print it
}

// ParseDF parses df's table (coreutils manual, section "df invocation"): the usual columns, with a header in any
// language, and those of --output=source,fstype, three figures and target. Source and target can contain blanks.
// With an error, it returns the rows that it could read.
func ParseDF(text []byte) ([]Filesystem, error) {
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	if len(lines) > 1 && !strings.Contains(lines[0], "%") {
		if _, ok := typedRow(lines[1]); ok {
			return parseTypedDF(lines[1:])
		}
	}
	var out []Filesystem
	var bad error
	carry := ""
	for i, line := range Lines(text) {
		f := strings.Fields(carry + " " + line)
		at := percentField(f)
		switch {
		case at >= 0:
			fs := Filesystem{
				Source:    strings.Join(f[:at-3], " "),
				Target:    strings.Join(f[at+1:], " "),
				Size:      f[at-3],
				Used:      f[at-2],
				Available: f[at-1],
				Percent:   -1,
			}
			if n, err := strconv.Atoi(strings.TrimSuffix(f[at], "%")); err == nil && n >= 0 && n <= 100 {
				fs.Percent = n
			}
			out = append(out, fs)
			carry = ""
		case len(f) == 1:
			carry = f[0] // a long device name, whose row continues on the next line
		default:
			carry = ""
			if i > 0 {
				bad = &UnreadableError{"df", line}
			}
		}
	}
	if len(out) == 0 {
		bad = &UnreadableError{Source: "df"}
	}
	return out, bad
}

// percentField finds the column with the share used: "45%" or "-", followed by an absolute mount point and
// preceded by device and three sizes.
func percentField(f []string) int {
	for i := 4; i < len(f)-1; i++ {
		_, err := strconv.Atoi(strings.TrimSuffix(f[i], "%"))
		if (strings.HasSuffix(f[i], "%") && err == nil || f[i] == "-") && strings.HasPrefix(f[i+1], "/") {
			return i
		}
	}
	return -1
}

func parseTypedDF(lines []string) ([]Filesystem, error) {
	var out []Filesystem
	for _, line := range lines {
		fs, ok := typedRow(line)
		if !ok {
			return out, &UnreadableError{"df", line}
		}
		out = append(out, fs)
	}
	return out, nil
}

// typedRow parses a row with a type. The type comes before three figures, of which "-" is a missing one.
func typedRow(line string) (Filesystem, bool) {
	f := strings.Fields(line)
	isFigure := func(w string) bool { return w == "-" || isNumber(w) }
	for i := 1; i+4 < len(f); i++ {
		if isFigure(f[i+1]) && isFigure(f[i+2]) && isFigure(f[i+3]) {
			target := lastColumn(line, i+4)
			return Filesystem{
				Source:    strings.Join(f[:i], " "),
				Target:    target,
				Type:      f[i],
				Size:      f[i+1],
				Used:      f[i+2],
				Available: f[i+3],
				Percent:   -1,
			}, strings.HasPrefix(target, "/")
		}
	}
	return Filesystem{}, false
}

// lastColumn returns the rest of a line after that many words, with its spaces.
func lastColumn(line string, skip int) string {
	for range skip {
		line = strings.TrimLeft(line, " ")
		if i := strings.IndexByte(line, ' '); i >= 0 {
			line = line[i:]
		}
	}
	return strings.TrimLeft(line, " ")
}

var (
	// BlockTreeProbe lists the block devices.
	BlockTreeProbe = Probe{"lsblk", "-o", "NAME,SIZE,TYPE,FSTYPE,MOUNTPOINT"}
	// DrivesProbe lists the disks.
	DrivesProbe = Probe{"lsblk", "-d", "-P", "-o", "NAME,SIZE,TYPE,TRAN,ROTA,MODEL"}
	// VolumesProbe lists the disks with their file systems.
	VolumesProbe = Probe{"lsblk", "-P", "-o", "NAME,SIZE,TYPE,TRAN,FSTYPE,LABEL,MOUNTPOINT"}
	// DrivePathsProbe lists the disks as JSON.
	DrivePathsProbe = Probe{"lsblk", "-J", "-d", "-o", "NAME,PATH,TYPE"}
)

// BlockDevice is a row of lsblk. Columns that were not asked for are "".
type BlockDevice struct {
	Name       string `json:"name"`
	Path       string `json:"path"`
	Size       string `json:"size"`
	Type       string `json:"type"` // disk, part, crypt, …
	FSType     string `json:"fstype"`
	Mount      string `json:"mountpoint"`
	Label      string `json:"label"`
	UUID       string `json:"uuid"`
	PartUUID   string `json:"partuuid"`
	Transport  string `json:"tran"` // usb, sata, nvme, virtio
	Rotational string `json:"-"`    // "0" for an SSD, "1" for a hard disk
	Model      string `json:"model"`
}

// ParseBlockTree parses lsblk -o NAME,SIZE,TYPE,FSTYPE,MOUNTPOINT (lsblk(8)). The type column is identified by its
// words, because the last two columns can be empty.
func ParseBlockTree(text []byte) ([]BlockDevice, error) {
	var out []BlockDevice
	for _, line := range Lines(text) {
		f := strings.Fields(strings.TrimLeft(line, " │├└─|`-"))
		if len(f) < 3 || !slices.Contains([]string{"disk", "part", "lvm", "crypt", "raid0", "raid1", "raid5", "rom", "loop"}, f[2]) {
			continue
		}
		b := BlockDevice{Name: f[0], Size: f[1], Type: f[2]}
		for _, x := range f[3:] {
			if strings.HasPrefix(x, "/") || strings.HasPrefix(x, "[") {
				b.Mount = strings.TrimSpace(b.Mount + " " + x)
			} else if b.Mount == "" {
				b.FSType = x
			}
		}
		out = append(out, b)
	}
	return readable(out, len(out) > 0, "lsblk")
}

var pairForm = pattern(`([A-Z]+)="([^"]*)"`)

// ParseBlockPairs parses lsblk -P (lsblk(8)): NAME="value" for each column.
func ParseBlockPairs(text []byte) ([]BlockDevice, error) {
	var out []BlockDevice
	for _, line := range Lines(text) {
		m := map[string]string{}
		for _, p := range pairForm().FindAllStringSubmatch(line, -1) {
			m[p[1]] = cutRunes(strings.TrimSpace(p[2]), 60)
		}
		if m["NAME"] != "" {
			out = append(out, BlockDevice{
				Name: m["NAME"], Path: m["PATH"], Size: m["SIZE"], Type: m["TYPE"], FSType: m["FSTYPE"], Mount: m["MOUNTPOINT"],
				UUID: m["UUID"], PartUUID: m["PARTUUID"],
				Label: m["LABEL"], Transport: m["TRAN"], Rotational: m["ROTA"], Model: m["MODEL"],
			})
		}
	}
	return rows(out, text, "lsblk")
}

// ParseBlockJSON parses lsblk -J (lsblk(8)): an object with a list of blockdevices.
func ParseBlockJSON(text []byte) ([]BlockDevice, error) {
	var list struct {
		Devices []BlockDevice `json:"blockdevices"`
	}
	return readable(list.Devices, json.Unmarshal(text, &list) == nil && list.Devices != nil, "lsblk")
}

var (
	// MountsProbe lists the mounted file systems.
	MountsProbe = Probe{"cat", "/proc/mounts"}
	// FSTabProbe lists the file systems to mount.
	FSTabProbe = Probe{"cat", "/etc/fstab"}
)

// Mount is a mounted file system.
type Mount struct {
	Source, Target, Type string
	Options              []string // those of the mount, then those of the file system
}

// unescapeMount decodes the octal escapes of the kernel's tables.
var unescapeMount = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

func newMount(source, target, kind, options string) Mount {
	return Mount{unescapeMount.Replace(source), unescapeMount.Replace(target), kind, strings.Split(options, ",")}
}

// ParseMounts parses /proc/mounts (proc_pid_mounts(5)).
func ParseMounts(text []byte) ([]Mount, error) {
	var out []Mount
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) >= 4 {
			out = append(out, newMount(f[0], f[1], f[2], f[3]))
		}
	}
	return readable(out, len(out) > 0, "/proc/mounts")
}

// ParseMountInfo parses /proc/PID/mountinfo (proc_pid_mountinfo(5)).
func ParseMountInfo(text []byte) ([]Mount, error) {
	var out []Mount
	for line := range strings.Lines(string(text)) {
		left, right, ok := strings.Cut(line, " - ")
		if l, r := strings.Fields(left), strings.Fields(right); ok && len(l) >= 6 && len(r) >= 3 {
			out = append(out, newMount(r[1], l[4], r[0], l[5]+","+r[2]))
		}
	}
	return readable(out, len(out) > 0, "mountinfo")
}

// ParseSwaps parses /proc/swaps (proc_swaps(5)): the devices and files used as swap.
func ParseSwaps(text []byte) []string {
	var out []string
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 0 && strings.HasPrefix(f[0], "/") {
			out = append(out, unescapeMount.Replace(f[0]))
		}
	}
	return out
}

// ParseFSTab parses fstab(5). The options are the fourth field; those of dump(8) and fsck(8) follow.
func ParseFSTab(text []byte) []Mount {
	all := fieldRows(text, 3, func(f []string) Mount { return newMount(f[0], f[1], f[2], append(f, "")[3]) })
	return slices.DeleteFunc(all, func(m Mount) bool { return strings.HasPrefix(m.Source, "#") })
}

// SizedPath is a folder or file with its size in bytes.
type SizedPath struct {
	Path    string
	Size    float64
	Printed string // the size as printed, for folders
}

// ParseDU parses du -h (du(1)): size, tab, path. The result includes the sum of the root.
func ParseDU(text []byte) ([]SizedPath, error) {
	return sizedPaths(text, "du", "\t", func(size, p string) (SizedPath, bool) {
		n, ok := ParseSize(size)
		return SizedPath{CleanLine(p), n, size}, ok && p != ""
	})
}

// ParseFindSizes parses find -printf '%s %p\n': bytes and path.
func ParseFindSizes(text []byte) ([]SizedPath, error) {
	return sizedPaths(text, "find", " ", func(size, p string) (SizedPath, bool) {
		n, err := strconv.ParseUint(size, 10, 63)
		return SizedPath{CleanLine(p), float64(n), ""}, err == nil && strings.HasPrefix(p, "/")
	})
}

// sizedPaths reads lines with a size and a path, of which nothing is cut off, and sorts them by size.
func sizedPaths(text []byte, source, sep string, row func(size, p string) (SizedPath, bool)) ([]SizedPath, error) {
	var out []SizedPath
	for line := range strings.Lines(string(text)) {
		size, p, found := strings.Cut(strings.TrimRight(line, "\r\n"), sep)
		if s, ok := row(size, p); ok && found {
			out = append(out, s)
		}
	}
	return rows(largestFirst(out, func(s SizedPath) float64 { return s.Size }), text, source)
}

// ParseFileTimes parses find -printf '%T@\n' or '%C@\n' (find(1)): seconds since 1970 with a fraction, which is
// dropped. With an error, it returns the times that it could read.
func ParseFileTimes(text []byte) ([]time.Time, error) {
	return allRows(text, "find", func(line string) (time.Time, bool) {
		whole, fraction, _ := strings.Cut(strings.TrimSpace(line), ".")
		n, err := strconv.ParseInt(whole, 10, 64)
		return time.Unix(n, 0), err == nil && n > 0 && len(whole) <= 12 && (fraction == "" || isNumber(fraction))
	})
}

// JournalSizeProbe shows how much space the journal takes.
var JournalSizeProbe = Probe{"journalctl", "--disk-usage"}

var journalTakes = pattern(`take up ([\d.,]+[KMGTB]*) in`)

// ParseJournalSize parses journalctl --disk-usage (journalctl(1)): the bytes of all journals.
func ParseJournalSize(text []byte) (float64, error) {
	return sizeIn(journalTakes(), text, "journalctl")
}

// OldPackagesProbe shows what removing old packages from the cache would free.
var OldPackagesProbe = Probe{"paccache", "-dk2"}

var paccacheSaves = pattern(`disk space saved: ([\d.,]+ ?[KMGT]?i?B)`)

// ParseOldPackages parses paccache -d (paccache(8)): the bytes that it would free.
func ParseOldPackages(text []byte) (float64, error) {
	if bytes.Contains(text, []byte("no candidate packages")) {
		return 0, nil
	}
	return sizeIn(paccacheSaves(), text, "paccache")
}

func sizeIn(form *regexp.Regexp, text []byte, source string) (float64, error) {
	if m := form.FindSubmatch(text); m != nil {
		n, ok := ParseSize(string(m[1]))
		return readable(n, ok, source)
	}
	return 0, &UnreadableError{Source: source}
}

// MountPointProbe shows what is mounted at a path (findmnt(8), "--mountpoint").
func MountPointProbe(path string) Probe {
	return Probe{"findmnt", "-J", "-o", "TARGET,SOURCE,FSTYPE", "--mountpoint", path}
}

// MountedDeviceProbe shows where a device is mounted (findmnt(8), "--source").
func MountedDeviceProbe(device string) Probe {
	return Probe{"findmnt", "-J", "-o", "TARGET,SOURCE,FSTYPE", "--source", device}
}

// ParseFoundMounts parses findmnt -J (findmnt(8), "--json"). It prints nothing if it finds none.
func ParseFoundMounts(text []byte) ([]Mount, error) {
	var list struct {
		Mounts []struct{ Target, Source, FSType string } `json:"filesystems"`
	}
	if len(text) == 0 {
		return nil, nil
	}
	err := json.Unmarshal(text, &list)
	var out []Mount
	for _, m := range list.Mounts {
		out = append(out, Mount{Source: m.Source, Target: m.Target, Type: m.FSType})
	}
	return readable(out, err == nil && len(out) > 0, "findmnt")
}

// USBVolumes returns the USB disks of [VolumesProbe] with their partitions, whose names begin with the disk's.
func USBVolumes(all []BlockDevice) (out []BlockDevice) {
	var disks []string
	for _, v := range all {
		switch {
		case strings.Trim(v.Name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || v.Name == "":
			continue
		case v.Transport == "usb":
			disks = append(disks, v.Name)
		case !slices.ContainsFunc(disks, func(d string) bool { return v.Name != d && strings.HasPrefix(v.Name, d) }):
			continue
		}
		out = append(out, v)
	}
	return out
}

// Title names a disk or partition as people know it: its file, size, file system and label.
func (v BlockDevice) Title() string {
	return CleanLine(strings.Join(strings.Fields("/dev/"+v.Name+" "+v.Size+" "+v.FSType+" "+v.Label), " "))
}
