package i18n

import "github.com/clipperhouse/displaywidth"

// Column returns the width of a column of names in terminal cells: that of the widest name in a language, but
// at least least.
func Column(lang Lang, least int, names ...Text) int {
	for _, name := range names {
		least = max(least, displaywidth.String(name.In(lang)))
	}
	return least
}

// OverviewNames are the row names of `blunux-ai doctor --brief`.
var OverviewNames = []Text{
	StatusProvider, OverviewNotes, OverviewService, OverviewSocket, StatusAutomations, StatusBridges, StatusTasks, StatusApprovals, StatusNotifications,
	StatusConfig, StatusLanguage, StatusFiles, StatusProblem,
}
