package diagnose

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Reboot is the question whether the system will boot again: the causes of [Boot] that keep it from that, and what only
// matters
// while it still runs. Without a cause, sound says what the next boot needs and has.
func Reboot() Topic {
	return Topic{ID: "reboot", About: i18n.DiagnoseAboutReboot, sound: bootsAgain, causes: []cause{
		{"busy", databaseBusy},
		{"no-kernel", noKernel},
		{"boot-unmounted", bootUnmounted},
		{"image-missing", imageMissing},
		{"image-cut", imageCut},
		{"boot-full", bootFilled},
		{"entry-file", entryFile},
		{"entry-root", entryRoot},
		{"hook-missing", hookMissing},
		{"fstab-syntax", fstabSyntax},
		{"fstab-device", fstabDevice},
		{"fstab-type", fstabType},
		{"dkms-missing", dkmsMissing},
	}}
}

// noKernel finds that no kernel is installed. A container has none, and no root file system in fstab.
func noKernel(f *Facts) *Finding {
	out, known := f.output(machine.KernelsProbe)
	all := f.fstab()
	root := slices.IndexFunc(all, func(e machine.FSTabEntry) bool { return e.Target == "/" })
	if !known || out.Exit != 0 || out.Cut || strings.TrimSpace(out.Stdout) != "" || root < 0 {
		return nil
	}
	return proved(i18n.RebootNoKernel, see(machine.KernelsProbe, i18n.DesktopNone),
		seeLine(machine.FSTabProbe, row(all[root]))).
		advise(i18n.RebootNoKernelAdvice)
}

// smallestImage is the size in bytes below which a kernel or an initramfs is certainly not complete.
const smallestImage = 1 << 20

// imageCut finds a kernel or an initramfs that is too small to be complete, as when /boot was full while it was
// written.
func imageCut(f *Facts) *Finding {
	files, _ := f.bootFiles()
	for _, p := range files {
		name := strings.TrimPrefix(p.Path, "/boot/")
		isImage := strings.HasPrefix(name, "vmlinuz-") || strings.HasPrefix(name, "initramfs-") || isUnified(p.Path)
		if isImage && p.Size < smallestImage && plain(p.Path) == p.Path {
			return proved(i18n.RebootCut(p.Path, size(p.Size)), seeLine(machine.BootFilesProbe, size(p.Size)+" "+p.Path)).
				advise(i18n.RebootCutAdvice)
		}
	}
	return nil
}

// bootFilled finds that nothing more fits into /boot, so that what was written last may not be complete.
func bootFilled(f *Facts) *Finding {
	look := machine.SpaceProbe("/boot")
	for _, r := range f.rooms(look) {
		if r.Target == "/boot" && r.avail < smallestImage {
			return proved(i18n.RebootFull(r.Target), seeLine(look, r.line())).advise(i18n.RebootCutAdvice)
		}
	}
	return nil
}

// isUnified reports whether a file is a kernel with its initramfs: systemd-stub(7).
func isUnified(path string) bool {
	return strings.HasSuffix(strings.ToLower(path), ".efi") && strings.Contains(path, "/Linux/")
}

// bootsAgain says what the next boot needs and has, nil if that could not be seen.
func bootsAgain(f *Facts) *Finding {
	files, ok := f.bootFiles()
	kernels, err := parse(f, machine.KernelsProbe, machine.ParseKernels)
	if !ok || err != nil || len(kernels) == 0 || len(f.fstab()) == 0 {
		return nil
	}
	seen := []Evidence{}
	for _, k := range kernels {
		seen = append(seen, seeLine(machine.KernelsProbe, k.Package+" "+k.Release))
	}
	for _, p := range files {
		if base := p.Path[strings.LastIndex(p.Path, "/")+1:]; strings.HasPrefix(base, "vmlinuz-") ||
			strings.HasPrefix(base, "initramfs-") ||
			isUnified(p.Path) {
			seen = append(seen, seeLine(machine.BootFilesProbe, p.Path+" "+size(p.Size)))
		}
	}
	look := machine.SpaceProbe("/boot")
	for _, r := range f.rooms(look) {
		seen = append(seen, see(look, i18n.RebootRoom(r.Target, size(r.avail))))
	}
	return proved(i18n.RebootSound, seen...)
}
