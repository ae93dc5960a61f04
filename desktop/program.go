package desktop

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/machine"
)

// searchable returns a name without what an expression or a shell would interpret.
func searchable(name string) string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' || r == ' ' {
			return r
		}
		return '.'
	}, strings.TrimSpace(name))
	if strings.Trim(clean, ". -_") == "" {
		return ""
	}
	return clean
}

// maxEntries bounds how many menu entries are read.
const maxEntries = 12

// entries returns the menu entries for a name, the best one first. known is false while they are looked up.
func entries(f *diagnose.Facts, name string) (all []machine.Entry, known bool) {
	word := searchable(name)
	if word == "" {
		return nil, true
	}
	look := machine.EntriesProbe(word)
	if !f.Know(look) {
		return nil, false
	}
	files := slices.DeleteFunc(machine.Lines(f.Output(look).Stdout), func(file string) bool { return !entryFile(file) })
	if len(files) == 0 {
		return nil, true
	}
	sorting.Stably(files, func(a, b string) int { return fileRank(b, name) - fileRank(a, name) })
	look = machine.EntryProbe(files[:min(len(files), maxEntries)]...)
	if !f.Know(look) {
		return nil, false
	}
	all, _ = machine.ParseEntries([]byte(f.Output(look).Stdout)) // without entries there are none
	all = slices.DeleteFunc(all, func(e machine.Entry) bool { return e.Hidden || e.Exec == "" })
	sorting.Stably(all, func(a, b machine.Entry) int { return rank(b, name) - rank(a, name) })
	return all, true
}

// entryFile reports whether a file name is one that a command line can have without quotes.
func entryFile(file string) bool {
	return strings.HasSuffix(file, ".desktop") && strings.HasPrefix(file, "/") && quote(file) == file
}

func fileRank(file, name string) int {
	base := strings.ToLower(strings.TrimSuffix(path.Base(file), ".desktop"))
	name = strings.ToLower(name)
	switch {
	case base == name:
		return 4
	case strings.HasSuffix(base, "."+name):
		return 3
	case strings.Contains(base, name):
		return 1
	}
	return 0
}

// rank is how well an entry fits a name.
func rank(e machine.Entry, name string) int {
	n := fileRank(e.File, name)
	for _, have := range e.Names {
		switch low := strings.ToLower(have); {
		case low == strings.ToLower(name):
			n = max(n, 5)
		case strings.HasPrefix(low, strings.ToLower(name)):
			n = max(n, 2)
		}
	}
	if path.Base(strings.Fields(e.Exec)[0]) == strings.ToLower(name) {
		n = max(n, 3)
	}
	return n
}

// folderNames are the directories of user-dirs.dirs(5), with their usual names.
var folderNames = map[string][2]string{
	"downloads": {"DOWNLOAD", "~/Downloads"}, "documents": {"DOCUMENTS", "~/Documents"}, "pictures": {"PICTURES", "~/Pictures"},
	"videos": {"VIDEOS", "~/Videos"}, "music": {"MUSIC", "~/Music"}, "desktop": {"DESKTOP", "~/Desktop"},
}

// folder returns the path of a folder by its name, or the path that it is.
func folder(f *diagnose.Facts, name string) (dir string, known bool) {
	switch named, isNamed := folderNames[strings.ToLower(name)]; {
	case strings.HasPrefix(name, "/") || strings.HasPrefix(name, "~/"):
		return path.Clean(name), true
	case name == "home" || name == "~" || name == "":
		return "~", true
	case name == "trash":
		return "trash:///", true
	case !f.Know(machine.UserDirsProbe):
		return "", false
	case isNamed:
		return machine.UserDir(f.Stdout(machine.UserDirsProbe), named[0], named[1]), true
	}
	return path.Clean("~/" + name), true
}

// open opens a program, a folder, a file or an address on the desktop of the person.
func open(w Wish, f *diagnose.Facts) Outcome {
	switch w.Act {
	case "program":
		return openProgram(w.Object, f)
	case "folder":
		dir, known := folder(f, w.Object)
		if !known {
			return Outcome{}
		}
		word := quote(dir)
		if dir == "~" {
			word = dir
		}
		return Outcome{}.with(detached(i18n.DeskOpen(dir), "xdg-open "+word))
	case "url":
		address := w.Object
		if !strings.Contains(address, "://") {
			address = "https://" + address
		}
		if !strings.HasPrefix(address, "https://") && !strings.HasPrefix(address, "http://") {
			return says(i18n.DeskOpenNoAddress)
		}
		return Outcome{}.with(detached(i18n.DeskOpen(address), join("xdg-open", address)))
	}
	return w.withFile(f, func(file string) Outcome {
		return Outcome{}.with(detached(i18n.DeskOpen(file), join("xdg-open", file)))
	})
}

func openProgram(name string, f *diagnose.Facts) Outcome {
	all, known := entries(f, name)
	switch {
	case !known:
		return Outcome{}
	case len(all) == 0 || rank(all[0], name) == 0:
		return notInstalled(name, f)
	}
	exec := all[0].Exec
	if strings.ContainsAny(exec, "\"'`$\\;|&<>()") || all[0].Terminal {
		return says(i18n.DeskOpenByHand(name))
	}
	shown := name
	if len(all[0].Names) > 0 {
		shown = all[0].Names[0]
	}
	return Outcome{}.with(detached(i18n.DeskOpen(shown), exec))
}

// notInstalled offers to install a program that no menu entry has, if a package has its name.
func notInstalled(name string, f *diagnose.Facts) Outcome {
	low := strings.ToLower(name)
	if quote(low) != low || strings.ContainsAny(low, "/:=%,") || strings.HasPrefix(low, "-") {
		return says(i18n.DeskOpenNoSuch(name))
	}
	look := machine.Probe{"pacman", "-Si", "--", low}
	if !f.Know(look) {
		return Outcome{}
	}
	if f.Stdout(look) == "" {
		return says(i18n.DeskOpenNoSuch(name))
	}
	return says(i18n.DeskOpenNotHere(name)).with(diagnose.Install(i18n.DeskInstall(low), low))
}

// closeProgram ends the person's own processes of a program, politely, or firmly if that is asked for.
func closeProgram(w Wish, f *diagnose.Facts) Outcome {
	all, known := entries(f, w.Object)
	if !known {
		return Outcome{}
	}
	names := []string{}
	add := func(name string) {
		if n := path.Base(name); n != "" && quote(n) == n && !slices.Contains(names, n[:min(len(n), maxName)]) && !strings.ContainsAny(n, ",/=") {
			names = append(names, n[:min(len(n), maxName)])
		}
	}
	if low := strings.ToLower(w.Object); quote(low) == low {
		add(low)
	}
	for _, e := range all {
		if rank(e, w.Object) > 1 {
			add(strings.Fields(e.Exec)[0])
			add(strings.TrimSuffix(e.ID(), ".desktop"))
		}
	}
	names = slices.DeleteFunc(names, func(n string) bool { return slices.Contains(keepRunning, n) })
	if len(names) == 0 {
		return says(i18n.DeskCloseNotRunning(w.Object))
	}
	running := machine.Probe{"ps", "-C", strings.Join(names, ","), "-o", "user=,comm="}
	if !f.Know(running, machine.IDProbe) {
		return Outcome{}
	}
	me, err := machine.ParseID([]byte(f.Stdout(machine.IDProbe)))
	var name string
	for _, line := range machine.Lines(f.Output(running).Stdout) {
		user, comm, _ := strings.Cut(line, " ")
		if comm = strings.TrimSpace(comm); err == nil && user == me.User && quote(comm) == comm {
			name = comm
			break
		}
	}
	if name == "" {
		return says(i18n.DeskCloseNotRunning(w.Object))
	}
	gone := "! " + machine.Probe{"pgrep", "-x", "-U", me.User, name}.String()
	if w.Act == "force" {
		return says(i18n.DeskCloseLoses(name)).with(diagnose.Run(i18n.DeskCloseForce(name), "timeout 10 killall -w -KILL -u "+me.User+" "+name, gone, "", ""))
	}
	return says(i18n.DeskClosePolite(name)).with(diagnose.Run(i18n.DeskClose(name), "timeout 15 killall -w -u "+me.User+" "+name, gone, "", ""))
}

// maxName is the longest name of a process that the kernel keeps: proc_pid_comm(5).
const maxName = 15

// keepRunning are programs without which the session ends, and this program's own.
var keepRunning = []string{
	"systemd", "dbus-daemon", "dbus-broker", "plasmashell", "kwin_wayland", "kwin_x11", "gnome-shell", "sway", "Hyprland", "hyprland", "xfce4-session", "xfwm4", "Xorg",
	"Xwayland", "pipewire", "wireplumber", "sddm", "gdm", "bash", "zsh", "fish", "sh", "init", "blunux-ai", "sudo",
}
