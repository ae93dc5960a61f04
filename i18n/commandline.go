package i18n

import "strings"

// CommandLineLang chooses the language of help and usage errors before the command line is parsed: --lang,
// BLUNUX_AI_LANG, the locale. It does not read the configuration.
func CommandLineLang(args []string, getenv func(string) string) Lang {
	return Choose(LangFlag(args), getenv("BLUNUX_AI_LANG"), getenv("LC_ALL"), getenv("LC_MESSAGES"), getenv("LANG"))
}

// LangFlag returns the last value of --lang on a command line, or "".
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
