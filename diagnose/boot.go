package diagnose

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Boot is the question whether the system boots, and why it boots slowly or without a desktop.
func Boot() Topic {
	return Topic{ID: "boot", About: i18n.DiagnoseAboutBoot, causes: []cause{
		{"boot-unmounted", bootUnmounted},
		{"image-missing", imageMissing},
		{"entry-file", entryFile},
		{"entry-root", entryRoot},
		{"hook-missing", hookMissing},
		{"preset-stale", presetStale},
		{"fstab-syntax", fstabSyntax},
		{"fstab-device", fstabDevice},
		{"fstab-type", fstabType},
		{"dkms-missing", dkmsMissing},
		{"nvidia-mismatch", nvidiaOther},
		{"text-mode", textMode},
		{"no-display-manager", noDisplayManager},
		{"display-manager-failed", displayManagerFailed},
		{"fsck-failed", fsckFailed},
		{"job-waits", jobWaits},
		{"boot-full", bootFull},
		{"kernel-replaced", kernelReplaced},
		{"slow-unit", slowUnit},
	}}
}

// kernelReplaced finds that the modules of the running kernel are gone, because an update replaced it.
func kernelReplaced(f *Facts) *Finding {
	running := strings.TrimSpace(f.stdout(machine.KernelProbe))
	trees, err := parse(f, machine.ModuleTreesProbe, machine.ParseModuleTrees)
	if !machine.IsKernelRelease(running) || err != nil || slices.Contains(trees, running) {
		return nil
	}
	kernels, _ := parse(f, machine.KernelsProbe, machine.ParseKernels)
	if len(kernels) == 0 {
		return nil
	}
	var names []string
	for _, k := range kernels {
		names = append(names, k.Release)
	}
	found := proved(i18n.BootReplaced(running, strings.Join(names, ", ")), seeLine(machine.KernelProbe, running),
		seeLine(machine.KernelsProbe, strings.Join(names, ", ")))
	return found.offer(i18n.BootReplacedGoal, rebootNow())
}

// rebootNow returns the step that starts the machine anew.
func rebootNow() Step {
	return Step{Step: plan.Step{Verb: "reboot", Args: map[string]string{}}, About: i18n.BootReplacedGoal}
}

// bootUnmounted finds that /boot is in fstab and is not mounted, so that updates write kernels below it.
func bootUnmounted(f *Facts) *Finding {
	for _, e := range f.pending() {
		if e.Target != "/boot" && e.Target != "/efi" && e.Target != "/boot/efi" || e.HasOption("noauto") ||
			slices.ContainsFunc(e.Options, func(o string) bool { return strings.HasPrefix(o, "x-systemd.automount") }) {
			continue
		}
		if !slices.ContainsFunc(f.blocks(), func(b machine.BlockDevice) bool { is, _ := b.Identifies(e.Source); return is }) {
			continue
		}
		about := i18n.BootUnmountedGoal(e.Target)
		return proved(i18n.BootUnmounted(e.Target), seeLine(machine.FSTabProbe, row(e)),
			see(machine.MountsProbe, i18n.BootUnmountedSeen(e.Target))).
			offer(about, run(about, "sudo -n mount "+e.Target, "findmnt "+e.Target, e.Target, "sudo -n umount "+e.Target)).
			advise(i18n.BootUnmountedAdvice)
	}
	return nil
}

// bootFiles returns the files on /boot and on /efi. ok is false if those on /boot may not be listed completely.
func (f *Facts) bootFiles() (all []machine.SizedPath, ok bool) {
	out, known := f.output(machine.BootFilesProbe)
	all, _ = parse(f, machine.BootFilesProbe, machine.ParseFindSizes)
	efi, _ := parse(f, machine.EFIFilesProbe, machine.ParseFindSizes) // most computers have none
	return append(all, efi...), known && out.Exit == 0 && !out.Cut
}

// bootPaths returns the paths of [Facts.bootFiles].
func (f *Facts) bootPaths() (all []string, ok bool) {
	files, ok := f.bootFiles()
	for _, p := range files {
		all = append(all, p.Path)
	}
	return all, ok
}

// imageMissing finds an installed kernel without its files in /boot.
func imageMissing(f *Facts) *Finding {
	files, ok := f.bootPaths()
	kernels, _ := parse(f, machine.KernelsProbe, machine.ParseKernels)
	if !ok || slices.ContainsFunc(files, isUnified) || bootUnmounted(f) != nil {
		return nil
	}
	for _, k := range kernels {
		name := plain(k.Package)
		kernel, initramfs := "/boot/vmlinuz-"+name, "/boot/initramfs-"+name+".img"
		seen := seeLine(machine.KernelsProbe, name+" "+k.Release)
		switch {
		case name == "" || slices.Contains(files, kernel) && slices.Contains(files, initramfs):
		case !slices.Contains(files, kernel):
			found := proved(i18n.BootImage(name, k.Release, kernel), seen,
				see(machine.BootFilesProbe, i18n.StartInterpreterAbsent(kernel)))
			found.Repair = f.reinstall(name)
			return found
		case hasInitramfs(files, k):
		default: // dracut and booster have other names
			found := proved(i18n.BootInitramfs(name, k.Release, initramfs), seen,
				see(machine.BootFilesProbe, i18n.StartInterpreterAbsent(initramfs)))
			if f.stdout(machine.PresetsProbe) == "" {
				found.Certain, found.Says = false, i18n.BootInitramfsLikely(name, k.Release, initramfs)
				return found.advise(i18n.BootInitramfsAdvice)
			}
			about := i18n.BootInitramfsGoal(name)
			return found.showing(machine.PresetsProbe, name).
				offer(about, run(about, "sudo -n mkinitcpio -p "+name, "stat -c %n -- "+initramfs, initramfs, ""))
		}
	}
	return nil
}

// hasInitramfs reports whether there is an initramfs of a kernel, as mkinitcpio, dracut or booster names it.
func hasInitramfs(files []string, k machine.Kernel) bool {
	return slices.ContainsFunc(files, func(p string) bool {
		isInitramfs := strings.Contains(p, "initr") || strings.Contains(p, "booster-")
		return isInitramfs && (strings.Contains(p, k.Package) || strings.Contains(p, k.Release)) &&
			!strings.Contains(p, "fallback")
	})
}

// entries returns the lines of the boot entries of systemd-boot and GRUB.
func (f *Facts) entries() (all []machine.ConfigLine, looks []machine.Probe) {
	for _, look := range []machine.Probe{machine.BootEntriesProbe, machine.GrubProbe} {
		some, _ := parse(f, look, machine.ParseConfigLines)
		all = append(all, some...)
		for range some {
			looks = append(looks, look)
		}
	}
	return all, looks
}

// entryFile finds a boot entry that names a file that does not exist.
func entryFile(f *Facts) *Finding {
	files, ok := f.bootPaths()
	lines, looks := f.entries()
	if !ok || len(files) == 0 {
		return nil
	}
	for i, line := range lines {
		for _, file := range machine.BootFiles(line.Text) {
			// GRUB's paths begin at the file system's root, with a subvolume on btrfs.
			if slices.ContainsFunc(files, func(p string) bool {
				return p == "/boot"+file || p == file ||
					strings.HasSuffix(file, p)
			}) || plain(file) != file {
				continue
			}
			found := proved(i18n.BootEntry(line.File, file), seeLine(looks[i], line.Text),
				see(machine.BootFilesProbe, i18n.StartInterpreterAbsent("/boot"+file)))
			name := strings.TrimSuffix(path.Base(file), ".img")
			switch {
			case name == "intel-ucode" || name == "amd-ucode":
				return found.offer(i18n.MountHelperGoal(name), install(i18n.MountHelperGoal(name), name))
			case looks[i][0] == "grep":
				return found.offer(i18n.BootGrubGoal, run(i18n.BootGrubGoal, "sudo -n grub-mkconfig -o /boot/grub/grub.cfg",
					"grep -c vmlinuz /boot/grub/grub.cfg", "", ""))
			}
			return found.advise(i18n.BootEntryAdvice(line.File))
		}
	}
	return nil
}

// entryRoot finds a boot entry whose root file system no disk has.
func entryRoot(f *Facts) *Finding {
	lines, looks := f.entries()
	devices := f.blocks()
	for i, line := range lines {
		root := machine.KernelRoot(line.Text)
		is, known := false, false
		for _, b := range devices {
			same, form := b.Identifies(root)
			is, known = is || same, known || form
		}
		if root == "" || is || !known || strings.HasPrefix(root, "/dev/mapper/") {
			continue
		}
		found := proved(i18n.BootRoot(line.File, root), seeLine(looks[i], line.Text),
			see(machine.IdentifiersProbe, i18n.MountDeviceAbsent(root)))
		at := slices.IndexFunc(devices, func(b machine.BlockDevice) bool { return b.Mount == "/" && b.UUID != "" })
		if old, isUUID := strings.CutPrefix(root, "UUID="); isUUID && at >= 0 && plain(old) == old &&
			plain(line.File) == line.File && plain(devices[at].UUID) != "" {
			now := plain(devices[at].UUID)
			about := i18n.BootRootGoal(line.File, now)
			return found.offer(about, run(about, "sudo -n sed -i s/root=UUID="+old+"/root=UUID="+now+"/ "+line.File,
				"grep -F root=UUID="+now+" "+line.File, now,
				"sudo -n sed -i s/root=UUID="+now+"/root=UUID="+old+"/ "+line.File))
		}
		return found.advise(i18n.BootEntryAdvice(line.File))
	}
	return nil
}

// hookMissing finds a hook in mkinitcpio.conf that is not installed.
func hookMissing(f *Facts) *Finding {
	lines, _ := parse(f, machine.MkinitcpioProbe, machine.ParseConfigLines)
	out, known := f.output(machine.HooksProbe) // one of both directories may not exist
	hooks := strings.Fields(out.Stdout)
	if !known || !slices.Contains(hooks, "base") {
		return nil
	}
	for _, line := range lines {
		value, isHooks := strings.CutPrefix(line.Text, "HOOKS=")
		value, _, _ = strings.Cut(strings.Trim(value, `("`), ")")
		for _, hook := range strings.Fields(strings.Trim(value, `"`)) {
			if !isHooks || plain(hook) != hook || slices.Contains(hooks, hook) {
				continue
			}
			about := i18n.BootHookGoal(hook)
			return proved(i18n.BootHook(hook, line.File), seeLine(machine.MkinitcpioProbe, line.Text),
				see(machine.HooksProbe, i18n.BootHookSeen(hook))).
				offer(about, run(about, `sudo -n sed -i.before -E '/^HOOKS=/s/ ?\b`+hook+`\b//' /etc/mkinitcpio.conf`,
					"grep ^HOOKS /etc/mkinitcpio.conf", "HOOKS=",
					"sudo -n mv -- /etc/mkinitcpio.conf.before /etc/mkinitcpio.conf"),
					run(i18n.BootImagesGoal, "sudo -n mkinitcpio -P", "", "", ""))
		}
	}
	return nil
}

// presetStale finds a preset for a kernel that is not installed: mkinitcpio then ends with an error at each update.
func presetStale(f *Facts) *Finding {
	files, _ := f.bootPaths()
	lines, _ := parse(f, machine.PresetsProbe, machine.ParseConfigLines)
	kernels, _ := parse(f, machine.KernelsProbe, machine.ParseKernels)
	if len(kernels) == 0 {
		return nil
	}
	for _, line := range lines {
		name := plain(strings.TrimSuffix(path.Base(line.File), ".preset"))
		if name == "" || slices.ContainsFunc(kernels, func(k machine.Kernel) bool { return k.Package == name }) ||
			!strings.Contains(line.Text, "/boot/vmlinuz-"+name) ||
			slices.Contains(files, "/boot/vmlinuz-"+name) || len(files) == 0 {
			continue
		}
		about := i18n.BootPresetGoal(line.File)
		return proved(i18n.BootPreset(line.File, name), seeLine(machine.PresetsProbe, line.Text),
			see(machine.BootFilesProbe, i18n.StartInterpreterAbsent("/boot/vmlinuz-"+name)),
			seeLine(machine.KernelsProbe, kernels[0].Package)).
			offer(about, run(about, "sudo -n mv -n -- "+line.File+" "+line.File+".old", "stat -c %n -- "+line.File+".old",
				".old", "sudo -n mv -n -- "+line.File+".old "+line.File))
	}
	return nil
}

// dkmsMissing finds a module of DKMS that is not built for an installed kernel.
func dkmsMissing(f *Facts) *Finding {
	built, err := parse(f, machine.DKMSProbe, machine.ParseDKMS)
	if err != nil || len(built) == 0 {
		return nil
	}
	kernels, _ := parse(f, machine.KernelsProbe, machine.ParseKernels)
	for _, k := range kernels {
		for _, line := range f.lines(machine.DKMSProbe) {
			module, _, _ := strings.Cut(line, ",")
			module, _, _ = strings.Cut(module, ":")
			if plain(k.Package) == "" || slices.Contains(built[module], k.Release) {
				continue
			}
			headers := machine.InstalledProbe(k.Package + "-headers")
			out, known := f.output(headers)
			seen := []Evidence{seeLine(machine.DKMSProbe, line), seeLine(machine.KernelsProbe, k.Package+" "+k.Release)}
			if known && out.Exit != 0 {
				about := i18n.MountHelperGoal(k.Package + "-headers")
				return proved(i18n.BootDkmsHeaders(module, k.Release, k.Package+"-headers"),
					append(seen, see(headers, i18n.StartAbsentPackage(k.Package+"-headers")))...).
					offer(about, install(about, k.Package+"-headers"))
			}
			about := i18n.BootDkmsGoal(k.Release)
			return proved(i18n.BootDkms(module, k.Release), seen...).
				offer(about, run(about, "sudo -n dkms autoinstall -k "+k.Release, "dkms status -k "+k.Release, "installed", ""))
		}
	}
	return nil
}

var nvidiaVersions = form(`client has the version (\d[\d.]*\d).*kernel module has the version (\d[\d.]*\d)`)

// nvidiaOther finds that NVIDIA's driver in the kernel has another version than its libraries.
func nvidiaOther(f *Facts) *Finding {
	out, known := f.output(machine.KernelMessagesProbe)
	if !known || lineWith(machine.LogLines([]byte(out.Stdout)), "api mismatch") == "" {
		return nil
	}
	m := nvidiaVersions().FindStringSubmatch(strings.Join(strings.Fields(out.Stdout), " "))
	if m == nil {
		return nil
	}
	return proved(i18n.BootNvidia(m[1], m[2]), seeLine(machine.KernelMessagesProbe, m[1]+", "+m[2])).
		offer(i18n.BootReplacedGoal, rebootNow())
}

// displayManagers returns the units of the installed display managers.
func (f *Facts) displayManagers() (all []string) {
	for _, line := range f.lines(machine.DisplayManagersProbe) {
		if w := strings.Fields(line); len(w) > 1 && plain(w[0]) != "" {
			all = append(all, w[0])
		}
	}
	return all
}

// textMode finds that the system starts without a desktop although it has a display manager.
func textMode(f *Facts) *Finding {
	look := machine.DefaultTargetProbe
	target := plain(f.stdout(look))
	if target != "multi-user.target" && target != "rescue.target" && target != "emergency.target" ||
		len(f.displayManagers()) == 0 {
		return nil
	}
	return proved(i18n.BootText(target, f.displayManagers()[0]), seeLine(look, target),
		seeLine(machine.DisplayManagersProbe, f.displayManagers()[0])).
		offer(i18n.BootTextGoal, run(i18n.BootTextGoal, "sudo -n systemctl set-default graphical.target",
			"systemctl get-default", "graphical.target", "sudo -n systemctl set-default "+target))
}

// displayManager returns the state of the display manager, nil if it is not known.
func (f *Facts) displayManager() map[string]string {
	units, _ := parse(f, machine.DisplayManagerProbe, machine.ParseUnitProperties)
	if len(units) != 1 {
		return nil
	}
	return units[0]
}

// noDisplayManager finds that a display manager is installed and none is enabled.
func noDisplayManager(f *Facts) *Finding {
	target := strings.TrimSpace(f.stdout(machine.DefaultTargetProbe))
	if target != "graphical.target" || f.displayManager()["LoadState"] != "not-found" || len(f.displayManagers()) == 0 {
		return nil
	}
	unit := f.displayManagers()[0]
	return proved(i18n.BootNoManager(unit), seeLine(machine.DisplayManagerProbe, "LoadState=not-found"),
		seeLine(machine.DisplayManagersProbe, unit)).
		offer(i18n.BootNoManagerGoal(unit), control(i18n.BootNoManagerGoal(unit), "enable", unit, false))
}

// displayManagerFailed finds a display manager that failed.
func displayManagerFailed(f *Facts) *Finding {
	u := f.displayManager()
	if u["ActiveState"] != "failed" {
		return nil
	}
	id := machine.CleanLine(u["Id"])
	return proved(i18n.BootManagerFailed(id, u["Result"]),
		seeLine(machine.DisplayManagerProbe, "ActiveState=failed, Result="+u["Result"])).
		advise(i18n.BootManagerFailedAdvice(id))
}

var fsckDevice = form(`(/dev/\S+|[\w-]+): UNEXPECTED INCONSISTENCY`)

// fsckFailed finds a file system that must be checked by hand.
func fsckFailed(f *Facts) *Finding {
	out, known := f.output(machine.DeviceTimeoutsProbe)
	m := fsckDevice().FindStringSubmatch(out.Stdout)
	if !known || m == nil {
		return nil
	}
	return proved(i18n.BootFsck(m[1]), seeLine(machine.DeviceTimeoutsProbe, m[0])).advise(i18n.BootFsckAdvice(m[1]))
}

// jobWaits finds what booting still waits for.
func jobWaits(f *Facts) *Finding {
	look := machine.JobsProbe
	for _, line := range f.lines(look) {
		w := strings.Fields(line)
		if len(w) != 4 || w[2] != "start" || w[3] != "running" || strings.HasSuffix(w[1], ".target") {
			continue
		}
		return proved(i18n.BootJob(w[1]), seeLine(look, line)).advise(i18n.BootJobAdvice(w[1]))
	}
	return nil
}

// slowUnit finds the unit that delayed booting most, if that was long.
func slowUnit(f *Facts) *Finding {
	look := machine.ChainProbe
	chain, err := parse(f, look, machine.ParseChain)
	if err != nil || len(chain) == 0 || chain[0].Took < 8 {
		return nil
	}
	unit, took := plain(chain[0].Unit), strconv.Itoa(int(chain[0].Took))
	if unit == "" {
		return nil
	}
	found := proved(i18n.BootSlow(unit, took), seeLine(look, unit+" +"+took+"s"))
	if unit == "NetworkManager-wait-online.service" || unit == "systemd-networkd-wait-online.service" {
		return found.offer(i18n.BootSlowGoal(unit), control(i18n.BootSlowGoal(unit), "disable", unit, false))
	}
	return found.advise(i18n.BootJobAdvice(unit))
}
