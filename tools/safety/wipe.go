package safety

import (
	"path"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// wiper is one way to destroy the data of a disk, a volume or an image.
//
// Options are matched generously: an unambiguous abbreviation of a long option matches, and so does a letter
// anywhere in a cluster. A false match only makes a verdict stricter.
type wiper struct {
	names   string // programs
	verbs   string // one of these operands, or a longer form of it, must be present; "" for none
	abbrev  int    // number of letters of a verb that are enough; 0 for all
	options string // one of these options must be present; "" for none
	unless  string // with one of these options, it writes nothing
	skip    int    // number of operands after the verb that are not written to
	part    bool   // the operands after the verb are partition numbers
	all     bool   // it writes to every operand, not only the first
	device  bool   // only paths below /dev count, because creating an image loses nothing
}

// wipers are the forms that destroy data. A program can have several rows.
var wipers = []wiper{
	{names: "wipefs", options: "a all o offset", unless: "n no-act"},
	{names: "sgdisk", options: "Z zap-all z zap o clear l load-backup m gpttombr R replicate"},
	{names: "sgdisk", options: "d delete", part: true},
	{names: "fdisk cfdisk gdisk cgdisk", unless: "l list x list-details s getsz v version h help"},
	{names: "sfdisk", options: "delete", part: true},
	{names: "sfdisk", unless: "l list F list-free d dump J json T list-types s show-size g show-geometry V verify v version h help A activate " +
		"n no-act disk-id part-label part-uuid part-type part-attrs r reorder delete"},
	{names: "parted", verbs: "mklabel mktable", abbrev: 3},
	{names: "parted", verbs: "rm resizepart mkpartfs", part: true},
	{names: "mkswap"},
	{names: "cryptsetup", verbs: "luksFormat luksErase erase format"},
	{names: "pvcreate pvremove vgremove lvremove", all: true},
	{names: "vgcreate vgextend", skip: 1},
	{names: "zpool", verbs: "create add attach replace", skip: 1},
	{names: "zpool", verbs: "destroy labelclear"},
	{names: "zfs", verbs: "destroy"},
	{names: "mdadm", options: "zero-superblock"},
	{names: "mdadm", options: "C create B build add", skip: 1},
	{names: "btrfs", verbs: "add", abbrev: 2},
	{names: "btrfs", verbs: "replace", abbrev: 3, skip: 2},
	{names: "bcachefs", verbs: "format"},
	{names: "make-bcache mkreiserfs mkudffs mkhfs nwipe scrub wipe sg_format sg_sanitize sg_unmap"},
	{names: "blkdiscard shred", all: true},
	{names: "blkzone", verbs: "reset"},
	{names: "badblocks", options: "w"},
	{names: "nvme", verbs: "format sanitize write-zeroes write-uncor dsm write delete-ns"},
	{names: "hdparm", options: "security-erase security-erase-enhanced sanitize-crypto-scramble sanitize-block-erase sanitize-overwrite " +
		"sanitize-overwrite-passes trim-sector-ranges trim-sector-ranges-stdin write-sector repair-sector make-bad-sector dco-restore"},
	{names: "ntfsclone", options: "O overwrite"},
	{names: "ddrescue dd_rescue", skip: 1, device: true},
	{names: "bmaptool", verbs: "copy", skip: 1, device: true},
	{names: "systemd-repart", options: "empty=force empty=create empty=allow"},
}

// makesFileSystem reports whether a program makes a file system on its operand.
func makesFileSystem(name string) bool {
	return name == "mkfs" || strings.HasPrefix(name, "mkfs.") ||
		slices.Contains([]string{"mke2fs", "mkdosfs", "mkntfs", "mkexfatfs", "mkreiserfs", "mkudffs", "jfs_mkfs"}, name)
}

// wipeRules applies the rows of [wipers] to one unwrapped command, and reports whether one of them recorded a reason.
func (s *scope) wipeRules(name string, args []field) bool {
	if name == "lvm" && len(args) > 0 {
		name, args = args[0].val.String(), args[1:]
	}
	if makesFileSystem(name) {
		return s.wipes(&wiper{names: name}, name, args)
	}
	found := false
	for i := range wipers {
		if hasListed(wipers[i].names, name) {
			found = s.wipes(&wipers[i], name, args) || found
		}
	}
	return found
}

func (s *scope) wipes(w *wiper, name string, args []field) bool {
	if w.options != "" && !hasOption(args, w.options) || w.unless != "" && hasOption(args, w.unless) {
		return false
	}
	at := 0
	if w.verbs != "" {
		if at = w.verb(args); at < 0 {
			return false
		}
		if name == "parted" { // DEVICE VERB …
			at = 0
		}
	}
	if isHelpRequest(args) {
		return false
	}
	targets := w.targets(s, args, at)
	for _, t := range targets {
		if s.isInUse(t.val) {
			s.j.block("disk-wipe", commandText(name, args))
		} else {
			s.j.refuse("data-loss", t.val.String())
		}
	}
	return len(targets) > 0
}

// verb returns the position after the verb, or -1.
func (w *wiper) verb(args []field) int {
	for i, f := range args {
		word, known := f.val.lit()
		if known && slices.ContainsFunc(strings.Fields(w.verbs), func(v string) bool {
			return word == v || w.abbrev > 0 && len(word) >= w.abbrev && strings.HasPrefix(v, word)
		}) {
			return i + 1
		}
	}
	return -1
}

// hasOption reports whether one of the options is given: as a letter in a cluster, or as a long option or an
// abbreviation of one. "name=value" requires that value.
func hasOption(args []field, options string) bool {
	return slices.ContainsFunc(args, func(f field) bool {
		text := f.val.prefix()
		long, isLong := strings.CutPrefix(text, "--")
		for option := range strings.FieldsSeq(options) {
			want, value, valued := strings.Cut(option, "=")
			given, got, _ := strings.Cut(long, "=")
			switch {
			case isLong && len(want) > 1 && given != "" && strings.HasPrefix(want, given) && (!valued || got == value):
				return true
			case !isLong && len(want) == 1 && len(text) > 1 && text[0] == '-' && strings.Contains(text[1:], want):
				return true
			}
		}
		return false
	})
}

func isHelpRequest(args []field) bool {
	return slices.ContainsFunc(args, func(f field) bool {
		word, _ := f.val.lit()
		return word == "--help" || word == "--version"
	})
}

// targets returns the arguments that are written to: every argument below /dev, or else the first operand after
// the verb, which is an image, a volume or a pool.
func (w *wiper) targets(s *scope, args []field, at int) []field {
	var devices, others []field
	skip := w.skip
	for i, f := range args {
		v := f.val
		text := v.prefix()
		if strings.HasPrefix(text, "-") {
			value := strings.TrimLeft(text, "-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
			value = strings.TrimPrefix(value, "=")
			if isDigits(value) && w.part {
				others = append(others, field{val: litValue(value)})
			}
			if v = v.dropPrefix(len(text) - len(value)); !v.isDevice(s.dirs) {
				continue
			}
		}
		switch {
		case i >= at && skip > 0 && !strings.HasPrefix(text, "-"):
			if !isNumber(text) { // it belongs to an option
				skip--
			}
		case v.isDevice(s.dirs) || v.prefix() == "" && !strings.HasPrefix(text, "-"):
			devices = append(devices, field{val: v})
		case i >= at && !strings.HasPrefix(text, "-"):
			others = append(others, f)
		}
	}
	switch {
	case w.part:
		return partitions(devices, others)
	case len(devices) > 0 || w.device:
		return devices
	case len(others) > 1 && !w.all:
		return others[:1]
	}
	return others
}

// partitions returns the partitions with the given numbers. Without numbers, it returns the disks.
func partitions(disks, numbers []field) []field {
	var out []field
	for _, d := range disks {
		disk, known := d.val.lit()
		n := len(out)
		for _, f := range numbers {
			if number, _ := f.val.lit(); known && isDigits(number) {
				out = append(out, field{val: litValue(partitionName(disk, number))})
			}
		}
		if len(out) == n {
			out = append(out, d)
		}
	}
	return out
}

// partitionName returns the kernel's or udev's name of a partition.
func partitionName(disk, number string) string {
	switch {
	case strings.HasPrefix(disk, "/dev/disk/"):
		return disk + "-part" + number
	case disk != "" && disk[len(disk)-1] >= '0' && disk[len(disk)-1] <= '9':
		return disk + "p" + number
	}
	return disk + number
}

// wholeDiskPattern matches the names of disks, but not of partitions: sda, but not sda1. A pattern or an unknown
// segment can always be a whole disk.
var wholeDiskPattern = lazyregexp.New(`^/dev/((s|h|v|xv)d[a-z]+|nvme[0-9]+(n[0-9]+|c[0-9]+n[0-9]+)?|ng[0-9]+n[0-9]+|mmcblk[0-9]+(boot[0-9]+|rpmb)?|` +
	`md[0-9_/]+[0-9]*|md/[^/]+|nbd[0-9]+|pmem[0-9]+|sg[0-9]+|block/[0-9:]+|root|disk/by-(id|path|diskseq)/.*)$`)

var partitionSuffix = lazyregexp.New(`-part[0-9]+$|^/dev/md[0-9_]+p[0-9]+$`)

// isWholeDisk reports whether an absolute path is or can be a whole disk.
func isWholeDisk(p string) bool {
	if strings.HasPrefix(p, "/dev/") && strings.ContainsAny(p, "*?[\x00") {
		return diskNames.MatchString(p)
	}
	return wholeDiskPattern.MatchString(p) && !partitionSuffix.MatchString(p)
}

// isInUse reports whether the value is a whole disk, or something that is mounted or used as swap.
func (s *scope) isInUse(v value) bool {
	text := v.pathText()
	if text == "" {
		return false
	}
	for _, p := range absolutePaths(text, s.dirs) {
		names := []string{p}
		if s.j.c.evalSymlinks != nil && !strings.ContainsAny(p, "*?[\x00") {
			if real, err := s.j.c.evalSymlinks(p); err == nil && real != p {
				names = append(names, path.Clean(real))
			}
		}
		if slices.ContainsFunc(names, func(n string) bool { return isWholeDisk(n) || s.isMounted(n) }) {
			return true
		}
	}
	return !strings.HasPrefix(text, "/") && s.isMounted(text)
}

// isMounted calls the hook with a path, a volume "group/name" or a pool.
func (s *scope) isMounted(name string) bool {
	if s.j.c.mounted == nil || strings.ContainsRune(name, 0) {
		return false
	}
	return s.j.c.mounted(name)
}
