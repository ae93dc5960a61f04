package explain

import (
	"bufio"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/i18n"
)

// maxPage bounds how much of a manual page is read for its summary, and maxSummary the summary, in bytes.
const (
	maxPage    = 64 << 10
	maxSummary = 300
)

// summary says in one line what a program is: in our own words, or else as its page of tldr or its manual page does. Pages in
// the language come first.
func (e *Explainer) summary(c call, lang i18n.Lang) string {
	if text, ok := i18n.Programs()[tableName(c.name)]; ok {
		return text.In(lang)
	}
	if !isName(c.name) {
		return ""
	}
	for _, l := range []i18n.Lang{lang.Base(), i18n.English} {
		for _, find := range []func(string, i18n.Lang) string{e.tldr, e.manual} {
			if s := find(c.name, l); s != "" {
				return s
			}
		}
	}
	return ""
}

// tableName returns the name in our own table of a program that has several.
func tableName(name string) string {
	switch {
	case strings.HasPrefix(name, "mkfs"):
		return "mkfs"
	case name == "python3", name == "pip3":
		return strings.TrimSuffix(name, "3")
	case name == ".":
		return "source"
	case name == "zsh", name == "dash", name == "fish":
		return "bash"
	}
	return name
}

// isName reports whether a program's name can be part of a file's name.
func isName(name string) bool {
	return name != "" && !strings.HasPrefix(name, ".") && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-[") == ""
}

// tldrCaches are where the clients of tldr keep their pages, below the home: the directory of a language, or of English.
var tldrCaches = []string{
	".cache/tealdeer/tldr-pages", ".cache/tldr", ".cache/tlrc", ".local/share/tldr", ".tldr/cache", ".tldrc/tldr",
}

// tldr returns the description of a page of tldr.
func (e *Explainer) tldr(name string, lang i18n.Lang) string {
	dirs := []string{"pages." + string(lang)}
	if lang == i18n.English {
		dirs = append(dirs, "pages")
	}
	for _, cache := range tldrCaches {
		for _, dir := range dirs {
			for _, platform := range []string{"linux", "common"} {
				if s := tldrSummary(filepath.Join(e.Home, cache, dir, platform, name+".md")); s != "" {
					return s
				}
			}
		}
	}
	return ""
}

// tldrSummary returns the first line of a page that begins with ">".
func tldrSummary(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	sc := bufio.NewScanner(io.LimitReader(f, maxPage))
	for sc.Scan() {
		if text, ok := strings.CutPrefix(sc.Text(), "> "); ok {
			return clean(text)
		}
	}
	return ""
}

// manual returns what the section NAME of a manual page says.
func (e *Explainer) manual(name string, lang i18n.Lang) string {
	dirs := e.Manuals
	if dirs == nil {
		dirs = []string{"/usr/share/man", "/usr/local/share/man"}
	}
	within := map[i18n.Lang][]string{i18n.English: {""}, i18n.Korean: {"ko", "ko.UTF-8"}, i18n.Chinese: {"zh_CN", "zh_CN.UTF-8"}}[lang]
	for _, dir := range dirs {
		for _, l := range within {
			for _, section := range []string{"1", "8", "6"} {
				if s := manualSummary(filepath.Join(dir, l, "man"+section, name+"."+section)); s != "" {
					return s
				}
			}
		}
	}
	return ""
}

// manualSummary reads a page, which may be compressed.
func manualSummary(file string) string {
	if f, err := os.Open(file); err == nil {
		defer f.Close()
		return nameSection(f)
	}
	f, err := os.Open(file + ".gz")
	if err != nil {
		return ""
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return ""
	}
	return nameSection(z)
}

// nameSection returns the text after the dash of the section NAME, without the formatting of man(7) and mdoc(7).
func nameSection(page io.Reader) string {
	sc := bufio.NewScanner(io.LimitReader(page, maxPage))
	var text []string
	inside := false
	for sc.Scan() {
		line := sc.Text()
		macro, rest, _ := strings.Cut(line, " ")
		switch {
		case strings.EqualFold(macro, ".SH"):
			if inside {
				return afterDash(strings.Join(text, " "))
			}
			name := strings.Trim(rest, `" `)
			inside = strings.EqualFold(name, "NAME") || name == "이름" || name == "名称" || name == "名字"
		case inside && macro == ".Nd":
			return clean(rest)
		case inside && strings.HasPrefix(line, ".") && macro != ".B" && macro != ".I", strings.HasPrefix(line, `'`):
		case inside:
			text = append(text, strings.TrimPrefix(strings.TrimPrefix(line, ".B "), ".I "))
		}
	}
	return ""
}

// roff replaces the escapes of summaries.
var roff = strings.NewReplacer(`\-`, "-", `\(em`, "—", `\(en`, "–", `\(aq`, "'", `\(cq`, "’", `\fB`, "", `\fI`, "", `\fR`, "", `\fP`, "", `\&`, "", `\ `, " ", `\(bu`, "·", `\s-1`, "", `\s0`, "", `\s+1`, "")

func afterDash(text string) string {
	text = roff.Replace(text)
	for _, dash := range []string{" - ", " — ", " – ", " -- "} {
		if _, after, ok := strings.Cut(text, dash); ok {
			return clean(after)
		}
	}
	return ""
}

// clean returns one line of a page as text for a person: without control characters, and not too long.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == utf8.RuneError {
			return -1
		}
		return r
	}, strings.TrimSpace(s))
	s = strings.TrimRight(s, ".")
	if len(s) > maxSummary {
		s = strings.ToValidUTF8(s[:maxSummary], "") + "…"
	}
	return s
}
