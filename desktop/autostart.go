package desktop

import (
	"path"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// ownAutostart is where the person's programs are that start at a login.
const ownAutostart = "~/.config/autostart/"

// desktopNames are the names of desktops in OnlyShowIn (Desktop Menu Specification, "Registered OnlyShowIn Environments").
var desktopNames = map[string]string{plasma: "KDE", gnome: "GNOME", xfce: "XFCE"}

// autostart lists what starts at a login, or switches a program of it on or off.
//
// Source: Desktop Application Autostart Specification.
func autostart(w Wish, f *diagnose.Facts) Outcome {
	if !f.Know(runsProbe, machine.AutostartProbe) {
		return Outcome{}
	}
	all, _ := machine.ParseAutostart([]byte(f.Output(machine.AutostartProbe).Stdout)) // without files there are none
	here := desktopNames[desktopOf(f)]
	all = slices.DeleteFunc(all, func(a machine.Autostart) bool { return len(a.Only) > 0 && !slices.Contains(a.Only, here) })
	if w.Act == "list" {
		return listAutostart(all)
	}
	i := slices.IndexFunc(all, func(a machine.Autostart) bool { return isNamed(a, w.Object) })
	switch {
	case i < 0 && w.Act == "off":
		return says(i18n.DeskAutostartNoSuch(w.Object))
	case i < 0:
		return addAutostart(w.Object, f)
	case all[i].Off == (w.Act == "off"):
		return says(i18n.DeskAlready)
	}
	return switchAutostart(all[i], w.Act)
}

func listAutostart(all []machine.Autostart) Outcome {
	if len(all) == 0 {
		return says(i18n.DeskAutostartNone)
	}
	out := says(i18n.DeskAutostartList)
	for _, own := range []bool{true, false} { // what the person has chosen first
		for _, a := range all {
			if isOwn(a) != own {
				continue
			}
			mark := "✓ "
			if a.Off {
				mark = "✗ "
			}
			out.Rows = append(out.Rows, mark+a.Names[min(1, len(a.Names)-1)])
		}
	}
	return out
}

func isOwn(a machine.Autostart) bool { return strings.Contains(a.File, ownAutostart[1:]) }

// isNamed reports whether a program that starts at a login has a name. The name can be that of its package: nextcloud-client.
func isNamed(a machine.Autostart, name string) bool {
	low := strings.ToLower(name)
	return low != "" && slices.ContainsFunc(a.Names, func(have string) bool {
		have = strings.ToLower(have)
		return strings.Contains(have, low) || len(have) > 3 && strings.HasPrefix(low, have+"-")
	})
}

// switchAutostart plans to change the person's own file. A file of the system is copied first, because one of the same name
// takes its place.
func switchAutostart(a machine.Autostart, act string) Outcome {
	own, name := quote(ownAutostart+path.Base(a.File)), a.Names[min(1, len(a.Names)-1)]
	about, do, check, expect := i18n.DeskAutostartOff(name), hidden(own), "grep -x Hidden=true "+own, "Hidden=true"
	back := shown(own)
	if act == "on" {
		about, do, back, check, expect = i18n.DeskAutostartOn(name), back, do, "! grep -x -e Hidden=true -e X-GNOME-Autostart-enabled=false "+own, ""
	}
	if !isOwn(a) {
		do, back = "mkdir -p "+ownAutostart+" && cp "+quote(a.File)+" "+own+" && "+do, "rm "+own
	}
	return Outcome{}.with(diagnose.Run(about, do, check, expect, back))
}

// hidden and shown return the commands that switch a file off and on.
func hidden(file string) string {
	return `sed -i -e '/^Hidden=/d' -e '/^\[Desktop Entry\]/a Hidden=true' ` + file
}

func shown(file string) string {
	return `sed -i -e '/^Hidden=true$/d' -e '/^X-GNOME-Autostart-enabled=false$/d' ` + file
}

// addAutostart plans that an installed program starts at a login: a copy of its menu entry.
func addAutostart(name string, f *diagnose.Facts) Outcome {
	all, known := entries(f, name)
	switch {
	case !known:
		return Outcome{}
	case len(all) == 0 || rank(all[0], name) == 0:
		return notInstalled(name, f)
	}
	own := quote(ownAutostart + all[0].ID())
	about := i18n.DeskAutostartOn(name)
	if len(all[0].Names) > 0 {
		about = i18n.DeskAutostartOn(all[0].Names[0])
	}
	return Outcome{}.with(diagnose.Run(about, "mkdir -p "+ownAutostart+" && cp "+all[0].File+" "+own, "test -f "+own, "", "rm "+own))
}
