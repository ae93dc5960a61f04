package offline

import (
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
)

// josaMarkers turn the short markers of phrases into the pairs [i18n.Josa]
// resolves: after a consonant, after a vowel.
var josaMarkers = strings.NewReplacer(
	"{은}", "{은/는}", "{이}", "{이/가}", "{을}", "{을/를}", "{과}", "{과/와}", "{로}", "{으로/로}",
	"{이라}", "{이라/라}", "{이에요}", "{이에요/예요}",
)

// withJosa replaces markers such as "{을}" by the particle that the reading of
// the text before them wants: 커널을, docker를, 7로, 서울로.
func withJosa(s string) string {
	if !strings.Contains(s, "{") {
		return s
	}
	return i18n.Josa(josaMarkers.Replace(s))
}
