// Command catalogue makes i18n/messages.go from the rows in *.toml. README.md describes the rows.
//
// It fails if a row lacks a language, if a placeholder is no argument, or if an argument is missing in a language.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

func main() {
	rows, err := read(os.DirFS("catalogue"))
	if err == nil {
		var source []byte
		if source, err = generate(rows, os.DirFS("catalogue")); err == nil {
			err = os.WriteFile("messages.go", source, 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// row is one text of the catalogue.
type row struct {
	key  string
	code string // key below its table of codes, or "" for a text with an accessor of its own
	args []arg
	text [3]string // in the order of languages
}

// arg is an argument of a row.
type arg struct {
	name     string
	kind     string // of kinds
	optional bool   // a language may leave it out
}

var languages = [3]string{"ko", "en", "zh"}

// kinds are the Go type of an argument and how its value is stored.
var kinds = map[string]struct{ goType, value string }{
	"text":      {"string", "%s"},
	"quoted":    {"string", "%s"}, // fill quotes it
	"int":       {"int", "%s"},
	"int64":     {"int64", "%s"},
	"number":    {"float64", "strconv.FormatFloat(%s, 'g', -1, 64)"},
	"decimals0": {"float64", "strconv.FormatFloat(%s, 'f', 0, 64)"},
	"decimals1": {"float64", "strconv.FormatFloat(%s, 'f', 1, 64)"},
	"decimals2": {"float64", "strconv.FormatFloat(%s, 'f', 2, 64)"},
	"duration":  {"time.Duration", "%s"},
	"mode":      {"fs.FileMode", "octal(%s)"},
	"error":     {"error", "%s"},
	"message":   {"Text", "%s"},
}

// read returns the rows of all files, sorted by key.
func read(files fs.FS) ([]row, error) {
	var rows []row
	var problems []error
	err := fs.WalkDir(files, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".toml" {
			return err
		}
		content, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		var tables map[string]any
		if err := toml.Unmarshal(content, &tables); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		found, err := collect("", "", tables)
		rows = append(rows, found...)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", path, err))
		}
		return nil
	})
	slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a.key, b.key) })
	for i := 1; i < len(rows); i++ {
		if identifier(rows[i].key) == identifier(rows[i-1].key) {
			problems = append(problems, fmt.Errorf("%s: there are two rows of this name", rows[i].key))
		}
	}
	return rows, errors.Join(append(problems, err)...)
}

func collect(key, codes string, table map[string]any) ([]row, error) {
	var rows []row
	var problems []error
	if table["codes"] == true {
		codes = key
	}
	if _, ok := table["en"].(string); ok {
		r, err := parse(key, table)
		if codes != "" {
			r.code = strings.TrimPrefix(key, codes+".")
			if slices.ContainsFunc(r.args, func(a arg) bool { return kinds[a.kind].value != "%s" }) {
				err = errors.Join(err, fmt.Errorf("%s: the arguments of texts of codes are not converted", key))
			}
		}
		rows, problems = append(rows, r), append(problems, err)
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		inner, ok := table[name].(map[string]any)
		if !ok {
			continue
		}
		found, err := collect(strings.TrimPrefix(key+"."+name, "."), codes, inner)
		rows, problems = append(rows, found...), append(problems, err)
	}
	return rows, errors.Join(problems...)
}

// parse reads a row and checks its texts.
func parse(key string, table map[string]any) (row, error) {
	r := row{key: key}
	list, _ := table["args"].([]any)
	for _, a := range list {
		text, _ := a.(string)
		name, kind, _ := strings.Cut(text, " ")
		optional := strings.HasSuffix(name, "?")
		kind = cmp.Or(kind, "text")
		if _, ok := kinds[kind]; !ok {
			return r, fmt.Errorf("%s: there is no kind %q of arguments", key, kind)
		}
		r.args = append(r.args, arg{strings.TrimSuffix(name, "?"), kind, optional})
	}
	for i, lang := range languages {
		text, ok := table[lang].(string)
		if !ok || text == "" {
			return r, fmt.Errorf("%s: the text in %s is missing", key, lang)
		}
		pattern, err := r.pattern(lang, text)
		if err != nil {
			return r, fmt.Errorf("%s, %s: %w", key, lang, err)
		}
		r.text[i] = pattern
	}
	return r, nil
}

var (
	placeholder = regexp.MustCompile(`\{\{|\{([^{}]*)\}`)
	particle    = regexp.MustCompile(`^\p{Hangul}+/\p{Hangul}+$`)
	verb        = regexp.MustCompile(`%(\[\d+\])?[sdqv](\W|$)`)
)

// pattern replaces the names in placeholders by the indexes of the arguments.
func (r row) pattern(lang, text string) (string, error) {
	var problem error
	used := make([]bool, len(r.args))
	out := placeholder.ReplaceAllStringFunc(text, func(found string) string {
		inner := strings.Trim(found, "{}")
		name, forms, plural := strings.Cut(inner, "|")
		i := slices.IndexFunc(r.args, func(a arg) bool { return a.name == name })
		switch {
		case found == "{{" || lang == "ko" && particle.MatchString(inner):
			return found
		case i < 0:
			problem = fmt.Errorf("%s is no argument", found)
			return found
		case plural && (lang != "en" || strings.Count(forms, "|") != 1):
			problem = fmt.Errorf("write %s as {count|one|many}, in English only", found)
		case plural:
			return "{" + strconv.Itoa(i) + "|" + forms + "}"
		}
		used[i] = true
		if r.args[i].kind == "quoted" {
			return "{" + strconv.Itoa(i) + "q}"
		}
		return "{" + strconv.Itoa(i) + "}"
	})
	if i := slices.Index(used, false); problem == nil && i >= 0 && !r.args[i].optional {
		problem = fmt.Errorf("{%s} is missing; if that is right, write \"%s?\" in args", r.args[i].name, r.args[i].name)
	}
	if bad := verb.FindString(text); problem == nil && bad != "" && len(r.args) > 0 {
		problem = fmt.Errorf("write %s as a named placeholder", bad)
	}
	return out, problem
}

// identifier returns the Go name of a key: CheckDiskFull for check.disk_full.
func identifier(key string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(key, func(r rune) bool { return strings.ContainsRune("._- ", r) }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// parameter returns the Go name of an argument: backupPath for backup_path.
func parameter(name string) string {
	id := identifier(name)
	return strings.ToLower(id[:1]) + id[1:]
}

// generate returns the Go source of the rows and of traditional.tsv.
func generate(rows []row, files fs.FS) ([]byte, error) {
	forms, err := fs.ReadFile(files, "traditional.tsv")
	if err != nil {
		return nil, err
	}
	var plain, tables, patterns, filled bytes.Buffer
	open := ""
	for _, r := range rows {
		if table := strings.TrimSuffix(r.key, "."+r.code); r.code != "" {
			if table != open {
				open = table
				fmt.Fprintf(&tables, "}}))\n\n// %s are the texts of %s by code.\nvar %[1]s = Codes(sync.OnceValue(func() map[string]Text { return map[string]Text{\n",
					identifier(table), table)
			}
			fmt.Fprintf(&tables, "\t%q: {row: %q},\n", r.code, r.texts())
			continue
		}
		if len(r.args) == 0 {
			fmt.Fprintf(&plain, "\t%s = Text{row: %q}\n", identifier(r.key), r.texts())
			continue
		}
		fmt.Fprintf(&patterns, "\trow%s = %q\n", identifier(r.key), r.texts())
		r.accessor(&filled)
	}
	var b bytes.Buffer
	if tables.Len() > 0 {
		tables.WriteString("}}))\n\n")
	}
	b.WriteString("// Code generated by \"make catalogue\" from i18n/catalogue/*.toml; DO NOT EDIT.\n\npackage i18n\n\nimport (\n")
	for _, path := range []string{"io/fs", "strconv", "sync", "time"} {
		if bytes.Contains(append(tables.Bytes(), filled.Bytes()...), []byte(filepath.Base(path)+".")) {
			fmt.Fprintf(&b, "\t%q\n", path)
		}
	}
	fmt.Fprintf(&b, ")\n\n%s\n// Texts without arguments.\nvar (\n%s)\n\n%s// Texts with arguments.\nconst (\n%s)\n\n%s",
		traditional(string(forms)), plain.Bytes(), bytes.TrimPrefix(tables.Bytes(), []byte("}}))\n")), patterns.Bytes(), filled.Bytes())
	return format.Source(b.Bytes())
}

func traditional(table string) string {
	var lines []string
	for line := range strings.Lines(table) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	simplified, forms, _ := strings.Cut(lines[0], "\t")
	return fmt.Sprintf("// Characters and words of traditional.tsv.\nconst (\n\tsimplifiedChars = %q\n\ttraditionalChars = %q\n\ttraditionalWords = %q\n)\n",
		simplified, forms, strings.Join(lines[1:], " "))
}

// texts returns the row as the program stores it.
func (r row) texts() string { return strings.Join(r.text[:], "\x00") }

func (r row) accessor(b *bytes.Buffer) {
	var params, values []string
	for _, a := range r.args {
		k := kinds[a.kind]
		params = append(params, parameter(a.name)+" "+k.goType)
		values = append(values, fmt.Sprintf(k.value, parameter(a.name)))
	}
	name := identifier(r.key)
	fmt.Fprintf(b, "func %s(%s) Text { return Text{row%[1]s, &[]any{%[3]s}} }\n",
		name, strings.Join(params, ", "), strings.Join(values, ", "))
}
