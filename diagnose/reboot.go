package diagnose

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Reboot is the question whether the system will boot again: the causes of [Boot] that keep it from that, and what only matters
// while it still runs. Without a cause, sound says what the next boot needs and has.
func Reboot() Topic {
	return Topic{ID: "reboot", About: i18n.DiagnoseAboutReboot, sound: bootsAgain, causes: []cause{
		{"busy", databaseBusy},
		{"no-kernel", nextStart(machine.NoKernel)},
		{"boot-unmounted", nextStart(machine.NotMounted)},
		{"no-entry", nextStart(machine.NoEntry)},
		{"image-missing", nextStart(machine.ImageMissing)},
		{"image-cut", nextStart(machine.ImageCut)},
		{"image-other", nextStart(machine.ImageOther, machine.ImageOld)},
		{"kernel-cut", nextStart(machine.KernelCut)},
		{"kernel-other", nextStart(machine.KernelOther, machine.ModulesMissing)},
		{"boot-full", bootFilled},
		{"entry-file", nextStart(machine.FileMissing)},
		{"entry-root", nextStart(machine.RootMissing)},
		{"hook-missing", hookMissing},
		{"fstab-syntax", fstabSyntax},
		{"fstab-device", fstabDevice},
		{"fstab-type", fstabType},
		{"dkms-missing", dkmsMissing},
		{"nvidia-missing", nextStart(machine.NvidiaMissing, machine.NvidiaOther)},
		{"image-small", imageSmall},
		{"boot-unreadable", bootUnreadable},
	}}
}

// imageSmall finds an image that is whole, and much smaller than the others: what builds it may have left out hooks.
func imageSmall(f *Facts) *Finding {
	next, _ := parse(f, machine.NextStartProbe, machine.ParseNextStart)
	for _, b := range next.Findings {
		if b.Code == machine.ImageSmall && b.Weight == machine.BootUnknown {
			line := machine.CleanLine(string(b.Code) + " " + b.Subject + " " + b.Detail)
			return f.makeImages(likely(NextStartText(b), seeLine(machine.NextStartProbe, line)), kernelOf(b.Subject, next))
		}
	}
	return nil
}

// bootUnreadable finds that only root may see what the next boot needs.
func bootUnreadable(f *Facts) *Finding {
	look := machine.NextStartProbe
	next, _ := parse(f, look, machine.ParseNextStart)
	for _, b := range next.Findings {
		if b.Weight == machine.BootUnknown && b.Code == machine.BootUnreadable {
			return likely(NextStartText(b), seeLine(look, machine.CleanLine(b.Subject+": "+b.Detail))).advise(i18n.NextStartUnreadableAdvice)
		}
	}
	return nil
}

// smallestImage is the size in bytes below which a kernel or an initramfs is certainly not complete.
const smallestImage = 1 << 20

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

// bootsAgain says what the next boot needs and has, nil if that could not be seen.
func bootsAgain(f *Facts) *Finding {
	look := machine.NextStartProbe
	next, err := parse(f, look, machine.ParseNextStart)
	if err != nil || !f.WillStart() {
		return nil
	}
	seen := []Evidence{}
	for _, k := range next.Kernels {
		seen = append(seen, seeLine(look, k.Package+" "+k.Release))
	}
	for _, e := range next.Entries {
		if !e.Spare {
			seen = append(seen, seeLine(look, e.File+": "+strings.Join(slices.Concat([]string{e.Kernel}, e.Images), " ")))
		}
	}
	for _, note := range next.Findings {
		if note.Code == machine.OneKernel {
			continue // no news to whoever asks before each reboot
		}
		seen = append(seen, see(look, NextStartText(note)))
	}
	room := machine.SpaceProbe("/boot")
	for _, r := range f.rooms(room) {
		seen = append(seen, see(room, i18n.RebootRoom(r.Target, size(r.avail))))
	}
	return proved(i18n.RebootSound, seen...)
}
