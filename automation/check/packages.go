package check

import (
	"path"
	"strings"
)

func pacnew(l *look) {
	out, ok := l.run("pacnew", "find", "/etc", "-xdev", "(", "-name", "*.pacnew", "-o", "-name", "*.pacsave", ")", "-printf", "%p\\n")
	if !ok {
		return
	}
	files := splitNames(out)
	switch {
	case out.Exit != 0 && out.failure() != ReasonRights:
		l.unknown("pacnew", out.failure(), "find")
		return
	case out.Exit != 0 || out.Truncated:
		l.unknown("pacnew:unread", ReasonPartial, "/etc")
	}
	l.figure(Figure{Key: "pacnew", Value: float64(len(files)), Unit: Number})
	if float64(len(files)) < l.over() {
		return
	}
	var names []string
	for _, f := range files {
		names = append(names, path.Base(f))
	}
	l.find(Finding{
		Key: "pacnew", Severity: Notice, Code: "pacnew", Fix: "sudo pacdiff",
		Args: Args{Count: int64(len(files)), Names: displayAll(names, 4)},
	})
}

func orphans(l *look) {
	out, ok := l.run("orphans", "pacman", "-Qdtq")
	if !ok {
		return
	}
	// Exit code 1 without output means that there are none.
	none := out.Exit == 1 && out.empty() && strings.TrimSpace(out.Stderr) == ""
	if out.Truncated || !none && (out.Exit != 0 || out.empty()) {
		l.unknown("orphans", outputProblem(out), "pacman")
		return
	}
	names := strings.Fields(out.Stdout)
	for _, n := range names {
		if !wordForm.MatchString(n) || strings.Contains(n, "/") {
			l.unknown("orphans", ReasonUnreadable, "pacman")
			return
		}
	}
	l.figure(Figure{Key: "orphans", Value: float64(len(names)), Unit: Number})
	switch n := float64(len(names)); {
	case n > l.over():
		l.find(Finding{
			Key: "orphans", Severity: Notice, Code: "orphans", Fix: "sudo pacman -Rns $(pacman -Qdtq)",
			Args: Args{Count: int64(len(names)), Names: displayAll(names, 4)},
		})
	case n > l.over()*0.9:
		l.near("orphans")
	}
}
