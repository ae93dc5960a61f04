package local

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/machine"
)

// Devices reads which block devices are in use.
type Devices struct {
	Root string // parent of /proc, /sys and /dev; "" for /
}

// InUse reports whether a device, a file, a volume "group/name", a volume group or a pool is mounted or used as
// swap, either itself or through a device on top of it: the partition below a mounted LUKS volume is in use. It
// returns false if the kernel's tables cannot be read.
func (d Devices) InUse(name string) bool {
	used := d.used()
	return used[name] || slices.ContainsFunc(d.paths(name), func(p string) bool { return used[p] })
}

// paths returns the files that a name can refer to, with links resolved.
func (d Devices) paths(name string) []string {
	if strings.HasPrefix(name, "/") {
		return []string{name, d.real(name)}
	}
	volumes, _ := filepath.Glob(filepath.Join(d.Root, "/dev", name, "*"))
	volumes = append(volumes, filepath.Join(d.Root, "/dev", name))
	for i, v := range volumes {
		volumes[i] = d.real(strings.TrimPrefix(v, d.Root))
	}
	return volumes
}

// real resolves the links of a path. It returns a missing path unchanged.
func (d Devices) real(path string) string {
	real, err := filepath.EvalSymlinks(filepath.Join(d.Root, path))
	if err != nil {
		return path
	}
	return strings.TrimPrefix(real, d.Root)
}

// used returns the names of everything that is mounted or used as swap.
func (d Devices) used() map[string]bool {
	used := map[string]bool{}
	for _, source := range slices.Concat(d.mountSources(), machine.ParseSwaps(d.table("/proc/swaps"))) {
		if !strings.HasPrefix(source, "/") {
			used[source] = true // a data set of a ZFS pool
			pool, _, _ := strings.Cut(source, "/")
			used[pool] = true
			continue
		}
		d.use(used, d.real(source))
		used[source] = true
	}
	members, _ := filepath.Glob(filepath.Join(d.Root, "/sys/fs/btrfs/*/devices/*")) // only mounted file systems are listed
	for _, m := range members {
		d.use(used, "/dev/"+filepath.Base(m))
	}
	return used
}

// use adds a device and what is below it: the devices of a volume, the disk of a partition, the file of a loop device.
func (d Devices) use(used map[string]bool, device string) {
	if used[device] {
		return
	}
	used[device] = true
	block := filepath.Join(d.Root, "/sys/class/block", filepath.Base(device))
	slaves, _ := os.ReadDir(filepath.Join(block, "slaves"))
	for _, s := range slaves {
		d.use(used, "/dev/"+s.Name())
	}
	if file, err := os.ReadFile(filepath.Join(block, "loop/backing_file")); err == nil {
		d.use(used, strings.TrimSpace(string(file)))
	}
	if real, err := filepath.EvalSymlinks(block); err == nil {
		if _, err := os.Stat(filepath.Join(real, "partition")); err == nil {
			d.use(used, "/dev/"+filepath.Base(filepath.Dir(real)))
		}
	}
}

// mountSources returns the sources of all mounts.
func (d Devices) mountSources() []string {
	mounts, _ := machine.ParseMountInfo(d.table("/proc/self/mountinfo")) // none if it is unreadable
	var sources []string
	for _, m := range mounts {
		if strings.HasPrefix(m.Source, "/") || m.Type == "zfs" {
			sources = append(sources, m.Source)
		}
	}
	return sources
}

func (d Devices) table(path string) []byte {
	text, _ := os.ReadFile(filepath.Join(d.Root, path)) // nil if it is unreadable
	return text
}
