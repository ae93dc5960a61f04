package i18n

import (
	"slices"
	"strings"
	"unicode"
)

// Parse reads a language tag or locale name ("ko", "ko_KR.UTF-8", "zh-Hant", "zh_TW", "en"). It returns false for
// "", "auto", "C" and unsupported languages.
func Parse(tag string) (Lang, bool) {
	tag, _, _ = strings.Cut(strings.ReplaceAll(strings.ToLower(tag), "-", "_"), ".")
	base, region, _ := strings.Cut(tag, "_")
	switch base {
	case "ko", "korean", "한국어":
		return Korean, true
	case "en", "english":
		return English, true
	case "zh", "chinese", "中文":
		if script, _, _ := strings.Cut(region, "_"); slices.Contains([]string{"hant", "tw", "hk", "mo"}, script) {
			return Traditional, true
		}
		return Chinese, true
	case "繁體中文":
		return Traditional, true
	}
	return "", false
}

// Base returns Chinese for both ways to write it, and any other language unchanged.
func (l Lang) Base() Lang {
	if l == Traditional {
		return Chinese
	}
	return l
}

// Choose returns the first tag that names a language, else English. Callers pass the tags in this order: flag,
// BLUNUX_AI_LANG, configuration, the system's locale list (Korean wins there, see [FromLocales]), LC_ALL or LANG.
func Choose(tags ...string) Lang {
	for _, tag := range tags {
		if lang, ok := Parse(tag); ok {
			return lang
		}
	}
	return English
}

// FromLocales returns the language tag for a system's locale list: Korean if any entry is Korean (NARE TDD
// section 4.5, Language::from_locale), else the first supported entry, else "".
func FromLocales(locales []string) string {
	first := ""
	for _, l := range locales {
		lang, ok := Parse(l)
		if ok && lang == Korean {
			return string(Korean)
		}
		if ok && first == "" {
			first = string(lang)
		}
	}
	return first
}

// Detect returns the language of a text: Korean if it contains Hangul, Chinese, simplified or traditional, if it
// contains Han and no kana, English if it contains a Latin word of at least three letters. It returns false if it
// cannot decide ("df -h", "?", emoji), so that callers use the user's language.
func Detect(text string) (Lang, bool) {
	var han, kana, latin, longest, run int
	for _, r := range text {
		if r < unicode.MaxASCII && unicode.IsLetter(r) {
			latin++
			run++
			longest = max(longest, run)
			continue
		}
		run = 0
		switch {
		case unicode.Is(unicode.Hangul, r):
			return Korean, true
		case unicode.Is(unicode.Han, r):
			han++
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana++
		}
	}
	switch {
	case han > 0 && kana == 0 && isTraditional(text):
		return Traditional, true
	case han > 0 && kana == 0:
		return Chinese, true
	case han == 0 && kana == 0 && longest >= 3:
		return English, true
	}
	return "", false
}

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
