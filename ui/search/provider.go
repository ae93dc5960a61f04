package search

import (
	"strings"

	"github.com/godbus/dbus/v5"
)

// provider returns the methods of org.gnome.Shell.SearchProvider2.
func (s *service) provider() map[string]any {
	return map[string]any{
		"GetInitialResultSet": func(msg dbus.Message, terms []string) ([]string, *dbus.Error) {
			return s.results(msg, terms), nil
		},
		"GetSubsearchResultSet": func(msg dbus.Message, _, terms []string) ([]string, *dbus.Error) {
			return s.results(msg, terms), nil
		},
		"GetResultMetas": func(msg dbus.Message, ids []string) ([]map[string]dbus.Variant, *dbus.Error) {
			return s.metas(msg, ids), nil
		},
		"ActivateResult": func(id string, _ []string, _ uint32) *dbus.Error {
			if _, words, ok := parseID(id); ok {
				s.open(words)
			}
			return nil
		},
		"LaunchSearch": func(terms []string, _ uint32) *dbus.Error {
			s.open(strings.Join(terms, " "))
			return nil
		},
	}
}

func (s *service) results(msg dbus.Message, terms []string) []string {
	ids := []string{}
	for _, r := range s.rows(msg, strings.Join(terms, " ")) {
		ids = append(ids, r.id)
	}
	return ids
}

// metas describes rows. GNOME Shell asks for those of its latest query; others are answered again.
func (s *service) metas(msg dbus.Message, ids []string) []map[string]dbus.Variant {
	metas := []map[string]dbus.Variant{}
	for _, id := range ids[:min(len(ids), maxRows)] {
		number, words, ok := parseID(id)
		if !ok {
			continue
		}
		rows := s.rows(msg, words)
		if number >= len(rows) {
			continue
		}
		metas = append(metas, map[string]dbus.Variant{
			"id": dbus.MakeVariant(id), "name": dbus.MakeVariant(rows[number].text),
			"description": dbus.MakeVariant(words), "gicon": dbus.MakeVariant(Icon),
		})
	}
	return metas
}
