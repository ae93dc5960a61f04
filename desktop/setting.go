package desktop

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

const zoneDir = "/usr/share/zoneinfo/"

// timezone shows or sets the time zone: tzfile(5). The object is Area/City, or a city of one.
func timezone(w Wish, f *diagnose.Facts) Outcome {
	if w.Act == "time" && strings.Contains(w.Object, "/") && quote(w.Object) == w.Object {
		return timeIn(w.Object, f)
	}
	if !f.Know(machine.TimeZoneProbe) {
		return Outcome{}
	}
	now, err := machine.ParseTimeZone([]byte(f.Stdout(machine.TimeZoneProbe)))
	if err != nil {
		return says(i18n.DeskTimezoneUnread)
	}
	out := says(i18n.DeskTimezoneIs(now))
	if w.Act == "show" {
		return out
	}
	word := strings.ReplaceAll(w.Object, " ", "_")
	if word == "" || quote(word) != word || strings.Contains(word, "..") {
		return out.and(i18n.DeskTimezoneNoSuch(w.Object))
	}
	look := machine.FileProbe(zoneDir + word)
	if !strings.Contains(word, "/") {
		look = machine.Probe{"find", strings.TrimSuffix(zoneDir, "/"), "-maxdepth", "3", "-iname", word, "-not", "-path", "'*/right/*'", "-not", "-path", "'*/posix/*'"}
	}
	if !f.Know(look) {
		return Outcome{}
	}
	found := machine.Lines(f.Stdout(look))
	if len(found) == 0 {
		return out.and(i18n.DeskTimezoneNoSuch(w.Object))
	}
	zone := word
	if !strings.Contains(word, "/") {
		zone = strings.TrimPrefix(found[0], zoneDir)
	}
	if w.Act == "time" {
		return timeIn(zone, f)
	}
	if zone == now {
		return out.and(i18n.DeskAlready)
	}
	return out.with(typed(i18n.DeskTimezoneSet(zone), "setting", "timezone", "", zone))
}

// timeIn reports what time it is in a zone: date(1), tzset(3), which takes an unknown one for UTC.
func timeIn(zone string, f *diagnose.Facts) Outcome {
	file := machine.FileProbe(zoneDir + zone)
	if !f.Know(file) {
		return Outcome{}
	}
	if f.Stdout(file) == "" {
		return says(i18n.DeskTimezoneNoSuch(zone))
	}
	clock := machine.Probe{"TZ=" + zone, "date", "+%FT%R"}
	if !f.Know(clock) {
		return Outcome{}
	}
	city := strings.ReplaceAll(zone[strings.LastIndex(zone, "/")+1:], "_", " ")
	return says(i18n.DeskTimezoneTime(city, strings.Replace(strings.TrimSpace(f.Stdout(clock)), "T", " ", 1)))
}

// hostname shows or sets the name of the computer: hostname(5).
func hostname(w Wish, f *diagnose.Facts) Outcome {
	if !f.Know(machine.HostnameProbe) {
		return Outcome{}
	}
	now, err := machine.ParseHostname([]byte(f.Stdout(machine.HostnameProbe)))
	if err != nil {
		return says(i18n.DeskHostnameUnread)
	}
	out := says(i18n.DeskHostnameIs(now))
	if w.Act == "show" {
		return out
	}
	name := strings.ReplaceAll(w.Object, " ", "-")
	switch {
	case name == now:
		return out.and(i18n.DeskAlready)
	case name == "" || len(name) > 63 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.") != "" || strings.Trim(name, "-.") != name:
		return out.and(i18n.DeskHostnameForm(w.Object))
	}
	return out.with(typed(i18n.DeskHostnameSet(name), "setting", "hostname", "", name))
}

// mediaTypes are the types of files of which a program becomes the default: shared-mime-info.
var mediaTypes = map[string]string{"mail": "x-scheme-handler/mailto", "video": "video/mp4", "pdf": "application/pdf", "image": "image/png", "music": "audio/mpeg"}

// defaultProgram shows or chooses the program that opens something.
func defaultProgram(w Wish, f *diagnose.Facts) Outcome {
	look := machine.DefaultBrowserProbe
	if w.Act != "browser" {
		look = machine.DefaultApplicationProbe(mediaTypes[w.Act])
	}
	if !f.Know(look) {
		return Outcome{}
	}
	if name := f.Output(look).Missing; name != "" {
		return missing("xdg-settings")
	}
	now, _ := machine.ParseDesktopEntry([]byte(f.Stdout(look))) // none is chosen otherwise
	out := says(i18n.DeskDefaultNone)
	if now != "" {
		out = says(i18n.DeskDefaultIs(strings.TrimSuffix(now, ".desktop")))
	}
	if w.Object == "" {
		return out
	}
	all, known := entries(f, w.Object)
	switch {
	case !known:
		return Outcome{}
	case len(all) == 0 || rank(all[0], w.Object) == 0:
		return notInstalled(w.Object, f)
	case all[0].ID() == now:
		return out.and(i18n.DeskAlready)
	}
	id := all[0].ID()
	about := i18n.DeskDefaultSet(strings.TrimSuffix(id, ".desktop"))
	if w.Act == "browser" {
		return out.with(typed(about, "setting", "browser", "", id))
	}
	return out.with(typed(about, "setting", "default-app", mediaTypes[w.Act], id))
}

// layout shows or sets the keyboard layout, by its short name: xkeyboard-config(7).
func layout(w Wish, f *diagnose.Facts) Outcome {
	if !f.Know(runsProbe) {
		return Outcome{}
	}
	running := desktopOf(f)
	look := map[string]machine.Probe{
		plasma: machine.PlasmaLayoutProbe, gnome: machine.InputSourcesProbe, sway: machine.SwayInputsProbe, hyprland: machine.HyprlandLayoutProbe, xfce: machine.XKeyboardProbe,
	}[running]
	if look == nil {
		look = machine.LocaleProbe
	}
	if !f.Know(look) {
		return Outcome{}
	}
	if name := f.Output(look).Missing; name != "" {
		return missing(name)
	}
	text := f.Stdout(look)
	now := machine.KeyboardLayout(text)
	switch running {
	case plasma:
		now = strings.TrimSpace(text)
	case "":
		fields, _ := machine.ParseFields([]byte(text))
		now = fields["X11 Layout"]
	}
	out := Outcome{}
	if now != "" && quote(now) == now {
		out = says(i18n.DeskLayoutIs(now))
	} else {
		now = ""
	}
	to := w.Object
	switch {
	case w.Act == "show" && now == "":
		return says(i18n.DeskLayoutUnread)
	case w.Act == "show":
		return out
	case to == "" || len(to) > 40 || strings.Trim(to, "abcdefghijklmnopqrstuvwxyz,") != "":
		return out.and(i18n.DeskLayoutForm)
	case to == now:
		return out.and(i18n.DeskAlready)
	}
	return out.with(layoutSteps(running, to, now)...)
}

func layoutSteps(running, to, now string) []diagnose.Step {
	about := i18n.DeskLayoutSet(to)
	back := func(words string) string {
		if now == "" {
			return ""
		}
		return words + now
	}
	switch running {
	case plasma:
		set := "kwriteconfig6 --notify --file kxkbrc --group Layout --key LayoutList "
		return []diagnose.Step{
			diagnose.Run(i18n.DeskLayoutUse, "kwriteconfig6 --notify --file kxkbrc --group Layout --key Use true", "kreadconfig6 --file kxkbrc --group Layout --key Use", "true", ""),
			diagnose.Run(about, set+to, machine.PlasmaLayoutProbe.String(), to, back(set)),
			diagnose.Run(i18n.DeskLayoutReload, "dbus-send --session --type=signal /Layouts org.kde.keyboard.reloadConfig", "", "", ""),
		}
	case gnome:
		sources := func(layouts string) string {
			var words []string
			for name := range strings.SplitSeq(layouts, ",") {
				words = append(words, "('xkb', '"+name+"')")
			}
			return join("gsettings", "set", "org.gnome.desktop.input-sources", "sources", "["+strings.Join(words, ", ")+"]")
		}
		undo := ""
		if now != "" {
			undo = sources(now)
		}
		return []diagnose.Step{diagnose.Run(about, sources(to), machine.InputSourcesProbe.String(), "'"+strings.Split(to, ",")[0]+"'", undo)}
	case sway:
		set := "swaymsg input type:keyboard xkb_layout "
		return []diagnose.Step{diagnose.Run(about, set+to, machine.SwayInputsProbe.String(), "xkb_active_layout_name", back(set))}
	case hyprland:
		set := "hyprctl keyword input:kb_layout "
		return []diagnose.Step{diagnose.Run(about, set+to, machine.HyprlandLayoutProbe.String(), "str: "+to, back(set))}
	case xfce:
		set := "setxkbmap "
		return []diagnose.Step{diagnose.Run(about, set+to, machine.XKeyboardProbe.String(), to, back(set))}
	}
	set := "localectl set-x11-keymap "
	return []diagnose.Step{diagnose.Run(about, set+to, machine.LocaleProbe.String(), "X11 Layout: "+to, back(set))}
}

// quietForever is the time until which Plasma is quiet without an end, as KConfig writes it.
const quietForever = "2099,12,31,0,0,0"

// dnd switches do not disturb: the desktop's own, or that of the notification program that runs.
func dnd(w Wish, f *diagnose.Facts) Outcome {
	if !f.Know(runsProbe, machine.NotifiersProbe) {
		return Outcome{}
	}
	about, on := i18n.DeskQuietOff, w.Act == "on"
	if on {
		about = i18n.DeskQuietOn
	}
	choose := func(yes, no string) string {
		if on {
			return yes
		}
		return no
	}
	switch desktopOf(f) {
	case plasma:
		set := "kwriteconfig6 --notify --file plasmanotifyrc --group DoNotDisturb --key Until "
		look := machine.QuietUntilProbe
		if on {
			return w.quiet(f, look, diagnose.Run(about, set+quietForever, look.String(), quietForever, set+"--delete"))
		}
		return w.quiet(f, look, diagnose.Run(about, set+"--delete", look.String()+" --default off", "off", set+quietForever))
	case gnome:
		if !f.Know(machine.BannersProbe) {
			return Outcome{}
		}
		if strings.TrimSpace(f.Stdout(machine.BannersProbe)) == choose("false", "true") {
			return says(i18n.DeskAlready)
		}
		return Outcome{}.with(command(about, "gsettings", "set", "org.gnome.desktop.notifications", "show-banners", choose("false", "true")))
	case xfce:
		set := "xfconf-query -c xfce4-notifyd -p /do-not-disturb -n -t bool -s "
		return w.toggle(f, machine.QuietXfceProbe, "true", diagnose.Run(about, set+choose("true", "false"), machine.QuietXfceProbe.String(), choose("true", "false"), set+choose("false", "true")))
	}
	running := strings.Fields(f.Stdout(machine.NotifiersProbe))
	switch {
	case slices.Contains(running, "swaync"):
		return w.toggle(f, machine.QuietSwayncProbe, "true", diagnose.Run(about, "swaync-client "+choose("-dn", "-df"), machine.QuietSwayncProbe.String(), choose("true", "false"), "swaync-client "+choose("-df", "-dn")))
	case slices.Contains(running, "dunst"):
		return w.toggle(f, machine.QuietDunstProbe, "true", diagnose.Run(about, "dunstctl set-paused "+choose("true", "false"), machine.QuietDunstProbe.String(), choose("true", "false"), "dunstctl set-paused "+choose("false", "true")))
	case slices.Contains(running, "mako"):
		set := "makoctl mode " + choose("-a", "-r") + " do-not-disturb"
		check := choose("", "! ") + "makoctl mode | grep -x do-not-disturb"
		return Outcome{}.with(diagnose.Run(about, set, check, "", "makoctl mode "+choose("-r", "-a")+" do-not-disturb"))
	}
	return says(i18n.DeskQuietNobody)
}

// quiet plans Plasma's do not disturb, which is on while the look prints a time.
func (w Wish) quiet(f *diagnose.Facts, look machine.Probe, step diagnose.Step) Outcome {
	if !f.Know(look) {
		return Outcome{}
	}
	if name := f.Output(look).Missing; name != "" {
		return missing(name)
	}
	if isOn := strings.TrimSpace(f.Stdout(look)) != ""; isOn == (w.Act == "on") {
		return says(i18n.DeskAlready)
	}
	return Outcome{}.with(step)
}

// language shows or sets the language of the system: locale.conf(5), locale.gen(5). The object is a locale.
func language(w Wish, f *diagnose.Facts) Outcome {
	to := w.Object
	if w.Act == "show" || to == "" || len(to) > 20 || strings.Trim(to, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-.0123456789") != "" {
		to = "C.UTF-8"
	}
	now, steps, known := f.Language(to)
	if !known {
		return Outcome{}
	}
	out := says(i18n.DeskLanguageNone)
	if now != "" {
		out = says(i18n.DeskLanguageIs(now))
	}
	switch {
	case w.Act == "show":
		return out
	case to != w.Object, len(steps) == 0:
		return out.and(i18n.DeskLanguageForm)
	case to == now:
		return out.and(i18n.DeskAlready)
	}
	return out.and(i18n.DeskLanguageDesktop).with(steps...)
}
