package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// fileSystem is one row of df -h.
type fileSystem struct {
	device, size, used, avail, mount string
	percent                          int // -1 if df does not know
}

// parseDF parses df's table (coreutils manual, section "df invocation") with a header in any language. Rows
// with a long device name continue on the next line. Device and mount point can contain blanks.
func parseDF(text string) []fileSystem {
	var out []fileSystem
	carry := ""
	for _, line := range outputLines(text) {
		f := strings.Fields(carry + " " + line)
		i := percentField(f)
		if i < 0 {
			carry = ""
			if len(f) == 1 {
				carry = f[0]
			}
			continue
		}
		carry = ""
		fs := fileSystem{device: strings.Join(f[:i-3], " "), size: f[i-3], used: f[i-2], avail: f[i-1], mount: strings.Join(f[i+1:], " "), percent: -1}
		if n, err := strconv.Atoi(strings.TrimSuffix(f[i], "%")); err == nil && n >= 0 && n <= 100 {
			fs.percent = n
		}
		out = append(out, fs)
	}
	return out
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

var pseudoDevices = set("tmpfs", "devtmpfs", "efivarfs", "udev", "dev", "run", "none", "shm", "ramfs", "cgroup", "proc", "sysfs", "squashfs", "portal", "gvfsd-fuse", "revokefs-fuse", "overlay", "overlayfs", "fuse", "cgroup2", "devpts", "rootfs", "zram")

// realFileSystems keeps the file systems that store user data, one per device: no memory file systems, firmware
// variables, loop-mounted images, optical media or layers over another file system. In a container the overlay
// on / is real.
func realFileSystems(all []fileSystem) []fileSystem {
	var out []fileSystem
	for _, fs := range all {
		if !isReal(fs) {
			continue
		}
		same := slices.IndexFunc(out, func(o fileSystem) bool { return o.device == fs.device })
		switch {
		case same < 0:
			out = append(out, fs)
		case len(fs.mount) < len(out[same].mount):
			out[same] = fs
		}
	}
	if len(out) == 0 {
		for _, fs := range all {
			if fs.mount == "/" && fs.percent >= 0 {
				return []fileSystem{fs}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b fileSystem) int {
		return cmp.Or(-cmp.Compare(a.percent, b.percent), cmp.Compare(len(a.mount), len(b.mount)))
	})
	return dropDuplicates(out)
}

// dropDuplicates removes duplicates of the root file system: a container's root is an overlay, and files of the
// host's disk (such as /etc/hosts) are mounted from the same disk.
func dropDuplicates(all []fileSystem) []fileSystem {
	root := slices.IndexFunc(all, func(fs fileSystem) bool { return fs.mount == "/" && pseudoDevices[fs.device] })
	if root < 0 {
		return all
	}
	r := all[root]
	return slices.DeleteFunc(all, func(fs fileSystem) bool {
		return fs.mount != "/" && (fs.size == r.size && fs.avail == r.avail || hasAnyPrefix(fs.mount, "/etc/", "/run/host/"))
	})
}

func isReal(fs fileSystem) bool {
	switch {
	case fs.percent < 0:
		return false
	case fs.mount == "/" && strings.HasPrefix(fs.device, "overlay"):
		return true // a container's root
	case pseudoDevices[fs.device] || hasAnyPrefix(fs.device, "/dev/loop", "/dev/sr", "/dev/fuse", "overlay"):
		return false
	case hasAnyPrefix(fs.mount, "/dev", "/proc", "/sys", "/snap/", "/var/lib/snapd", "/var/lib/docker/", "/var/lib/containers/", "/run/user", "/run/credentials", "/tmp/.mount_"):
		return false
	case strings.HasPrefix(fs.device, "/dev/") || strings.Contains(fs.device, ":") || strings.HasPrefix(fs.device, "//"):
		return true
	}
	size, ok := parseSize(fs.size)
	return ok && size >= 1<<30 // a pool (zfs) or a mounted image, not a marker file system
}

func (r *result) disk() Reply {
	s := &r.steps[0]
	all := parseDF(s.Stdout)
	if len(all) == 0 {
		return r.unreadableReply(s)
	}
	real := realFileSystems(all)
	if len(real) == 0 {
		return Reply{Text: r.say(i18n.HelperDiskNone)}
	}
	if rep, ok := r.volume(all, false); ok {
		return rep
	}
	top := r.focusDisk(real)
	named := r.namedVolume(all)
	if named != nil {
		top, real = *named, nil // the question is about this one only
	}
	rep := Reply{Text: r.diskVerdict(top)}
	var others []string
	for _, fs := range real {
		if fs != top && len(others) < 5 {
			others = append(others, r.say(i18n.HelperDiskOne(fs.mount, fs.percent, fs.avail, fs.size)))
		}
	}
	if len(others) > 0 {
		rep.Text = joinBlocks(rep.Text, r.say(i18n.HelperDiskOthers), bullets(others))
	} else {
		rep.Text = joinBlocks(rep.Text, r.say(i18n.HelperDiskSource))
	}
	switch {
	case top.percent >= 80 && !isRemote(top): // do not search another machine's disk
		step := intent.Call("find_large", "path", pathOfMount(top.mount))
		rep.Offer, rep.Text = &step, paragraphs(rep.Text, r.say(i18n.HelperDiskAskLargest))
	case r.asksAbout("nospace"):
		step := intent.Call("run_command", "command", "df -i")
		rep.Offer, rep.Text = &step, paragraphs(rep.Text, r.say(i18n.HelperDiskAskInodes))
	}
	return rep
}

// namedVolume returns the file system that the question names, nil if it names none or none that is mounted.
func (r *result) namedVolume(all []fileSystem) *fileSystem {
	if r.ask == nil || r.ask.Volume() == "" {
		return nil
	}
	named := r.ask.Volume()
	device := strings.HasPrefix(named, "/dev/") && r.ask.Device() != ""
	for i, fs := range all {
		if fs.percent >= 0 && (fs.mount == named || device && (fs.device == named || strings.HasPrefix(fs.device, named) && r.ask.Device() != "" && !endsInDigit(named))) {
			return &all[i]
		}
	}
	return nil
}

func endsInDigit(s string) bool {
	return s != "" && s[len(s)-1] >= '0' && s[len(s)-1] <= '9' && !strings.Contains(s, "nvme")
}

// volume answers a question about a named path or device that is not a mounted file system: which file system
// contains it, or that nothing on it is mounted. absent reports that the path does not exist.
func (r *result) volume(all []fileSystem, absent bool) (Reply, bool) {
	if r.ask == nil || r.tool != "check_disk" {
		return Reply{}, false
	}
	named := r.ask.Volume()
	switch {
	case named == "" || r.namedVolume(all) != nil:
		return Reply{}, false
	case r.ask.Device() != "":
		step := intent.Call("check_hardware", "scope", "disk")
		return Reply{Text: paragraphs(r.say(i18n.HelperDiskNoVolumeOn(named)), r.say(i18n.HelperDiskAskDevices)), Offer: &step}, true
	case absent:
		return Reply{Text: r.say(i18n.HelperDiskNoSuchPath(named))}, true
	}
	measured := slices.DeleteFunc(slices.Clone(all), func(fs fileSystem) bool { return fs.percent < 0 })
	if len(measured) == 0 {
		return Reply{}, false
	}
	fs := longestMount(measured, named)
	return Reply{Text: r.say(i18n.HelperDiskNotItsOwn(named, fs.mount, fs.percent, fs.avail, fs.size))}, true
}

// focusDisk returns the file system asked about, or the fullest.
func (r *result) focusDisk(real []fileSystem) fileSystem {
	if r.ask != nil {
		if path := r.ask.Path(); path != "" && path != "~" {
			if r.home != "" && strings.HasPrefix(path, "~") {
				path = r.home + path[1:]
			}
			return longestMount(real, path)
		}
	}
	return real[0]
}

func longestMount(real []fileSystem, path string) fileSystem {
	best, length := real[0], -1
	for _, fs := range real {
		prefix := strings.TrimSuffix(fs.mount, "/") + "/"
		if strings.HasPrefix(path+"/", prefix) && len(prefix) > length {
			best, length = fs, len(prefix)
		}
	}
	return best
}

// diskVerdict reports how full a file system is. It answers "is it full?" with yes or no first.
func (r *result) diskVerdict(fs fileSystem) string {
	verdict, full, filling := i18n.HelperDiskFine, false, false
	switch {
	case fs.percent >= 100 || fs.avail == "0":
		verdict, full = i18n.HelperDiskFull, true
	case fs.percent > 90:
		verdict, full = i18n.HelperDiskNearFull, true
	case fs.percent >= 80:
		verdict, filling = i18n.HelperDiskFilling, true
	case r.ask != nil && r.ask.Volume() != "":
		verdict = i18n.HelperSpaceRoomOn
	}
	text := r.say(verdict(fs.mount, fs.percent, fs.avail, fs.size))
	if !r.asksAbout("full") || r.asksAbout("nospace", "cause", "amount", "free") || filling {
		return text
	}
	return r.polar(full, text)
}

// pathOfMount returns where to look for large files on a file system: the user's own files on /home, everything
// elsewhere.
func pathOfMount(mount string) string {
	if mount == "/home" {
		return "~"
	}
	return mount
}
