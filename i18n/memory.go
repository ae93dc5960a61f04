package i18n

import "fmt"

// MemoryHelp says how to repair a file of notes, by reason code. It returns "" if there is no advice.
func MemoryHelp(lang Lang, reason, command string) string {
	if reason == "busy" {
		return MemoryAgain.In(lang)
	}
	if _, ok := MemoryHelps()[reason]; !ok {
		return command
	}
	return MemoryHelps.fill(lang, reason, command)
}

// SearchLimitText says why the search of notes is limited, and which file is concerned. An unknown
// code is returned unchanged.
func SearchLimitText(lang Lang, code, file string) string {
	said := MemoryTroubles.In(code, lang)
	if file != "" {
		said += " (" + file + ")"
	}
	return said
}

// NoteFileError says that a file of notes cannot be used, and why: by reason code, or else with the system's
// error.
func NoteFileError(lang Lang, write bool, file, reason string, said error) string {
	text := MemoryUnread
	if write {
		text = MemoryUnwritten
	}
	if why, ok := MemoryReasons()[reason]; ok {
		return text(file, why.In(lang)).In(lang)
	}
	return text(file, fmt.Sprint(said)).In(lang)
}
