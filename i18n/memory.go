package i18n

import "fmt"

// Reasons why a file of notes cannot be read or written, by code.
var (
	memoryReasons = map[string]Text{
		"link":        MemoryReasonsLink,
		"not-regular": MemoryReasonsNotRegular,
		"not-text":    MemoryReasonsNotText,
		"shape":       MemoryReasonsShape,
		"too-large":   MemoryReasonsTooLarge,
		"full":        MemoryReasonsFull,
		"read-only":   MemoryReasonsReadOnly,
		"no-space":    MemoryReasonsNoSpace,
		"permission":  MemoryReasonsPermission,
		"busy":        MemoryReasonsBusy,

		"read-only-disk": MemoryReasonsReadOnlyDisk,
	}
)

// memoryHelps say what the command for the repair does.
var memoryHelps = map[string]func(command string) Text{
	"link":        MemoryHelpsLink,
	"not-regular": MemoryHelpsNotRegular,
	"not-text":    MemoryHelpsNotText,
	"too-large":   MemoryHelpsTooLarge,
	"full":        MemoryHelpsFull,
	"shape":       MemoryHelpsShape,
	"read-only":   MemoryHelpsReadOnly,
	"no-space":    MemoryHelpsNoSpace,
	"permission":  MemoryHelpsPermission,

	"read-only-disk": MemoryHelpsReadOnlyDisk,
}

// MemoryHelp says how to repair a file of notes, by reason code. It returns "" if there is no advice.
func MemoryHelp(lang Lang, reason, command string) string {
	if reason == "busy" {
		return MemoryAgain.In(lang)
	}
	if help, ok := memoryHelps[reason]; ok {
		return help(command).In(lang)
	}
	return command
}

// memoryTroubles are reasons why the search of notes is limited, by code.
var memoryTroubles = map[string]Text{
	"index-damaged":   MemoryTroublesIndexDamaged,
	"index-in-memory": MemoryTroublesIndexInMemory,
	"index-busy":      MemoryTroublesIndexBusy,
	"index-behind":    MemoryTroublesIndexBehind,
	"no-index":        MemoryTroublesNoIndex,
	"file-unreadable": MemoryTroublesFileUnreadable,
	"file-cut":        MemoryTroublesFileCut,
	"no-vectors":      MemoryTroublesNoVectors,
	"vectors-late":    MemoryTroublesVectorsLate,
	"no-embedder":     MemoryTroublesNoEmbedder,
}

// SearchLimitText says why the search of notes is limited, and which file is concerned. An unknown
// code is returned unchanged.
func SearchLimitText(lang Lang, code, file string) string {
	said := code
	if text, ok := memoryTroubles[code]; ok {
		said = text.In(lang)
	}
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
	if why, ok := memoryReasons[reason]; ok {
		return text(file, why.In(lang)).In(lang)
	}
	return text(file, fmt.Sprint(said)).In(lang)
}
