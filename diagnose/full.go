package diagnose

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Full is the question why there is no room left. The object is a path on the file system; without one, the fullest
// file system
// is looked at.
func Full() Topic {
	return Topic{ID: "full", Object: APath, About: i18n.DiagnoseAboutFull, causes: []cause{
		{"inodes", noInodes},
		{"deleted-open", deletedOpen},
		{"boot-full", bootFull},
		{"tmpfs-full", tmpfsFull},
		{"metadata-full", metadataFull},
		{"snapshots", snapshotsHold},
		{"quota", quotaReached},
		{"journal", journalHolds},
		{"package-cache", cacheHolds},
		{"crashes", crashesHold},
		{"swap-file", swapFileHolds},
		{"trash", largeDirectory("/.local/share/Trash", i18n.FullTrash, i18n.FullTrashAdvice)},
		{"containers", containersHold},
		{"largest", largest},
		{"hidden", hiddenBelow},
		{"reserved", reserved},
	}}
}

// room is a file system with its figures.
type room struct {
	machine.Filesystem
	look              machine.Probe
	size, used, avail float64
}

// share is the part of the room that is in use. A file system without figures has none.
func (r room) share() float64 {
	if r.used+r.avail <= 0 {
		return 0
	}
	return r.used / (r.used + r.avail)
}

// line is the row of df.
func (r room) line() string {
	return r.Source + " " + r.Type + " " + r.Size + " " + r.Used + " " + r.Available + " " + r.Target
}

// rooms returns the file systems that a look of df shows, without images, which are always full.
func (f *Facts) rooms(look machine.Probe) (all []room) {
	out, known := f.output(look)
	rows, err := machine.ParseDF([]byte(out.Stdout))
	if !known || out.Cut || err != nil {
		return nil
	}
	for _, fs := range rows {
		if slices.Contains([]string{"squashfs", "iso9660", "udf", "erofs", "devtmpfs", "efivarfs", "autofs"}, fs.Type) {
			continue
		}
		r := room{Filesystem: fs, look: look}
		r.size, _ = machine.ParseNumber(fs.Size)
		r.used, _ = machine.ParseNumber(fs.Used)
		r.avail, _ = machine.ParseNumber(fs.Available)
		all = append(all, r)
	}
	return all
}

// fullest returns the file system in question if less than a part of it is free. Its mount point is a plain word.
func (f *Facts) fullest(look func(string) machine.Probe, least float64) (found room, ok bool) {
	if f.Object != plain(f.Object) {
		return room{}, false
	}
	for _, r := range f.rooms(look(f.Object)) {
		if r.share() >= least && r.share() > found.share() && plain(r.Target) == r.Target {
			found, ok = r, true
		}
	}
	return found, ok
}

// fullDisk returns the file system in question if it has no room left for ordinary users, or nearly.
func (f *Facts) fullDisk() (room, bool) { return f.fullest(machine.SpaceProbe, 0.95) }

// isOn reports whether a directory is on a file system.
func (f *Facts) isOn(r room, dir string) bool {
	all := f.rooms(machine.SpaceProbe(dir))
	return len(all) == 1 && all[0].Target == r.Target
}

// size formats bytes.
func size(bytes float64) string { return i18n.Size(int64(bytes)) }

// noInodes finds a file system that can hold no more files although it has room.
func noInodes(f *Facts) *Finding {
	r, ok := f.fullest(machine.FileCountProbe, 0.99)
	if !ok || r.size == 0 {
		return nil
	}
	look := machine.ManyFilesProbe(r.Target, max(int64(r.used/20), 1))
	dir, count := f.deepest(look, r.Target, r.used/3)
	if dir == "" {
		return likely(i18n.FullInodes(r.Target, r.Used), seeLine(r.look, r.line())).advise(i18n.FullInodesAdvice(r.Target))
	}
	return proved(i18n.FullInodesIn(r.Target, r.Used, dir, strconv.Itoa(int(count))), seeLine(r.look, r.line()),
		seeLine(look, strconv.Itoa(int(count))+" "+dir)).advise(i18n.FullInodesInAdvice(dir))
}

// deepest returns the deepest directory of a list of du that has at least that much, "" if none below the top has.
func (f *Facts) deepest(look machine.Probe, top string, least float64) (dir string, figure float64) {
	out, known := f.output(look)
	all, _ := machine.ParseDU([]byte(out.Stdout)) // a directory that may not be read is on the other output
	if !known || out.Cut {
		return "", 0
	}
	for _, p := range all {
		if p.Size >= least && p.Path != top && strings.Count(p.Path, "/") > strings.Count(dir, "/") {
			dir, figure = p.Path, p.Size
		}
	}
	return dir, figure
}

// deletedOpen finds a deleted file that a process still has open, so that its room is not free.
func deletedOpen(f *Facts) *Finding {
	r, ok := f.fullest(machine.SpaceProbe, 0.5)
	if !ok {
		return nil
	}
	out, known := f.output(machine.DeletedProbe) // others' processes may not be looked at, which is an error
	all, _ := machine.ParseFindSizes([]byte(out.Stdout))
	if !known || len(all) == 0 || all[0].Size < r.used/10 || machine.ProcessOf(all[0].Path) == "" {
		return nil
	}
	open := all[0]
	link := machine.LinkProbe(open.Path)
	file := machine.CleanLine(strings.TrimSuffix(strings.TrimSpace(f.stdout(link)), " (deleted)"))
	if !strings.HasPrefix(file, strings.TrimSuffix(r.Target, "/")+"/") || !f.isOn(r, plain(path.Dir(file))) {
		return nil
	}
	who := machine.ProcessProbe(machine.ProcessOf(open.Path))
	name, service := machine.ParseProcess([]byte(f.stdout(who)))
	pid := path.Base(machine.ProcessOf(open.Path))
	if name == "" {
		return nil
	}
	found := proved(i18n.FullDeleted(r.Target, name, pid, file, size(open.Size)),
		seeLine(machine.DeletedProbe, strconv.FormatFloat(open.Size, 'f', 0, 64)+" "+open.Path),
		seeLine(link, file+" (deleted)"), seeLine(who, name))
	if service = plain(service); service != "" {
		return found.offer(i18n.FullDeletedGoal(service), control(i18n.FullDeletedGoal(service), "restart", service, false))
	}
	return found.advise(i18n.FullDeletedAdvice(name, pid))
}

// bootFull finds a full /boot, with the largest files on it.
func bootFull(f *Facts) *Finding {
	r, ok := f.fullest(machine.SpaceProbe, 0.9)
	if f.Object == "" { // another file system may be fuller
		for _, b := range f.rooms(machine.SpaceProbe("")) {
			if slices.Contains([]string{"/boot", "/efi", "/boot/efi"}, b.Target) && b.share() >= 0.9 {
				r, ok = b, true
			}
		}
	}
	if !ok || !slices.Contains([]string{"/boot", "/efi", "/boot/efi"}, r.Target) {
		return nil
	}
	look := machine.LargeFilesProbe(r.Target, 1024)
	out, _ := f.output(look)
	all, _ := machine.ParseFindSizes([]byte(out.Stdout))
	if len(all) == 0 {
		return likely(i18n.FullBoot(r.Target, size(r.avail)), seeLine(r.look, r.line())).advise(i18n.FullBootAdvice)
	}
	var names []string
	for _, p := range all[:min(4, len(all))] {
		names = append(names, p.Path+" ("+size(p.Size)+")")
	}
	return proved(i18n.FullBootFiles(r.Target, size(r.avail), strings.Join(names, ", ")), seeLine(r.look, r.line()),
		seeLine(look, strings.Join(names, ", "))).
		advise(i18n.FullBootAdvice)
}

// tmpfsFull finds a full file system in memory.
func tmpfsFull(f *Facts) *Finding {
	r, ok := f.fullDisk()
	if !ok || r.Type != "tmpfs" {
		return nil
	}
	what, bytes, seen := f.largestOf(r)
	if what == "" {
		return likely(i18n.FullTmpfs(r.Target, size(r.size)), seeLine(r.look, r.line())).
			advise(i18n.FullTmpfsAdvice(r.Target))
	}
	return proved(i18n.FullTmpfsIn(r.Target, size(r.size), what, size(bytes)), append(seen, seeLine(r.look, r.line()))...).
		advise(i18n.FullTmpfsAdvice(r.Target))
}

// largestOf returns the file that takes a quarter of a file system, or else the deepest directory that does.
func (f *Facts) largestOf(r room) (what string, bytes float64, seen []Evidence) {
	look := machine.LargeFilesProbe(r.Target, int64(r.used/4/1024))
	out, _ := f.output(look)
	if all, _ := machine.ParseFindSizes([]byte(out.Stdout)); len(all) > 0 && all[0].Size >= r.used/4 {
		return all[0].Path, all[0].Size,
			[]Evidence{seeLine(look, strconv.FormatFloat(all[0].Size, 'f', 0, 64)+" "+all[0].Path)}
	}
	look = f.directories(r)
	if what, bytes = f.deepest(look, r.Target, r.used/4); what != "" {
		seen = []Evidence{seeLine(look, size(bytes)+" "+what)}
	}
	return what, bytes, seen
}

// directories is the look at the larger directories of a file system.
func (f *Facts) directories(r room) machine.Probe {
	return machine.LargeDirectoriesProbe(r.Target, max(int64(r.used/20), 1))
}

// metadataFull finds a btrfs without room for metadata, while its data has room.
func metadataFull(f *Facts) *Finding {
	r, ok := f.fullest(machine.SpaceProbe, 0.5)
	if !ok || r.Type != "btrfs" {
		return nil
	}
	look := machine.BtrfsProbe(r.Target)
	b, err := parse(f, look, machine.ParseBtrfs)
	if err != nil || b.Unallocated > 64<<20 || b.MetadataUsed < b.Metadata*0.9 || b.DataUsed > b.Data*0.9 {
		return nil
	}
	return proved(i18n.FullMetadata(r.Target, size(b.MetadataUsed), size(b.Metadata), size(b.Data-b.DataUsed)),
		seeLine(look, "Metadata: "+size(b.Metadata)+", "+size(b.MetadataUsed))).
		offer(i18n.FullMetadataGoal, run(i18n.FullMetadataGoal, "sudo -n btrfs balance start -dusage=5 "+r.Target,
			"btrfs filesystem usage -b "+r.Target, "Device unallocated:", ""))
}

// snapshotsHold finds a btrfs whose files are much smaller than its used room, with read-only snapshots on it.
func snapshotsHold(f *Facts) *Finding {
	r, ok := f.fullest(machine.SpaceProbe, 0.5)
	if !ok || r.Type != "btrfs" {
		return nil
	}
	look := machine.SubvolumesProbe(r.Target)
	out, _ := f.output(look)
	var snapshot string
	var most float64
	count := 0
	for _, line := range machine.Lines(out.Stdout) {
		sub := plain(line)
		if sub == "" || count > 8 || !strings.Contains(f.stdout(machine.ReadOnlyProbe(sub)), "ro=true") {
			continue
		}
		count++
		held, err := parse(f, machine.DirectorySizeProbe(sub), machine.ParseDU)
		if err == nil && len(held) == 1 && held[0].Size > most {
			snapshot, most = sub, held[0].Size
		}
	}
	live, err := parse(f, machine.OwnSizeProbe(r.Target), machine.ParseDU)
	if snapshot == "" || err != nil || len(live) != 1 || live[0].Size > r.used*0.7 || most < r.used*0.3 {
		return f.listedSnapshots(r)
	}
	found := proved(i18n.FullSnapshot(r.Target, snapshot, size(most), size(live[0].Size), size(r.used)),
		seeLine(machine.ReadOnlyProbe(snapshot), "ro=true"),
		seeLine(machine.DirectorySizeProbe(snapshot), size(most)+" "+snapshot),
		seeLine(machine.OwnSizeProbe(r.Target), size(live[0].Size)+" "+r.Target))
	command, number := "sudo -n btrfs subvolume delete "+snapshot, path.Base(path.Dir(snapshot))
	if strings.HasSuffix(snapshot, "/.snapshots/"+number+"/snapshot") {
		if snapshot != "/.snapshots/"+number+"/snapshot" {
			return found.advise(i18n.FullSnapshotsAdvice)
		}
		command = "sudo -n snapper delete " + number
	}
	found.offer(i18n.FullSnapshotGoal(snapshot), run(i18n.FullSnapshotGoal(snapshot), command,
		"test -e "+snapshot+" || echo gone", "gone", ""))
	found.Repair.Steps[0].Lost = true
	return found
}

// listedSnapshots finds that snapper keeps snapshots of a full btrfs.
func (f *Facts) listedSnapshots(r room) *Finding {
	rows := slices.DeleteFunc(f.lines(machine.SnapperProbe),
		func(l string) bool { return !strings.ContainsAny(l[:min(4, len(l))], "123456789") })
	if r.share() < 0.95 || r.Target != "/" || len(rows) == 0 {
		return nil
	}
	return likely(i18n.FullSnapshots(r.Target, strconv.Itoa(len(rows))), seeLine(machine.SnapperProbe, rows[0])).
		advise(i18n.FullSnapshotsAdvice)
}

// quotaReached finds a quota that is used up: quota(1) marks it with an asterisk.
func quotaReached(f *Facts) *Finding {
	if !f.mentions(i18n.DiagnoseWordsQuota) {
		return nil
	}
	out, known := f.output(machine.QuotaProbe) // it exits with 1 if a quota is reached
	for _, line := range machine.Lines(out.Stdout) {
		if w := strings.Fields(line); known && len(w) > 3 && strings.HasPrefix(w[0], "/") &&
			(strings.HasSuffix(w[1], "*") || len(w) > 5 && strings.Contains(line, "*")) {
			return proved(i18n.FullQuota(w[0], strings.TrimSuffix(w[1], "*"), w[2], w[3]), seeLine(machine.QuotaProbe, line)).
				advise(i18n.FullQuotaAdvice)
		}
	}
	return nil
}

// journalHolds finds that the journal takes a large part of a full file system.
func journalHolds(f *Facts) *Finding {
	r, ok := f.fullDisk()
	if !ok {
		return nil
	}
	look := machine.JournalSizeProbe
	bytes, err := parse(f, look, machine.ParseJournalSize)
	if err != nil || bytes < r.used/10 || !f.isOn(r, "/var/log/journal") {
		return nil
	}
	return proved(i18n.FullJournal(r.Target, size(bytes)), seeLine(look, size(bytes)),
		seeLine(machine.SpaceProbe("/var/log/journal"), r.Target)).
		offer(i18n.FullJournalGoal, run(i18n.FullJournalGoal, "sudo -n journalctl --vacuum-size=200M",
			"journalctl --disk-usage", "M in the file system", ""))
}

// cacheHolds finds that old packages take a large part of a full file system.
func cacheHolds(f *Facts) *Finding {
	r, ok := f.fullDisk()
	dir := "/var/cache/pacman/pkg"
	if !ok || !f.isOn(r, dir) {
		return nil
	}
	look := machine.DirectorySizeProbe(dir)
	out, _ := f.output(look)
	held, err := machine.ParseDU([]byte(out.Stdout))
	if err != nil || len(held) != 1 || held[0].Size < r.used/5 {
		return nil
	}
	old := machine.OldPackagesProbe
	found := proved(i18n.FullCache(r.Target, dir, size(held[0].Size)), seeLine(look, size(held[0].Size)+" "+dir))
	if free, err := parse(f, old, machine.ParseOldPackages); err == nil && free > 0 {
		found.Says = i18n.FullCacheOld(r.Target, dir, size(held[0].Size), size(free))
		found.Evidence = append(found.Evidence, seeLine(old, size(free)))
		found.offer(i18n.FullCacheGoal, run(i18n.FullCacheGoal, "sudo -n paccache -rk2", "paccache -dk2",
			"no candidate packages", ""))
		found.Repair.Steps[0].Lost = true
		return found
	}
	return found.advise(i18n.FullCacheAdvice)
}

// crashesHold finds that kept crashes take a large part of a full file system.
func crashesHold(f *Facts) *Finding {
	r, ok := f.fullDisk()
	look := machine.CoreDumpsSizeProbe
	if !ok {
		return nil
	}
	out, _ := f.output(look)
	held, err := machine.ParseDU([]byte(out.Stdout))
	if err != nil || len(held) != 1 || held[0].Size < r.used/10 || !f.isOn(r, held[0].Path) {
		return nil
	}
	return proved(i18n.FullCrashes(r.Target, size(held[0].Size)), seeLine(look, size(held[0].Size)),
		seeLine(machine.SpaceProbe(held[0].Path), r.Target)).
		advise(i18n.FullCrashesAdvice)
}

// swapFileHolds finds that the largest file of a full file system is in use as swap. It is no leftover.
func swapFileHolds(f *Facts) *Finding {
	r, ok := f.fullDisk()
	if !ok {
		return nil
	}
	what, bytes, seen := f.largestOf(r)
	if !slices.Contains(machine.ParseSwaps([]byte(f.stdout(machine.MarkedSwapsProbe))), what) {
		return nil
	}
	return proved(i18n.FullSwap(r.Target, what, size(bytes)), append(seen, seeLine(machine.MarkedSwapsProbe, what))...).
		advise(i18n.FullSwapAdvice(what))
}

// largeDirectory finds that a directory with that name takes a large part of a full file system.
func largeDirectory(suffix string, says func(target, dir, size string) i18n.Text, advice i18n.Text) func(*Facts) *Finding {
	return func(f *Facts) *Finding {
		r, ok := f.fullDisk()
		if !ok {
			return nil
		}
		look := f.directories(r)
		out, known := f.output(look)
		all, _ := machine.ParseDU([]byte(out.Stdout))
		for _, p := range all {
			if known && !out.Cut && strings.HasSuffix(p.Path, suffix) && p.Size >= r.used/10 {
				return proved(says(r.Target, p.Path, size(p.Size)), seeLine(r.look, r.line()),
					seeLine(look, size(p.Size)+" "+p.Path)).advise(advice)
			}
		}
		return nil
	}
}

// containersHold finds that containers take a large part of a full file system.
func containersHold(f *Facts) *Finding {
	for _, c := range []struct {
		dir    string
		advice i18n.Text
	}{
		{"/var/lib/docker", i18n.FullDockerAdvice},
		{"/containers/storage", i18n.FullPodmanAdvice},
		{"/flatpak/repo", i18n.FullFlatpakAdvice},
	} {
		if found := largeDirectory(c.dir, i18n.FullContainers, c.advice)(f); found != nil {
			return found
		}
	}
	return nil
}

// largest names what takes most of a full file system.
func largest(f *Facts) *Finding {
	r, ok := f.fullDisk()
	if !ok || r.Type == "tmpfs" {
		return nil
	}
	what, bytes, seen := f.largestOf(r)
	if what == "" || slices.Contains(machine.ParseSwaps([]byte(f.stdout(machine.MarkedSwapsProbe))), what) {
		return nil
	}
	return proved(i18n.FullLargest(r.Target, what, size(bytes), size(r.used)), append(seen, seeLine(r.look, r.line()))...).
		advise(i18n.FullLargestAdvice(what))
}

// hiddenBelow finds that the files that can be seen are much less than the used room, while other file systems are
// mounted over
// directories.
func hiddenBelow(f *Facts) *Finding {
	r, ok := f.fullDisk()
	if !ok || slices.Contains([]string{"btrfs", "zfs", "overlay", "tmpfs"}, r.Type) {
		return nil
	}
	look := machine.OwnSizeProbe(r.Target)
	all, err := parse(f, look, machine.ParseDU) // complete: it fails where a directory may not be read
	if err != nil || len(all) != 1 || all[0].Size > r.used*0.6 {
		return nil
	}
	var below []string
	mounts, _ := parse(f, machine.MountsProbe, machine.ParseMounts)
	for _, m := range mounts {
		if strings.HasPrefix(m.Target, strings.TrimSuffix(r.Target, "/")+"/") && strings.HasPrefix(m.Source, "/dev/") {
			below = append(below, m.Target)
		}
	}
	if len(below) == 0 {
		return nil
	}
	return likely(i18n.FullHidden(r.Target, size(r.used-all[0].Size), strings.Join(below, ", ")),
		seeLine(look, size(all[0].Size)+" "+r.Target)).
		advise(i18n.FullHiddenAdvice(r.Target))
}

// reserved finds that the rest of the room is reserved for the administrator.
func reserved(f *Facts) *Finding {
	r, ok := f.fullDisk()
	if !ok || !strings.HasPrefix(r.Type, "ext") || r.avail > 0 || r.size-r.used < r.size*0.02 || plain(r.Source) == "" {
		return nil
	}
	found := proved(i18n.FullReserved(r.Target, size(r.size-r.used)), seeLine(r.look, r.line()))
	// Nothing shows the share without rights; mke2fs(8) reserves 5 %. Only then is it known how to take the step back.
	if left := (r.size - r.used) / r.size; r.Target == "/" || left < 0.045 || left > 0.055 {
		return found.advise(i18n.FullReservedAdvice)
	}
	return found.offer(i18n.FullReservedGoal(r.Target),
		run(i18n.FullReservedGoal(r.Target), "sudo -n tune2fs -m 1 "+r.Source,
			"df --output=avail -- "+r.Target, "Avail", "sudo -n tune2fs -m 5 "+r.Source))
}
