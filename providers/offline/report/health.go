package report

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var diskList = command(machine.DrivesProbe.String())

func driveText(d machine.BlockDevice) string {
	kind := ""
	switch {
	case d.Transport == "usb":
		kind = "USB"
	case !d.IsVirtual():
		kind = map[string]string{"0": "SSD", "1": "HDD"}[d.Rotational]
	}
	return strings.Join(nonEmpty(d.Name, d.Size, cutRunes(d.Model, 40), kind), " ")
}

// drivesOf returns the whole disks of lsblk -d -P, without memory and images.
func drivesOf(text string) []machine.BlockDevice {
	return slices.DeleteFunc(read(machine.ParseBlockPairs, text), func(d machine.BlockDevice) bool {
		return d.Type != "disk" || quoteWord(d.Name) != d.Name || strings.HasPrefix(d.Name, "zram") || d.Size == "0B"
	})
}

// health reports whether a disk is failing. It offers to read the disk's own record, which needs rights.
func (q *inquiry) health() Reply {
	drives, object := drivesOf(q.stdout(diskList)), ""
	if rep, absent := q.noSuchDrive(drives); absent {
		return rep
	}
	if asked := q.askedDrives(drives); len(asked) == 1 && q.Request != nil && q.Request.Device() != "" {
		object = "/dev/" + asked[0].Name
	}
	found, ok := q.diagnosis(q.diagnoseStep("disk", object))
	switch {
	case !ok:
		return q.toolReply(q.first)
	case len(found.Causes) > 0 || found.Sound != nil:
		return q.causeReply(found)
	}
	f := &finding{verdict: q.say(i18n.HelperHealthUnseen)}
	if len(drives) == 0 {
		rep := q.toolReply(q.first)
		rep.Text = joinBlocks(f.verdict, rep.Text)
		return rep
	}
	f.note(q.driveLine(drives))
	q.offerSmart(f, found)
	return f.reply()
}

// offerSmart offers to read the records of the disks that the account may not read, or to install what reads them.
func (q *inquiry) offerSmart(f *finding, found diagnose.Report) {
	var devices, commands []string
	for _, u := range found.Unseen {
		switch {
		case !strings.HasPrefix(u.Command, "smartctl "):
		case u.Reason == diagnose.NotInstalled:
			f.meaning = q.say(i18n.HelperHealthSmart)
			f.propose(intent.Call("install_package", "name", "smartmontools"), q.say(i18n.HelperHealthAskHealthTool))
			return
		case u.Reason == diagnose.NeedsRights || u.Reason == diagnose.NotAllowed:
			devices = append(devices, u.Command[strings.LastIndex(u.Command, " ")+1:])
			commands = append(commands, asRoot+u.Command)
		}
	}
	if len(commands) > 0 {
		f.meaning = q.say(i18n.HelperHealthSmart)
		f.propose(command(strings.Join(commands, "; ")), q.say(i18n.HelperHealthAskHealth(strings.Join(devices, ", "), strings.Join(commands, "; "))))
	}
}

func (q *inquiry) driveLine(drives []machine.BlockDevice) string {
	names := each(drives[:min(5, len(drives))], driveText)
	if len(names) == 0 {
		return q.say(i18n.HelperHealthNoDisks)
	}
	return q.say(i18n.HelperHealthDisks(strings.Join(names, ", ")))
}
