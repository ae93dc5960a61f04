package report

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
)

var (
	sayDownload     = i18n.T("내려받을 크기 약 %[1]s (`pacman -Sup`)", "Download size about %[1]s (`pacman -Sup`)", "下载大小约 %[1]s（`pacman -Sup`）")
	sayKernelIn     = i18n.T("커널이 들어 있어요: %[1]s. 업데이트하고 재부팅해야 쓰이기 시작해요. 재부팅하기 전에 \"재부팅해도 돼?\"라고 물어보세요.", "The kernel is among them: %[1]s. It is used after the update and a reboot. Before you reboot, ask \"can I reboot?\".", "其中包含内核：%[1]s，更新并重启后生效。重启前请先问“可以重启吗”。")
	sayKeyringIn    = i18n.T("archlinux-keyring이 들어 있어요. 서명 오류가 나면 이것부터 업데이트하면 풀려요.", "archlinux-keyring is among them; if signatures fail, updating it first helps.", "其中包含 archlinux-keyring；若出现签名错误，先更新它即可。")
	sayHeldBack     = i18n.T("IgnorePkg 설정 때문에 빠지는 패키지 %[1]d개: %[2]s. 일부만 업데이트하면 라이브러리가 어긋날 수 있어요.", "Held back by IgnorePkg: %[1]d (%[2]s). Partial upgrades can break shared libraries.", "因 IgnorePkg 被跳过的软件包 %[1]d 个：%[2]s。部分更新可能导致库不匹配。")
	sayOnlyWhole    = i18n.T("Arch에서는 패키지 하나만 올리지 않고 시스템 전체를 함께 업데이트해요.", "On Arch a package is not updated alone: the whole system is.", "Arch 不支持只更新单个软件包，需要整体更新系统。")
	sayStaleLists   = i18n.T("`pacman -Qu`는 마지막으로 동기화한 목록만 봐요. 실제로는 더 있을 수 있어요.", "`pacman -Qu` only sees the lists of the last sync; there may be more.", "`pacman -Qu` 只看上次同步的列表，实际可能更多。")
	sayUpdateRoom   = i18n.T("%[1]s에 %[2]s밖에 안 남았어요(`df -h`). 업데이트하다 공간이 모자라 멈출 수 있으니 먼저 비우세요.", "Only %[2]s is left on %[1]s (`df -h`); the update may run out of space, so free some first.", "%[1]s 只剩 %[2]s（`df -h`），更新可能因空间不足而中断，请先清理。")
	sayRebootGone   = i18n.T("재부팅이 필요해요. 돌고 있는 커널 %[1]s의 모듈이 디스크에 없어서(`/usr/lib/modules`에는 %[2]s), 새로 꽂은 장치나 파일 시스템이 안 될 수 있어요.", "A reboot is needed: the modules of the running kernel %[1]s are gone from disk (`/usr/lib/modules` has %[2]s), so newly plugged devices or file systems may not work.", "需要重启：正在运行的内核 %[1]s 的模块已不在磁盘上（`/usr/lib/modules` 中是 %[2]s），新插入的设备或文件系统可能无法使用。")
	sayRebootNewer  = i18n.T("더 새로운 커널 %[2]s{이/가} 설치돼 있는데 아직 %[1]s{이/가} 돌고 있어요. 재부팅하면 바뀌어요.", "The newer kernel %[2]s is installed, but %[1]s still runs; a reboot switches.", "已安装更新的内核 %[2]s，但仍在运行 %[1]s，重启后切换。")
	sayRebootNo     = i18n.T("돌고 있는 커널 %[1]s{은/는} 설치된 것과 같아서 지금 재부팅할 필요는 없어요.", "The running kernel %[1]s is the installed one; no reboot is needed now.", "正在运行的内核 %[1]s 与已安装的一致，目前无需重启。")
	askReboot       = i18n.T("지금 재부팅할까요? 저장하지 않은 일은 먼저 저장하세요. (`%[1]s`)", "Shall I reboot now? Save your work first. (`%[1]s`)", "现在重启吗？请先保存工作。（`%[1]s`）")
	askCleanForRoom = i18n.T("무엇을 비울 수 있는지 찾아볼까요?", "Shall I look for what can be freed?", "要查找可以清理什么吗？")
)

var (
	kernelInUse   = command("uname -r")
	kernelModules = command("ls /usr/lib/modules")
	downloadSizes = command("pacman -Sup --print-format '%n %v %s'")
)

// pendingUpdate is one row of checkupdates or pacman -Qu.
type pendingUpdate struct {
	name, from, to string
	ignored        bool
}

// parseUpdates parses "name old -> new" with an optional "[ignored]" (pacman(8), -Qu).
func parseUpdates(text string) []pendingUpdate {
	var out []pendingUpdate
	for _, line := range outputLines(text) {
		f := strings.Fields(line)
		if len(f) >= 4 && f[2] == "->" {
			out = append(out, pendingUpdate{f[0], f[1], f[3], slices.Contains(f[4:], "[ignored]")})
		}
	}
	return out
}

// updates reports what is pending, its size, and whether a reboot is due.
func (q *inquiry) updates() Reply {
	if !q.collect(q.first) {
		return Reply{}
	}
	rep := q.toolReply(q.first)
	r := q.resultOf(q.first)
	if r == nil || r.out == nil || r.out.Refusal != "" || rep.Text == "" {
		return rep
	}
	s := r.usableStep()
	list := parseUpdates(s.Stdout)
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
	f := finding{verdict: rep.Text, evidence: nonEmpty(reboot)}
	if due && !q.offerPower(&f, false) {
		return Reply{}
	}
	return f.reply()
}

func (q *inquiry) pendingReply(rep Reply, list []pendingUpdate, s *providers.Step, reboot string) Reply {
	head, question := rep.Text, q.say(askUpdate)
	if i := strings.LastIndex(head, "\n\n"); i >= 0 {
		head = head[:i]
	}
	named := q.asksForOne(list)
	facts := q.updateFacts(list, named)
	if strings.HasPrefix(s.Command, "pacman") {
		facts = append(facts, q.say(sayStaleLists))
	}
	if named {
		facts = append([]string{q.say(sayOnlyWhole)}, facts...)
	}
	f := finding{verdict: head, evidence: append(facts, nonEmpty(reboot)...), fix: rep.Offer, question: question}
	if fs := q.fullRoot(); fs != nil {
		look := diskStep
		f.meaning = q.say(sayUpdateRoom, fs.mount, fs.avail)
		f.fix, f.question = &look, q.say(askCleanForRoom)
	}
	return f.reply()
}

var kernelPackages = []string{"linux", "linux-lts", "linux-zen", "linux-hardened", "linux-rt", "linux-cachyos"}

// asksForOne reports whether the answer is about one package among the updates.
func (q *inquiry) asksForOne(list []pendingUpdate) bool {
	n := q.resultOf(q.first).askedName()
	return n != nil && slices.ContainsFunc(list, func(u pendingUpdate) bool { return u.name == n.Package && !u.ignored })
}

// updateFacts returns additional facts about the list. Unless the question names one package, the answer
// already mentions a kernel update.
func (q *inquiry) updateFacts(list []pendingUpdate, named bool) []string {
	var kernels, held []string
	keyring := false
	for _, u := range list {
		switch {
		case u.ignored:
			held = append(held, u.name)
		case slices.Contains(kernelPackages, u.name):
			kernels = append(kernels, u.name+" "+u.from+" → "+u.to)
		}
		keyring = keyring || u.name == "archlinux-keyring"
	}
	var out []string
	if size := q.downloadSize(list); size > 0 {
		out = append(out, q.say(sayDownload, formatSize(size)))
	}
	if len(kernels) > 0 && named {
		out = append(out, q.say(sayKernelIn, strings.Join(kernels, ", ")))
	}
	if keyring {
		out = append(out, q.say(sayKeyringIn))
	}
	if len(held) > 0 {
		out = append(out, q.say(sayHeldBack, len(held), strings.Join(held[:min(5, len(held))], ", ")))
	}
	return out
}

// downloadSize adds up what pacman would fetch. It returns 0 if its lists differ from those of the update
// check.
func (q *inquiry) downloadSize(list []pendingUpdate) float64 {
	sizes := map[string]float64{}
	for _, line := range outputLines(q.stdout(downloadSizes)) {
		f := strings.Fields(line)
		if len(f) != 3 {
			continue
		}
		if n, err := strconv.ParseFloat(f[2], 64); err == nil && n >= 0 && n < 1<<40 {
			sizes[f[0]+" "+f[1]] = n
		}
	}
	total := 0.0
	for _, u := range list {
		n, known := sizes[u.name+" "+u.to]
		if !known && !u.ignored {
			return 0
		}
		total += n
	}
	return total
}

// fullRoot returns the file system of /usr if it is nearly full.
func (q *inquiry) fullRoot() *fileSystem {
	s := q.output(diskStep, "")
	if s == nil {
		return nil
	}
	real := realFileSystems(parseDF(s.Stdout))
	if len(real) == 0 {
		return nil
	}
	fs := longestMount(real, "/usr")
	if left, ok := parseSize(fs.avail); ok && left < 2<<30 {
		return &fs
	}
	return nil
}

var kernelRelease = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d+\.\d+[\w.+-]*$`) })

// reboot reports whether the running kernel is the installed one. It returns "" if that is unknown: a container
// runs another machine's kernel.
func (q *inquiry) reboot() (text string, due bool) {
	running := strings.TrimSpace(q.stdout(kernelInUse))
	var installed []string
	for _, f := range strings.Fields(q.stdout(kernelModules)) {
		if kernelRelease().MatchString(f) && len(f) < 60 {
			installed = append(installed, f)
		}
	}
	if !kernelRelease().MatchString(running) || len(running) > 60 || len(installed) == 0 {
		return "", false
	}
	if !slices.Contains(installed, running) {
		return q.say(sayRebootGone, running, strings.Join(installed[:min(3, len(installed))], ", ")), true
	}
	for _, k := range installed {
		if flavor(k) == flavor(running) && newerKernel(k, running) {
			return q.say(sayRebootNewer, running, k), true
		}
	}
	return q.say(sayRebootNo, running), false
}

// flavor distinguishes Arch's kernels: 6.17.8-arch1-1, 6.12.58-1-lts, 6.17.8-zen1-1-zen.
func flavor(release string) string {
	for _, f := range []string{"lts", "zen", "hardened", "rt", "cachyos"} {
		if strings.Contains(release, f) {
			return f
		}
	}
	return ""
}

var digitRuns = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d+`) })

// newerKernel compares the numbers of two releases in order.
func newerKernel(a, b string) bool {
	x, y := digitRuns().FindAllString(a, -1), digitRuns().FindAllString(b, -1)
	for i := range min(len(x), len(y)) {
		m, _ := strconv.ParseUint(x[i], 10, 64)
		n, _ := strconv.ParseUint(y[i], 10, 64)
		if m != n {
			return m > n
		}
	}
	return false
}
