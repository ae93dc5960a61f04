package report

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	sayFromDF       = i18n.T("%[1]s `df -h`로 확인했어요.", "%[1]s Read from `df -h`.", "%[1]s依据：`df -h`。")
	sayRoomOn       = i18n.T("%[1]s에는 아직 여유가 있어요: %[2]d%% 사용, %[3]s 남음(전체 %[4]s).", "There is still room on %[1]s: %[2]d%% used, %[3]s left of %[4]s.", "%[1]s 还有空间：已用 %[2]d%%，剩余 %[3]s（共 %[4]s）。")
	sayRemoteFull   = i18n.T("%[1]s 디스크(%[2]d%% 사용)는 다른 컴퓨터의 것이라 여기서 뒤지지 않고, 이 컴퓨터만 살펴봤어요.", "%[1]s (%[2]d%% used) is another machine's disk and is not searched from here; this is about this machine.", "%[1]s（已用 %[2]d%%）是另一台机器的磁盘，不在此搜索；以下是本机的情况。")
	sayFillersHead  = i18n.T("무엇이 차지하고 있나:", "What takes the space:", "占用空间的是：")
	sayFillers      = i18n.T("큰 폴더: %[1]s (`du`)", "Largest folders: %[1]s (`du`)", "最大的文件夹：%[1]s（`du`）")
	sayFillersIn    = i18n.T("그 가운데 %[1]s: %[2]s", "Inside %[1]s: %[2]s", "其中 %[1]s：%[2]s")
	sayFillerFiles  = i18n.T("큰 파일: %[1]s (`find`)", "Largest files: %[1]s (`find`)", "最大的文件：%[1]s（`find`）")
	sayFillersPart  = i18n.T("`du`로 보이는 것은 %[1]s이고 `df`로는 %[2]s{을/를} 쓰고 있어요. 차이는 권한이 없어 못 본 폴더나 스냅샷일 수 있어요.", "`du` can see %[1]s, while `df` counts %[2]s in use; the rest may be folders I may not read, or snapshots.", "`du` 只能看到 %[1]s，而 `df` 显示已用 %[2]s；差额可能是无权读取的文件夹或快照。")
	sayFillersHost  = i18n.T("이 안에서 `du`로 보이는 것은 %[1]s뿐이에요. 컨테이너라서 나머지는 바깥 컴퓨터가 쓰는 것일 수 있어요.", "`du` can see only %[1]s in here; in a container the rest may be what the host uses.", "这里 `du` 只能看到 %[1]s；在容器中其余部分可能由宿主机占用。")
	sayFillersNone  = i18n.T("무엇이 차지하는지는 읽지 못했어요(`%[1]s`).", "What takes the space could not be read (`%[1]s`).", "无法读取是什么占用了空间（`%[1]s`）。")
	sayFillersLate  = i18n.T("시간이 모자라 폴더를 다 세지 못했어요.", "There was not enough time to count all folders.", "时间不够，未能统计所有文件夹。")
	sayReclaimHead  = i18n.T("돌려받을 수 있는 공간:", "What can be given back:", "可以释放的空间：")
	sayReclaimPkg   = i18n.T("패키지 캐시 %[1]s 가운데 지난 버전 %[2]s (`paccache -dk2`)", "Package cache %[1]s, of which old versions %[2]s (`paccache -dk2`)", "软件包缓存 %[1]s，其中旧版本 %[2]s（`paccache -dk2`）")
	sayReclaimCache = i18n.T("패키지 캐시 %[1]s 가운데 일부(`du`; 정확한 양은 pacman-contrib의 `paccache`가 알려 줘요)", "Part of the package cache, %[1]s (`du`; `paccache` of pacman-contrib would tell how much)", "软件包缓存 %[1]s 的一部分（`du`；pacman-contrib 的 `paccache` 可给出准确数值）")
	sayReclaimLogs  = i18n.T("시스템 로그 %[1]s (`journalctl --disk-usage`)", "System log %[1]s (`journalctl --disk-usage`)", "系统日志 %[1]s（`journalctl --disk-usage`）")
	sayReclaimTrash = i18n.T("휴지통 %[1]s", "Trash %[1]s", "回收站 %[1]s")
	sayReclaimCores = i18n.T("죽은 프로그램이 남긴 코어 덤프 %[1]s (며칠 지나면 저절로 지워져요)", "Core dumps of crashed programs %[1]s (removed by themselves after some days)", "崩溃程序的核心转储 %[1]s（几天后会自动清除）")
	sayReclaimHome  = i18n.T("프로그램 캐시 `~/.cache` %[1]s (지워도 다시 만들어져요)", "Caches of programs in `~/.cache` %[1]s (built again when needed)", "程序缓存 `~/.cache` %[1]s（删除后会重新生成）")
	sayReclaimNone  = i18n.T("패키지 캐시·로그·휴지통에는 비울 만한 것이 없어요. 큰 폴더에서 필요 없는 것을 골라 지우거나 옮기는 수밖에 없어요. 무엇을 지울지는 직접 골라 주세요.", "Package cache, log and trash hold nothing worth freeing, so something in the large folders has to be deleted or moved. Which is yours to decide.", "软件包缓存、日志和回收站中没有值得清理的内容，只能从大文件夹中删除或移走不需要的内容，请自行决定。")
	sayReclaimBlind = i18n.T("비울 수 있는 것을 살펴보지는 못했어요.", "What could be freed could not be looked at.", "未能查看可清理的内容。")
	askCleanPkg     = i18n.T("오래된 패키지 파일을 지울까요? 설치된 버전과 바로 전 버전은 남겨요. (`%[1]s`)", "Shall I delete old package files? The installed and the previous version are kept. (`%[1]s`)", "要删除旧的软件包文件吗？会保留已安装的版本和上一个版本。（`%[1]s`）")
	askPaccache     = i18n.T("오래된 것만 골라 지우려면 pacman-contrib의 `paccache`가 필요해요. 설치할까요? (`%[1]s`)", "Deleting only old ones takes `paccache` of pacman-contrib. Shall I install it? (`%[1]s`)", "只删除旧文件需要 pacman-contrib 中的 `paccache`。要安装吗？（`%[1]s`）")
	askCleanLogs    = i18n.T("오래된 로그를 지워 200MB만 남길까요? (`%[1]s`)", "Shall I delete old log entries down to 200 MB? (`%[1]s`)", "要删除旧日志，只保留 200MB 吗？（`%[1]s`）")
	askCleanTrash   = i18n.T("휴지통을 비울까요? 되돌릴 수 없어요. (`%[1]s`)", "Shall I empty the trash? That cannot be undone. (`%[1]s`)", "要清空回收站吗？此操作无法撤销。（`%[1]s`）")
	askLargestIn    = i18n.T("%[1]s 안에서 무엇이 큰지 더 살펴볼까요?", "Shall I look further into %[1]s?", "要继续查看 %[1]s 里什么最大吗？")
	sayInodesOut    = i18n.T("공간은 남았지만 %[1]s의 inode가 바닥났어요: %[2]d%% 사용, %[3]s개 남음(전체 %[4]s개, `df -i`). 작은 파일이 너무 많아서 새 파일을 만들 수 없어요.", "There is room, but %[1]s has run out of inodes: %[2]d%% used, %[3]s left of %[4]s (`df -i`). Too many small files, so no new one can be made.", "空间还有，但 %[1]s 的 inode 用完了：已用 %[2]d%%，剩余 %[3]s（共 %[4]s，`df -i`）。小文件太多，无法新建文件。")
	sayInodesFine   = i18n.T("inode도 남아 있어요: %[1]s에서 %[2]d%% 사용(`df -i`).", "Inodes are left too: %[2]d%% used on %[1]s (`df -i`).", "inode 也还有剩余：%[1]s 已用 %[2]d%%（`df -i`）。")
	sayInodesNone   = i18n.T("%[1]s의 파일 시스템은 inode 수를 세지 않아요(`df -i`). btrfs라면 `btrfs filesystem usage %[1]s`가 더 알려 줘요.", "The file system of %[1]s does not count inodes (`df -i`); on btrfs, `btrfs filesystem usage %[1]s` tells more.", "%[1]s 的文件系统不统计 inode（`df -i`）；若是 btrfs，`btrfs filesystem usage %[1]s` 可提供更多信息。")
	sayMemoryFSFull = i18n.T("메모리에 있는 임시 파일 시스템 %[1]s{이/가} 꽉 찼어요: %[2]d%% 사용(전체 %[3]s, `df -h`). 여기에 쓰는 프로그램은 공간이 없다는 오류를 내요. 재부팅하면 비워져요.", "The temporary file system %[1]s, kept in memory, is full: %[2]d%% of %[3]s (`df -h`). Programs writing there get \"no space left\". A reboot empties it.", "内存中的临时文件系统 %[1]s 满了：已用 %[2]d%%（共 %[3]s，`df -h`）。写入这里的程序会提示空间不足，重启后会清空。")
	sayRoomOnSight  = i18n.T("지금은 공간이 모자란 곳이 보이지 않아요. 어느 프로그램이 어디에 저장하다 오류를 냈는지 알려 주시면 그곳을 볼게요.", "Nothing is short of space right now. Tell me which program failed to save where, and I will look there.", "目前没有发现空间不足的地方。请告诉我是哪个程序在哪里保存失败，我再查看那里。")
	askManyFiles    = i18n.T("파일이 가장 많은 폴더를 찾아볼까요? (`%[1]s`)", "Shall I look for the folders with the most files? (`%[1]s`)", "要查找文件最多的文件夹吗？（`%[1]s`）")
)

var (
	diskStep    = intent.Call("check_disk")
	inodeStep   = command("df -i")
	homeLarge   = intent.Call("find_large")
	cacheDirs   = command("du -shx /var/cache/pacman/pkg /var/lib/systemd/coredump ~/.cache ~/.local/share/Trash")
	oldPackages = command("paccache -dk2")
	journalSize = command("journalctl --disk-usage")
)

// disk reports how full the file systems are, and for a full one what fills it and what can be freed. If there
// is space, the first step is enough.
func (q *inquiry) disk() Reply {
	if !q.collect(q.first, diskStep) {
		return Reply{}
	}
	df := q.output(diskStep, "df")
	if df == nil {
		return q.toolReply(q.first)
	}
	all := parseDF(df.Stdout)
	if rep, ok, wanted := q.unmountedVolume(all); ok || wanted {
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
	case top.percent < 80 && q.asksAbout("nospace"):
		return q.inodes(all, top)
	case !q.wantsSpace(top):
		return q.toolReply(diskStep)
	}
	return q.space(all, top)
}

// unmountedVolume answers a question about a path or device that is not a mounted file system. wanted reports
// that the path must be checked first.
func (q *inquiry) unmountedVolume(all []fileSystem) (rep Reply, ok, wanted bool) {
	r := q.resultOf(diskStep)
	if r == nil || q.Request == nil || q.first.Tool != diskStep.Tool || q.asksForUsage() {
		return Reply{}, false, false
	}
	named := q.Request.Volume()
	if named == "" || r.namedVolume(all) != nil {
		return Reply{}, false, false
	}
	absent := false
	if q.Request.Device() == "" && plainPath().MatchString(named) {
		exists := command("ls -ld " + named)
		if !q.collect(exists) {
			return Reply{}, false, true
		}
		s := q.output(exists, "")
		absent = s != nil && s.Exit != 0 && !s.TimedOut && containsAny(s.Stderr, "No such file", "그런 파일", "没有那个文件")
	}
	rep, ok = r.volume(all, absent)
	return rep, ok, false
}

// asksForUsage reports whether the question is what uses the space, not how full it is.
func (q *inquiry) asksForUsage() bool {
	return q.asksAbout("takespace", "large", "cause", "why", "hog", "@remove", "cache", "makeroom")
}

// plainPath matches a path without characters that are special to a shell.
var plainPath = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^/[A-Za-z0-9._/+-]*$`) })

// focusFileSystem returns the file system asked about, or the fullest. A search of a folder is about the file
// system that contains it, unless another is nearly full.
func (q *inquiry) focusFileSystem(real []fileSystem) fileSystem {
	top := q.resultOf(diskStep).focusDisk(real)
	named := q.Request != nil && q.Request.Path() != ""
	if top.percent >= 80 && !isRemote(top) || q.first.Tool != "find_large" && (named || !q.wantsSpace(top)) {
		return top
	}
	if path, _ := q.first.Input["path"].(string); path != "" {
		return longestMount(real, path)
	}
	return longestMount(real, q.home())
}

// isRemote reports whether a file system belongs to another machine (nas:/share, //nas/share).
func isRemote(fs fileSystem) bool {
	return strings.Contains(fs.device, ":") || strings.HasPrefix(fs.device, "//")
}

// wantsSpace reports whether to search for what fills a file system. Another machine's disk is not searched,
// which can take hours.
func (q *inquiry) wantsSpace(fs fileSystem) bool {
	if isRemote(fs) {
		return false
	}
	return fs.percent >= 80 || q.first.Tool == "find_large" || q.asksAbout("takespace", "large", "cause", "why", "hog", "@remove", "cache", "makeroom")
}

// inodes answers "no space left" if there is free space.
func (q *inquiry) inodes(all []fileSystem, top fileSystem) Reply {
	if !q.collect(inodeStep) {
		return Reply{}
	}
	rows := parseDF(q.stdout(inodeStep))
	if len(rows) == 0 {
		return q.toolReply(diskStep)
	}
	for _, fs := range rows {
		if isReal(fs) && fs.percent >= 95 {
			return q.outOfInodes(fs)
		}
	}
	facts := []string{q.inodeFact(longestMount(rows, top.mount))}
	verdict := q.resultOf(diskStep).diskVerdict(top)
	for _, fs := range all {
		if fs.device == "tmpfs" && fs.percent >= 95 {
			return Reply{Text: joinBlocks(q.say(sayMemoryFSFull, fs.mount, fs.percent, fs.size), bullets(append([]string{verdict}, facts...)))}
		}
	}
	return Reply{Text: joinBlocks(verdict, bullets(facts), q.say(sayRoomOnSight))}
}

func (q *inquiry) inodeFact(fs fileSystem) string {
	if fs.percent < 0 {
		return q.say(sayInodesNone, fs.mount)
	}
	return q.say(sayInodesFine, fs.mount, fs.percent)
}

func (q *inquiry) outOfInodes(fs fileSystem) Reply {
	text := "du -x --inodes --max-depth=3 " + fs.mount + " 2>/dev/null | sort -rn | head -n 15"
	f := finding{verdict: q.say(sayInodesOut, fs.mount, fs.percent, fs.avail, fs.size)}
	if !strings.ContainsAny(fs.mount, " '\"$`\\;&|<>()") {
		step := command(text)
		f.fix, f.question = &step, q.say(askManyFiles, text)
	}
	return f.reply()
}

// space reports what fills a file system and what can be freed.
func (q *inquiry) space(all []fileSystem, top fileSystem) Reply {
	looks := []intent.Step{largeOn(top.mount)}
	if q.homeIsOn(all, top) {
		looks = append(looks, homeLarge)
	}
	if top.mount != "/boot" && top.mount != "/efi" {
		looks = append(looks, cacheDirs, oldPackages, journalSize)
	}
	if !q.collect(looks...) {
		return Reply{}
	}
	fill := q.fillers(top, looks)
	if fill.inner != nil && !q.collect(*fill.inner) {
		return Reply{}
	}
	if q.resultOf(looks[0]) == nil {
		return q.toolReply(diskStep) // the search tool is unavailable
	}
	give := q.reclaims(all, top)
	verdict := q.resultOf(diskStep).diskVerdict(top)
	if top.percent < 80 { // it may not be the fullest
		verdict = q.say(sayRoomOn, top.mount, top.percent, top.avail, top.size)
		if q.asksAbout("full") {
			verdict = q.say(sayNo) + verdict
		}
	}
	text := joinBlocks(q.remoteNote(all, top), q.say(sayFromDF, verdict), q.fillerLines(top, looks, fill), q.reclaimLines(give))
	if top.percent < 80 && !q.asksAbout("takespace", "hog", "large", "@remove", "cache", "makeroom") {
		give = nil // with enough space, report what could be freed without offering it
	}
	return q.proposal(text, give, fill)
}

// remoteNote reports that a fuller disk of another machine was not searched.
func (q *inquiry) remoteNote(all []fileSystem, top fileSystem) string {
	fullest := realFileSystems(all)[0]
	if fullest == top || !isRemote(fullest) || fullest.percent < 80 {
		return ""
	}
	return q.say(sayRemoteFull, fullest.mount, fullest.percent)
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
func (q *inquiry) homeIsOn(all []fileSystem, top fileSystem) bool {
	home := longestMount(all, q.home())
	return home.device == top.device && home.mount != top.mount && top.mount != "/home"
}

func (q *inquiry) home() string {
	if q.Home == "" {
		return "/home"
	}
	return q.Home
}

// spaceUsage is what uses the space of a file system.
type spaceUsage struct {
	folders  []bigItem
	files    []bigItem
	sum      float64      // of all folders seen
	inner    *intent.Step // a search of the largest folder
	biggest  string
	timedOut bool
}

func (q *inquiry) fillers(top fileSystem, looks []intent.Step) spaceUsage {
	var fill spaceUsage
	for _, l := range looks {
		if l.Tool != "find_large" {
			continue
		}
		total, children, files := q.largest(l)
		if l.Input["path"] == nil && top.mount != "/home" {
			children = nil // list the home as one entry among the others
		}
		fill.sum += total.size
		fill.files = append(fill.files, files...)
		fill.timedOut = fill.timedOut || q.resultOf(l) != nil && q.resultOf(l).hasTimedOut()
		if children == nil && total.path != "" {
			children = []bigItem{total}
		}
		fill.folders = append(fill.folders, children...)
	}
	bySize := func(a, b bigItem) int { return -cmp.Compare(a.size, b.size) }
	slices.SortStableFunc(fill.folders, bySize)
	slices.SortStableFunc(fill.files, bySize)
	if len(fill.folders) > 0 && fill.folders[0].size > fill.sum*0.3 && isPersonal(fill.folders[0].path) {
		fill.biggest = fill.folders[0].path
		inner := intent.Call("find_large", "path", fill.biggest)
		if fill.biggest == "/home" || fill.biggest == q.Home {
			inner, fill.biggest = homeLarge, q.home()
		}
		fill.inner = &inner
	}
	return fill
}

func (r *result) hasTimedOut() bool {
	return slices.ContainsFunc(r.steps, func(s providers.Step) bool { return s.TimedOut })
}

// largest parses the result of find_large: the sum, its folders and the largest files.
func (q *inquiry) largest(l intent.Step) (total bigItem, children, files []bigItem) {
	if s := q.output(l, "du "); s != nil {
		folders := parseDU(s.Stdout)
		if text, rest := splitRoot(folders); text != "" {
			total, children = folders[0], rest
		} else {
			children = folders
		}
		for _, c := range children {
			if total.path == "" {
				total.size += c.size
			}
		}
	}
	if s := q.output(l, "find "); s != nil {
		files = parseFindOutput(s.Stdout)
	}
	return total, children, files
}

func (q *inquiry) fillerLines(top fileSystem, looks []intent.Step, fill spaceUsage) string {
	r := q.resultOf(looks[0])
	switch {
	case len(fill.folders) > 0 || len(fill.files) > 0:
	case fill.timedOut:
		return q.say(sayFillersLate)
	default:
		return q.say(sayFillersNone, "du -x -h --max-depth=1 "+top.mount)
	}
	var lines []string
	if len(fill.folders) > 0 {
		lines = append(lines, q.say(sayFillers, r.itemList(fill.folders, 4)))
	}
	files := fill.files
	if fill.inner != nil {
		_, inside, own := q.largest(*fill.inner)
		if len(inside) > 0 {
			lines = append(lines, q.say(sayFillersIn, r.tilde(fill.biggest), r.itemList(inside, 4)))
		}
		if len(files) == 0 {
			files = own
		}
	}
	if len(files) > 0 {
		lines = append(lines, q.say(sayFillerFiles, r.itemList(files, 3)))
	}
	if used, ok := parseSize(top.used); ok && !fill.timedOut && fill.sum > 0 && used-fill.sum > 1<<30 && fill.sum < used*0.7 {
		unseen := sayFillersPart
		if strings.HasPrefix(top.device, "overlay") {
			unseen = sayFillersHost
		}
		lines = append(lines, q.say(unseen, formatSize(fill.sum), formatSize(used)))
	}
	if fill.timedOut {
		lines = append(lines, q.say(sayFillersLate))
	}
	return joinBlocks(q.say(sayFillersHead), bullets(lines))
}

// itemList names the largest items with their sizes in one line.
func (r *result) itemList(items []bigItem, limit int) string {
	var out []string
	for _, b := range items {
		if len(out) < limit && b.size >= 1<<20 {
			out = append(out, r.tilde(b.path)+" "+formatSize(b.size))
		}
	}
	if len(out) == 0 && len(items) > 0 {
		out = append(out, r.tilde(items[0].path)+" "+formatSize(items[0].size))
	}
	return strings.Join(out, ", ")
}

// nextFolder returns the largest folder that was not searched.
func (q *inquiry) nextFolder(fill spaceUsage) string {
	folders := fill.folders
	if fill.inner != nil {
		if _, inside, _ := q.largest(*fill.inner); len(inside) > 0 {
			folders = inside
		}
	}
	if len(folders) == 0 || !isPersonal(folders[0].path) {
		return ""
	}
	return folders[0].path
}

// isPersonal reports whether a folder can hold files that the user may delete, not files owned by packages.
func isPersonal(path string) bool {
	return !hasAnyPrefix(path+"/", "/usr/", "/etc/", "/proc/", "/sys/", "/lib/", "/boot/", "/opt/")
}
