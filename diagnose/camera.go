package diagnose

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Camera is the question why the camera does not work.
func Camera() Topic {
	return Topic{ID: "camera", About: i18n.DiagnoseAboutCamera, causes: []cause{
		{"modules-gone", when((*Facts).hasNoCamera, lostModules)},
		{"driver-blocked", when((*Facts).hasNoCamera, blocked(see(machine.CamerasProbe, i18n.DesktopNone), "uvcvideo",
			"videodev", "ipu"))},
		{"driver-unloaded", cameraUnloaded},
		{"no-device", cameraAbsent},
		{"in-use", cameraInUse},
		{"no-rights", cameraRights},
	}}
}

// hasNoCamera reports whether the kernel has no camera: ls(1) prints nothing, or that there is no such directory.
func (f *Facts) hasNoCamera() bool {
	out, known := f.output(machine.CamerasProbe)
	return known && strings.TrimSpace(out.Stdout) == "" && (out.Exit == 0 || strings.Contains(out.Stderr, "No such file"))
}

// pluggedCamera returns the USB device that is a camera by its name.
func (f *Facts) pluggedCamera() (name string, known bool) {
	all, err := parse(f, machine.USBProbe, machine.ParseUSB)
	for _, d := range all {
		if lineWith([]string{d.Name}, "camera", "webcam", "facecam") != "" {
			return d.Name, true
		}
	}
	return "", err == nil && len(all) > 0
}

func cameraUnloaded(f *Facts) *Finding {
	name, _ := f.pluggedCamera()
	if !f.hasNoCamera() || name == "" {
		return nil
	}
	goal := i18n.DesktopBlockedLoad("uvcvideo")
	return proved(i18n.CameraUnloaded(name), see(machine.CamerasProbe, i18n.DesktopNone), seeLine(machine.USBProbe, name)).
		offer(goal, run(goal, "sudo -n modprobe uvcvideo", "ls /sys/module/uvcvideo", "drivers",
			"sudo -n modprobe -r uvcvideo"))
}

func cameraAbsent(f *Facts) *Finding {
	name, known := f.pluggedCamera()
	if !f.hasNoCamera() || name != "" || !known {
		return nil
	}
	return proved(i18n.CameraAbsent, see(machine.CamerasProbe, i18n.DesktopNone), see(machine.USBProbe, i18n.CameraUsb)).
		advise(i18n.CameraAbsentAdvice)
}

// cameraInUse finds the program that has the camera: fuser(1), -v. Only one can.
func cameraInUse(f *Facts) *Finding {
	out, known := f.output(machine.CameraUsersProbe)
	if !known || out.Cut {
		return nil
	}
	for _, u := range machine.FileUsers(out.Stdout, out.Stderr) {
		if !slices.Contains([]string{"pipewire", "wireplumber"}, u.Program) && isWhole(u.PID) {
			return proved(i18n.CameraInUse(machine.CleanLine(u.Program), u.PID), seeLine(machine.CameraUsersProbe, u.Program)).
				advise(i18n.SoundBusyAdvice(u.PID))
		}
	}
	return nil
}

// cameraRights finds a camera that only a group may use, which the person is not in, and no access list.
func cameraRights(f *Facts) *Finding {
	row := strings.Fields(f.stdout(machine.CameraRightsProbe))
	user, member, known := f.inSession("video")
	if len(row) < 4 || !known || member || user == "root" || row[0] != "crw-rw----" || row[3] != "video" {
		return nil
	}
	goal := i18n.CameraRightsGoal(user)
	return proved(i18n.CameraRights(user), seeLine(machine.CameraRightsProbe, strings.Join(row[:4], " ")),
		seeLine(machine.IDProbe, user)).
		offer(goal, joinGroup(goal, user, "video"))
}
