package machine

import (
	"encoding/json"
	"slices"
	"strings"
)

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
