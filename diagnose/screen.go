package diagnose

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Screen is the question why the screen stays black, is dark, is not found, or the login returns to its beginning.
func Screen() Topic {
	return Topic{ID: "screen", About: i18n.DiagnoseAboutScreen, causes: []cause{
		{"authority-owner", authorityOwner},
		{"login-file", loginFile},
		{"runtime-directory", runtimeDirectory},
		{"default-target", defaultTarget},
		{"login-screen", loginScreen},
		{"nomodeset", noModeset},
		{"modules-gone", graphicsModules},
		{"driver-blocked", graphicsBlocked},
		{"nvidia-mismatch", nvidiaMismatch},
		{"no-driver", graphicsDriver},
		{"xorg-driver", xorgDriver},
		{"xorg-device", xorgDevice},
		{"brightness-zero", brightnessZero},
		{"output-off", outputOff},
		{"session-file", sessionFile},
		{"portal-stopped", portalStopped},
		{"portal-missing", portalMissing},
	}}
}

// authorityOwner finds a file that the login must write and that is someone else's, as after startx with sudo.
func authorityOwner(f *Facts) *Finding {
	user, _, known := f.inSession("root")
	lines, ok := f.shown(machine.AuthorityFilesProbe)
	if !known || !ok || user == "root" {
		return nil
	}
	owners, _ := machine.ParseOwners([]byte(strings.Join(lines, "\n"))) // files that do not exist are errors
	for _, o := range owners {
		if o.User == user || plain(o.Path) != o.Path || !strings.HasPrefix(o.Path, "/home/") || plain(o.User) == "" ||
			plain(o.Group) == "" {
			continue
		}
		goal := i18n.ScreenOwnerGoal(o.Path, user)
		return proved(i18n.ScreenOwner(o.Path, o.User, user), seeLine(machine.AuthorityFilesProbe, o.Path+" "+o.User),
			seeLine(machine.IDProbe, user)).
			offer(goal, run(goal, "sudo -n chown "+user+": "+o.Path, "stat -c %U "+o.Path, user,
				"sudo -n chown "+o.User+":"+o.Group+" "+o.Path))
	}
	return nil
}

// loginFile finds a line that ends the login: the login screen sources these files.
func loginFile(f *Facts) *Finding {
	lines, _ := f.shown(machine.LoginFilesProbe)
	for _, line := range lines {
		file, number, text := numbered(line)
		if file == "" || strings.HasPrefix(text, "exec") && path.Base(file) != ".xprofile" {
			continue
		}
		return proved(i18n.ScreenLoginFile(file, number, machine.CleanLine(text)), seeLine(machine.LoginFilesProbe, line)).
			offer(i18n.ScreenLineGoal(file, number),
				run(i18n.ScreenLineGoal(file, number), "sed -i '"+number+"s/^/#/' "+file, "sed -n "+number+"p "+file, "#",
					"sed -i '"+number+"s/^#//' "+file))
	}
	return nil
}

// runtimeDirectory finds a directory of the session that is not the person's own: pam_systemd(8), XDG_RUNTIME_DIR.
func runtimeDirectory(f *Facts) *Finding {
	id, err := parse(f, machine.IDProbe, machine.ParseID)
	if err != nil || id.UID == 0 || plain(id.User) == "" {
		return nil
	}
	dir := "/run/user/" + strconv.Itoa(id.UID)
	look := machine.OwnersProbe(dir)
	owners, err := parse(f, look, machine.ParseOwners)
	if err != nil || len(owners) != 1 || owners[0].User == id.User && owners[0].Mode == "700" {
		return nil
	}
	o, goal := owners[0], i18n.ScreenOwnerGoal(dir, id.User)
	return proved(i18n.ScreenRuntime(dir, o.User, o.Mode), seeLine(look, o.User+" "+o.Mode),
		seeLine(machine.IDProbe, id.User)).offer(goal,
		run(goal, "sudo -n chown "+id.User+": "+dir, "stat -c %U "+dir, id.User, "sudo -n chown "+plain(o.User)+": "+dir),
		run(goal, "sudo -n chmod 700 "+dir, "stat -c %a "+dir, "700", "sudo -n chmod "+o.Mode+" "+dir))
}

const displayManager = "display-manager.service"

func defaultTarget(f *Facts) *Finding {
	u := f.units(machine.DisplayManagerProbe)
	if strings.TrimSpace(f.stdout(machine.DefaultTargetProbe)) != "multi-user.target" || !u.isIdle(displayManager) {
		return nil
	}
	set := "sudo -n systemctl set-default "
	return proved(i18n.ScreenTarget, seeLine(machine.DefaultTargetProbe, "multi-user.target"),
		u.see(machine.DisplayManagerProbe, displayManager)).
		offer(i18n.ScreenTargetGoal, run(i18n.ScreenTargetGoal, set+"graphical.target", machine.DefaultTargetProbe.String(),
			"graphical.target", set+"multi-user.target"))
}

func loginScreen(f *Facts) *Finding {
	if found := masked(machine.DisplayManagerProbe, false, displayManager)(f); found != nil {
		return found
	}
	return f.failed(machine.DisplayManagerProbe, false, displayManager, machine.DisplayManagerLogProbe, "error", "fail",
		"cannot", "could not", "no such")
}

// noModeset finds a kernel option that keeps all graphics drivers away: Linux,
// Documentation/admin-guide/kernel-parameters.txt.
func noModeset(f *Facts) *Finding {
	for _, option := range strings.Fields(f.stdout(machine.KernelOptionsProbe)) {
		if slices.Contains([]string{
			"nomodeset", "i915.modeset=0", "amdgpu.modeset=0", "nouveau.modeset=0",
			"nvidia-drm.modeset=0", "radeon.modeset=0",
		}, option) {
			return proved(i18n.ScreenModeset(option), seeLine(machine.KernelOptionsProbe, option)).
				advise(i18n.ScreenModesetAdvice(option))
		}
	}
	return nil
}

// graphics returns the graphics device without a driver.
func (f *Facts) graphics() (d machine.PCIDevice, ok bool) {
	all, _ := parse(f, machine.PCIProbe, machine.ParsePCI) // none is no device
	i := slices.IndexFunc(all, func(d machine.PCIDevice) bool {
		return d.Driver == "" && (strings.HasPrefix(d.Class, "VGA") || strings.HasPrefix(d.Class, "3D") ||
			strings.HasPrefix(d.Class, "Display"))
	})
	if i < 0 {
		return d, false
	}
	return all[i], true
}

func graphicsModules(f *Facts) *Finding {
	if _, ok := f.graphics(); !ok {
		return nil
	}
	return lostModules(f)
}

func graphicsBlocked(f *Facts) *Finding {
	d, ok := f.graphics()
	if !ok {
		return nil
	}
	drivers := []string{"i915", "xe"}
	switch {
	case strings.Contains(d.Model, "NVIDIA"):
		drivers = []string{"nvidia"} // its packages block nouveau on purpose
	case strings.Contains(d.Model, "AMD"):
		drivers = []string{"amdgpu", "radeon"}
	}
	return f.blockedDriver(seeLine(machine.PCIProbe, d.Model), drivers...)
}

// nvidiaMismatch finds that the module in use is of another version than the libraries, as after an update.
func nvidiaMismatch(f *Facts) *Finding {
	look := machine.KernelLogProbe("NVRM")
	lines, _ := f.shown(look)
	line := lineWith(lines, "api mismatch")
	if line == "" {
		return nil
	}
	return proved(i18n.ScreenMismatch, seeLine(look, line)).advise(i18n.DesktopModulesAdvice)
}

func graphicsDriver(f *Facts) *Finding {
	d, ok := f.graphics()
	if !ok || strings.Contains(d.Model, "Virtio") || strings.Contains(d.Model, "Cirrus") {
		return nil
	}
	found := proved(i18n.ScreenDriver(machine.CleanLine(d.Model)), seeLine(machine.PCIProbe, d.Model))
	if strings.Contains(d.Model, "NVIDIA") {
		return found.advise(i18n.ScreenNvidiaAdvice)
	}
	return found.advise(i18n.ScreenDriverAdvice)
}

// setAside offers to move a file of Xorg away.
func setAside(found *Finding, file string) *Finding {
	aside := file + ".off"
	return found.offer(i18n.DesktopAside(file, aside),
		run(i18n.DesktopAside(file, aside), "sudo -n mv -n -- "+file+" "+aside, "stat -c %n -- "+aside, aside,
			"sudo -n mv -n -- "+aside+" "+file))
}

var xorgValue = form(`(?i)^\s*(Driver|BusID)\s+"([A-Za-z0-9_:@.-]+)"`)

// xorgValues calls visit for each driver or device that a file of Xorg names, until it finds a cause.
func (f *Facts) xorgValues(key string, visit func(line, file, number, value string) *Finding) *Finding {
	lines, _ := f.shown(machine.XorgDevicesProbe)
	for _, line := range lines {
		file, number, text := numbered(line)
		if m := xorgValue().FindStringSubmatch(text); file != "" && m != nil && strings.EqualFold(m[1], key) {
			if found := visit(line, file, number, m[2]); found != nil {
				return found
			}
		}
	}
	return nil
}

// xorgDriver finds a file that names a driver which is not installed.
func xorgDriver(f *Facts) *Finding {
	return f.xorgValues("Driver", func(line, file, number, value string) *Finding {
		if slices.Contains([]string{
			"libinput", "evdev", "synaptics", "wacom", "kbd", "mouse", "vmmouse", "modesetting",
			"dri", "glx",
		}, strings.ToLower(value)) {
			return nil
		}
		have := strings.Fields(f.stdout(machine.XorgDriversProbe))
		if len(have) == 0 || slices.Contains(have, strings.ToLower(value)+"_drv.so") {
			return nil
		}
		return setAside(proved(i18n.ScreenXorg(file, number, value), seeLine(machine.XorgDevicesProbe, line),
			seeLine(machine.XorgDriversProbe, strings.Join(have, " "))), file)
	})
}

var pciAddress = form(`^(?i:PCI):(\d+):(\d+):(\d+)$`)

// xorgDevice finds a file that names a device which does not exist: xorg.conf(5), BusID, in decimal numbers.
func xorgDevice(f *Facts) *Finding {
	return f.xorgValues("BusID", func(line, file, number, value string) *Finding {
		m := pciAddress().FindStringSubmatch(value)
		rows := f.lines(machine.PCIProbe)
		if m == nil || len(rows) == 0 {
			return nil
		}
		n := [3]int{}
		for i := range n {
			n[i], _ = strconv.Atoi(m[i+1]) // digits
		}
		address := fmt.Sprintf("%02x:%02x.%d ", n[0], n[1], n[2])
		if slices.ContainsFunc(rows, func(row string) bool {
			return strings.HasPrefix(row, address) || strings.HasPrefix(row, "0000:"+address)
		}) {
			return nil
		}
		return setAside(proved(i18n.ScreenBusId(file, number, value), seeLine(machine.XorgDevicesProbe, line),
			seeLine(machine.PCIProbe, rows[0])), file)
	})
}

func brightnessZero(f *Facts) *Finding {
	lines, _ := f.shown(machine.BacklightsProbe)
	value := map[string]int{}
	for _, line := range lines {
		file, text, _ := strings.Cut(line, ":")
		if n, err := strconv.Atoi(text); err == nil {
			value[file] = n
		}
	}
	for _, line := range lines {
		file, _, _ := strings.Cut(line, ":")
		now, dir := value[file], path.Dir(file)
		most, known := value[dir+"/max_brightness"]
		if path.Base(file) != "brightness" || !known || most < 1 || now*100 > most || plain(file) != file {
			continue
		}
		name := path.Base(dir)
		set := "brightnessctl -d " + name + " set "
		return proved(i18n.ScreenDark(name, now, most), seeLine(machine.BacklightsProbe, file+":"+strconv.Itoa(now))).
			offer(i18n.ScreenDarkGoal, run(i18n.ScreenDarkGoal, set+"50%", "brightnessctl -m -d "+name, "50%",
				set+strconv.Itoa(now)))
	}
	return nil
}

// outputOff finds a display that is connected and off while another one is on.
func outputOff(f *Facts) *Finding {
	lines, _ := f.shown(machine.OutputsProbe)
	off, on := "", false
	for _, line := range lines {
		file, text, _ := strings.Cut(line, ":")
		if path.Base(file) != "status" || text != "connected" || plain(file) != file {
			continue
		}
		switch dir := path.Dir(file); {
		case slices.Contains(lines, dir+"/enabled:enabled"):
			on = true
		case slices.Contains(lines, dir+"/enabled:disabled"):
			off = path.Base(dir)
		}
	}
	_, name, _ := strings.Cut(off, "-")
	if off == "" || !on || name == "" {
		return nil
	}
	found := proved(i18n.ScreenOutput(name), seeLine(machine.OutputsProbe, off+": connected, disabled")).
		advise(i18n.ScreenOutputAdvice)
	if strings.Contains(f.stdout(machine.DesktopProbe), "KDE") {
		goal, set := i18n.ScreenOutputGoal(name), "kscreen-doctor output."+name
		found.offer(goal, run(goal, set+".enable", "cat /sys/class/drm/"+off+"/enabled", "enabled", set+".disable"))
	}
	return found
}

// sessionFile finds a session of the login screen whose program is not installed.
func sessionFile(f *Facts) *Finding {
	lines, _ := f.shown(machine.SessionFilesProbe)
	for _, line := range lines[:min(len(lines), 6)] {
		file, command, _ := strings.Cut(line, ":Exec=")
		words := strings.Fields(command)
		for len(words) > 0 && (words[0] == "env" || strings.Contains(words[0], "=") ||
			strings.HasSuffix(words[0], "dbus-run-session")) {
			words = words[1:]
		}
		if len(words) == 0 || plain(words[0]) == "" {
			continue
		}
		program := words[0]
		if !strings.HasPrefix(program, "/") {
			program = "/usr/bin/" + program
		}
		look := machine.FileProbe(program)
		if out, known := f.output(look); !known || out.Exit == 0 {
			continue
		}
		found := likely(i18n.ScreenSession(plain(path.Base(file)), program), seeLine(machine.SessionFilesProbe, line),
			see(look, i18n.DesktopNone))
		found.Certain = len(lines) == 1
		return found.advise(i18n.ScreenSessionAdvice(program))
	}
	return nil
}

// asksSharing reports whether the question is about sharing the screen, which goes through the portal.
func (f *Facts) asksSharing() bool {
	return f.asks(i18n.DesktopWordsSharing)
}

func (f *Facts) brokenPortal() *Finding {
	const name = "xdg-desktop-portal.service"
	look := machine.PortalUnitProbe
	u := f.units(look)
	switch {
	case u.isMasked(name):
		return proved(i18n.DesktopMasked(name), u.see(look, name)).
			offer(i18n.DesktopStart(name), unmask(i18n.DesktopUnmask(name), name, true)...)
	case u[name]["ActiveState"] == "failed":
		return proved(i18n.DesktopFailed(name), u.see(look, name)).
			offer(i18n.DesktopStart(name), control(i18n.DesktopStart(name), "restart", name, true))
	}
	return nil
}

func portalStopped(f *Facts) *Finding {
	if !f.asksSharing() {
		return nil
	}
	return f.brokenPortal()
}

// portalMissing finds a desktop without its part of the portal: portals.conf(5).
func portalMissing(f *Facts) *Finding {
	if !f.asksSharing() {
		return nil
	}
	desktop, have := f.stdout(machine.DesktopProbe), strings.Fields(f.stdout(machine.PortalsProbe))
	for name, backend := range map[string]string{
		"KDE": "kde", "GNOME": "gnome", "Hyprland": "hyprland", "sway": "wlr",
		"COSMIC": "cosmic",
	} {
		if !strings.Contains(desktop, name) || len(have) == 0 || slices.Contains(have, backend+".portal") {
			continue
		}
		goal := i18n.ScreenPortalGoal("xdg-desktop-portal-" + backend)
		return proved(i18n.ScreenPortal(name, "xdg-desktop-portal-"+backend), seeLine(machine.DesktopProbe, desktop),
			seeLine(machine.PortalsProbe, strings.Join(have, " "))).
			offer(goal, install(goal, "xdg-desktop-portal-"+backend),
				control(i18n.DesktopStart("xdg-desktop-portal"), "restart", "xdg-desktop-portal.service", true))
	}
	return nil
}
