package diagnose

import (
	"strings"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// vconsole returns a setting of vconsole.conf(5) with the line that has it, "" if it is not set.
func (f *Facts) vconsole(key string) (value, line string) {
	lines, _ := f.shown(machine.VconsoleProbe)
	for _, line := range lines {
		_, _, text := numbered(line)
		if value, ok := strings.CutPrefix(text, key+"="); ok {
			return plain(strings.Trim(value, `"`)), line
		}
	}
	return "", ""
}

// isNoFile reports whether a look with find(1) finds no file.
func (f *Facts) isNoFile(look machine.Probe) bool {
	out, known := f.output(look)
	return known && out.Exit == 0 && !out.Cut && strings.TrimSpace(out.Stdout) == ""
}

// consoleKeymap finds a keyboard of the console that does not exist: localectl(1), list-keymaps.
func consoleKeymap(f *Facts) *Finding {
	name, line := f.vconsole("KEYMAP")
	look := machine.KeymapProbe(name)
	if name == "" || strings.HasPrefix(name, "/") || !f.isNoFile(look) {
		return nil
	}
	goal := i18n.ConsoleKeymapGoal
	return proved(i18n.ConsoleKeymap(name), seeLine(machine.VconsoleProbe, line), see(look, i18n.DesktopNone)).
		offer(goal, editConsole(goal, line, "KEYMAP=us")).advise(i18n.ConsoleKeymapAdvice)
}

// consoleFont finds a font of the console that is not installed.
func consoleFont(f *Facts) *Finding {
	name, line := f.vconsole("FONT")
	look := machine.ConsoleFontProbe(name)
	if name == "" || strings.HasPrefix(name, "/") || !f.isNoFile(look) {
		return nil
	}
	found := proved(i18n.ConsoleFont(name), seeLine(machine.VconsoleProbe, line), see(look, i18n.DesktopNone))
	if strings.HasPrefix(name, "ter-") {
		goal := i18n.MountHelperGoal("terminus-font")
		return found.offer(goal, install(goal, "terminus-font"))
	}
	goal := i18n.ConsoleFontGoal(name)
	_, _, text := numbered(line)
	return found.offer(goal, editConsole(goal, line, "#"+text))
}

// editConsole returns the step that replaces a line of vconsole.conf.
func editConsole(about i18n.Text, line, with string) Step {
	file, _, text := numbered(line)
	return Step{
		Step:  plan.Step{Verb: "edit_file", Args: map[string]string{"path": file, "old": text, "new": with}},
		About: about,
	}
}
