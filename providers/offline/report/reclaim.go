package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

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
	if s := q.output(cacheDirs, ""); s != nil {
		for _, b := range read(machine.ParseDU, s.Stdout) {
			sizes[b.Path] = b.Size
		}
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
	slices.SortStableFunc(out, func(a, b reclaim) int { return -cmp.Compare(a.bytes, b.bytes) })
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
		f.propose(intent.Call("find_large", "path", next), q.say(i18n.HelperSpaceAskLargestIn(q.resultOf(diskStep).tilde(next))))
	}
	return f.reply()
}
