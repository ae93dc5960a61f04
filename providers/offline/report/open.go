package report

import (
	"path"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	openEntry = pattern(`^/usr/share/applications/[A-Za-z0-9][A-Za-z0-9._+-]*\.desktop$`)
	openExec  = pattern(`^[A-Za-z0-9/][A-Za-z0-9._/+-]*(?: [A-Za-z0-9._/+=:,@-]+)*$`)
	openField = pattern(` ?%[a-zA-Z]`)
)

// open looks up how to start a desktop program, and offers to start it as a unit of the user's service manager,
// so that it outlives this request.
func (q *inquiry) open() Reply {
	if q.Request == nil || q.Request.ProgramToOpen() == nil {
		return q.toolReply(q.first)
	}
	name := q.Request.ProgramToOpen().Package
	s := q.output(q.first, "")
	switch {
	case s == nil || s.TimedOut:
		return Reply{Text: q.say(i18n.HelperOpenByHand(name))}
	case s.Exit == 1 && strings.Contains(s.Stderr, "was not found"):
		f := &finding{verdict: q.say(i18n.HelperOpenNotHere(name))}
		f.propose(intent.Call("install_package", "name", name), q.say(i18n.HelperPackagesAskInstallIt(name)))
		return f.reply()
	case s.Exit != 0:
		return Reply{Text: q.say(i18n.HelperOpenByHand(name))}
	}
	entry := desktopEntry(s.Stdout, name)
	if entry == "" {
		if s.Cut || !strings.Contains(s.Stdout, "/usr/") {
			return Reply{Text: q.say(i18n.HelperOpenByHand(name))}
		}
		return Reply{Text: q.say(i18n.HelperOpenNoEntry(name))}
	}
	return q.openEntry(name, entry)
}

// openEntry reads the command of a menu entry (Desktop Entry Specification, Exec).
func (q *inquiry) openEntry(name, entry string) Reply {
	exec := command("grep -m1 ^Exec= " + entry)
	if !q.collect(exec) {
		return Reply{}
	}
	_, line, _ := strings.Cut(strings.TrimSpace(q.stdout(exec)), "Exec=")
	line = strings.TrimSpace(openField().ReplaceAllString(line, ""))
	if !openExec().MatchString(line) {
		return Reply{Text: q.say(i18n.HelperOpenByHand(name))}
	}
	text := "systemd-run --user --collect -- " + line
	f := &finding{verdict: q.say(i18n.HelperOpenOpens(name, entry))}
	f.propose(command(text), q.say(i18n.HelperOpenAskOpen(name, text)))
	return f.reply()
}

// desktopEntry returns the menu entry among a package's files whose name is most similar, "" for none.
func desktopEntry(files, name string) string {
	best, rank := "", 0
	head, _, _ := strings.Cut(name, "-")
	for _, file := range machine.Lines(files) {
		if !openEntry().MatchString(file) {
			continue
		}
		base := strings.ToLower(strings.TrimSuffix(path.Base(file), ".desktop"))
		n := 1
		switch {
		case base == name:
			n = 4
		case base == head || strings.HasSuffix(base, "."+head):
			n = 3
		case strings.Contains(base, head) && !strings.Contains(base, "handler"):
			n = 2
		}
		if n > rank {
			best, rank = file, n
		}
	}
	return best
}
