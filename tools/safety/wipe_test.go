package safety

import (
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// wipeChecker returns a checker for a machine with the root on nvme0n1p2, swap on sda3, a volume group with a
// mounted volume, a pool, and a swap file.
func wipeChecker() *Checker {
	used := words("/dev/nvme0n1p2 /dev/sda3 /dev/mapper/vg0-root vg0/root vg0 tank /swapfile /dev/loop7")
	links := map[string]string{"/dev/disk/by-uuid/aaaa": "/dev/nvme0n1p2", "/dev/disk/by-uuid/bbbb": "/dev/sdb1", "/home/blu/disk": "/dev/sdb"}
	return New(Options{
		Home: "/home/blu", User: "blu",
		Mounted: func(name string) bool { return used.has(name) },
		EvalSymlinks: func(p string) (string, error) {
			if to, ok := links[p]; ok {
				return to, nil
			}
			return p, nil
		},
	})
}

// TestS13WholeDisksAndWhatIsMountedAreNeverWiped: they cannot be confirmed.
func TestS13WholeDisksAndWhatIsMountedAreNeverWiped(t *testing.T) {
	commands := []string{
		"wipefs -a /dev/sda", "wipefs --all --force /dev/nvme0n1", "wipefs -af /dev/vda", "wipefs --al /dev/mmcblk0", "wipefs -o 0x438 /dev/sdb",
		"wipefs -a /dev/nvme0n1p2", "wipefs -a /dev/sda3", "wipefs -a /dev/disk/by-uuid/aaaa", "wipefs -a ~/disk", "cd /dev && wipefs -a sdc",
		"wipefs -a /dev/disk/by-id/nvme-Samsung_SSD_980", "wipefs -a /dev/sd?", "for d in /dev/sda /dev/sdb; do wipefs -a $d; done", `wipefs -a "/dev/$d"`,
		"sudo wipefs -a /dev/sda", "sudo -n env X=1 wipefs -a /dev/sda", "bash -c 'wipefs -a /dev/sda'", "echo y | wipefs -a /dev/sda", "/usr/bin/wipefs -a /dev/sda",
		"sgdisk -Z /dev/sda", "sgdisk --zap-all /dev/nvme0n1", "sgdisk --zap /dev/sda", "sgdisk -og /dev/sda", "sgdisk -d 3 /dev/sda", "sgdisk -R /dev/sdb /dev/sda",
		"parted -s /dev/sda mklabel gpt", "parted /dev/sda mktable msdos", "parted --script /dev/nvme0n1 mkl gpt mkpart primary 0% 100%", "parted /dev/nvme0n1 rm 2",
		"printf 'o\\nw\\n' | fdisk /dev/sda", "gdisk /dev/sda", "sfdisk /dev/sda", "echo ,, | sfdisk --force /dev/sdb", "sfdisk --delete /dev/sda", "sfdisk --delete /dev/sda 3",
		"sfdisk /dev/sda < table", "sgdisk -l backup /dev/sda",
		"mkswap /dev/sda", "mkswap -f /dev/sda3", "mkswap /swapfile",
		"cryptsetup luksFormat /dev/sda", "cryptsetup -q --type luks2 luksFormat /dev/nvme0n1p2", "cryptsetup luksErase /dev/sda", "cryptsetup erase /dev/nvme0n1p2",
		"pvcreate -ff /dev/sdb", "pvcreate -ffy /dev/nvme0n1", "pvremove /dev/sda3", "vgremove -f vg0", "lvremove -y vg0/root", "lvremove /dev/mapper/vg0-root", "lvm pvcreate /dev/sda",
		"vgcreate new /dev/sdb", "zpool create pool /dev/sdb /dev/sdc", "zpool destroy tank", "zpool labelclear -f /dev/sda", "zpool create -f t mirror /dev/sda /dev/sdb",
		"mdadm --zero-superblock /dev/sda", "mdadm --create /dev/md0 --level=1 --raid-devices=2 /dev/sda /dev/sdb", "mdadm -C /dev/md0 -l1 -n2 /dev/sda /dev/sdb",
		"blkdiscard /dev/sda", "blkdiscard -f /dev/nvme0n1", "nvme format /dev/nvme0n1", "nvme format /dev/nvme0 --ses=1", "nvme sanitize /dev/nvme0 -a 2",
		"hdparm --user-master u --security-erase PASS /dev/sda", "hdparm --security-erase-enhanced p /dev/sda", "btrfs device add -f /dev/sdb /", "btrfs replace start /dev/sda3 /dev/sdb /",
		"bcachefs format /dev/sda", "badblocks -wsv /dev/sda", "shred -n1 /dev/sda", "ddrescue -f -r 3 ~/disk.img /dev/sda", "systemd-repart --dry-run=no --empty=force /dev/sda",
		"mkfs.ext4 /dev/sda", "mkfs.ext4 /dev/sdb1", "wipefs -a /dev/loop7",
	}
	c := wipeChecker()
	for _, command := range commands {
		v := c.Judge(command)
		require.Equal(t, Blocked, v.Class, "%q: %v", command, v.Reasons)
	}
}

// TestS13UnknownMountsStillKeepWholeDisks: without the hook, whole disks are recognised by name.
func TestS13UnknownMountsStillKeepWholeDisks(t *testing.T) {
	c := testChecker()
	for _, command := range []string{
		"wipefs -a /dev/sda", "sgdisk -Z /dev/nvme0n1", "parted -s /dev/vdb mklabel gpt", "mkswap /dev/mmcblk0", "cryptsetup luksFormat /dev/sda",
		"mdadm --zero-superblock /dev/sdb", "nvme format /dev/nvme0", "pvcreate -ff /dev/sdb",
	} {
		require.Equal(t, Blocked, c.Judge(command).Class, command)
	}
}

// TestS13ElsewhereTheQuestionNamesWhatIsLost: the reason contains the target.
func TestS13ElsewhereTheQuestionNamesWhatIsLost(t *testing.T) {
	c := wipeChecker()
	for command, lost := range map[string]string{
		"wipefs -a /dev/sdb1":                       "/dev/sdb1",
		"sudo wipefs --all /dev/disk/by-uuid/bbbb":  "/dev/disk/by-uuid/bbbb",
		"sgdisk -d 2 /dev/sdb":                      "/dev/sdb2",
		"sgdisk --delete=4 /dev/sdb":                "/dev/sdb4",
		"sgdisk -d4 /dev/sdb":                       "/dev/sdb4",
		"parted /dev/sdb rm 2":                      "/dev/sdb2",
		"parted -s /dev/nvme0n1 rm 5":               "/dev/nvme0n1p5",
		"sfdisk --delete /dev/sdb 2":                "/dev/sdb2",
		"mkswap /dev/sdb2":                          "/dev/sdb2",
		"mkswap ./swap.img":                         "./swap.img",
		"cryptsetup luksFormat /dev/sdb1":           "/dev/sdb1",
		"cryptsetup luksFormat disk.img":            "disk.img",
		"pvcreate /dev/sdb3":                        "/dev/sdb3",
		"vgremove vg1":                              "vg1",
		"lvremove -f vg0/scratch":                   "vg0/scratch",
		"zpool destroy backup":                      "backup",
		"zpool labelclear /dev/sdb1":                "/dev/sdb1",
		"mdadm --zero-superblock /dev/sdb1":         "/dev/sdb1",
		"mdadm --create /dev/md0 -l1 -n1 /dev/sdb1": "/dev/sdb1",
		"btrfs device add /dev/sdb1 /mnt":           "/dev/sdb1",
		"mkfs.ext4 disk.img":                        "disk.img",
		"wipefs -a disk.img":                        "disk.img",
		"parted disk.img mklabel gpt":               "disk.img",
		"shred -u secret.txt":                       "secret.txt",
	} {
		v := c.Judge(command)
		require.Equal(t, Confirm, v.Class, "%q: %v", command, v.Reasons)
		require.Contains(t, v.Reasons, Reason{"data-loss", lost}, command)
		for _, r := range v.Reasons {
			require.NotEqual(t, "unknown-program", r.Code, command)
		}
	}
}

// TestS13LookingAtDisksIsNoWipe: reading forms of the programs are not affected.
func TestS13LookingAtDisksIsNoWipe(t *testing.T) {
	c := wipeChecker()
	for _, command := range []string{
		"wipefs /dev/sda", "wipefs -n -a /dev/sda", "wipefs --no-act --all /dev/sda", "mkswap --help", "mkswap --version", "cryptsetup luksFormat --help",
		"sfdisk --part-type /dev/sda 1 L", "ddrescue -r 3 /dev/sda ~/disk.img ~/map",
	} {
		require.Equal(t, Confirm, max(Confirm, c.Judge(command).Class), command)
	}
	for _, command := range []string{
		"fdisk -l /dev/sda", "sfdisk -l /dev/sda", "sfdisk -d /dev/sda", "parted -l", "parted /dev/sda print", "sgdisk -p /dev/sda", "gdisk -l /dev/sda", "mdadm --examine /dev/sda",
		"mdadm -D /dev/md0", "cryptsetup luksDump /dev/sda2", "cryptsetup status root", "hdparm -I /dev/sda", "nvme smart-log /dev/nvme0", "zpool status", "btrfs device stats /", "pvs", "vgs",
	} {
		v := c.Judge(command)
		require.Equal(t, Safe, v.Class, "%q: %v", command, v.Reasons)
	}
}

// TestWhatALinkLeadsTo blocks the removal of a directory that only seems to be in the home.
func TestWhatALinkLeadsTo(t *testing.T) {
	links := map[string]string{"/home/blu/disk": "/mnt/data", "/home/blu/all": "/home/blu", "/home/blu/in": "/home/blu/docs/2024"}
	c := New(Options{Home: "/home/blu", User: "blu", EvalSymlinks: func(p string) (string, error) {
		for link, target := range links {
			if rest, below := strings.CutPrefix(p+"/", link+"/"); below {
				return path.Join(target, rest), nil
			}
		}
		return p, nil
	}})
	for command, want := range map[string]Class{
		"rm -rf ~/disk/": Blocked, "rm -rf ~/disk/*": Blocked, "rm -rf ~/all/": Blocked, "find ~/all/ -delete": Blocked,
		"rm -rf ~/in": Confirm, "rm -rf ~/in/*": Confirm, "rm -rf ~/docs/a*": Confirm, "rm -rf ~/docs ~/disk": Blocked,
	} {
		require.Equal(t, want, c.Judge(command).Class, command)
	}
	v := c.Judge("rm -rf ~/docs/a ~/docs/b*")
	require.Contains(t, v.Reasons, Reason{DeleteOwn, "/home/blu/docs/a"})
	require.Contains(t, v.Reasons, Reason{DeleteOwn, "/home/blu/docs/b*"})
}
