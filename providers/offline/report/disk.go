package report

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var pseudoDevices = set("tmpfs", "devtmpfs", "efivarfs", "udev", "dev", "run", "none", "shm", "ramfs", "cgroup", "proc", "sysfs", "squashfs", "portal", "gvfsd-fuse", "revokefs-fuse", "overlay", "overlayfs", "fuse", "cgroup2", "devpts", "rootfs", "zram")

// realFileSystems keeps the file systems that store user data, one per device: no memory file systems, firmware
// variables, loop-mounted images, optical media or layers over another file system. In a container the overlay
// on / is real.
func realFileSystems(all []machine.Filesystem) []machine.Filesystem {
	var out []machine.Filesystem
	for _, fs := range all {
		if !isReal(fs) {
			continue
		}
		same := slices.IndexFunc(out, func(o machine.Filesystem) bool { return o.Source == fs.Source })
		switch {
		case same < 0:
			out = append(out, fs)
		case len(fs.Target) < len(out[same].Target):
			out[same] = fs
		}
	}
	if len(out) == 0 {
		out = filter(all, func(fs machine.Filesystem) bool { return fs.Target == "/" && fs.Percent >= 0 })
		return out[:min(1, len(out))]
	}
	sorting.Stably(out, func(a, b machine.Filesystem) int {
		return cmp.Or(-cmp.Compare(a.Percent, b.Percent), cmp.Compare(len(a.Target), len(b.Target)))
	})
	return dropDuplicates(out)
}

// dropDuplicates removes duplicates of the root file system: a container's root is an overlay, and files of the
// host's disk (such as /etc/hosts) are mounted from the same disk.
func dropDuplicates(all []machine.Filesystem) []machine.Filesystem {
	root := slices.IndexFunc(all, func(fs machine.Filesystem) bool { return fs.Target == "/" && pseudoDevices[fs.Source] })
	if root < 0 {
		return all
	}
	r := all[root]
	return slices.DeleteFunc(all, func(fs machine.Filesystem) bool {
		return fs.Target != "/" && (fs.Size == r.Size && fs.Available == r.Available || hasAnyPrefix(fs.Target, "/etc/", "/run/host/"))
	})
}

func isReal(fs machine.Filesystem) bool {
	switch {
	case fs.Percent < 0:
		return false
	case fs.Target == "/" && strings.HasPrefix(fs.Source, "overlay"):
		return true // a container's root
	case pseudoDevices[fs.Source] || hasAnyPrefix(fs.Source, "/dev/loop", "/dev/sr", "/dev/fuse", "overlay"):
		return false
	case hasAnyPrefix(fs.Target, "/dev", "/proc", "/sys", "/snap/", "/var/lib/snapd", "/var/lib/docker/", "/var/lib/containers/", "/run/user", "/run/credentials", "/tmp/.mount_"):
		return false
	case strings.HasPrefix(fs.Source, "/dev/") || strings.Contains(fs.Source, ":") || strings.HasPrefix(fs.Source, "//"):
		return true
	}
	size, ok := machine.ParseSize(fs.Size)
	return ok && size >= 1<<30 // a pool (zfs) or a mounted image, not a marker file system
}

func (r *result) disk() Reply {
	s := &r.steps[0]
	all := read(machine.ParseDF, s.Stdout)
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
	if named := r.namedVolume(all); named != nil {
		top, real = *named, nil // the question is about this one only
	}
	others := filter(real, func(fs machine.Filesystem) bool { return fs != top })
	lines := each(others[:min(5, len(others))], func(fs machine.Filesystem) string {
		return r.say(i18n.HelperDiskOne(fs.Target, fs.Percent, fs.Available, fs.Size))
	})
	below := i18n.HelperDiskSource
	if len(lines) > 0 {
		below = i18n.HelperDiskOthers
	}
	rep := Reply{Text: joinBlocks(r.diskVerdict(top), r.say(below), bullets(lines))}
	switch {
	case top.Percent >= 80 && !isRemote(top): // do not search another machine's disk
		rep = rep.offering(intent.Call("find_large", "path", pathOfMount(top.Target)), r.say(i18n.HelperDiskAskLargest))
	case r.asksAbout("nospace"):
		rep = rep.offering(intent.Call("run_command", "command", "df -i"), r.say(i18n.HelperDiskAskInodes))
	}
	return rep
}

// namedVolume returns the file system that the question names, nil if it names none or none that is mounted.
func (r *result) namedVolume(all []machine.Filesystem) *machine.Filesystem {
	if r.ask == nil || r.ask.Volume() == "" {
		return nil
	}
	named := r.ask.Volume()
	device := strings.HasPrefix(named, "/dev/") && r.ask.Device() != ""
	for i, fs := range all {
		if fs.Percent >= 0 && (fs.Target == named || device && (fs.Source == named || strings.HasPrefix(fs.Source, named) && r.ask.Device() != "" && !endsInDigit(named))) {
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
func (r *result) volume(all []machine.Filesystem, absent bool) (Reply, bool) {
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
	measured := slices.DeleteFunc(slices.Clone(all), func(fs machine.Filesystem) bool { return fs.Percent < 0 })
	if len(measured) == 0 {
		return Reply{}, false
	}
	fs := longestMount(measured, named)
	return Reply{Text: r.say(i18n.HelperDiskNotItsOwn(named, fs.Target, fs.Percent, fs.Available, fs.Size))}, true
}

// focusDisk returns the file system asked about, or the fullest.
func (r *result) focusDisk(real []machine.Filesystem) machine.Filesystem {
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

func longestMount(real []machine.Filesystem, path string) machine.Filesystem {
	best, length := real[0], -1
	for _, fs := range real {
		if prefix := strings.TrimSuffix(fs.Target, "/") + "/"; strings.HasPrefix(path+"/", prefix) && len(prefix) > length {
			best, length = fs, len(prefix)
		}
	}
	return best
}

// diskVerdict reports how full a file system is. It answers "is it full?" with yes or no first.
func (r *result) diskVerdict(fs machine.Filesystem) string {
	verdict, full, filling := i18n.HelperDiskFine, false, false
	switch {
	case fs.Percent >= 100 || fs.Available == "0":
		verdict, full = i18n.HelperDiskFull, true
	case fs.Percent > 90:
		verdict, full = i18n.HelperDiskNearFull, true
	case fs.Percent >= 80:
		verdict, filling = i18n.HelperDiskFilling, true
	case r.ask != nil && r.ask.Volume() != "":
		verdict = i18n.HelperSpaceRoomOn
	}
	text := r.say(verdict(fs.Target, fs.Percent, fs.Available, fs.Size))
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

func (r *result) large() Reply {
	du, find := r.step("du "), r.step("find ")
	var folders, files []machine.SizedPath
	denied := false
	if du != nil {
		folders = read(machine.ParseDU, du.Stdout)
		denied = strings.Contains(du.Stderr, "ermission denied")
	}
	if find != nil {
		files = read(machine.ParseFindSizes, find.Stdout)
		denied = denied || strings.Contains(find.Stderr, "ermission denied")
	}
	root := cmp.Or(r.str("path"), "~")
	if len(folders) == 0 && len(files) == 0 {
		s := r.usableStep()
		if r.isCutShort() {
			return Reply{Text: r.say(i18n.HelperSpaceFillersLate)}
		}
		unreadable := s.Exit != 0 || strings.TrimSpace(s.Stdout) != "" // du prints at least the folder itself
		return r.noneReply(s, unreadable, i18n.HelperLargeUnseen(root))
	}
	total, children := splitRoot(folders)
	head := ""
	switch {
	case len(children) > 0:
		head = r.say(i18n.HelperLargeBiggest(r.tilde(children[0].Path), children[0].Printed))
	case len(files) > 0:
		head = r.say(i18n.HelperLargeBiggest(r.tilde(files[0].Path), formatSize(files[0].Size)))
	}
	note := r.sayIf(denied, i18n.HelperLargeDenied)
	late := r.sayIf(r.isCutShort(), i18n.HelperSpaceFillersLate)
	return Reply{Text: joinBlocks(head, r.folderList(root, total.Printed, children), r.fileList(find != nil, files), late, note,
		r.cacheHint(children), r.say(i18n.HelperLargeCaution))}
}

// namedFolder matches a folder without characters that are special to a shell.
var namedFolder = pattern(`^[~/][\p{L}\p{N}._/+-]*$`)

// folder reports the largest files below a folder. A search that finds nothing at all is no proof that it ran out of
// time: the folder may not exist.
func (q *inquiry) folder() Reply {
	du, path := q.output(q.first, "du "), q.input("path")
	if du == nil || du.Stdout != "" || !namedFolder().MatchString(path) {
		return q.firstReply()
	}
	absent, known := q.isAbsent(path)
	switch {
	case !known:
		return Reply{}
	case !absent:
		return q.firstReply()
	}
	real, known := q.userFolder(path)
	switch next := intent.Call("find_large", "path", real); {
	case !known:
		return Reply{}
	case real == path:
		return Reply{Text: q.say(i18n.HelperLargeAbsent(path))}
	case !q.collect(next):
		return Reply{}
	default:
		return q.toolReply(next)
	}
}

// userFolders are the usual names of the directories of user-dirs.dirs(5).
var userFolders = map[string]string{
	"~/Downloads": "DOWNLOAD", "~/Documents": "DOCUMENTS", "~/Pictures": "PICTURES", "~/Videos": "VIDEOS", "~/Music": "MUSIC", "~/Desktop": "DESKTOP",
}

// userFolder returns the person's own name of a directory: ~/다운로드 for ~/Downloads. known is false while it is looked up.
func (q *inquiry) userFolder(usual string) (path string, known bool) {
	kind := userFolders[usual]
	if kind == "" {
		return usual, true
	}
	look := command(machine.UserDirsProbe.String())
	if !q.collect(look) {
		return "", false
	}
	return machine.UserDir(q.stdout(look), kind, usual), true
}

// isAbsent reports whether a path does not exist. known is false while that is looked up.
func (q *inquiry) isAbsent(path string) (absent, known bool) {
	look := command("ls -ld " + path)
	if !q.collect(look) {
		return false, false
	}
	s := q.output(look, "")
	return s != nil && s.Exit != 0 && !s.TimedOut && containsAny(s.Stderr, "No such file", "그런 파일", "没有那个文件"), true
}

// isCutShort reports whether a search ended before every folder was counted: du writes the searched folder last.
func (r *result) isCutShort() bool {
	if slices.ContainsFunc(r.steps, func(s providers.Step) bool { return s.TimedOut }) {
		return true
	}
	du := r.step("du ")
	if du == nil || du.Exit != 0 || strings.ContainsAny(du.Command, `"'\\`) { // a quoted path is not compared
		return false
	}
	folders := read(machine.ParseDU, du.Stdout)
	if len(folders) == 0 {
		return strings.TrimSpace(du.Stdout) == "" && du.Stderr == ""
	}
	return !slices.ContainsFunc(folders, func(f machine.SizedPath) bool { return strings.Contains(du.Command+" ", " "+f.Path+" ") })
}

// splitRoot removes the total of the searched folder from the list: the entry that contains all others.
func splitRoot(folders []machine.SizedPath) (total machine.SizedPath, children []machine.SizedPath) {
	if len(folders) < 2 {
		return total, folders
	}
	at := 0 // the shortest: a folder that holds nearly everything is printed as large as its parent
	for i, f := range folders {
		if len(f.Path) < len(folders[at].Path) {
			at = i
		}
	}
	root := strings.TrimSuffix(folders[at].Path, "/") + "/"
	rest := slices.Delete(slices.Clone(folders), at, at+1)
	if slices.ContainsFunc(rest, func(f machine.SizedPath) bool { return !strings.HasPrefix(f.Path, root) }) {
		return total, folders
	}
	return folders[at], rest
}

func (r *result) folderList(root, total string, folders []machine.SizedPath) string {
	if len(folders) == 0 {
		return ""
	}
	lines := each(folders[:min(7, len(folders))],
		func(f machine.SizedPath) string { return f.Printed + "  " + r.tilde(f.Path) })
	head := r.say(i18n.HelperLargeList(root))
	if total != "" {
		head = r.say(i18n.HelperLargeFolders(root, total))
	}
	return joinBlocks(head, bullets(lines))
}

func (r *result) fileList(searched bool, files []machine.SizedPath) string {
	if len(files) == 0 {
		return r.sayIf(searched, i18n.HelperLargeNoFiles)
	}
	var lines []string
	for _, f := range files[:min(7, len(files))] {
		lines = append(lines, formatSize(f.Size)+"  "+r.tilde(f.Path))
	}
	return joinBlocks(r.say(i18n.HelperLargeFiles), bullets(lines))
}

func (r *result) cacheHint(folders []machine.SizedPath) string {
	for _, f := range folders[:min(5, len(folders))] {
		if base := path.Base(f.Path); base == ".cache" || base == "cache" {
			return r.say(i18n.HelperLargeCache(r.tilde(f.Path)))
		}
	}
	return ""
}

// tilde shortens the home directory.
func (r *result) tilde(p string) string {
	if r.home != "" && (p == r.home || strings.HasPrefix(p, strings.TrimSuffix(r.home, "/")+"/")) {
		return "~" + strings.TrimPrefix(p, strings.TrimSuffix(r.home, "/"))
	}
	return p
}
