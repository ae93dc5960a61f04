package plan

import (
	"path"
	"strings"
)

// sum is the look at a file's text: sha256sum(1), whose output is the digest and the path, and begins with a backslash
// if the path is quoted.
func (v Verb) sum() []string { return append([]string{"sha256sum", "--"}, v.Targets...) }

// judgeFile judges whether a file has its text, or is gone.
func (v Verb) judgeFile(after []Look) []Proof {
	p := Proof{Subject: list(v.Targets), Outcome: Unproved, Code: NoLook, Check: "sha256sum " + list(v.Targets)}
	if len(after) == 0 || !after[0].Ran {
		return []Proof{p}
	}
	sum, _, found := strings.Cut(strings.TrimPrefix(after[0].Stdout, `\`), " ")
	missing := after[0].Exit != 0 && strings.Contains(after[0].Stderr, "No such file or directory")
	switch {
	case v.Action == Delete && missing:
		p.Outcome, p.Code = Done, Deleted
	case v.Action == Delete && found:
		p.Outcome, p.Code = Failed, NotDeleted
	case v.Action == Write && missing:
		p.Outcome, p.Code = Failed, NotWritten
	case v.Action == Write && found && sum == v.Digest:
		p.Outcome, p.Code, p.State = Done, Written, "sha256 "+sum[:12]
	case v.Action == Write && found:
		p.Outcome, p.Code = Failed, NotWritten
	}
	return []Proof{p}
}

// JudgeOwn judges a step's own check: it must end well and print what is expected.
func JudgeOwn(command, expect string, shown Look) Proof {
	p := Proof{Action: Run, Subject: command, Outcome: Unproved, Code: NoLook}
	if !shown.Ran {
		return p
	}
	p.State = firstLine(shown.Stdout + shown.Stderr)
	p.Outcome, p.Code = Failed, Denied
	if shown.Exit == 0 && strings.Contains(shown.Stdout, expect) {
		p.Outcome, p.Code = Done, Confirmed
	}
	return p
}

// maxState bounds the shown state of a check, in runes.
const maxState = 120

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if r := []rune(line); len(r) > maxState {
		return string(r[:maxState]) + "…"
	}
	return line
}

// recognizeDelete returns the verb of rm's words (rm(1)) if they name exactly one absolute path.
func recognizeDelete(words []string) (Verb, bool) {
	var paths []string
	for i, word := range words {
		switch {
		case word == "--":
			paths = append(paths, words[i+1:]...)
			return Verb{Action: Delete, Targets: paths}, len(paths) == 1 && path.IsAbs(paths[0])
		case word == "-f" || word == "-v":
		case strings.HasPrefix(word, "-"):
			return Verb{}, false
		default:
			paths = append(paths, word)
		}
	}
	return Verb{Action: Delete, Targets: paths}, len(paths) == 1 && path.IsAbs(paths[0])
}
