package local

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// fakeDevices creates a tree with a root on LUKS on a partition, a volume group, swap, a pool, a loop device and an
// unused USB stick.
func fakeDevices(t *testing.T) Devices {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	write := func(path, text string) {
		full := filepath.Join(root, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o700))
		require.NoError(t, os.WriteFile(full, []byte(text), 0o600))
	}
	link := func(path, to string) {
		full := filepath.Join(root, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o700))
		require.NoError(t, os.Symlink(to, full))
	}
	write("/proc/self/mountinfo", "25 1 0:30 /@ / rw - btrfs /dev/mapper/root rw\n"+
		"26 25 253:2 / /home rw - ext4 /dev/mapper/vg0-home rw\n27 25 0:40 / /tank rw - zfs tank/data rw\n"+
		"28 25 7:0 / /mnt/an\\040image rw - ext4 /dev/loop0 rw\n29 25 0:5 / /dev rw - devtmpfs dev rw\n")
	write("/proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n/dev/sda3 partition 1 0 -2\n/swap\\040file file 1 0 -3\n")
	for _, dev := range []string{"dm-0", "dm-2", "nvme0n1", "nvme0n1p2", "sda", "sda3", "sdb", "sdb1", "loop0", "sdd"} {
		write("/dev/"+dev, "")
	}
	link("/dev/mapper/root", "../dm-0")
	link("/dev/mapper/vg0-home", "../dm-2")
	link("/dev/vg0/home", "../dm-2")
	link("/dev/disk/by-uuid/abcd", "../../nvme0n1p2")
	write("/sys/devices/dm-0/slaves/nvme0n1p2", "")
	write("/sys/devices/dm-2/slaves/sdd", "")
	write("/sys/devices/nvme0n1/nvme0n1p2/partition", "2\n")
	write("/sys/devices/sda/sda3/partition", "3\n")
	write("/sys/devices/loop0/loop/backing_file", "/home/blu/disk.img\n")
	write("/sys/fs/btrfs/u/devices/sde1", "")
	for name, dir := range map[string]string{
		"dm-0": "dm-0", "dm-2": "dm-2", "nvme0n1": "nvme0n1", "nvme0n1p2": "nvme0n1/nvme0n1p2", "sda": "sda", "sda3": "sda/sda3", "loop0": "loop0",
	} {
		link("/sys/class/block/"+name, "../../devices/"+dir)
	}
	return Devices{Root: root}
}

// TestS13MountedIsWhatLiesBelowToo: the partition below a mounted LUKS volume, the disk of a mounted partition,
// a member of a mounted btrfs.
func TestS13MountedIsWhatLiesBelowToo(t *testing.T) {
	d := fakeDevices(t)
	for _, used := range []string{
		"/dev/mapper/root", "/dev/dm-0", "/dev/nvme0n1p2", "/dev/nvme0n1", "/dev/disk/by-uuid/abcd", "/dev/sda3", "/dev/sda", "/swap file",
		"vg0", "vg0/home", "/dev/vg0/home", "/dev/mapper/vg0-home", "/dev/sdd", "tank", "tank/data", "/dev/loop0", "/home/blu/disk.img", "/dev/sde1",
	} {
		require.True(t, d.InUse(used), used)
	}
	for _, free := range []string{"/dev/sdb", "/dev/sdb1", "/dev/nvme0n1p1", "vg1", "vg0/scratch", "backup", "disk.img", "dev", "/dev/disk/by-uuid/none"} {
		require.False(t, d.InUse(free), free)
	}
}

// TestS13WithoutTablesNothingIsKnown: the checker then decides by names.
func TestS13WithoutTablesNothingIsKnown(t *testing.T) {
	require.False(t, Devices{Root: t.TempDir()}.InUse("/dev/sda1"))
}
