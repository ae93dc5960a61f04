package report

import (
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	sayOpens       = i18n.T("%[1]s{이/가} 설치되어 있어요(`%[2]s`). 창은 로그인한 데스크톱에 열려요. 데스크톱 없이 접속했다면 열리지 않아요.", "%[1]s is installed (`%[2]s`). Its window opens on the desktop you are logged in to; without one nothing appears.", "%[1]s 已安装（`%[2]s`）。窗口会出现在你已登录的桌面上；没有桌面时不会显示。")
	askOpen        = i18n.T("%[1]s{을/를} 열까요? (`%[2]s`)", "Shall I open %[1]s? (`%[2]s`)", "要打开 %[1]s 吗？（`%[2]s`）")
	sayNotHere     = i18n.T("%[1]s{이/가} 설치되어 있지 않아서 열 수 없어요.", "%[1]s is not installed, so it cannot be opened.", "%[1]s 没有安装，无法打开。")
	sayOpenByHand  = i18n.T("%[1]s{을/를} 여는 방법을 확인하지 못해서 열지 않았어요. 데스크톱의 앱 메뉴에서 여세요.", "I could not find out how %[1]s is started, so I did not open it. Open it from your desktop's menu.", "没能确认如何启动 %[1]s，因此没有打开。请从桌面的应用菜单中打开。")
	sayOpenNoEntry = i18n.T("%[1]s{은/는} 설치되어 있지만 앱 메뉴에 없는 프로그램이에요. 터미널에서 실행하세요.", "%[1]s is installed, but has no entry in the desktop's menu. Start it in a terminal.", "%[1]s 已安装，但不在桌面的应用菜单中。请在终端中运行。")
)

type openForms struct{ entry, exec, field *regexp.Regexp }

var openRegexps = sync.OnceValue(func() openForms {
	return openForms{
		entry: regexp.MustCompile(`^/usr/share/applications/[A-Za-z0-9][A-Za-z0-9._+-]*\.desktop$`),
		exec:  regexp.MustCompile(`^[A-Za-z0-9/][A-Za-z0-9._/+-]*(?: [A-Za-z0-9._/+=:,@-]+)*$`),
		field: regexp.MustCompile(` ?%[a-zA-Z]`),
	}
})

// open looks up how to start a desktop program, and offers to start it as a unit of the user's service manager,
// so that it outlives this request.
func (q *inquiry) open() Reply {
	if !q.collect(q.first) {
		return Reply{}
	}
	if q.Request == nil || q.Request.ProgramToOpen() == nil {
		return q.toolReply(q.first)
	}
	name := q.Request.ProgramToOpen().Package
	s := q.output(q.first, "")
	switch {
	case s == nil || s.TimedOut:
		return Reply{Text: q.say(sayOpenByHand, name)}
	case s.Exit == 1 && strings.Contains(s.Stderr, "was not found"):
		f := finding{verdict: q.say(sayNotHere, name)}
		f.propose(intent.Call("install_package", "name", name), q.say(askInstallIt, name))
		return f.reply()
	case s.Exit != 0:
		return Reply{Text: q.say(sayOpenByHand, name)}
	}
	entry := desktopEntry(s.Stdout, name)
	if entry == "" {
		return Reply{Text: q.say(map[bool]i18n.Text{true: sayOpenByHand, false: sayOpenNoEntry}[s.Cut || !strings.Contains(s.Stdout, "/usr/")], name)}
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
	line = strings.TrimSpace(openRegexps().field.ReplaceAllString(line, ""))
	if !openRegexps().exec.MatchString(line) {
		return Reply{Text: q.say(sayOpenByHand, name)}
	}
	text := "systemd-run --user --collect -- " + line
	f := finding{verdict: q.say(sayOpens, name, entry)}
	f.propose(command(text), q.say(askOpen, name, text))
	return f.reply()
}

// desktopEntry returns the menu entry among a package's files whose name is most similar, "" for none.
func desktopEntry(files, name string) string {
	best, rank := "", 0
	head, _, _ := strings.Cut(name, "-")
	for _, file := range outputLines(files) {
		if !openRegexps().entry.MatchString(file) {
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
