package report

import (
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

var removableUnmounts = "udisksctl unmount -b /dev/"

var usbDisks = command(machine.VolumesProbe.String())

// eject reports whether a USB disk can be removed.
func (q *inquiry) eject() Reply {
	if q.Request == nil || !q.Request.RequestsEject() {
		return q.toolReply(q.first)
	}
	out := q.stdout(q.first)
	if !strings.Contains(out, `NAME="`) {
		return Reply{Text: q.say(i18n.HelperTroubleEjectUnseen)}
	}
	volumes := machine.USBVolumes(read(machine.ParseBlockPairs, out))
	for _, v := range volumes {
		if v.Mount != "" {
			f := q.found(i18n.HelperTroubleEjectUsed(v.Title(), v.Mount))
			return q.proposeCommand(f, removableUnmounts+v.Name, i18n.HelperTroubleAskUnmount).reply()
		}
	}
	if len(volumes) == 0 {
		return Reply{Text: q.say(i18n.HelperTroubleEjectNone)}
	}
	return Reply{Text: q.say(i18n.HelperTroubleEjectFree(volumes[0].Title()))}
}

func (q *inquiry) namedSize() Reply {
	drives := drivesOf(q.stdout(q.first))
	if q.Request == nil || q.Request.Device() == "" || len(drives) == 0 {
		return q.toolReply(q.first)
	}
	if rep, absent := q.noSuchDrive(drives); absent {
		return rep
	}
	return Reply{Text: q.say(i18n.HelperTroubleDriveIs(driveText(q.askedDrives(drives)[0])))}
}

// noSuchDrive answers a question about a disk that does not exist.
func (q *inquiry) noSuchDrive(drives []machine.BlockDevice) (Reply, bool) {
	if len(drives) == 0 || len(q.askedDrives(drives)) > 0 {
		return Reply{}, false
	}
	return Reply{Text: joinBlocks(q.say(i18n.HelperTroubleNoSuchDrive("/dev/"+q.Request.Device())), bullets([]string{q.driveLine(drives)}))}, true
}

// askedDrives returns the disk that the question names, or all if it names none.
func (q *inquiry) askedDrives(drives []machine.BlockDevice) []machine.BlockDevice {
	if q.Request == nil || q.Request.Device() == "" {
		return drives
	}
	named := q.Request.Device()
	asked := filter(drives, func(d machine.BlockDevice) bool {
		return named == d.Name || machine.DiskOf(named) == d.Name ||
			strings.HasPrefix(d.Name, named+"n") && strings.HasPrefix(named, "nvme")
	})
	return asked[:min(1, len(asked))]
}
