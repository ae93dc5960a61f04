package report

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

const shownPackages = 10

func (r *result) packageList() Reply {
	s := &r.steps[0]
	lines := machine.Lines(s.Stdout)
	filter := r.str("filter")
	n := r.askedName()
	switch {
	case len(lines) == 0 && strings.TrimSpace(s.Stderr) != "":
		return Reply{Text: r.failureText(s)}
	case len(lines) == 0 && filter == "orphans":
		return Reply{Text: r.say(i18n.HelperPackagesNoOrphans)}
	case len(lines) == 0 && filter == "foreign":
		return Reply{Text: r.say(i18n.HelperPackagesNoForeign)}
	case len(lines) == 0:
		return Reply{Text: r.say(i18n.HelperResultEmpty(s.Command))}
	case n != nil && filter != "orphans":
		return r.listedReply(n.Package, lines)
	}
	head := map[string]func(count int) i18n.Text{
		"explicit": i18n.HelperPackagesListExplicit, "foreign": i18n.HelperPackagesListForeign,
		"orphans": i18n.HelperPackagesListOrphans,
	}[filter]
	if head == nil {
		head = i18n.HelperPackagesListAll
	}
	return Reply{Text: joinBlocks(r.say(head(len(lines))), r.packageLines(lines, s.Command))}
}

var (
	orphanDetails = command(machine.OrphansProbe.String())
	cacheFolders  = command(machine.CachesProbe.String())
)

// orphans reports the packages that nothing needs, with their sizes, and those that a package can use, and by whom. It
// proposes to remove the first, with what only they need.
func (q *inquiry) orphans() Reply {
	all, ok := tryRead(machine.ParseOrphans, q.stdout(orphanDetails))
	if !ok || len(all) == 0 || slices.ContainsFunc(all, func(o machine.Orphan) bool { return !isPackage(o.Name) }) {
		return q.toolReply(q.first)
	}
	used := filter(all, func(o machine.Orphan) bool { return len(o.OptionalFor) > 0 })
	free := filter(all, func(o machine.Orphan) bool { return len(o.OptionalFor) == 0 })
	f := &finding{verdict: q.say(i18n.HelperPackagesOnlyOptional)}
	if len(free) > 0 {
		f.verdict = q.say(i18n.HelperPackagesListOrphans(len(free)))
		f.note(q.orphanLines(free)...)
	}
	if len(used) > 0 {
		f.note(q.sayIf(len(free) > 0, i18n.HelperPackagesKeptOptional(len(used))))
		for _, o := range used {
			f.note(q.say(i18n.HelperPackagesOptionalFor(o.Name, o.Version, o.Size, firstOf(o.OptionalFor, 5))))
		}
	}
	if len(free) == 0 || len(free) > maxRemoved {
		return f.reply()
	}
	return q.proposeOrphans(f, each(free, func(o machine.Orphan) string { return o.Name })).reply()
}

// maxRemoved bounds how many packages are removed at once: a person must be able to read their names.
const maxRemoved = 40

func (q *inquiry) orphanLines(list []machine.Orphan) []string {
	lines := each(list[:min(shownPackages, len(list))], func(o machine.Orphan) string {
		return q.say(i18n.HelperPackagesOrphanLine(o.Name, o.Version, o.Size))
	})
	if n := len(list) - shownPackages; n > 0 {
		lines = append(lines, q.say(i18n.HelperPackagesListMore(n, "pacman -Qdt")))
	}
	return lines
}

// proposeOrphans proposes to remove packages and those that only they need, by name, and says which cannot be put back.
// The finding is nil while looks are missing.
func (q *inquiry) proposeOrphans(f *finding, names []string) *finding {
	whole := command(machine.RemovalProbe(names...).String())
	if !q.collect(whole, cacheFolders) {
		return nil
	}
	goes := read(machine.ParsePackages, q.stdout(whole))
	if len(goes) < len(names) || len(goes) > maxRemoved || slices.ContainsFunc(goes, func(p machine.Package) bool { return !isPackage(p.Name) || !isPackage(p.Version) }) {
		return f // pacman does not say what it would remove
	}
	var more []string
	for _, p := range goes {
		if !slices.Contains(names, p.Name) {
			more = append(more, p.Name)
		}
	}
	f.note(q.fact(i18n.HelperPackagesGoesToo, strings.Join(more, ", ")))
	folders := filter(machine.Lines(q.stdout(cacheFolders)), func(dir string) bool { return strings.HasPrefix(dir, "/") && quoteWord(dir) == dir })
	files := cachedFiles(folders, goes)
	if len(folders) > 0 && !q.collect(files) {
		return nil
	}
	var lost []string
	for _, p := range goes {
		if len(folders) == 0 || !strings.Contains(q.anyStdout(files), "/"+p.Name+"-"+p.Version+"-") {
			lost = append(lost, p.Name)
		}
	}
	f.note(q.fact(i18n.HelperPackagesNotCached, strings.Join(lost, ", ")))
	return q.proposeRepair(f, removeOrphans(each(goes, func(p machine.Package) string { return p.Name }), lost))
}

// cachedFiles returns the step that lists the files of packages in pacman's caches.
func cachedFiles(folders []string, packages []machine.Package) intent.Step {
	names := each(packages, func(p machine.Package) string { return "-name '" + p.Name + "-" + p.Version + "-*.pkg.tar*'" })
	return command("find " + strings.Join(folders, " ") + " -maxdepth 1 " + strings.Join(names, " -o "))
}

// isPackage reports whether a word can be the name or the version of a package: PKGBUILD(5).
func isPackage(word string) bool {
	return word != "" && word[0] != '-' && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@._+:~-") == ""
}

// packageLines lists the first packages that a command printed, and how many more there are.
func (r *result) packageLines(lines []string, command string) string {
	more := ""
	if n := len(lines) - shownPackages; n > 0 {
		more = r.say(i18n.HelperPackagesListMore(n, command))
	}
	return joinBlocks(bullets(lines[:min(shownPackages, len(lines))]), more)
}

func (r *result) askedName() *intent.Name {
	if r.ask == nil {
		return nil
	}
	return r.ask.Name()
}

func (r *result) listedReply(pkg string, lines []string) Reply {
	for _, l := range lines {
		if n, version, _ := strings.Cut(l, " "); n == pkg {
			return Reply{Text: r.say(i18n.HelperPackagesInstalledYes(pkg, version))}
		}
	}
	return Reply{Text: r.say(i18n.HelperPackagesInstalledNo(pkg))}.
		offering(intent.Call("install_package", "name", pkg), r.say(i18n.HelperPackagesAskInstallIt(pkg)))
}

func (r *result) packageSearch() Reply {
	s := &r.steps[0]
	list := read(machine.ParseSearch, s.Stdout)
	query := r.str("query")
	if len(list) == 0 {
		switch line := r.missingListsLine(); {
		case line != "":
			return r.missingListsReply("", line)
		case strings.TrimSpace(s.Stderr) != "" && s.Exit != 0:
			return Reply{Text: r.failureText(s)}
		case strings.TrimSpace(s.Stdout) != "":
			return r.unreadableReply(s)
		}
		rep := Reply{Text: r.say(i18n.HelperPackagesFoundNone(query))}
		// pacman searches for the words as one text: try the first one.
		if words := strings.Fields(query); len(words) > 1 {
			rep.Next = []intent.Step{intent.Call("search_packages", "query", words[0])}
		}
		return rep
	}
	sortByName(list, query)
	var lines []string
	for _, f := range list[:min(8, len(list))] {
		line := f.Name + " " + f.Version
		if f.Installed {
			line += " " + r.say(i18n.HelperPackagesMarkInstalled)
		}
		if f.Description != "" {
			line += " – " + cutRunes(f.Description, 90)
		}
		lines = append(lines, line)
	}
	rep := Reply{Text: joinBlocks(r.say(i18n.HelperPackagesFound(query, len(list))), bullets(lines))}
	if first := list[0]; !first.Installed && (first.Name == query || len(list) == 1) {
		rep = rep.offering(intent.Call("install_package", "name", first.Name),
			r.say(i18n.HelperPackagesAskInstallIt(first.Name)))
	}
	return rep
}

// sortByName puts the exact name first, then names that contain the query.
func sortByName(list []machine.FoundPackage, query string) {
	rank := func(f machine.FoundPackage) int {
		fits := []bool{f.Name == query, strings.HasPrefix(f.Name, query), strings.Contains(f.Name, query), true}
		return slices.Index(fits, true)
	}
	sorting.Stably(list, func(a, b machine.FoundPackage) int { return rank(a) - rank(b) })
}

func (r *result) packageInfo() Reply {
	pkg := r.str("name")
	local, remote := map[string]string{}, map[string]string{}
	for _, s := range r.steps {
		if s.Exit != 0 {
			continue
		}
		if strings.Contains(s.Command, "-Qi") {
			local = read(machine.ParsePackageInfo, s.Stdout)
		} else {
			remote = read(machine.ParsePackageInfo, s.Stdout)
		}
	}
	switch {
	case local["Version"] != "":
		return r.installedInfo(pkg, local, remote)
	case remote["Version"] != "":
		step := intent.Call("install_package", "name", pkg)
		text := joinBlocks(r.say(i18n.HelperPackagesAvailable(pkg, remote["Repository"], remote["Version"])), remote["Description"])
		return Reply{Text: paragraphs(text, r.say(i18n.HelperPackagesAskInstallIt(pkg))), Offer: &step}
	}
	if line := r.missingListsLine(); line != "" {
		return r.missingListsReply(r.say(i18n.HelperPackagesInstalledNo(pkg)), line)
	}
	for i := range r.steps {
		if s := &r.steps[i]; s.Exit == 0 && strings.TrimSpace(s.Stdout) != "" {
			return r.unreadableReply(s)
		} else if s.Exit > 1 || strings.Contains(s.Stderr, "failed to init") {
			return Reply{Text: r.failureText(s)}
		}
	}
	query := strings.TrimSuffix(strings.TrimSuffix(pkg, "-bin"), "-git")
	return Reply{Text: r.say(i18n.HelperPackagesNotInRepos(pkg))}.
		offering(intent.Call("search_packages", "query", query), r.say(i18n.HelperPackagesAskSearchIt(query)))
}

// missingListsLine returns the line in which pacman reports missing repository lists, "" if there is none.
func (r *result) missingListsLine() string {
	for _, s := range r.steps {
		for _, l := range machine.Lines(s.Stderr) {
			if strings.Contains(l, "no usable package repositories configured") || strings.Contains(l, "database file for") && strings.Contains(l, "does not exist") || strings.Contains(l, "'-Sy'") {
				return l
			}
		}
	}
	return ""
}

// missingListsReply reports what is missing and how to restore it. It does not offer an update, which fails the same
// way without a repository.
func (r *result) missingListsReply(head, line string) Reply {
	why := i18n.HelperPackagesListsMissing
	if r.hasNoRepository() {
		why = i18n.HelperPackagesNoRepository
	}
	return Reply{Text: joinBlocks(head, r.say(why), quote(syncHint().ReplaceAllString(line, "")))}
}

// syncHint matches pacman's own advice to fetch only the lists, which leads to partial upgrades.
var syncHint = pattern(`\s*[(（][^)）]*'-Sy'[^)）]*[)）]`)

func (r *result) hasNoRepository() bool {
	return slices.ContainsFunc(r.steps, func(s providers.Step) bool {
		return containsAny(s.Stderr, "no usable package repositories configured", "no repositories configured")
	})
}

func (r *result) installedInfo(pkg string, local, remote map[string]string) Reply {
	var details []string
	if d := local["Description"]; d != "" && d != "None" {
		details = append(details, d)
	}
	head := r.say(i18n.HelperPackagesInstalledYes(pkg, local["Version"]))
	switch {
	case r.asksAbout("when"):
		head = r.say(i18n.HelperPackagesInstalledSince(pkg, local["Install Date"], local["Version"]))
	case r.asksAbout("who"):
		details = append(details, r.say(i18n.HelperPackagesWhoInstalled(local["Install Reason"])))
	case r.asksAbout("version"):
		head = r.say(i18n.HelperPackagesVersion(pkg, local["Version"]))
	}
	date, reason, newer := local["Install Date"], local["Install Reason"], remote["Version"]
	details = append(details, nonEmpty(
		r.fact(i18n.HelperPackagesSize, local["Installed Size"]),
		r.sayIf(date != "" && !r.asksAbout("when"), i18n.HelperPackagesInstallDate(date)),
		r.sayIf(reason != "" && r.asksAbout("info", "when"), i18n.HelperPackagesReason(reason)),
		r.sayIf(newer != "" && newer != local["Version"], i18n.HelperPackagesNewer(newer)),
	)...)
	return Reply{Text: joinBlocks(head, bullets(details))}
}

func (r *result) updates() Reply {
	s := r.usableStep()
	var lines, held []string
	for _, u := range read(machine.ParseUpdates, s.Stdout) {
		if u.Ignored {
			held = append(held, u.Name)
		} else {
			lines = append(lines, u.Name+" "+u.From+" -> "+u.To)
		}
	}
	switch {
	case len(lines) == 0 && len(held) > 0:
		return Reply{Text: r.say(i18n.HelperUpdatesHeldBack(len(held), firstOf(held, 5)))}
	case len(lines) == 0:
		return r.noUpdates(s)
	}
	if n := r.askedName(); n != nil {
		for _, l := range lines {
			if strings.HasPrefix(l, n.Package+" ") {
				return r.offerUpdate(r.say(i18n.HelperPackagesUpdateOfYes(n.Package, strings.TrimPrefix(l, n.Package+" "))))
			}
		}
	}
	text := joinBlocks(r.say(i18n.HelperPackagesUpdates(len(lines))), r.packageLines(lines, s.Command))
	for _, l := range lines {
		if n, _, _ := strings.Cut(l, " "); n == "linux" || n == "linux-lts" || n == "linux-zen" || n == "linux-hardened" {
			text = joinBlocks(text, r.say(i18n.HelperPackagesUpdatesKernel(n)))
			break
		}
	}
	return r.offerUpdate(text)
}

func (r *result) offerUpdate(text string) Reply {
	return Reply{Text: text}.offering(intent.Call("update_system"), r.say(i18n.HelperPackagesAskUpdate))
}

func (r *result) noUpdates(s *providers.Step) Reply {
	if line := r.missingListsLine(); line != "" {
		return r.missingListsReply("", line)
	}
	old := strings.Contains(s.Command, "pacman")
	switch {
	case !old && s.Exit == 1, s.Exit > 2, s.Exit == -1, strings.Contains(strings.ToLower(s.Stderr), "error"):
		return Reply{Text: joinBlocks(r.failureText(s), r.meaningOf(s.Stderr))}
	case strings.TrimSpace(s.Stdout) != "", s.TimedOut, s.Exit == 0:
		return r.unreadableReply(s) // both exit differently if there is nothing to update
	case old:
		return Reply{Text: r.say(i18n.HelperPackagesUpToDateOld)}
	}
	return Reply{Text: r.say(i18n.HelperPackagesUpToDate(s.Command))}
}

// usableStep returns the first step whose program is installed.
func (r *result) usableStep() *providers.Step {
	for i := range r.steps {
		if r.steps[i].MissingProgram == "" {
			return &r.steps[i]
		}
	}
	return &r.steps[0]
}

var (
	kernelInUse   = command(machine.KernelProbe.String())
	kernelModules = command(machine.ModuleTreesProbe.String())
	downloadSizes = command(machine.DownloadsProbe.String())
)

// updates reports what is pending, its size, and whether a reboot is due.
func (q *inquiry) updates() Reply {
	rep := q.toolReply(q.first)
	r := q.resultOf(q.first)
	if r == nil || r.out == nil || r.out.Refusal != "" || rep.Text == "" {
		return rep
	}
	s := r.usableStep()
	list := read(machine.ParseUpdates, s.Stdout)
	upToDate := len(list) == 0 && rep.Offer == nil && (s.Exit == 2 && strings.Contains(s.Command, "checkupdates") || strings.Contains(s.Command, "pacman") && s.Exit == 1 && strings.TrimSpace(s.Stderr) == "")
	if len(list) == 0 && !upToDate {
		return rep // the update check failed: do not mention a reboot
	}
	if !q.collect(kernelInUse, kernelModules) || len(list) > 0 && !q.collect(downloadSizes, diskStep) {
		return Reply{}
	}
	reboot, due := q.reboot()
	if len(list) == 0 {
		return q.nothingPending(rep, reboot, due)
	}
	if !due {
		reboot = ""
	}
	return q.pendingReply(rep, list, s, reboot)
}

// nothingPending reports "up to date", and a reboot if one is due.
func (q *inquiry) nothingPending(rep Reply, reboot string, due bool) Reply {
	f := &finding{verdict: rep.Text, evidence: nonEmpty(reboot)}
	if due && !q.offerPower(f, false) {
		return Reply{}
	}
	return f.reply()
}

func (q *inquiry) pendingReply(rep Reply, list []machine.Update, s *providers.Step, reboot string) Reply {
	head, question := rep.Text, q.say(i18n.HelperPackagesAskUpdate)
	if i := strings.LastIndex(head, "\n\n"); i >= 0 {
		head = head[:i]
	}
	named := q.asksForOne(list)
	f := &finding{verdict: head, fix: rep.Offer, question: question}
	f.note(q.sayIf(named, i18n.HelperUpdatesOnlyWhole))
	f.note(q.updateFacts(list, named)...)
	f.note(q.sayIf(strings.HasPrefix(s.Command, "pacman"), i18n.HelperUpdatesStaleLists), reboot)
	if fs := q.fullRoot(); fs != nil {
		f.meaning = q.say(i18n.HelperUpdatesUpdateRoom(fs.Target, fs.Available))
		f.propose(diskStep, q.say(i18n.HelperUpdatesAskCleanForRoom))
	}
	return f.reply()
}

var kernelPackages = []string{"linux", "linux-lts", "linux-zen", "linux-hardened", "linux-rt", "linux-cachyos"}

// asksForOne reports whether the answer is about one package among the updates.
func (q *inquiry) asksForOne(list []machine.Update) bool {
	n := q.resultOf(q.first).askedName()
	return n != nil && slices.ContainsFunc(list, func(u machine.Update) bool { return u.Name == n.Package && !u.Ignored })
}

// updateFacts returns additional facts about the list. Unless the question names one package, the answer
// already mentions a kernel update.
func (q *inquiry) updateFacts(list []machine.Update, named bool) []string {
	var kernels, held []string
	keyring := false
	for _, u := range list {
		switch {
		case u.Ignored:
			held = append(held, u.Name)
		case slices.Contains(kernelPackages, u.Name):
			kernels = append(kernels, u.Name+" "+u.From+" → "+u.To)
		}
		keyring = keyring || u.Name == "archlinux-keyring"
	}
	size := q.downloadSize(list)
	return nonEmpty(
		q.sayIf(size > 0, i18n.HelperUpdatesDownload(formatSize(size))),
		q.sayIf(len(kernels) > 0 && named, i18n.HelperUpdatesKernelIn(strings.Join(kernels, ", "))),
		q.sayIf(keyring, i18n.HelperUpdatesKeyringIn),
		q.sayIf(len(held) > 0, i18n.HelperUpdatesHeldBack(len(held), firstOf(held, 5))),
	)
}

// downloadSize adds up what pacman would fetch. It returns 0 if its lists differ from those of the update check.
func (q *inquiry) downloadSize(list []machine.Update) float64 {
	sizes := read(machine.ParseDownloads, q.stdout(downloadSizes))
	total := 0.0
	for _, u := range list {
		n, known := sizes[u.Name+" "+u.To]
		if !known && !u.Ignored {
			return 0
		}
		total += n
	}
	return total
}

// fullRoot returns the file system of /usr if it is nearly full.
func (q *inquiry) fullRoot() *machine.Filesystem {
	real := realFileSystems(read(machine.ParseDF, q.anyStdout(diskStep)))
	if len(real) == 0 {
		return nil
	}
	fs := longestMount(real, "/usr")
	if left, ok := machine.ParseSize(fs.Available); ok && left < 2<<30 {
		return &fs
	}
	return nil
}

// reboot reports whether the running kernel is the installed one. It returns "" if that is unknown: a container
// runs another machine's kernel.
func (q *inquiry) reboot() (text string, due bool) {
	running := strings.TrimSpace(q.stdout(kernelInUse))
	installed := read(machine.ParseModuleTrees, q.stdout(kernelModules))
	if !machine.IsKernelRelease(running) || len(installed) == 0 {
		return "", false
	}
	if !slices.Contains(installed, running) {
		return q.say(i18n.HelperUpdatesRebootGone(running, firstOf(installed, 3))), true
	}
	for _, k := range installed {
		if machine.KernelFlavor(k) == machine.KernelFlavor(running) && machine.IsNewerKernel(k, running) {
			return q.say(i18n.HelperUpdatesRebootNewer(running, k)), true
		}
	}
	return q.say(i18n.HelperUpdatesRebootNo(running)), false
}

// owner says which package has a file, "" for another command and for output of another form.
func (r *result) owner(s *providers.Step) string {
	file, ok := strings.CutPrefix(s.Command, strings.Join(machine.PackageFileProbe(""), " "))
	if !ok || strings.ContainsAny(file, " ;|&<>") {
		return ""
	}
	switch p, err := machine.ParsePackageFile([]byte(s.Stdout)); {
	case err == nil:
		return r.say(i18n.HelperPackagesOwner(file, p.Name, p.Version))
	case s.Exit == 1 && strings.Contains(s.Stderr, "o package owns"), s.Exit == 1 && strings.Contains(s.Stderr, "in PATH"):
		return r.say(i18n.HelperPackagesNoOwner(file))
	}
	return ""
}
