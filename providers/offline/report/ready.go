package report

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	sayReadyYes      = i18n.T("네, 다시 시작해도 괜찮아 보여요. 부팅에 필요한 것이 모두 있어요.", "Yes, a restart looks safe: everything the boot needs is there.", "可以，重启看起来没有问题：启动所需的都在。")
	sayReadyNo       = i18n.T("지금은 재부팅하지 마세요. 이대로는 다시 켜지지 않을 수 있어요:", "Do not restart now. The machine may not come up again:", "现在不要重启，否则可能无法再次启动：")
	sayReadyUnknown  = i18n.T("다시 시작해도 되는지 확인하지 못했어요. 그래서 재부팅을 권하지 않아요:", "I could not check whether the machine will boot, so I do not offer a restart:", "无法确认能否正常启动，因此我不建议重启：")
	sayReadyKernel   = i18n.T("커널 %[1]s: 모듈 `/usr/lib/modules/%[2]s`, 이미지 `%[3]s`, initramfs `%[4]s`", "Kernel %[1]s: modules `/usr/lib/modules/%[2]s`, image `%[3]s`, initramfs `%[4]s`", "内核 %[1]s：模块 `/usr/lib/modules/%[2]s`，映像 `%[3]s`，initramfs `%[4]s`")
	sayReadyUnified  = i18n.T("커널 %[1]s: 모듈 `/usr/lib/modules/%[2]s`, 통합 이미지 `%[3]s`", "Kernel %[1]s: modules `/usr/lib/modules/%[2]s`, unified image `%[3]s`", "内核 %[1]s：模块 `/usr/lib/modules/%[2]s`，统一映像 `%[3]s`")
	sayReadyRoom     = i18n.T("/boot: %[1]d%% 사용, %[2]s 남음(`df -h /boot`)", "/boot: %[1]d%% used, %[2]s left (`df -h /boot`)", "/boot：已用 %[1]d%%，剩余 %[2]s（`df -h /boot`）")
	sayNoKernels     = i18n.T("설치된 커널의 모듈이 `/usr/lib/modules`에 없어요.", "`/usr/lib/modules` holds the modules of no installed kernel.", "`/usr/lib/modules` 中没有任何已安装内核的模块。")
	sayBootUnmounted = i18n.T("`/etc/fstab`에 있는 /boot가 마운트되어 있지 않아요. 새 커널이 부트로더가 읽는 곳에 없을 수 있어요.", "/boot is in `/etc/fstab` but not mounted: a new kernel may not be where the boot loader reads it.", "`/etc/fstab` 中的 /boot 没有挂载：新内核可能不在引导程序读取的位置。")
	sayNoImage       = i18n.T("커널 %[1]s의 이미지 `%[2]s`{이/가} 없어요.", "The image of the kernel %[1]s is missing: `%[2]s`.", "内核 %[1]s 的映像 `%[2]s` 不存在。")
	sayNoInitramfs   = i18n.T("커널 %[1]s의 initramfs `%[2]s`{이/가} 없어요.", "The initramfs of the kernel %[1]s is missing: `%[2]s`.", "内核 %[1]s 的 initramfs `%[2]s` 不存在。")
	sayCutImage      = i18n.T("`%[1]s`{이/가} %[2]s뿐이에요. 쓰다가 끊긴 파일일 수 있어요.", "`%[1]s` has only %[2]s: it may have been cut short.", "`%[1]s` 只有 %[2]s，可能没有写完。")
	sayBootFullUp    = i18n.T("/boot가 꽉 찼어요: %[1]d%% 사용, %[2]s 남음(`df -h /boot`). 이미지가 온전하지 않을 수 있어요.", "/boot is full: %[1]d%% used, %[2]s left (`df -h /boot`). Images may be incomplete.", "/boot 已满：已用 %[1]d%%，剩余 %[2]s（`df -h /boot`），映像可能不完整。")
	sayDKMSNotBuilt  = i18n.T("DKMS 모듈 %[1]s{이/가} 설치된 커널용으로 만들어지지 않았어요(`dkms status`). 그래픽이나 네트워크가 안 될 수 있어요.", "The DKMS module %[1]s is not built for an installed kernel (`dkms status`); graphics or network may be missing.", "DKMS 模块 %[1]s 没有为已安装的内核构建（`dkms status`），显卡或网络可能不可用。")
	sayPacmanAtWork  = i18n.T("pacman이 아직 일하고 있어요(`/var/lib/pacman/db.lck`). 끝난 뒤에 다시 시작하세요.", "pacman is still at work (`/var/lib/pacman/db.lck`). Restart after it has finished.", "pacman 仍在运行（`/var/lib/pacman/db.lck`），请等它完成后再重启。")
	sayReadyFailed   = i18n.T("실패한 서비스: %[1]s (`systemctl --failed`). 부팅은 막지 않지만 다시 켠 뒤에도 실패할 수 있어요.", "Failed services: %[1]s (`systemctl --failed`). They do not stop the boot but may fail again.", "失败的服务：%[1]s（`systemctl --failed`），不影响启动，但重启后可能仍会失败。")
	sayReadyBlind    = i18n.T("%[1]s{을/를} 볼 수 없었어요.", "I could not look at %[1]s.", "无法查看 %[1]s。")
	sayReadyInside   = i18n.T("컨테이너 안이라 이 컴퓨터의 커널이 아니에요.", "This is a container: its kernel is the host's.", "这是容器，内核属于宿主机。")
	askPowerOff      = i18n.T("지금 끌까요? 저장하지 않은 일은 먼저 저장하세요. (`%[1]s`)", "Shall I switch it off now? Save your work first. (`%[1]s`)", "现在关机吗？请先保存工作。（`%[1]s`）")
)

// readyStep reads what the next boot needs.
var readyStep = intent.Call("check_boot", "ready", true)

// smallestImage is the size below which a kernel or initramfs is certainly truncated.
const smallestImage = 1 << 20

// bootState is what is known about the next boot.
type bootState struct {
	good    []string // what is in order
	bad     []string // what will prevent the boot
	unknown []string // what could not be checked
	notes   []string // problems that do not prevent the boot
	// hasKernel reports an installed kernel or an image of one, hasRoot a root file
	// system in fstab. A container has neither.
	hasKernel, hasRoot bool
}

func (b *bootState) isReady() bool { return len(b.bad) == 0 && len(b.unknown) == 0 && len(b.good) > 0 }

// bootReady judges from the recorded results whether the machine will boot.
func (q *inquiry) bootReady() bootState {
	var b bootState
	kernels := q.installedKernels(&b)
	images, seen := q.bootImages(&b)
	b.hasKernel = len(kernels)+len(images) > 0
	if seen {
		for _, k := range kernels {
			q.judgeKernel(&b, k, images)
		}
	}
	q.judgeBootPartition(&b)
	q.judgeDKMS(&b, kernels)
	if s := q.output(readyStep, "db.lck"); s != nil && s.Exit == 0 && strings.TrimSpace(s.Stdout) != "" {
		b.bad = append(b.bad, q.say(sayPacmanAtWork))
	}
	if s := q.output(readyStep, "systemctl --failed"); s != nil {
		if units := failedUnits(s.Stdout); len(units) > 0 {
			b.notes = append(b.notes, q.say(sayReadyFailed, strings.Join(units[:min(4, len(units))], ", ")))
		}
	}
	return b
}

// bootKernel is an installed kernel: the package that owns it and its release.
type bootKernel struct{ pkg, release string }

// installedKernels parses "/usr/lib/modules/RELEASE/pkgbase:PACKAGE".
func (q *inquiry) installedKernels(b *bootState) []bootKernel {
	s := q.output(readyStep, "pkgbase")
	if s == nil {
		b.unknown = append(b.unknown, q.say(sayReadyBlind, "`/usr/lib/modules`"))
		return nil
	}
	var out []bootKernel
	for _, line := range outputLines(s.Stdout) {
		file, pkg, ok := strings.Cut(line, ":")
		if release := path.Base(path.Dir(file)); ok && strings.HasSuffix(file, "/pkgbase") && kernelRelease().MatchString(release) {
			out = append(out, bootKernel{strings.TrimSpace(pkg), release})
		}
	}
	if len(out) == 0 {
		b.bad = append(b.bad, q.say(sayNoKernels))
	}
	return out
}

func (q *inquiry) readyText(part string) string {
	if s := q.output(readyStep, part); s != nil && s.Exit == 0 {
		return s.Stdout
	}
	return ""
}

// bootImages returns the sizes of kernels and images by path. It returns false if the directories could not be
// read.
func (q *inquiry) bootImages(b *bootState) (map[string]int64, bool) {
	s := q.output(readyStep, "find /boot")
	if s == nil || s.TimedOut || containsAny(s.Stderr, "Permission denied", "허가 거부", "权限不够") {
		b.unknown = append(b.unknown, q.say(sayReadyBlind, "`/boot`"))
		return nil, false
	}
	out := map[string]int64{}
	for _, line := range outputLines(s.Stdout) {
		size, name, ok := strings.Cut(line, " ")
		if n, err := strconv.ParseInt(size, 10, 64); ok && err == nil && strings.HasPrefix(name, "/") {
			out[name] = n
		}
	}
	return out, true
}

// judgeKernel checks for a kernel's image and initramfs under Arch's names, or for a unified image that
// contains both.
func (q *inquiry) judgeKernel(b *bootState, k bootKernel, images map[string]int64) {
	image, initramfs := "/boot/vmlinuz-"+k.pkg, "/boot/initramfs-"+k.pkg+".img"
	size, hasImage := images[image]
	if !hasImage {
		if unified := unifiedImage(images, k.pkg); unified != "" {
			if q.isWhole(b, unified, images[unified]) {
				b.good = append(b.good, q.say(sayReadyUnified, k.pkg, k.release, unified))
			}
			return
		}
		b.bad = append(b.bad, q.say(sayNoImage, k.pkg, image))
		return
	}
	room, hasInitramfs := images[initramfs]
	if !hasInitramfs {
		b.bad = append(b.bad, q.say(sayNoInitramfs, k.pkg, initramfs))
		return
	}
	if q.isWhole(b, image, size) && q.isWhole(b, initramfs, room) {
		b.good = append(b.good, q.say(sayReadyKernel, k.pkg, k.release, image, initramfs))
	}
}

// unifiedImage returns the EFI image of a kernel, "" for none.
func unifiedImage(images map[string]int64, pkg string) string {
	var found []string
	for name := range images {
		base := path.Base(name)
		if strings.HasSuffix(base, ".efi") && (base == "arch-"+pkg+".efi" || strings.Contains(base, pkg)) && !strings.Contains(base, "fallback") {
			found = append(found, name)
		}
	}
	slices.SortFunc(found, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	if len(found) == 0 {
		return ""
	}
	return found[0]
}

// isWhole reports whether a file is large enough to be complete, and records it if not.
func (q *inquiry) isWhole(b *bootState, name string, size int64) bool {
	if size >= smallestImage {
		return true
	}
	b.bad = append(b.bad, q.say(sayCutImage, name, formatSize(float64(size))))
	return false
}

// judgeBootPartition checks whether /boot is mounted if fstab lists it, and has free space.
func (q *inquiry) judgeBootPartition(b *bootState) {
	fstab := outputLines(q.readyText("/etc/fstab"))
	b.hasRoot = slices.ContainsFunc(fstab, func(line string) bool {
		f := strings.Fields(line)
		return len(f) > 2 && !strings.HasPrefix(f[0], "#") && f[1] == "/"
	})
	listed := slices.ContainsFunc(fstab, func(line string) bool {
		f := strings.Fields(line)
		return len(f) > 2 && !strings.HasPrefix(f[0], "#") && f[1] == "/boot" && !strings.Contains(strings.Join(f[2:], " "), "noauto")
	})
	mounted := strings.HasPrefix(strings.TrimSpace(q.readyText("findmnt")), "/boot")
	if listed && !mounted {
		b.bad = append(b.bad, q.say(sayBootUnmounted))
	}
	all := parseDF(q.readyText("df -h /boot"))
	if len(all) == 0 {
		return
	}
	left, known := parseSize(all[0].avail)
	switch fs := all[0]; {
	case known && left < 1<<20:
		b.bad = append(b.bad, q.say(sayBootFullUp, fs.percent, fs.avail))
	case mounted && fs.percent >= 0:
		b.good = append(b.good, q.say(sayReadyRoom, fs.percent, fs.avail))
	}
}

// judgeDKMS parses "nvidia/565.77, 6.17.8-arch1-1, x86_64: installed". A module that is only added, or not
// built for all installed kernels, will be missing after the next boot.
func (q *inquiry) judgeDKMS(b *bootState, kernels []bootKernel) {
	s := q.output(readyStep, "dkms status")
	if s == nil || s.Exit != 0 {
		return
	}
	built := map[string]map[string]bool{}
	for _, line := range outputLines(s.Stdout) {
		head, state, ok := strings.Cut(line, ": ")
		f := strings.Split(head, ", ")
		if !ok || f[0] == "" {
			continue
		}
		if built[f[0]] == nil {
			built[f[0]] = map[string]bool{}
		}
		if len(f) > 1 && strings.HasPrefix(state, "installed") {
			built[f[0]][f[1]] = true
		}
	}
	var missing []string
	for module, releases := range built {
		if len(kernels) > 0 && slices.ContainsFunc(kernels, func(k bootKernel) bool { return !releases[k.release] }) {
			missing = append(missing, module)
		}
	}
	slices.Sort(missing)
	for _, m := range missing {
		b.bad = append(b.bad, q.say(sayDKMSNotBuilt, m))
	}
}

// failedUnits returns the units that systemctl --failed lists.
func failedUnits(text string) []string {
	var out []string
	for _, line := range outputLines(text) {
		f := strings.Fields(strings.TrimLeft(line, "●* "))
		if len(f) >= 4 && f[2] == "failed" {
			out = append(out, f[0])
		}
	}
	return out
}

// offerPower proposes a restart or a power-off if the check shows that the machine will boot. It returns false
// while the check is still needed.
func (q *inquiry) offerPower(f *finding, off bool) bool {
	if !q.collect(readyStep) {
		return false
	}
	b := q.bootReady()
	if q.resultOf(readyStep) == nil {
		b = bootState{unknown: []string{q.say(sayReadyBlind, "`/boot`")}}
	}
	switch {
	case len(b.bad) > 0:
		f.meaning = joinBlocks(f.meaning, q.say(sayReadyNo), bullets(append(b.bad, b.notes...)))
	case !b.isReady():
		f.meaning = joinBlocks(f.meaning, q.say(sayReadyUnknown), bullets(append(b.unknown, b.notes...)))
	default:
		f.evidence = append(f.evidence, b.notes...)
		verb, ask := "systemctl reboot", askReboot
		if off {
			verb, ask = "systemctl poweroff", askPowerOff
		}
		step := command(verb)
		f.fix, f.question = &step, q.say(ask, verb)
	}
	return true
}

// ready answers "can I reboot?": what the next boot needs. It offers a restart only if nothing is wrong.
func (q *inquiry) ready() Reply {
	if !q.collect(q.first, readyStep) {
		return Reply{}
	}
	if r := q.resultOf(readyStep); r == nil || r.out == nil || r.out.Refusal != "" {
		return q.firstReply()
	}
	b := q.bootReady()
	if isContainer(q.readyText("uname -r"), b) {
		return Reply{Text: joinBlocks(q.say(sayReadyUnknown), bullets([]string{q.say(sayReadyInside)}))}
	}
	f := finding{}
	if b.isReady() {
		f.verdict, f.evidence = q.say(sayReadyYes), b.good
	}
	q.offerPower(&f, q.Request != nil && q.Request.PowersOff())
	return f.reply()
}

// isContainer reports whether a kernel runs of which nothing is installed, on a machine whose fstab has no root: the
// kernel belongs to another machine.
func isContainer(running string, b bootState) bool {
	return running != "" && !b.hasKernel && !b.hasRoot && len(b.unknown) == 0 && len(b.bad) == 1
}
