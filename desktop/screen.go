package desktop

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// minBrightness is the lowest brightness in percent, so that the screen stays readable.
const minBrightness = 5

// brightness sets that of the built-in screen, or of an external monitor by DDC.
func brightness(w Wish, f *diagnose.Facts) Outcome {
	if !f.Know(machine.BrightnessProbe, machine.BacklightsProbe) {
		return Outcome{}
	}
	if now, err := machine.ParseBrightness([]byte(f.Stdout(machine.BrightnessProbe))); err == nil {
		return w.dim(now, func(to int) diagnose.Step {
			return command(i18n.DeskBrightnessSet(to), "brightnessctl", "set", strconv.Itoa(to)+"%")
		})
	}
	if strings.Contains(f.Stdout(machine.BacklightsProbe), "/max_brightness:") {
		if f.Output(machine.BrightnessProbe).Missing != "" {
			return missing("brightnessctl")
		}
		return says(i18n.DeskBrightnessUnread(machine.BrightnessProbe.String()))
	}
	if !f.Know(machine.MonitorBrightnessProbe) {
		return Outcome{}
	}
	if now, err := machine.ParseMonitorBrightness([]byte(f.Stdout(machine.MonitorBrightnessProbe))); err == nil {
		return w.dim(now, func(to int) diagnose.Step {
			set := "ddcutil setvcp 10 "
			return diagnose.Run(i18n.DeskBrightnessSet(to), set+strconv.Itoa(to), machine.MonitorBrightnessProbe.String(), fmt.Sprintf("C %d ", to), set+strconv.Itoa(now))
		})
	}
	out := says(i18n.DeskBrightnessNone)
	if f.Output(machine.MonitorBrightnessProbe).Missing != "" {
		return out.with(diagnose.Install(i18n.DeskInstall("ddcutil"), "ddcutil"))
	}
	return out
}

func (w Wish) dim(now int, step func(to int) diagnose.Step) Outcome {
	out := says(i18n.DeskBrightnessIs(now))
	to, isLevel := w.level(now, minBrightness)
	switch {
	case !isLevel:
		return out
	case to == now:
		return out.and(i18n.DeskAlready)
	}
	return out.with(step(to))
}

// nightUnit is the unit in which gammastep runs, where the desktop has no night light.
const nightUnit = "night-light.service"

// night switches the night light: KWin's, GNOME's, or gammastep.
func night(w Wish, f *diagnose.Facts) Outcome {
	about := i18n.DeskNightOff
	if w.Act == "on" {
		about = i18n.DeskNightOn
	}
	if !f.Know(runsProbe) {
		return Outcome{}
	}
	on := strconv.FormatBool(w.Act == "on")
	switch desktopOf(f) {
	case plasma:
		return w.toggle(f, machine.NightColorProbe, "true", command(about, "kwriteconfig6", "--notify", "--file", "kwinrc", "--group", "NightColor", "--key", "Active", on))
	case gnome:
		return w.toggle(f, machine.NightLightProbe, "true", command(about, "gsettings", "set", "org.gnome.settings-daemon.plugins.color", "night-light-enabled", on))
	}
	program := machine.FileProbe("/usr/bin/gammastep")
	if !f.Know(machine.NightUnitProbe, program) {
		return Outcome{}
	}
	if f.Stdout(program) == "" {
		return missing("gammastep")
	}
	start, stop := "systemd-run --user --collect --unit="+nightUnit+" -- gammastep -P -O 4000", "systemctl --user stop "+nightUnit
	if w.Act == "on" {
		return w.toggle(f, machine.NightUnitProbe, "active", diagnose.Run(about, start, machine.NightUnitProbe.String(), "active", stop))
	}
	return w.toggle(f, machine.NightUnitProbe, "active", diagnose.Run(about, stop, machine.NightUnitProbe.String(), "inactive", start))
}

// toggle plans a switch that a look shows. It is on if the look prints on.
func (w Wish) toggle(f *diagnose.Facts, look machine.Probe, on string, step diagnose.Step) Outcome {
	if !f.Know(look) {
		return Outcome{}
	}
	if name := f.Output(look).Missing; name != "" {
		return missing(name)
	}
	isOn := strings.TrimSpace(f.Stdout(look)) == on
	out := says(i18n.DeskIsOff)
	if isOn {
		out = says(i18n.DeskIsOn)
	}
	if isOn == (w.Act == "on") {
		return out.and(i18n.DeskAlready)
	}
	return out.with(step)
}

// dark switches between dark and light colours: Plasma's, a theme of Xfce, or what programs ask other desktops for.
func dark(w Wish, f *diagnose.Facts) Outcome {
	if !f.Know(runsProbe) {
		return Outcome{}
	}
	about, want := i18n.DeskDarkOff, 0
	if w.Act == "on" {
		about, want = i18n.DeskDarkOn, 1
	}
	k := key{look: machine.DarkProbe, set: join(append([]string{"gsettings", "set"}, machine.DarkProbe[2:]...)...) + " ", want: []string{"prefer-light", "prefer-dark"}[want]}
	switch desktopOf(f) {
	case plasma:
		k = key{look: machine.ColorSchemeProbe, set: "plasma-apply-colorscheme ", want: []string{"BreezeLight", "BreezeDark"}[want], usual: "BreezeLight"}
	case xfce:
		k = key{look: machine.ThemeXfceProbe, set: machine.ThemeXfceProbe.String() + " -s ", want: []string{"Adwaita", "Adwaita-dark"}[want], usual: "Adwaita"}
	default:
		k.usual = "default"
	}
	if !f.Know(k.look) {
		return Outcome{}
	}
	if f.Output(k.look).Missing == "" && strings.Contains(strings.ToLower(k.now(f)), "dark") == (want == 1) {
		return says(i18n.DeskAlready)
	}
	return setKeys(f, about, "", k)
}

// screens returns the screens of the desktop that runs. ok is false while they are not known.
func screens(f *diagnose.Facts, running string) (all []machine.Screen, look machine.Probe, ok bool) {
	parse := machine.ParseXScreens
	switch running {
	case plasma:
		look, parse = machine.KScreenProbe, machine.ParseKScreens
	case sway:
		look, parse = machine.SwayScreensProbe, machine.ParseSwayScreens
	case hyprland:
		look, parse = machine.HyprlandScreensProbe, machine.ParseHyprlandScreens
	default:
		look = machine.XScreensProbe
	}
	if !f.Know(look) {
		return nil, look, false
	}
	all, _ = parse([]byte(f.Stdout(look))) // without an output there are none
	return all, look, true
}

// screen shows or sets the resolution and the scale.
func screen(w Wish, f *diagnose.Facts) Outcome {
	if !f.Know(runsProbe) {
		return Outcome{}
	}
	running := desktopOf(f)
	all, look, known := screens(f, running)
	switch {
	case !known:
		return Outcome{}
	case f.Output(look).Missing != "" && running != gnome:
		return missing(look[0])
	}
	out := Outcome{}
	for _, s := range all {
		out.Rows = append(out.Rows, fmt.Sprintf("%s: %d×%d, %s%%", s.Name, s.Width, s.Height, percentOf(s.Scale)))
	}
	switch {
	case running == gnome && w.Act != "show": // gdctl(1) needs the whole layout anew: its own page keeps it
		return says(i18n.DeskScreenGnome).with(detached(i18n.DeskScreenSettings, "gnome-control-center display"))
	case len(all) == 0:
		return says(i18n.DeskScreenUnread(look.String()))
	case w.Act == "show":
		return out
	case len(all) > 1 && !hasOne(all, w.Object):
		return out.and(i18n.DeskScreenWhich)
	}
	s := named(all, w.Object)
	switch w.Act {
	case "resolution":
		return w.resolve(out, s, running)
	case "bigger":
		w.Amount = strconv.FormatFloat(s.Scale+scaleStep, 'g', 4, 64)
	case "smaller":
		w.Amount = strconv.FormatFloat(s.Scale-scaleStep, 'g', 4, 64)
	}
	return w.scale(out, s, running)
}

func hasOne(all []machine.Screen, name string) bool {
	for _, s := range all {
		if strings.EqualFold(s.Name, name) {
			return true
		}
	}
	return false
}

func named(all []machine.Screen, name string) machine.Screen {
	for _, s := range all {
		if strings.EqualFold(s.Name, name) {
			return s
		}
	}
	return all[0]
}

func percentOf(scale float64) string { return strconv.Itoa(int(scale*100 + 0.5)) }

// scaleStep is how much bigger or smaller things become without a number.
const scaleStep = 0.25

// scale sets how large things are drawn: 1.5 or 150.
func (w Wish) scale(out Outcome, s machine.Screen, running string) Outcome {
	to, err := strconv.ParseFloat(w.Amount, 64)
	if to > 10 {
		to /= 100
	}
	if err != nil || to < 0.5 || to > 4 {
		return out.and(i18n.DeskScreenScaleBounds)
	}
	text := func(scale float64) string { return strconv.FormatFloat(scale, 'g', 4, 64) }
	about := i18n.DeskScreenScale(percentOf(to))
	switch {
	case percentOf(to) == percentOf(s.Scale):
		return out.and(i18n.DeskAlready)
	case running == plasma:
		set := "kscreen-doctor output." + s.Name + ".scale."
		return out.with(diagnose.Run(about, set+text(to), machine.KScreenProbe.String(), `"scale": `+text(to), set+text(s.Scale)))
	case running == sway:
		set := join("swaymsg", "output", s.Name, "scale") + " "
		return out.with(diagnose.Run(about, set+text(to), machine.SwayModesProbe.String(), fmt.Sprintf("Scale factor: %f", to), set+text(s.Scale)))
	case running == hyprland:
		set := func(scale float64) string {
			return join("hyprctl", "keyword", "monitor", s.Name+",preferred,auto,"+text(scale))
		}
		return out.with(diagnose.Run(about, set(to), machine.HyprlandScreensProbe.String(), fmt.Sprintf(`"scale": %.2f`, to), set(s.Scale)))
	case running == xfce:
		return says(i18n.DeskScreenXfce).with(detached(i18n.DeskScreenSettings, "xfce4-display-settings"))
	}
	return out.and(i18n.DeskScreenNoScale)
}

// resolve sets the resolution to one that the screen has.
func (w Wish) resolve(out Outcome, s machine.Screen, running string) Outcome {
	width, height, ok := cutAmount(w.Amount)
	mode, has := s.Mode(width, height)
	old, hadOld := s.Mode(s.Width, s.Height)
	about := i18n.DeskScreenResolution(fmt.Sprintf("%d×%d", width, height))
	switch {
	case !ok || !has:
		var sizes []string
		for _, m := range s.Modes {
			if text := fmt.Sprintf("%d×%d", m.Width, m.Height); len(sizes) == 0 || sizes[len(sizes)-1] != text {
				sizes = append(sizes, text)
			}
		}
		out.Rows = append(out.Rows, strings.Join(sizes[:min(len(sizes), 12)], ", "))
		return out.and(i18n.DeskScreenNoMode)
	case width == s.Width && height == s.Height:
		return out.and(i18n.DeskAlready)
	}
	set, look := func(m machine.ScreenMode) string { return join("xrandr", "--output", s.Name, "--mode", m.ID) }, machine.XScreensProbe
	expect := fmt.Sprintf("%dx%d+", width, height)
	switch running {
	case plasma:
		set = func(m machine.ScreenMode) string { return "kscreen-doctor output." + s.Name + ".mode." + m.ID }
		look, expect = machine.KScreenProbe, `"currentModeId": "`+mode.Number+`"`
	case sway:
		set = func(m machine.ScreenMode) string { return join("swaymsg", "output", s.Name, "mode", m.ID) }
		look, expect = machine.SwayModesProbe, fmt.Sprintf("Current mode: %dx%d @", width, height)
	case hyprland:
		set = func(m machine.ScreenMode) string {
			return join("hyprctl", "keyword", "monitor", s.Name+","+strings.TrimSuffix(m.ID, "Hz")+",auto,"+strconv.FormatFloat(s.Scale, 'g', 4, 64))
		}
		look, expect = machine.HyprlandScreensProbe, fmt.Sprintf(`"width": %d,`, width)
	}
	back := ""
	if hadOld {
		back = set(old)
	}
	return out.with(diagnose.Run(about, set(mode), look.String(), expect, back))
}

// cutAmount reads a resolution as the amount of a wish has it: WIDTH:HEIGHT.
func cutAmount(amount string) (width, height int, ok bool) {
	a, b, cut := strings.Cut(amount, ":")
	width, err := strconv.Atoi(a)
	height, bad := strconv.Atoi(b)
	return width, height, cut && err == nil && bad == nil
}
