package i18n

import (
	"slices"
	"strings"
)

// stepMarks are the marks of the states of a plan's steps.
var stepMarks = map[string]string{"running": "…", "done": "✓", "unproved": "○", "failed": "✗", "skipped": "-"}

// StepMark returns the mark of a step's state, "·" for one that has not started.
func StepMark(state string) string {
	if mark, ok := stepMarks[state]; ok {
		return mark
	}
	return "·"
}

// keptDir is the end of the directory of kept texts, shownDigest how many digits of a text's digest are shown.
const (
	keptDir     = "/receipts/files/"
	shownDigest = 12
)

// StepCommand returns the command of a step that has been carried out as lists show it: the path of a kept text is
// replaced by words, and the program that replaces files has only its name and the file. Questions show commands
// literally.
func StepCommand(command string, lang Lang) string {
	words := strings.Split(command, " ")
	was, end := slices.Index(words, "--was"), slices.Index(words, "--")
	if was > 1 && words[was-1] == "put" && end > was+1 {
		words = slices.Concat(words[:was-2], []string{"put"}, words[was+2:end], words[end+1:])
	}
	for i, w := range words {
		_, digest, kept := strings.Cut(w, keptDir)
		if kept && len(digest) >= shownDigest && strings.Trim(digest, "0123456789abcdef") == "" {
			words[i] = KeptText(digest[:shownDigest]).In(lang)
		}
	}
	return strings.Join(words, " ")
}
