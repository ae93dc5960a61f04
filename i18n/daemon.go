package i18n

import "strings"

// Warning translates a warning of an approval ("CODE" or "CODE: DETAIL"). The detail is kept. An unknown code
// is returned unchanged.
func Warning(warning string, lang Lang) string {
	code, detail, detailed := strings.Cut(warning, ": ")
	if _, ok := WarningsOf()[code]; ok && detailed {
		return WarningsOf.fill(lang, code, detail)
	}
	words := Warnings.In(code, lang)
	if !detailed {
		return words
	}
	if code == "automation-goes" || code == "automation-comes" {
		detail = ruleWords(detail, lang)
	}
	return words + ": " + detail
}

// ruleParts are the labels of the parts of a rule that a tool writes on one line.
var ruleParts = []struct {
	begins string
	words  Text
}{
	{"on", RulePartsOn},
	{"paused", RulePartsPaused},
	{"silent until ", RulePartsSilentUntil},
	{"check ", RulePartsCheck},
	{"do ", RulePartsDo},
	{"tell ", RulePartsTell},
}

// ruleWords translates the labels of a rule on one line. The separator of the parts never occurs inside a part.
func ruleWords(line string, lang Lang) string {
	parts := strings.Split(line, " · ")
	for i, part := range parts[1:] {
		for _, p := range ruleParts {
			if rest, ok := strings.CutPrefix(part, p.begins); ok {
				parts[i+1] = p.words.In(lang) + rest
				break
			}
		}
	}
	return strings.Join(parts, " · ")
}
