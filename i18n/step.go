package i18n

// stepMarks are the marks of the states of a plan's steps.
var stepMarks = map[string]string{"running": "…", "done": "✓", "unproved": "○", "failed": "✗", "skipped": "-"}

// StepMark returns the mark of a step's state, "·" for one that has not started.
func StepMark(state string) string {
	if mark, ok := stepMarks[state]; ok {
		return mark
	}
	return "·"
}
