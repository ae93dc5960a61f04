package intent

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/internal/names"
)

// The user's own files extend the built-in lexicon without a rebuild: names.tsv and concepts.tsv in the format
// of the data directory, and phrases.tsv:
//
// \trequest <TAB> tool <TAB> key=value;…
//
// A request equal to one of the phrases, ignoring spacing, capitals and punctuation, becomes that call. The
// gate judges it and asks as for any other call.

// maxUserFileBytes is the maximum size of each file.
const maxUserFileBytes = 1 << 20

// NewExtended returns a lexicon with the user's own files. Missing files are not an error. Each invalid line is
// skipped and returned as an error with file and line.
func NewExtended(own fs.FS) (*Lexicon, []error) { return loadLexicon(own) }

// HasUserFiles reports whether any file extends the lexicon.
func HasUserFiles(own fs.FS) bool {
	return slices.ContainsFunc(userFiles, func(name string) bool {
		_, err := fs.Stat(own, name)
		return err == nil
	})
}

var userFiles = []string{"names.tsv", "concepts.tsv", "phrases.tsv"}

func (l *Lexicon) addUserFiles(own fs.FS) []error {
	if own == nil {
		return nil
	}
	known := map[string]bool{}
	for _, e := range l.index[layerConcept] {
		for _, s := range e.senses {
			known[s.id] = true
		}
	}
	check := map[string]func(f []string) error{
		"names.tsv":    l.addUserName,
		"concepts.tsv": func(f []string) error { return l.addUserConcept(known, f) },
		"phrases.tsv":  l.addUserPhrase,
	}
	var errs []error
	for _, file := range userFiles {
		errs = append(errs, readUserRows(own, file, check[file])...)
	}
	return errs
}

// readUserRows calls use with the fields of every line of a file.
func readUserRows(own fs.FS, file string, use func(f []string) error) []error {
	text, err := readUserFile(own, file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return []error{fmt.Errorf("cannot read %s: %w", file, err)}
	}
	var errs []error
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, maxUserFileBytes+1)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimRight(strings.TrimPrefix(lines.Text(), "\ufeff"), "\r ")
		if strings.TrimSpace(line) == "" || line[0] == '#' {
			continue
		}
		if err := use(strings.Split(line, "\t")); err != nil {
			errs = append(errs, fmt.Errorf("%s line %d: %w", file, n, err))
		}
	}
	return errs
}

func readUserFile(own fs.FS, file string) (string, error) {
	info, err := fs.Stat(own, file)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxUserFileBytes {
		return "", fmt.Errorf("not a regular file of at most %d bytes", maxUserFileBytes)
	}
	text, err := fs.ReadFile(own, file)
	return string(text), err
}

func (l *Lexicon) addUserName(f []string) error {
	switch {
	case len(f) < 3 || len(f) > 4:
		return errors.New("want package, service or -, kind and optionally other names, separated by tabs")
	case !packageName().MatchString(f[0]):
		return fmt.Errorf("invalid package name %q", f[0])
	case f[2] != "app" && f[2] != "daemon" && f[2] != "cli":
		return fmt.Errorf("unknown kind %q: want app, daemon or cli", f[2])
	}
	f[len(f)-1] = normalizeWords(f[len(f)-1])
	l.addName(names.FromRow(f))
	return nil
}

func (l *Lexicon) addUserConcept(known map[string]bool, f []string) error {
	switch {
	case len(f) != 2:
		return errors.New("want a concept and its words, separated by a tab")
	case !known[f[0]]:
		return fmt.Errorf("unknown concept %q", f[0])
	}
	l.addConcept([]string{f[0], normalizeWords(f[1])})
	return nil
}

// normalizeWords converts a list of words to the form used in the data files.
func normalizeWords(list string) string {
	words := each(strings.Split(strings.ToLower(list), ","), strings.TrimSpace)
	return strings.Join(filter(words, func(w string) bool { return w != "" }), ", ")
}

func (l *Lexicon) addUserPhrase(f []string) error {
	if len(f) < 2 || len(f) > 3 {
		return errors.New("want a request, a tool and optionally its input (key=value;…), separated by tabs")
	}
	if !l.hasTool(f[1]) {
		return fmt.Errorf("unknown tool %q", f[1])
	}
	key := newUtterance(f[0]).flatText()
	if key == "" {
		return errors.New("the request has no words")
	}
	s := Call(f[1])
	if len(f) == 3 {
		for _, kv := range strings.Split(f[2], ";") {
			k, v, ok := strings.Cut(kv, "=")
			if !ok || strings.TrimSpace(k) == "" {
				return fmt.Errorf("invalid input %q: want key=value", kv)
			}
			s.Input[strings.TrimSpace(k)] = parseUserValue(strings.TrimSpace(v))
		}
	}
	l.userPhrases[key] = s
	return nil
}

func parseUserValue(v string) any {
	if v == "true" || v == "false" {
		return v == "true"
	}
	return v
}

func (l *Lexicon) hasTool(tool string) bool {
	if changes(tool) || tool == "remember" || tool == "recall" {
		return true
	}
	return slices.ContainsFunc(l.classes, func(c class) bool { return c.tool == tool })
}
