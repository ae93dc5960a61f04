package i18n

import (
	"maps"
	"sync"
)

// Page is text for the help and man page of a command, in addition to the command's own fields. Empty fields
// change nothing.
type Page struct {
	Short Text
	// Long is Markdown paragraphs, separated by empty lines. Indented lines are not joined.
	Long Text
	// Example is command lines, with comment lines (#) before them.
	Example Text
	// Flags describes the command's flags, by name.
	Flags map[string]Text
}

// pageSources lists the pages of every command, grouped by program.
var pageSources = []func() map[string]Page{
	aiItself, aiDaemon, aiCheck, aiPaths, aiMcp, aiMemory, aiSign, aictlItself,
	aictlAsk, aictlApprove, aictlAutomations, aictlSessions, aictlLog, aictlStatus, aictlModels,
	aictlUsage, aictlPairing, aictlCall, aiSetup, aiConfig, aiConfigCarry, aiDoctor, aiStatus,
	aiLogs, aiChat,
	telegramItself, telegramLogin, telegramLogout, telegramStatus,
	whatsAppItself, whatsAppLogin, whatsAppLogout, whatsAppStatus,
}

// pages builds the pages on first use, because most runs of a client do not need them.
var pages = sync.OnceValue(func() map[string]Page {
	all := map[string]Page{}
	for _, some := range pageSources {
		maps.Copy(all, some())
	}
	return all
})

// PageOf returns the page of a command, by its full path ("blunux-aictl ask").
func PageOf(path string) Page { return pages()[path] }

// ValueNames are the placeholders of flag values in help, by type.
var ValueNames = map[string]Text{
	"string":      ValueNamesString,
	"int":         ValueNamesInt,
	"float":       ValueNamesFloat,
	"duration":    ValueNamesDuration,
	"strings":     ValueNamesStrings,
	"stringArray": ValueNamesStringarray,
}

// ValueForms describe the format of flag values, by type.
var ValueForms = map[string]Text{
	"string":      ValueFormsString,
	"int":         ValueFormsInt,
	"float64":     ValueFormsFloat64,
	"duration":    ValueFormsDuration,
	"stringSlice": ValueFormsStringslice,
	"stringArray": ValueFormsStringarray,
	"bool":        ValueFormsBool,
}
