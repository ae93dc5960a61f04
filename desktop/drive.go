package desktop

import (
	"slices"

	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// mount plans to mount a USB disk for the person, who needs no other rights for it: udisksctl(1).
func mount(_ Wish, f *diagnose.Facts) Outcome {
	if !f.Know(machine.VolumesProbe) {
		return Outcome{}
	}
	all, err := machine.ParseBlockPairs([]byte(f.Stdout(machine.VolumesProbe)))
	volumes := slices.DeleteFunc(machine.USBVolumes(all), func(v machine.BlockDevice) bool { return v.FSType == "" })
	if err != nil || len(volumes) == 0 {
		return says(i18n.DeskMountNone(machine.VolumesProbe[0]))
	}
	i := slices.IndexFunc(volumes, func(v machine.BlockDevice) bool { return v.Mount == "" })
	if i < 0 {
		return says(i18n.DeskMountIs(volumes[0].Title(), volumes[0].Mount))
	}
	v := volumes[i]
	device := "/dev/" + v.Name
	return Outcome{}.with(diagnose.Run(i18n.DeskMount(v.Title()), "udisksctl mount -b "+device, machine.MountedDeviceProbe(device).String(), "", "udisksctl unmount -b "+device))
}

// packageCache plans to remove old packages from pacman's cache. The installed and the previous version of each stay, which
// a downgrade needs: paccache(8).
func packageCache(_ Wish, f *diagnose.Facts) Outcome {
	look := machine.OldPackagesProbe
	if !f.Know(look) {
		return Outcome{}
	}
	if name := f.Output(look).Missing; name != "" {
		return missing(name)
	}
	saved, err := machine.ParseOldPackages([]byte(f.Output(look).Stdout))
	switch {
	case err != nil:
		return says(i18n.DeskCacheUnread(look.String()))
	case saved == 0:
		return says(i18n.DeskCacheNothing)
	}
	return says(i18n.DeskCacheHas(i18n.Size(int64(saved)))).with(diagnose.Run(i18n.DeskCacheClean, "sudo -n paccache -rk2", look.String(), "no candidate packages", ""))
}
