package report

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	sayListAll        = i18n.T("설치된 패키지는 모두 %[1]d개예요.", "Installed packages: %[1]d.", "共安装了 %[1]d 个软件包。")
	sayListExplicit   = i18n.T("직접 설치한 패키지는 %[1]d개예요.", "Explicitly installed packages: %[1]d.", "你主动安装的软件包有 %[1]d 个。")
	sayListForeign    = i18n.T("공식 저장소에 없는 패키지(AUR 등)는 %[1]d개예요.", "Foreign packages (AUR or built by hand): %[1]d.", "非官方仓库的软件包（AUR 等）有 %[1]d 个。")
	sayListOrphans    = i18n.T("더 이상 필요로 하는 곳이 없는 고아 패키지가 %[1]d개 있어요.", "Orphan packages: %[1]d. They came as dependencies, and nothing needs them now.", "有 %[1]d 个孤立的软件包，已没有其他包需要它们。")
	sayNoOrphans      = i18n.T("고아 패키지가 없어요. 깨끗해요.", "There are no orphan packages. All tidy.", "没有孤立的软件包，很干净。")
	sayNoForeign      = i18n.T("공식 저장소 밖에서 설치한 패키지는 없어요.", "No foreign packages are installed.", "没有安装官方仓库以外的软件包。")
	sayListMore       = i18n.T("그 밖에 %[1]d개가 더 있어요. 전체는 `%[2]s`로 볼 수 있어요.", "%[1]d more; `%[2]s` shows them all.", "另有 %[1]d 个；用 `%[2]s` 查看全部。")
	sayInstalledYes   = i18n.T("네, %[1]s{이/가} 설치되어 있어요(버전 %[2]s).", "Yes, %[1]s is installed (version %[2]s).", "是的，已安装 %[1]s（版本 %[2]s）。")
	sayInstalledNo    = i18n.T("아니요, %[1]s{은/는} 설치되어 있지 않아요.", "No, %[1]s is not installed.", "没有安装 %[1]s。")
	sayVersion        = i18n.T("%[1]s 버전은 %[2]s{이에요/예요}.", "%[1]s is at version %[2]s.", "%[1]s 的版本是 %[2]s。")
	sayAvailable      = i18n.T("%[1]s{은/는} 설치되어 있지 않지만 %[2]s 저장소에 %[3]s 버전이 있어요.", "%[1]s is not installed; the %[2]s repository has version %[3]s.", "没有安装 %[1]s，%[2]s 仓库中有 %[3]s 版本。")
	sayNotInRepos     = i18n.T("%[1]s{은/는} 설치되어 있지 않고 공식 저장소에도 없어요. AUR에 있을 수 있어요.", "%[1]s is neither installed nor in the official repositories. It may be in the AUR.", "%[1]s 既没有安装，也不在官方仓库中，可能在 AUR。")
	sayInstalledSince = i18n.T("%[1]s{은/는} %[2]s에 설치(또는 마지막으로 업데이트)됐어요. 지금 버전은 %[3]s{이에요/예요}.", "%[1]s was installed (or last updated) on %[2]s, now at version %[3]s.", "%[1]s 于 %[2]s 安装（或最近更新），当前版本 %[3]s。")
	sayWhoInstalled   = i18n.T("누가 설치했는지는 기록되지 않지만, 설치 이유는 이래요: %[1]s", "Who installed it is not recorded, but the reason is: %[1]s", "没有记录是谁安装的，安装原因是：%[1]s")
	saySize           = i18n.T("설치 크기 %[1]s", "Installed size %[1]s", "安装大小 %[1]s")
	sayInstallDate    = i18n.T("설치 날짜 %[1]s", "Install date %[1]s", "安装日期 %[1]s")
	sayReason         = i18n.T("설치 이유: %[1]s", "Reason: %[1]s", "安装原因：%[1]s")
	sayNewer          = i18n.T("저장소에는 더 새로운 %[1]s 버전이 있어요.", "The repository has the newer version %[1]s.", "仓库中有更新的版本 %[1]s。")
	askInstallIt      = i18n.T("%[1]s{을/를} 설치할까요?", "Shall I install %[1]s?", "要安装 %[1]s 吗？")
	askSearchIt       = i18n.T("%[1]s{을/를} 검색해 볼까요?", "Shall I search for %[1]s?", "要搜索 %[1]s 吗？")
	sayFound          = i18n.T("'%[1]s'{으로/로} 찾은 패키지가 %[2]d개 있어요. 이름이 가까운 것부터:", "Packages that match \"%[1]s\": %[2]d, the closest names first:", "找到 %[2]d 个与“%[1]s”匹配的软件包，名称最接近的在前：")
	sayFoundNone      = i18n.T("공식 저장소에 '%[1]s'에 맞는 패키지가 없어요. AUR에는 있을 수 있어요. 영어 단어 하나로 찾으면 더 잘 나와요.", "No package in the official repositories matches \"%[1]s\". The AUR may have one; a single English word finds more.", "官方仓库中没有匹配“%[1]s”的软件包，AUR 中可能有。用一个英文单词搜索效果更好。")
	sayMarkInstalled  = i18n.T("[설치됨]", "[installed]", "[已安装]")
	sayUpToDate       = i18n.T("모두 최신이에요. 기다리는 업데이트가 없어요(`%[1]s`).", "Everything is up to date; no updates are waiting (`%[1]s`).", "一切都是最新的，没有待更新的软件包（`%[1]s`）。")
	sayUpToDateOld    = i18n.T("기다리는 업데이트가 보이지 않아요(`pacman -Qu`). 다만 이 명령은 마지막으로 동기화한 목록만 봐요. pacman-contrib의 `checkupdates`가 더 정확해요.", "No updates are listed (`pacman -Qu`), but that only sees the last synced lists; `checkupdates` from pacman-contrib is more reliable.", "没有列出更新（`pacman -Qu`），但它只看上次同步的列表；pacman-contrib 的 `checkupdates` 更可靠。")
	sayUpdates        = i18n.T("업데이트할 패키지가 %[1]d개 있어요.", "Packages to update: %[1]d.", "有 %[1]d 个软件包可以更新。")
	sayUpdatesKernel  = i18n.T("커널(%[1]s){이/가} 들어 있어요. 업데이트하고 재부팅해야 쓰이기 시작해요. 재부팅하기 전에 \"재부팅해도 돼?\"라고 물어보세요.", "The kernel (%[1]s) is among them; it is used after the update and a reboot. Before you reboot, ask \"can I reboot?\".", "其中包含内核（%[1]s），更新并重启后生效。重启前请先问“可以重启吗”。")
	sayUpdateOfYes    = i18n.T("네, %[1]s 업데이트가 있어요: %[2]s", "Yes, there is an update for %[1]s: %[2]s", "是的，%[1]s 有更新：%[2]s")
	sayListsMissing   = i18n.T("패키지 목록이 이 컴퓨터에 없어서 저장소에 무엇이 있는지 말할 수 없어요. `/etc/pacman.d/mirrorlist`에 미러가 있는지 확인한 뒤, 터미널에서 시스템 전체를 업데이트하면 목록도 받아져요: `sudo pacman -Syu`", "The package lists are missing on this machine, so I cannot tell what the repositories have. Check that `/etc/pacman.d/mirrorlist` names a mirror, then update the whole system in a terminal, which fetches them: `sudo pacman -Syu`", "本机没有软件包列表，无法判断仓库里有什么。请先确认 `/etc/pacman.d/mirrorlist` 里有镜像，然后在终端中更新整个系统，列表会一并下载：`sudo pacman -Syu`")
	sayNoRepository   = i18n.T("`/etc/pacman.conf`에 켜진 저장소가 없어서 저장소에 무엇이 있는지 말할 수 없어요. `[core]`와 `[extra]`가 있고 `/etc/pacman.d/mirrorlist`에 미러가 있는지 먼저 확인하세요.", "No repository is configured in `/etc/pacman.conf`, so I cannot tell what the repositories have. First see that it has `[core]` and `[extra]`, and that `/etc/pacman.d/mirrorlist` names a mirror.", "`/etc/pacman.conf` 中没有配置仓库，无法判断仓库里有什么。请先确认其中有 `[core]` 和 `[extra]`，且 `/etc/pacman.d/mirrorlist` 里有镜像。")
	askUpdate         = i18n.T("지금 업데이트할까요? (`sudo -n pacman -Syu --noconfirm`)", "Shall I update now? (`sudo -n pacman -Syu --noconfirm`)", "现在更新吗？（`sudo -n pacman -Syu --noconfirm`）")
)

const shownPackages = 10

func (r *result) packageList() Reply {
	s := &r.steps[0]
	lines := outputLines(s.Stdout)
	filter := r.str("filter")
	if len(lines) == 0 {
		switch {
		case strings.TrimSpace(s.Stderr) != "":
			return Reply{Text: r.failureText(s)}
		case filter == "orphans":
			return Reply{Text: r.say(sayNoOrphans)}
		case filter == "foreign":
			return Reply{Text: r.say(sayNoForeign)}
		}
		return Reply{Text: r.say(sayEmpty, s.Command)}
	}
	if n := r.askedName(); n != nil && filter != "orphans" {
		return r.listedReply(n.Package, lines)
	}
	head := map[string]i18n.Text{"explicit": sayListExplicit, "foreign": sayListForeign, "orphans": sayListOrphans}[filter]
	if head == (i18n.Text{}) {
		head = sayListAll
	}
	text := joinBlocks(r.say(head, len(lines)), bullets(lines[:min(shownPackages, len(lines))]))
	if more := len(lines) - shownPackages; more > 0 {
		text = joinBlocks(text, r.say(sayListMore, more, s.Command))
	}
	return Reply{Text: text}
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
			return Reply{Text: r.say(sayInstalledYes, pkg, version)}
		}
	}
	step := intent.Call("install_package", "name", pkg)
	return Reply{Text: paragraphs(r.say(sayInstalledNo, pkg), r.say(askInstallIt, pkg)), Offer: &step}
}

// searchResult is one package of pacman -Ss.
type searchResult struct {
	repo, name, version, description string
	installed                        bool
}

// parseSearch parses pacman -Ss (pacman(8)): "repo/name version (group) [installed]" and an indented
// description.
func parseSearch(text string) []searchResult {
	var out []searchResult
	for _, line := range outputLines(text) {
		if strings.HasPrefix(line, " ") {
			if len(out) > 0 && out[len(out)-1].description == "" {
				out[len(out)-1].description = strings.TrimSpace(line)
			}
			continue
		}
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		repo, name, ok := strings.Cut(f[0], "/")
		if ok && name != "" {
			out = append(out, searchResult{repo: repo, name: name, version: f[1], installed: strings.Contains(line, "[")})
		}
	}
	return out
}

func (r *result) packageSearch() Reply {
	s := &r.steps[0]
	list := parseSearch(s.Stdout)
	query := r.str("query")
	if len(list) == 0 {
		if line := r.missingListsLine(); line != "" {
			return r.missingListsReply("", line)
		}
		if strings.TrimSpace(s.Stderr) != "" && s.Exit != 0 {
			return Reply{Text: r.failureText(s)}
		}
		if strings.TrimSpace(s.Stdout) != "" {
			return r.unreadableReply(s)
		}
		rep := Reply{Text: r.say(sayFoundNone, query)}
		// pacman searches for the words as one text: try the first one.
		if words := strings.Fields(query); len(words) > 1 {
			rep.Next = []intent.Step{intent.Call("search_packages", "query", words[0])}
		}
		return rep
	}
	sortByName(list, query)
	var lines []string
	for _, f := range list[:min(8, len(list))] {
		line := f.name + " " + f.version
		if f.installed {
			line += " " + r.say(sayMarkInstalled)
		}
		if f.description != "" {
			line += " – " + cutRunes(f.description, 90)
		}
		lines = append(lines, line)
	}
	rep := Reply{Text: joinBlocks(r.say(sayFound, query, len(list)), bullets(lines))}
	if first := list[0]; !first.installed && (first.name == query || len(list) == 1) {
		step := intent.Call("install_package", "name", first.name)
		rep.Offer, rep.Text = &step, paragraphs(rep.Text, r.say(askInstallIt, first.name))
	}
	return rep
}

// sortByName puts the exact name first, then names that contain the query.
func sortByName(list []searchResult, query string) {
	rank := func(f searchResult) int {
		switch {
		case f.name == query:
			return 0
		case strings.HasPrefix(f.name, query):
			return 1
		case strings.Contains(f.name, query):
			return 2
		}
		return 3
	}
	slices.SortStableFunc(list, func(a, b searchResult) int { return rank(a) - rank(b) })
}

// parseInfo parses "Key : value" blocks (pacman -Qi, lscpu, upower). Continuation lines are joined to their
// value. The first block wins.
func parseInfo(text string) map[string]string {
	out := map[string]string{}
	last := ""
	for _, line := range outputLines(text) {
		key, value, ok := strings.Cut(line, ":")
		if ok && !strings.HasPrefix(line, " ") {
			last = strings.TrimSpace(key)
			if _, seen := out[last]; !seen {
				out[last] = strings.TrimSpace(value)
			}
			continue
		}
		if last != "" && strings.HasPrefix(line, " ") && len(out[last]) < 400 {
			out[last] += " " + strings.TrimSpace(line)
		}
	}
	return out
}

func (r *result) packageInfo() Reply {
	pkg := r.str("name")
	local, remote := map[string]string{}, map[string]string{}
	for _, s := range r.steps {
		if s.Exit != 0 {
			continue
		}
		if strings.Contains(s.Command, "-Qi") {
			local = parseInfo(s.Stdout)
		} else {
			remote = parseInfo(s.Stdout)
		}
	}
	switch {
	case local["Version"] != "":
		return r.installedInfo(pkg, local, remote)
	case remote["Version"] != "":
		step := intent.Call("install_package", "name", pkg)
		text := joinBlocks(r.say(sayAvailable, pkg, remote["Repository"], remote["Version"]), remote["Description"])
		return Reply{Text: paragraphs(text, r.say(askInstallIt, pkg)), Offer: &step}
	}
	if line := r.missingListsLine(); line != "" {
		return r.missingListsReply(r.say(sayInstalledNo, pkg), line)
	}
	for i := range r.steps {
		if s := &r.steps[i]; s.Exit == 0 && strings.TrimSpace(s.Stdout) != "" {
			return r.unreadableReply(s)
		} else if s.Exit > 1 || strings.Contains(s.Stderr, "failed to init") {
			return Reply{Text: r.failureText(s)}
		}
	}
	step := intent.Call("search_packages", "query", strings.TrimSuffix(strings.TrimSuffix(pkg, "-bin"), "-git"))
	return Reply{Text: paragraphs(r.say(sayNotInRepos, pkg), r.say(askSearchIt, step.Input["query"])), Offer: &step}
}

// missingListsLine returns the line in which pacman reports missing repository lists, "" if there is none.
func (r *result) missingListsLine() string {
	for _, s := range r.steps {
		for _, l := range outputLines(s.Stderr) {
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
	why := sayListsMissing
	if r.hasNoRepository() {
		why = sayNoRepository
	}
	return Reply{Text: joinBlocks(head, r.say(why), quote(syncHint().ReplaceAllString(line, "")))}
}

// syncHint matches pacman's own advice to fetch only the lists, which leads to partial upgrades.
var syncHint = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\s*[(（][^)）]*'-Sy'[^)）]*[)）]`) })

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
	head := r.say(sayInstalledYes, pkg, local["Version"])
	switch {
	case r.asksAbout("when"):
		head = r.say(sayInstalledSince, pkg, local["Install Date"], local["Version"])
	case r.asksAbout("who"):
		details = append(details, r.say(sayWhoInstalled, local["Install Reason"]))
	case r.asksAbout("version"):
		head = r.say(sayVersion, pkg, local["Version"])
	}
	if v := local["Installed Size"]; v != "" {
		details = append(details, r.say(saySize, v))
	}
	if v := local["Install Date"]; v != "" && !r.asksAbout("when") {
		details = append(details, r.say(sayInstallDate, v))
	}
	if v := local["Install Reason"]; v != "" && r.asksAbout("info", "when") {
		details = append(details, r.say(sayReason, v))
	}
	if v := remote["Version"]; v != "" && v != local["Version"] {
		details = append(details, r.say(sayNewer, v))
	}
	return Reply{Text: joinBlocks(head, bullets(details))}
}

func (r *result) updates() Reply {
	s := r.usableStep()
	var lines, held []string
	for _, l := range outputLines(s.Stdout) {
		switch {
		case strings.Contains(l, " -> ") && strings.HasSuffix(l, "[ignored]"):
			held = append(held, strings.Fields(l)[0])
		case strings.Contains(l, " -> "):
			lines = append(lines, l)
		}
	}
	switch {
	case len(lines) == 0 && len(held) > 0:
		return Reply{Text: r.say(sayHeldBack, len(held), strings.Join(held[:min(5, len(held))], ", "))}
	case len(lines) == 0:
		return r.noUpdates(s)
	}
	if n := r.askedName(); n != nil {
		for _, l := range lines {
			if strings.HasPrefix(l, n.Package+" ") {
				return r.offerUpdate(r.say(sayUpdateOfYes, n.Package, strings.TrimPrefix(l, n.Package+" ")))
			}
		}
	}
	text := joinBlocks(r.say(sayUpdates, len(lines)), bullets(lines[:min(shownPackages, len(lines))]))
	if more := len(lines) - shownPackages; more > 0 {
		text = joinBlocks(text, r.say(sayListMore, more, s.Command))
	}
	for _, l := range lines {
		if n, _, _ := strings.Cut(l, " "); n == "linux" || n == "linux-lts" || n == "linux-zen" || n == "linux-hardened" {
			text = joinBlocks(text, r.say(sayUpdatesKernel, n))
			break
		}
	}
	return r.offerUpdate(text)
}

func (r *result) offerUpdate(text string) Reply {
	step := intent.Call("update_system")
	return Reply{Text: paragraphs(text, r.say(askUpdate)), Offer: &step}
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
		return Reply{Text: r.say(sayUpToDateOld)}
	}
	return Reply{Text: r.say(sayUpToDate, s.Command)}
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
