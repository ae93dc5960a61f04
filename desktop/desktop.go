// Package desktop is what a person can tell the computer to do: its sound, screens, radios, session, programs, files and
// settings. A [Verb] has a function that looks at the machine and plans one wish. To add one, add a row and a function, its
// sentences (i18n/catalogue/desktop.toml), how people say it (providers/offline/intent/data/wishes.tsv), and a machine
// (desktop/testdata).
//
// The package runs nothing. It names the commands that are still needed, which only read, and returns a plan, which a person
// confirms, or why there is none.
package desktop

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Wish is an order, or a question about the state.
type Wish struct {
	// Verb is one of [Verbs], Act one of its acts.
	Verb, Act string
	// Object is what it is about, as it was typed: a network, a program, a file.
	Object string
	// Amount is how much or when: percent, minutes, a time such as 23:00.
	Amount string
}

// Outcome is what a wish leads to.
type Outcome struct {
	// Says is what is so now, or why there is no plan.
	Says []i18n.Text
	// Rows are names and values, unchanged: networks, files.
	Rows []string
	// Plan is what is to be done, nil if nothing is.
	Plan *diagnose.Repair
}

// Verb is a thing that people operate.
type Verb struct {
	ID   string
	Acts []string
	do   func(Wish, *diagnose.Facts) Outcome
}

// Verbs returns the verbs.
func Verbs() []Verb {
	return []Verb{
		{"volume", []string{"show", "set", "up", "down", "mute", "unmute"}, volume},
		{"microphone", []string{"show", "set", "up", "down", "mute", "unmute"}, volume},
		{"recording", []string{"camera", "microphone"}, recording},
		{"output", []string{"list", "use"}, output},
		{"media", []string{"show", "play", "pause", "next", "previous"}, media},
		{"brightness", []string{"show", "set", "up", "down"}, brightness},
		{"night", []string{"on", "off"}, night},
		{"screen", []string{"show", "resolution", "scale", "bigger", "smaller"}, screen},
		{"dark", []string{"on", "off"}, dark},
		{"blank", []string{"show", "now", "after", "never"}, blank},
		{"wifi", []string{"on", "off", "list", "connect", "disconnect", "forget", "password"}, wifi},
		{"bluetooth", []string{"on", "off", "list", "connect", "disconnect", "pair"}, bluetooth},
		{"airplane", []string{"on", "off"}, airplane},
		{"session", []string{"lock", "suspend", "hibernate", "logout", "reboot", "shutdown", "cancel"}, session},
		{"profile", []string{"show", "performance", "balanced", "power-saver"}, profile},
		{"open", []string{"program", "folder", "file", "url"}, open},
		{"close", []string{"program", "force"}, closeProgram},
		{"timezone", []string{"show", "time", "set"}, timezone},
		{"hostname", []string{"show", "set"}, hostname},
		{"default", []string{"browser", "mail", "video", "pdf", "image", "music"}, defaultProgram},
		{"layout", []string{"show", "set"}, layout},
		{"language", []string{"show", "set"}, language},
		{"touchpad", []string{"on", "off", "natural", "traditional"}, touchpad},
		{"autostart", []string{"list", "on", "off"}, autostart},
		{"dnd", []string{"on", "off"}, dnd},
		{"trash", []string{"show", "empty"}, trash},
		{"mount", []string{"usb"}, mount},
		{"cache", []string{"clean"}, packageCache},
		{"find", []string{"file"}, find},
		{"old", []string{"show"}, oldFiles},
		{"duplicates", []string{"show"}, duplicates},
		{"screenshot", []string{"take", "where"}, screenshot},
		{"print", []string{"file"}, printFile},
		{"clipboard", []string{"show", "copy"}, clipboard},
	}
}

// Lookup returns the verb with an id.
func Lookup(id string) (Verb, bool) {
	all := Verbs()
	i := slices.IndexFunc(all, func(v Verb) bool { return v.ID == id })
	if i < 0 {
		return Verb{}, false
	}
	return all[i], true
}

// maxObject bounds an object, in bytes.
const maxObject = 500

// IsValid reports whether a wish is one that a verb knows, with an object and an amount that plans can contain.
func (w Wish) IsValid() bool {
	v, known := Lookup(w.Verb)
	printable := strings.IndexFunc(w.Object, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
	return known && slices.Contains(v.Acts, w.Act) && printable && len(w.Object) <= maxObject &&
		len(w.Amount) <= 16 && strings.Trim(w.Amount, "0123456789:.") == ""
}

// number returns the amount, or another number without one.
func (w Wish) number(usual int) int {
	if n, err := strconv.Atoi(w.Amount); err == nil {
		return n
	}
	return usual
}

// lookTime bounds a look: a search through many files takes longer than others.
const lookTime = 20 * time.Second

// Plan runs the looks of a wish and returns its outcome. It ends early with ctx.
func Plan(ctx context.Context, w Wish, run func(ctx context.Context, command string) diagnose.Output) (out Outcome, err error) {
	v, _ := Lookup(w.Verb)
	f := diagnose.NewFacts(w.Object)
	err = f.Gather(ctx, lookTime, run, func() { out = v.do(w, f) })
	return out, err
}

// says returns an outcome without a plan.
func says(texts ...i18n.Text) Outcome { return Outcome{Says: texts} }

// and adds a sentence.
func (o Outcome) and(text i18n.Text) Outcome {
	o.Says = append(o.Says, text)
	return o
}

// with adds what is to be done.
func (o Outcome) with(steps ...diagnose.Step) Outcome {
	o.Plan = &diagnose.Repair{Goal: steps[0].About, Steps: steps}
	return o
}

// missing says that none of some programs is installed, and offers to install the first one's package.
func missing(programs ...string) Outcome {
	name := machine.PackageOf(programs[0])
	if name == "" {
		name = programs[0]
	}
	return says(i18n.DeskMissing("`" + strings.Join(programs, "`, `") + "`")).with(diagnose.Install(i18n.DeskInstall(name), name))
}

// typed returns a step of a verb that knows its check and what takes it back: agent/plan.
func typed(about i18n.Text, verb, name, target, value string) diagnose.Step {
	args := map[string]string{"name": name, "value": value}
	if target != "" {
		args["target"] = target
	}
	return diagnose.Step{Step: plan.Step{Verb: verb, Args: args}, About: about}
}

// command returns a step whose command plan.Recognize knows, with its check and what takes it back.
func command(about i18n.Text, words ...string) diagnose.Step {
	return diagnose.Run(about, join(words...), "", "", "")
}

// detached returns a step that starts a program as a unit of the person's service manager, so that it outlives the request.
// plan.Recognize knows its check. The unit lives as long as one of its processes: many launchers exit at once
// (systemd.service(5), ExitType).
func detached(about i18n.Text, words string) diagnose.Step {
	return diagnose.Run(about, "systemd-run --user --collect -p ExitType=cgroup -- "+words, "", "", "")
}

// join returns a command line of words.
func join(words ...string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = quote(w)
	}
	return strings.Join(out, " ")
}

// quote returns a word that a shell reads as it is. A home directory stays one.
func quote(word string) string {
	if below, isHome := strings.CutPrefix(word, "~/"); isHome {
		return "~/" + quote(below)
	}
	plain := func(r rune) bool {
		return r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) || strings.ContainsRune("@%+=:,./_-", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// runsProbe shows which desktops run (ps(1), -C).
var runsProbe = machine.DesktopProgramsProbe

// Desktops, by the program that runs.
const (
	plasma   = "plasmashell"
	gnome    = "gnome-shell"
	sway     = "sway"
	hyprland = "Hyprland"
	xfce     = "xfce4-session"
)

// desktopOf returns the desktop that runs, "" for another one.
func desktopOf(f *diagnose.Facts) string {
	running := strings.Fields(f.Stdout(runsProbe))
	for _, name := range []string{plasma, gnome, hyprland, sway, xfce} {
		if slices.Contains(running, name) {
			return name
		}
	}
	return ""
}
