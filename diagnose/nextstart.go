package diagnose

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// nextStartTexts are the sentences of what is found about the next start.
var nextStartTexts = map[machine.BootCode]func(f machine.BootFinding) i18n.Text{
	machine.NoKernel:      func(machine.BootFinding) i18n.Text { return i18n.NextStartNoKernel },
	machine.NoEntry:       func(machine.BootFinding) i18n.Text { return i18n.NextStartNoEntry },
	machine.NotMounted:    func(f machine.BootFinding) i18n.Text { return i18n.NextStartNotMounted(f.Subject) },
	machine.FileMissing:   func(f machine.BootFinding) i18n.Text { return i18n.NextStartFileMissing(f.Entry, f.Subject) },
	machine.KernelMissing: func(f machine.BootFinding) i18n.Text { return i18n.NextStartKernelMissing(f.Subject, f.Detail) },
	machine.KernelCut:     func(f machine.BootFinding) i18n.Text { return i18n.NextStartKernelCut(f.Subject) },
	machine.KernelOther: func(f machine.BootFinding) i18n.Text {
		is, installed, _ := strings.Cut(f.Detail, " ")
		return i18n.NextStartKernelOther(f.Subject, is, installed)
	},
	machine.ModulesMissing: func(f machine.BootFinding) i18n.Text { return i18n.NextStartModulesMissing(f.Subject, f.Detail) },
	machine.ImageMissing:   func(f machine.BootFinding) i18n.Text { return i18n.NextStartImageMissing(f.Entry) },
	machine.ImageCut:       func(f machine.BootFinding) i18n.Text { return i18n.NextStartImageCut(f.Subject) },
	machine.ImageOther:     func(f machine.BootFinding) i18n.Text { return i18n.NextStartImageOther(f.Subject, f.Detail) },
	machine.ImageOld:       func(f machine.BootFinding) i18n.Text { return i18n.NextStartImageOld(f.Subject) },
	machine.ImageSmall: func(f machine.BootFinding) i18n.Text {
		has, other, _ := strings.Cut(f.Detail, " ")
		return i18n.NextStartImageSmall(f.Subject, sizeText(has), sizeText(other))
	},
	machine.RootMissing: func(f machine.BootFinding) i18n.Text { return i18n.NextStartRootMissing(f.Entry, f.Subject) },
	machine.MountMissing: func(f machine.BootFinding) i18n.Text {
		if f.Subject == "swap" {
			return i18n.NextStartSwapMissing(f.Detail)
		}
		return i18n.NextStartMountMissing(f.Subject, f.Detail)
	},
	machine.ModuleUnbuilt: func(f machine.BootFinding) i18n.Text { return i18n.NextStartModuleUnbuilt(f.Subject, f.Detail) },
	machine.NvidiaMissing: func(f machine.BootFinding) i18n.Text { return i18n.NextStartNvidiaMissing(f.Subject) },
	machine.NvidiaOther:   func(f machine.BootFinding) i18n.Text { return i18n.NextStartNvidiaOther(f.Subject, f.Detail) },
	machine.BootNoRoom: func(f machine.BootFinding) i18n.Text {
		free, needed, _ := strings.Cut(f.Detail, " ")
		return i18n.NextStartNoRoom(f.Subject, sizeText(free), sizeText(needed))
	},
	machine.OneKernel:      func(f machine.BootFinding) i18n.Text { return i18n.NextStartOneKernel(f.Subject) },
	machine.BootUnreadable: func(f machine.BootFinding) i18n.Text { return i18n.NextStartUnreadable(f.Subject) },
}

func sizeText(bytes string) string {
	n, _ := strconv.ParseInt(bytes, 10, 64)
	return i18n.Size(n)
}

// NextStartText returns the sentence of a finding about the next start.
func NextStartText(f machine.BootFinding) i18n.Text {
	f.Subject, f.Detail, f.Entry = machine.CleanLine(f.Subject), machine.CleanLine(f.Detail), machine.CleanLine(f.Entry)
	if text, ok := nextStartTexts[f.Code]; ok {
		return text(f)
	}
	return i18n.NextStartUnreadable(f.Subject)
}

// WillStart reports that everything that the next start needs was seen, and is there.
func (f *Facts) WillStart() bool {
	next, err := parse(f, machine.NextStartProbe, machine.ParseNextStart)
	return err == nil && next.Worst() == machine.BootNote && len(next.Entries) > 0
}

// nextStart returns a cause: the first finding of these codes that keeps the machine from starting, or a driver from it.
func nextStart(codes ...machine.BootCode) func(f *Facts) *Finding {
	return func(f *Facts) *Finding {
		look := machine.NextStartProbe
		next, err := parse(f, look, machine.ParseNextStart)
		if err != nil {
			return nil
		}
		i := slices.IndexFunc(next.Findings, func(b machine.BootFinding) bool {
			return b.Weight == machine.BootRed && slices.Contains(codes, b.Code)
		})
		if i < 0 {
			return nil
		}
		b := next.Findings[i]
		line := strings.Join(strings.Fields(string(b.Code)+" "+b.Subject+" "+b.Detail+" "+b.Entry), " ")
		found := proved(NextStartText(b), seeLine(look, line))
		return f.repairNextStart(found, b, next)
	}
}

// repairNextStart offers what repairs a finding, or says what the person can do.
func (f *Facts) repairNextStart(found *Finding, b machine.BootFinding, next machine.NextStart) *Finding {
	switch b.Code {
	case machine.NoKernel:
		return found.advise(i18n.RebootNoKernelAdvice)
	case machine.NoEntry:
		return found.advise(i18n.NextStartNoEntryAdvice)
	case machine.NotMounted:
		return f.mountBoot(found, plain(b.Subject))
	case machine.FileMissing:
		return f.restoreFile(found, b, next)
	case machine.KernelCut, machine.KernelOther, machine.ModulesMissing:
		found.Repair = f.reinstall(kernelOf(b.Subject, next))
		return found
	case machine.ImageMissing, machine.ImageCut, machine.ImageOther, machine.ImageOld:
		return f.makeImages(found, kernelOf(b.Subject, next))
	case machine.RootMissing:
		return f.correctRoot(found, b)
	case machine.NvidiaMissing, machine.NvidiaOther:
		found.Repair = f.upgrade("nvidia-utils")
		return found
	}
	return found.advise(i18n.BootEntryAdvice(b.Entry))
}

// kernelOf returns the package of a file for booting by its name, else the only kernel's, "" if neither is known.
func kernelOf(file string, next machine.NextStart) string {
	base := path.Base(file)
	longest := ""
	for _, k := range next.Kernels {
		if strings.Contains(base, k.Package) && len(k.Package) > len(longest) || len(next.Kernels) == 1 {
			longest = k.Package
		}
	}
	if name, ok := strings.CutPrefix(base, "vmlinuz-"); ok && longest == "" {
		longest = name
	}
	return plain(longest)
}

func (f *Facts) mountBoot(found *Finding, target string) *Finding {
	if target == "" {
		return found
	}
	about := i18n.BootUnmountedGoal(target)
	return found.offer(about, run(about, "sudo -n mount "+target, "findmnt "+target, target, "sudo -n umount "+target)).advise(i18n.BootUnmountedAdvice)
}

// restoreFile offers to bring back a file that a boot entry names.
func (f *Facts) restoreFile(found *Finding, b machine.BootFinding, next machine.NextStart) *Finding {
	base := path.Base(b.Subject)
	name := strings.TrimSuffix(base, ".img")
	switch {
	case name == "intel-ucode" || name == "amd-ucode":
		return found.offer(i18n.MountHelperGoal(name), install(i18n.MountHelperGoal(name), name))
	case isOfAKernel(base, next) && strings.HasPrefix(base, "vmlinuz-"):
		found.Repair = f.reinstall(kernelOf(b.Subject, next))
		return found
	case isOfAKernel(base, next):
		return f.makeImages(found, kernelOf(b.Subject, next))
	case strings.HasSuffix(b.Entry, "/grub.cfg"):
		return found.offer(i18n.BootGrubGoal, run(i18n.BootGrubGoal, "sudo -n grub-mkconfig -o /boot/grub/grub.cfg",
			"grep -c vmlinuz /boot/grub/grub.cfg", "", ""))
	}
	return found.advise(i18n.BootEntryAdvice(b.Entry))
}

// isOfAKernel reports whether a file is named after an installed kernel: vmlinuz-linux, initramfs-linux.img.
func isOfAKernel(base string, next machine.NextStart) bool {
	return slices.ContainsFunc(next.Kernels, func(k machine.Kernel) bool {
		return slices.Contains([]string{"vmlinuz-" + k.Package, "initramfs-" + k.Package + ".img"}, base)
	})
}

// makeImages offers to make the image of a kernel again. Dracut and booster have other commands, which only their users know.
func (f *Facts) makeImages(found *Finding, name string) *Finding {
	if name == "" || f.stdout(machine.PresetsProbe) == "" {
		return found.advise(i18n.BootInitramfsAdvice)
	}
	about := i18n.BootInitramfsGoal(name)
	return found.offer(about, run(about, "sudo -n mkinitcpio -p "+name, "blunux-ai boot", "", ""))
}

// correctRoot offers to write the UUID of the root file system into an entry of systemd-boot.
func (f *Facts) correctRoot(found *Finding, b machine.BootFinding) *Finding {
	devices := f.blocks()
	at := slices.IndexFunc(devices, func(d machine.BlockDevice) bool { return d.Mount == "/" && d.UUID != "" })
	old, isUUID := strings.CutPrefix(b.Subject, "UUID=")
	entry := plain(b.Entry)
	if !isUUID || at < 0 || plain(old) != old || entry == "" || !strings.HasSuffix(entry, ".conf") || plain(devices[at].UUID) == "" {
		return found.advise(i18n.BootEntryAdvice(b.Entry))
	}
	now := devices[at].UUID
	about := i18n.BootRootGoal(entry, now)
	return found.offer(about, run(about, "sudo -n sed -i s/root=UUID="+old+"/root=UUID="+now+"/ "+entry, "grep -F root=UUID="+now+" "+entry, now,
		"sudo -n sed -i s/root=UUID="+now+"/root=UUID="+old+"/ "+entry))
}
