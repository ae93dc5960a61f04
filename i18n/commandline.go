package i18n

import "strings"

// Spoken chooses the language of help and usage errors, before a command line is
// parsed: --lang, BLUNUX_AI_LANG, the locale. No configuration is read for that.
func Spoken(args []string, getenv func(string) string) Lang {
	return Choose(LangFlag(args), getenv("BLUNUX_AI_LANG"), getenv("LC_ALL"), getenv("LC_MESSAGES"), getenv("LANG"))
}

// LangFlag is what --lang says last on a command line; "" where nothing.
func LangFlag(args []string) string {
	said := ""
	for i, a := range args {
		if a == "--" {
			break
		}
		if v, ok := strings.CutPrefix(a, "--lang="); ok {
			said = v
		} else if a == "--lang" && i+1 < len(args) {
			said = args[i+1]
		}
	}
	return said
}
