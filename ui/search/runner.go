package search

import (
	"github.com/godbus/dbus/v5"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// match is a row as KRunner reads it: (sssida{sv}) of org.kde.krunner1.xml.
type match struct {
	ID, Text, Icon string
	Category       int32 // KRunner::QueryMatch::CategoryRelevance
	Relevance      float64
	Properties     map[string]dbus.Variant
}

// The relevance of the category: High and Low of KRunner::QueryMatch::CategoryRelevance (src/querymatch.h). An answer is above
// the files with such a name, an offer to open the chat below the programs.
const (
	highCategory = 70
	lowCategory  = 30
)

// action is an action of a row: (sss). There are none.
type action struct{ ID, Text, Icon string }

// runner returns the methods of org.kde.krunner1.
func (s *service) runner() map[string]any {
	return map[string]any{
		"Actions": func() ([]action, *dbus.Error) { return []action{}, nil },
		"Config":  func() (map[string]dbus.Variant, *dbus.Error) { return map[string]dbus.Variant{}, nil },
		"Match":   func(msg dbus.Message, query string) ([]match, *dbus.Error) { return s.matches(msg, query), nil },
		"Run": func(id, _ string) *dbus.Error {
			if _, words, ok := parseID(id); ok {
				s.open(words)
			}
			return nil
		},
		"SetActivationToken": func(string) *dbus.Error { return nil }, // notice keeps it, before Run
		"Teardown": func() *dbus.Error {
			s.forget()
			return nil
		},
	}
}

func (s *service) matches(msg dbus.Message, query string) []match {
	matches := []match{}
	for i, r := range s.rows(msg, query) {
		category := int32(highCategory)
		if r.kind != ipc.QuickRead {
			category = lowCategory
		}
		matches = append(matches, match{
			ID: r.id, Text: r.text, Icon: Icon, Category: category, Relevance: 1 - float64(i)/10,
			Properties: map[string]dbus.Variant{
				"subtext":  dbus.MakeVariant(r.words),
				"category": dbus.MakeVariant(i18n.ChatTitle.In(s.o.Lang)),
				"actions":  dbus.MakeVariant([]string{}),
			},
		})
	}
	return matches
}
