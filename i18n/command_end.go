package i18n

// CommandResult is the result of a command.
type CommandResult struct {
	Code    string // "timeout", "missing", "unknown" or "cancelled"; "" if it exited
	Exit    int    // its exit status
	Program string // name of a missing program
	Limit   int    // timeout in seconds; 0 if unknown
}

// CommandEnd describes the result of a command.
func CommandEnd(lang Lang, e CommandResult) string {
	switch {
	case e.Code == "timeout" && e.Limit > 0:
		return EndedAfter(e.Limit).In(lang)
	case e.Code == "timeout":
		return EndedTimeout.In(lang)
	case e.Code == "missing" && e.Program != "":
		return EndedMissing(e.Program).In(lang)
	case e.Code == "missing":
		return Refusal(e.Code, lang)
	case e.Code == "cancelled":
		return EndedCancelled.In(lang)
	case e.Code == "unknown", e.Exit < 0:
		return EndedUnknown.In(lang)
	}
	return EndedExit(e.Exit).In(lang)
}
