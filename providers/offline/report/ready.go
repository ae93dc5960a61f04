package report

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
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
		b.bad = append(b.bad, q.say(i18n.HelperReadyPacmanAtWork))
	}
	if s := q.output(readyStep, "systemctl --failed"); s != nil {
		if units := unitNames(read(machine.ParseUnits, s.Stdout), "failed"); len(units) > 0 {
			b.notes = append(b.notes, q.say(i18n.HelperReadyFailed(firstOf(units, 4))))
		}
	}
	return b
}

func (q *inquiry) installedKernels(b *bootState) []machine.Kernel {
	s := q.output(readyStep, "pkgbase")
	if s == nil {
		b.unknown = append(b.unknown, q.say(i18n.HelperReadyBlind("`/usr/lib/modules`")))
		return nil
	}
	out := read(machine.ParseKernels, s.Stdout)
	if len(out) == 0 {
		b.bad = append(b.bad, q.say(i18n.HelperReadyNoKernels))
	}
	return out
}

func (q *inquiry) readyText(part string) string {
	if s := q.output(readyStep, part); s != nil && s.Exit == 0 {
		return s.Stdout
	}
	return ""
}

// bootImages returns the sizes of kernels and images by path. It returns false if the directories could not be read.
func (q *inquiry) bootImages(b *bootState) (map[string]int64, bool) {
	s := q.output(readyStep, "find /boot")
	if s == nil || s.TimedOut || containsAny(s.Stderr, "Permission denied", "허가 거부", "权限不够") {
		b.unknown = append(b.unknown, q.say(i18n.HelperReadyBlind("`/boot`")))
		return nil, false
	}
	out := map[string]int64{}
	for _, f := range read(machine.ParseFindSizes, s.Stdout) {
		out[f.Path] = int64(f.Size)
	}
	return out, true
}

// judgeKernel checks for a kernel's image and initramfs under Arch's names, or for a unified image that contains both.
func (q *inquiry) judgeKernel(b *bootState, k machine.Kernel, images map[string]int64) {
	image, initramfs := "/boot/vmlinuz-"+k.Package, "/boot/initramfs-"+k.Package+".img"
	_, hasImage := images[image]
	_, hasInitramfs := images[initramfs]
	unified := slices.DeleteFunc(slices.Collect(maps.Keys(images)), func(name string) bool {
		base := path.Base(name)
		return !strings.HasSuffix(base, ".efi") || !strings.Contains(base, k.Package) || strings.Contains(base, "fallback")
	})
	sorting.By(unified, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	switch {
	case !hasImage && len(unified) > 0:
		if q.isWhole(b, unified[0], images[unified[0]]) {
			b.good = append(b.good, q.say(i18n.HelperReadyUnified(k.Package, k.Release, unified[0])))
		}
	case !hasImage:
		b.bad = append(b.bad, q.say(i18n.HelperReadyNoImage(k.Package, image)))
	case !hasInitramfs:
		b.bad = append(b.bad, q.say(i18n.HelperReadyNoInitramfs(k.Package, initramfs)))
	case q.isWhole(b, image, images[image]) && q.isWhole(b, initramfs, images[initramfs]):
		b.good = append(b.good, q.say(i18n.HelperReadyKernel(k.Package, k.Release, image, initramfs)))
	}
}

// isWhole reports whether a file is large enough to be complete, and records it if not.
func (q *inquiry) isWhole(b *bootState, name string, size int64) bool {
	if size >= smallestImage {
		return true
	}
	b.bad = append(b.bad, q.say(i18n.HelperReadyCutImage(name, formatSize(float64(size)))))
	return false
}

// judgeBootPartition checks whether /boot is mounted if fstab lists it, and has free space.
func (q *inquiry) judgeBootPartition(b *bootState) {
	fstab := machine.ParseFSTab([]byte(q.readyText("/etc/fstab")))
	b.hasRoot = slices.ContainsFunc(fstab, func(m machine.Mount) bool { return m.Target == "/" })
	listed := slices.ContainsFunc(fstab, func(m machine.Mount) bool { return m.Target == "/boot" && !slices.Contains(m.Options, "noauto") })
	mounted := strings.HasPrefix(strings.TrimSpace(q.readyText("findmnt")), "/boot")
	if listed && !mounted {
		b.bad = append(b.bad, q.say(i18n.HelperReadyBootUnmounted))
	}
	all := read(machine.ParseDF, q.readyText("df -h /boot"))
	if len(all) == 0 {
		return
	}
	left, known := machine.ParseSize(all[0].Available)
	switch fs := all[0]; {
	case known && left < 1<<20:
		b.bad = append(b.bad, q.say(i18n.HelperReadyBootFullUp(fs.Percent, fs.Available)))
	case mounted && fs.Percent >= 0:
		b.good = append(b.good, q.say(i18n.HelperReadyRoom(fs.Percent, fs.Available)))
	}
}

// judgeDKMS parses "nvidia/565.77, 6.17.8-arch1-1, x86_64: installed". A module that is only added, or not
// built for all installed kernels, will be missing after the next boot.
func (q *inquiry) judgeDKMS(b *bootState, kernels []machine.Kernel) {
	s := q.output(readyStep, "dkms status")
	if s == nil || s.Exit != 0 {
		return
	}
	built := read(machine.ParseDKMS, s.Stdout)
	for _, module := range slices.Sorted(maps.Keys(built)) {
		if slices.ContainsFunc(kernels, func(k machine.Kernel) bool { return !slices.Contains(built[module], k.Release) }) {
			b.bad = append(b.bad, q.say(i18n.HelperReadyDkmsNotBuilt(module)))
		}
	}
}

// offerPower proposes a restart or a power-off if the check shows that the machine will boot. It returns false
// while the check is still needed.
func (q *inquiry) offerPower(f *finding, off bool) bool {
	if !q.collect(readyStep) {
		return false
	}
	b := q.bootReady()
	if q.resultOf(readyStep) == nil {
		b = bootState{unknown: []string{q.say(i18n.HelperReadyBlind("`/boot`"))}}
	}
	switch {
	case len(b.bad) > 0:
		f.meaning = joinBlocks(f.meaning, q.say(i18n.HelperReadyNo), bullets(append(b.bad, b.notes...)))
	case !b.isReady():
		f.meaning = joinBlocks(f.meaning, q.say(i18n.HelperReadyUnknown), bullets(append(b.unknown, b.notes...)))
	default:
		f.evidence = append(f.evidence, b.notes...)
		verb, ask := "systemctl reboot", i18n.HelperUpdatesAskReboot
		if off {
			verb, ask = "systemctl poweroff", i18n.HelperReadyAskPowerOff
		}
		f.propose(command(verb), q.say(ask(verb)))
	}
	return true
}

// ready answers "can I reboot?": what the next boot needs. It offers a restart only if nothing is wrong.
func (q *inquiry) ready() Reply {
	if r := q.resultOf(readyStep); r == nil || r.out == nil || r.out.Refusal != "" {
		return q.firstReply()
	}
	b := q.bootReady()
	if isContainer(q.readyText("uname -r"), b) {
		return Reply{Text: joinBlocks(q.say(i18n.HelperReadyUnknown), bullets([]string{q.say(i18n.HelperReadyInside)}))}
	}
	f := &finding{}
	if b.isReady() {
		f.verdict, f.evidence = q.say(i18n.HelperReadyYes), b.good
	}
	q.offerPower(f, q.Request != nil && q.Request.PowersOff())
	return f.reply()
}

// isContainer reports whether a kernel runs of which nothing is installed, on a machine whose fstab has no root: the
// kernel belongs to another machine.
func isContainer(running string, b bootState) bool {
	return running != "" && !b.hasKernel && !b.hasRoot && len(b.unknown) == 0 && len(b.bad) == 1
}
