package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	diskStep    = intent.Call("check_disk")
	inodeStep   = command(machine.InodesProbe.String())
	homeLarge   = intent.Call("find_large")
	cacheDirs   = command("timeout --foreground 20 du -shx /var/cache/pacman/pkg /var/lib/systemd/coredump ~/.cache ~/.local/share/Trash")
	oldPackages = command(machine.OldPackagesProbe.String())
	journalSize = command(machine.JournalSizeProbe.String())
)

// disk reports how full the file systems are, and for a full one what fills it and what can be freed. If there
// is space, the first step is enough.
func (q *inquiry) disk() Reply {
	df := q.output(diskStep, "df")
	if df == nil {
		return q.toolReply(q.first)
	}
	all := read(machine.ParseDF, df.Stdout)
	if rep, ok := q.unmountedVolume(all); ok {
		return rep
	}
	real := realFileSystems(all)
	if len(real) == 0 {
		return q.toolReply(q.first)
	}
	top := q.focusFileSystem(real)
	if fs := q.resultOf(diskStep).namedVolume(all); fs != nil && q.first.Tool == diskStep.Tool {
		if top = *fs; !isReal(top) {
			return q.toolReply(diskStep)
		}
	}
	switch {
	case top.Percent < 80 && q.asksAbout("nospace"):
		return q.inodes(all, top)
	case !q.wantsSpace(top), q.HasTool != nil && !q.HasTool(homeLarge.Tool):
		return q.toolReply(diskStep)
	}
	return q.space(all, top)
}

// unmountedVolume answers a question about a path or device that is not a mounted file system. The reply is empty if
// the path must be checked first.
func (q *inquiry) unmountedVolume(all []machine.Filesystem) (Reply, bool) {
	r := q.resultOf(diskStep)
	if r == nil || q.Request == nil || q.first.Tool != diskStep.Tool || q.asksForUsage() {
		return Reply{}, false
	}
	named := q.Request.Volume()
	if named == "" || r.namedVolume(all) != nil {
		return Reply{}, false
	}
	absent := false
	if q.Request.Device() == "" && plainPath().MatchString(named) {
		known := false
		if absent, known = q.isAbsent(named); !known {
			return Reply{}, true
		}
	}
	return r.volume(all, absent)
}

// asksForUsage reports whether the question is what uses the space, not how full it is.
func (q *inquiry) asksForUsage() bool {
	return q.asksAbout("takespace", "large", "cause", "why", "hog", "@remove", "cache", "makeroom")
}

// plainPath matches a path without characters that are special to a shell.
var plainPath = pattern(`^/[A-Za-z0-9._/+-]*$`)

// focusFileSystem returns the file system asked about, or the fullest. A search of a folder is about the file system
// that contains it, unless another is nearly full.
func (q *inquiry) focusFileSystem(real []machine.Filesystem) machine.Filesystem {
	top := q.resultOf(diskStep).focusDisk(real)
	named := q.Request != nil && q.Request.Path() != ""
	if top.Percent >= 80 && !isRemote(top) || q.first.Tool != "find_large" && (named || !q.wantsSpace(top)) {
		return top
	}
	return longestMount(real, cmp.Or(q.input("path"), q.home()))
}

// isRemote reports whether a file system belongs to another machine (nas:/share, //nas/share).
func isRemote(fs machine.Filesystem) bool {
	return strings.Contains(fs.Source, ":") || strings.HasPrefix(fs.Source, "//")
}

// wantsSpace reports whether to search for what fills a file system. Another machine's disk is not searched, which can
// take hours.
func (q *inquiry) wantsSpace(fs machine.Filesystem) bool {
	return !isRemote(fs) && (fs.Percent >= 80 || q.first.Tool == "find_large" || q.asksForUsage())
}

// inodes answers "no space left" if there is free space.
func (q *inquiry) inodes(all []machine.Filesystem, top machine.Filesystem) Reply {
	if !q.collect(inodeStep) {
		return Reply{}
	}
	rows := read(machine.ParseDF, q.stdout(inodeStep))
	if len(rows) == 0 {
		return q.toolReply(diskStep)
	}
	for _, fs := range rows {
		if isReal(fs) && fs.Percent >= 95 {
			return q.outOfInodes(fs)
		}
	}
	fs := longestMount(rows, top.Target)
	fact := q.say(i18n.HelperSpaceInodesFine(fs.Target, fs.Percent))
	if fs.Percent < 0 {
		fact = q.say(i18n.HelperSpaceInodesNone(fs.Target))
	}
	verdict := q.resultOf(diskStep).diskVerdict(top)
	for _, fs := range all {
		if fs.Source == "tmpfs" && fs.Percent >= 95 {
			return q.found(i18n.HelperSpaceMemoryFsFull(fs.Target, fs.Percent, fs.Size), verdict, fact).reply()
		}
	}
	return (&finding{verdict: verdict, evidence: []string{fact}, meaning: q.say(i18n.HelperSpaceRoomOnSight)}).reply()
}

func (q *inquiry) outOfInodes(fs machine.Filesystem) Reply {
	f := q.found(i18n.HelperSpaceInodesOut(fs.Target, fs.Percent, fs.Available, fs.Size))
	if !strings.ContainsAny(fs.Target, " '\"$`\\;&|<>()") {
		text := "du -x --inodes --max-depth=3 " + fs.Target + " 2>/dev/null | sort -rn | head -n 15"
		q.proposeCommand(f, text, i18n.HelperSpaceAskManyFiles)
	}
	return f.reply()
}

// space reports what fills a file system and what can be freed.
func (q *inquiry) space(all []machine.Filesystem, top machine.Filesystem) Reply {
	looks := []intent.Step{largeOn(top.Target)}
	if q.homeIsOn(all, top) {
		looks = append(looks, homeLarge)
	}
	if top.Target != "/boot" && top.Target != "/efi" {
		looks = append(looks, cacheDirs, oldPackages, journalSize)
	}
	if !q.collect(looks...) {
		return Reply{}
	}
	fill := q.fillers(top, looks)
	if fill.inner != nil && !q.collect(*fill.inner) {
		return Reply{}
	}
	give := q.reclaims(all, top)
	verdict := q.resultOf(diskStep).diskVerdict(top)
	if top.Percent < 80 { // it may not be the fullest
		verdict = q.say(i18n.HelperSpaceRoomOn(top.Target, top.Percent, top.Available, top.Size))
		if q.asksAbout("full") {
			verdict = q.say(i18n.HelperResultNo) + verdict
		}
	}
	text := joinBlocks(q.remoteNote(all, top), q.say(i18n.HelperSpaceFromDf(verdict)),
		q.fillerLines(top, looks, fill), q.reclaimLines(give))
	if top.Percent < 80 && !q.asksAbout("takespace", "hog", "large", "@remove", "cache", "makeroom") {
		give = nil // with enough space, report what could be freed without offering it
	}
	return q.proposal(text, give, fill)
}

// remoteNote reports that a fuller disk of another machine was not searched.
func (q *inquiry) remoteNote(all []machine.Filesystem, top machine.Filesystem) string {
	fullest := realFileSystems(all)[0]
	if fullest == top || !isRemote(fullest) || fullest.Percent < 80 {
		return ""
	}
	return q.say(i18n.HelperSpaceRemoteFull(fullest.Target, fullest.Percent))
}

// largeOn searches a whole file system; on /home only the user's own files.
func largeOn(mount string) intent.Step {
	if mount == "/home" {
		return homeLarge
	}
	return intent.Call("find_large", "path", mount)
}

// homeIsOn reports whether the home directory is on the same device but not below the mount point for du -x: a
// separate btrfs subvolume.
func (q *inquiry) homeIsOn(all []machine.Filesystem, top machine.Filesystem) bool {
	home := longestMount(all, q.home())
	return home.Source == top.Source && home.Target != top.Target && top.Target != "/home"
}

func (q *inquiry) home() string { return cmp.Or(q.Home, "/home") }

// spaceUsage is what uses the space of a file system.
type spaceUsage struct {
	folders  []machine.SizedPath
	files    []machine.SizedPath
	sum      float64      // of all folders seen
	inner    *intent.Step // a search of the largest folder
	biggest  string
	timedOut bool
}

func (q *inquiry) fillers(top machine.Filesystem, looks []intent.Step) spaceUsage {
	var fill spaceUsage
	for _, l := range looks {
		if l.Tool != "find_large" {
			continue
		}
		total, children, files := q.largest(l)
		if l.Input["path"] == nil && top.Target != "/home" {
			children = nil // list the home as one entry among the others
		}
		fill.sum += total.Size
		fill.files = append(fill.files, files...)
		r := q.resultOf(l)
		fill.timedOut = fill.timedOut || r != nil && r.isCutShort()
		if children == nil && total.Path != "" {
			children = []machine.SizedPath{total}
		}
		fill.folders = append(fill.folders, children...)
	}
	bySize := func(a, b machine.SizedPath) int { return -cmp.Compare(a.Size, b.Size) }
	sorting.Stably(fill.folders, bySize)
	sorting.Stably(fill.files, bySize)
	if !fill.timedOut && len(fill.folders) > 0 && fill.folders[0].Size > fill.sum*0.3 && isPersonal(fill.folders[0].Path) {
		fill.biggest = fill.folders[0].Path
		inner := intent.Call("find_large", "path", fill.biggest)
		if fill.biggest == "/home" || fill.biggest == q.Home {
			inner, fill.biggest = homeLarge, q.home()
		}
		fill.inner = &inner
	}
	return fill
}

// largest parses the result of find_large: the sum, its folders and the largest files.
func (q *inquiry) largest(l intent.Step) (total machine.SizedPath, children, files []machine.SizedPath) {
	if s := q.output(l, "du "); s != nil {
		total, children = splitRoot(read(machine.ParseDU, s.Stdout))
		for _, c := range children {
			if total.Path == "" {
				total.Size += c.Size
			}
		}
	}
	if s := q.output(l, "find "); s != nil {
		files = read(machine.ParseFindSizes, s.Stdout)
	}
	return total, children, files
}

func (q *inquiry) fillerLines(top machine.Filesystem, looks []intent.Step, fill spaceUsage) string {
	r := q.resultOf(looks[0])
	switch {
	case len(fill.folders) > 0 || len(fill.files) > 0:
	case fill.timedOut:
		return q.say(i18n.HelperSpaceFillersLate)
	default:
		return q.say(i18n.HelperSpaceFillersNone("du -x -h --max-depth=1 " + top.Target))
	}
	files, inner := fill.files, ""
	if fill.inner != nil {
		_, inside, own := q.largest(*fill.inner)
		inner = q.sayIf(len(inside) > 0, i18n.HelperSpaceFillersIn(r.tilde(fill.biggest), r.itemList(inside, 4)))
		if len(files) == 0 {
			files = own
		}
	}
	used, known := machine.ParseSize(top.Used)
	partly := known && !fill.timedOut && fill.sum > 0 && used-fill.sum > 1<<30 && fill.sum < used*0.7
	unseen := i18n.HelperSpaceFillersPart(formatSize(fill.sum), formatSize(used))
	if strings.HasPrefix(top.Source, "overlay") {
		unseen = i18n.HelperSpaceFillersHost(formatSize(fill.sum))
	}
	return joinBlocks(q.say(i18n.HelperSpaceFillersHead), bullets(nonEmpty(
		q.sayIf(len(fill.folders) > 0, i18n.HelperSpaceFillers(r.itemList(fill.folders, 4))), inner,
		q.sayIf(len(files) > 0, i18n.HelperSpaceFillerFiles(r.itemList(files, 3))),
		q.sayIf(partly, unseen), q.sayIf(fill.timedOut, i18n.HelperSpaceFillersLate),
	)))
}

// itemList names the largest items with their sizes in one line.
func (r *result) itemList(items []machine.SizedPath, limit int) string {
	large := filter(items, func(b machine.SizedPath) bool { return b.Size >= 1<<20 })
	if len(large) == 0 {
		large = items[:min(1, len(items))]
	}
	return names(large, limit, func(b machine.SizedPath) string { return r.tilde(b.Path) + " " + formatSize(b.Size) })
}

// nextFolder returns the largest folder that was not searched.
func (q *inquiry) nextFolder(fill spaceUsage) string {
	folders := fill.folders
	if fill.inner != nil {
		if _, inside, _ := q.largest(*fill.inner); len(inside) > 0 {
			folders = inside
		}
	}
	if len(folders) == 0 || !isPersonal(folders[0].Path) {
		return ""
	}
	return folders[0].Path
}

// isPersonal reports whether a folder can hold files that the user may delete, not files owned by packages.
func isPersonal(path string) bool {
	return !hasAnyPrefix(path+"/", "/usr/", "/etc/", "/proc/", "/sys/", "/lib/", "/boot/", "/opt/")
}

// reclaim is space that can be freed without losing the user's files.
type reclaim struct {
	line     string
	bytes    float64 // bytes that the command frees
	command  string  // "" if nothing should be run
	question func(command string) i18n.Text
}

const (
	minFreed     = 300 << 20 // less does not help a full disk
	journalLimit = 200 << 20
)

// reclaims lists what can be freed on a file system.
func (q *inquiry) reclaims(all []machine.Filesystem, top machine.Filesystem) []reclaim {
	on := func(path string) bool { return longestMount(all, path).Source == top.Source }
	sizes := map[string]float64{}
	for _, b := range read(machine.ParseDU, q.anyStdout(cacheDirs)) {
		sizes[b.Path] = b.Size
	}
	var out []reclaim
	add := func(size float64, path string, rc reclaim) {
		if size >= minFreed && on(path) {
			out = append(out, rc)
		}
	}
	cache := sizes["/var/cache/pacman/pkg"]
	if rc := q.packageCache(cache); rc.command != "" {
		add(cache, "/var/cache/pacman/pkg", rc)
	}
	logs := read(machine.ParseJournalSize, q.stdout(journalSize))
	add(logs, "/var/log", reclaim{line: q.say(i18n.HelperSpaceReclaimLogs(formatSize(logs))), bytes: logs - journalLimit, command: "sudo -n journalctl --vacuum-size=200M", question: i18n.HelperSpaceAskCleanLogs})
	for _, path := range slices.Sorted(maps.Keys(sizes)) {
		size := sizes[path]
		switch {
		case strings.HasSuffix(path, "/.local/share/Trash"):
			add(size, path, reclaim{line: q.say(i18n.HelperSpaceReclaimTrash(formatSize(size))), bytes: size / 2, command: "gio trash --empty", question: i18n.HelperSpaceAskCleanTrash}) // half: only the user knows the content
		case strings.HasSuffix(path, "/.cache"):
			add(size, path, reclaim{line: q.say(i18n.HelperSpaceReclaimHome(formatSize(size))), bytes: 0})
		case path == "/var/lib/systemd/coredump":
			add(size, path, reclaim{line: q.say(i18n.HelperSpaceReclaimCores(formatSize(size))), bytes: 0})
		}
	}
	sorting.Stably(out, func(a, b reclaim) int { return -cmp.Compare(a.bytes, b.bytes) })
	return out
}

// packageCache reports what pacman's cache contains. Only paccache keeps the installed and the previous version
// of each package, which downgrading needs. If it is missing, installing it is offered first.
func (q *inquiry) packageCache(cache float64) reclaim {
	if saved, ok := tryRead(machine.ParseOldPackages, q.stdout(oldPackages)); ok {
		rc := reclaim{line: q.say(i18n.HelperSpaceReclaimPkg(formatSize(cache), formatSize(saved))), bytes: saved, command: "sudo -n paccache -rk2", question: i18n.HelperSpaceAskCleanPkg}
		if saved < minFreed {
			rc.command = ""
		}
		return rc
	}
	return reclaim{line: q.say(i18n.HelperSpaceReclaimCache(formatSize(cache))), bytes: cache / 2, command: "sudo -n pacman -S --needed --noconfirm pacman-contrib", question: i18n.HelperSpaceAskPaccache}
}

func (q *inquiry) reclaimLines(give []reclaim) string {
	lines := each(give, func(rc reclaim) string { return rc.line })
	switch {
	case len(lines) > 0:
		return joinBlocks(q.say(i18n.HelperSpaceReclaimHead), bullets(lines))
	case q.resultOf(cacheDirs) == nil && q.resultOf(journalSize) == nil:
		return ""
	case q.output(cacheDirs, "") == nil || strings.TrimSpace(q.output(cacheDirs, "").Stdout) == "":
		return q.say(i18n.HelperSpaceReclaimBlind)
	}
	return q.say(i18n.HelperSpaceReclaimNone)
}

// proposal offers the command that frees most, or else a check of the largest folder.
func (q *inquiry) proposal(text string, give []reclaim, fill spaceUsage) Reply {
	f := &finding{verdict: text}
	for _, rc := range give {
		if rc.command != "" && rc.bytes >= minFreed/2 {
			f.propose(command(rc.command), q.say(rc.question(rc.command)))
			return f.reply()
		}
	}
	if next := q.nextFolder(fill); next != "" {
		f.propose(intent.Call("find_large", "path", next),
			q.say(i18n.HelperSpaceAskLargestIn(q.resultOf(diskStep).tilde(next))))
	}
	return f.reply()
}
