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
		{"boot-unmounted", nextStart(machine.NotMounted)},
		{"image-missing", nextStart(machine.ImageMissing)},
		{"image-cut", nextStart(machine.ImageCut)},
		{"image-other", nextStart(machine.ImageOther, machine.ImageOld)},
		{"kernel-cut", nextStart(machine.KernelCut)},
		{"kernel-other", nextStart(machine.KernelOther, machine.ModulesMissing)},
		{"entry-file", nextStart(machine.FileMissing)},
		{"entry-root", nextStart(machine.RootMissing)},
		{"hook-missing", hookMissing},
		{"preset-stale", presetStale},
		{"fstab-syntax", fstabSyntax},
		{"fstab-device", fstabDevice},
		{"fstab-type", fstabType},
		{"dkms-missing", dkmsMissing},
		{"nvidia-missing", nextStart(machine.NvidiaMissing, machine.NvidiaOther)},
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
	found := proved(i18n.BootReplaced(running, strings.Join(names, ", ")), seeLine(machine.KernelProbe, running), seeLine(machine.KernelsProbe, strings.Join(names, ", ")))
	return found.offer(i18n.BootReplacedGoal, rebootNow())
}

// rebootNow returns the step that starts the machine again.
func rebootNow() Step {
	return Step{Step: plan.Step{Verb: "reboot", Args: map[string]string{}}, About: i18n.BootReplacedGoal}
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
			return proved(i18n.BootHook(hook, line.File), seeLine(machine.MkinitcpioProbe, line.Text), see(machine.HooksProbe, i18n.BootHookSeen(hook))).
				offer(about, run(about, `sudo -n sed -i.before -E '/^HOOKS=/s/ ?\b`+hook+`\b//' /etc/mkinitcpio.conf`, "grep ^HOOKS /etc/mkinitcpio.conf", "HOOKS=",
					"sudo -n mv -- /etc/mkinitcpio.conf.before /etc/mkinitcpio.conf"), run(i18n.BootImagesGoal, "sudo -n mkinitcpio -P", "", "", ""))
		}
	}
	return nil
}

// presetStale finds a preset for a kernel that is not installed: mkinitcpio then ends with an error at each update.
func presetStale(f *Facts) *Finding {
	files, _ := parse(f, machine.BootFilesProbe, machine.ParseFindSizes)
	lines, _ := parse(f, machine.PresetsProbe, machine.ParseConfigLines)
	kernels, _ := parse(f, machine.KernelsProbe, machine.ParseKernels)
	if len(kernels) == 0 {
		return nil
	}
	for _, line := range lines {
		name := plain(strings.TrimSuffix(path.Base(line.File), ".preset"))
		isInstalled := slices.ContainsFunc(kernels, func(k machine.Kernel) bool { return k.Package == name })
		isThere := slices.ContainsFunc(files, func(p machine.SizedPath) bool { return p.Path == "/boot/vmlinuz-"+name })
		if name == "" || isInstalled || isThere || len(files) == 0 || !strings.Contains(line.Text, "/boot/vmlinuz-"+name) {
			continue
		}
		about := i18n.BootPresetGoal(line.File)
		return proved(i18n.BootPreset(line.File, name), seeLine(machine.PresetsProbe, line.Text), see(machine.BootFilesProbe, i18n.StartInterpreterAbsent("/boot/vmlinuz-"+name)),
			seeLine(machine.KernelsProbe, kernels[0].Package)).
			offer(about, run(about, "sudo -n mv -n -- "+line.File+" "+line.File+".old", "stat -c %n -- "+line.File+".old", ".old", "sudo -n mv -n -- "+line.File+".old "+line.File))
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
				return proved(i18n.BootDkmsHeaders(module, k.Release, k.Package+"-headers"), append(seen, see(headers, i18n.StartAbsentPackage(k.Package+"-headers")))...).
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
	return proved(i18n.BootNvidia(m[1], m[2]), seeLine(machine.KernelMessagesProbe, m[1]+", "+m[2])).offer(i18n.BootReplacedGoal, rebootNow())
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
	if target != "multi-user.target" && target != "rescue.target" && target != "emergency.target" || len(f.displayManagers()) == 0 {
		return nil
	}
	return proved(i18n.BootText(target, f.displayManagers()[0]), seeLine(look, target), seeLine(machine.DisplayManagersProbe, f.displayManagers()[0])).
		offer(i18n.BootTextGoal, run(i18n.BootTextGoal, "sudo -n systemctl set-default graphical.target", "systemctl get-default", "graphical.target", "sudo -n systemctl set-default "+target))
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
	return proved(i18n.BootNoManager(unit), seeLine(machine.DisplayManagerProbe, "LoadState=not-found"), seeLine(machine.DisplayManagersProbe, unit)).
		offer(i18n.BootNoManagerGoal(unit), control(i18n.BootNoManagerGoal(unit), "enable", unit, false))
}

// displayManagerFailed finds a display manager that failed.
func displayManagerFailed(f *Facts) *Finding {
	u := f.displayManager()
	if u["ActiveState"] != "failed" {
		return nil
	}
	id := machine.CleanLine(u["Id"])
	return proved(i18n.BootManagerFailed(id, u["Result"]), seeLine(machine.DisplayManagerProbe, "ActiveState=failed, Result="+u["Result"])).advise(i18n.BootManagerFailedAdvice(id))
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
