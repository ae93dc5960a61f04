package aur

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// Info is what the AUR knows of a package: RPC version 5, type info.
type Info struct {
	Name           string  `json:"Name"`
	PackageBase    string  `json:"PackageBase"`
	Version        string  `json:"Version"`
	Maintainer     string  `json:"Maintainer"` // "" if nobody maintains it
	NumVotes       int     `json:"NumVotes"`
	Popularity     float64 `json:"Popularity"`
	FirstSubmitted int64   `json:"FirstSubmitted"` // seconds since 1970
	LastModified   int64   `json:"LastModified"`
	OutOfDate      int64   `json:"OutOfDate"` // when it was flagged; 0 if it is not
}

// Memory is what is remembered of the packages that were built, a file for each below a directory. The AUR itself has no
// history of maintainers.
type Memory struct{ Dir string }

// Seen is what is remembered of a package.
type Seen struct {
	Maintainer string            `json:"maintainer,omitempty"` // of the version that was built last, or seen first
	Version    string            `json:"version,omitempty"`
	Built      time.Time         `json:"built,omitzero"`
	Files      map[string]string `json:"files,omitempty"` // SHA-256 of the recipe's files
	Facts      []string          `json:"facts,omitempty"` // what the recipe did, without lines
	Texts      map[string]string `json:"texts,omitempty"` // the PKGBUILD and the scriptlets
}

// packageName is how makepkg lets packages be called: no slash, and no dot or hyphen at the start.
var packageName = lazyregexp.New(`^[A-Za-z0-9@_+][A-Za-z0-9@._+-]{0,254}$`)

// IsName reports whether a text can be the name of a package.
func IsName(name string) bool { return packageName.MatchString(name) }

// Bounds of what is remembered and compared.
const (
	maxSeen  = 1 << 20   // bytes of a remembered package
	maxTexts = 256 << 10 // bytes of its texts
	maxLines = 20        // lines of a difference
)

func (m Memory) path(name string) string { return filepath.Join(m.Dir, name+".json") }

// Load returns what is remembered of a package; ok is false if nothing is.
func (m Memory) Load(name string) (s Seen, ok bool, err error) {
	if m.Dir == "" || !IsName(name) {
		return s, false, nil
	}
	fi, err := os.Stat(m.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return s, false, nil
	}
	if err == nil && fi.Size() > maxSeen {
		err = errors.New("the file is too large")
	}
	if err != nil {
		return s, false, fmt.Errorf("cannot read what is remembered of %s: %w", name, err)
	}
	text, err := os.ReadFile(m.path(name))
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		return Seen{}, false, fmt.Errorf("cannot read what is remembered of %s: %w", name, err)
	}
	return s, true, nil
}

// Save remembers a package whose build begins.
func (m Memory) Save(name string, s Seen) error {
	if m.Dir == "" || !IsName(name) {
		return nil
	}
	text, err := json.Marshal(s)
	if err == nil {
		err = os.MkdirAll(m.Dir, 0o700)
	}
	if err == nil {
		err = replaceFile(m.path(name), text)
	}
	if err != nil {
		return fmt.Errorf("cannot remember %s: %w", name, err)
	}
	return nil
}

// replaceFile writes a file so that it is never half written.
func replaceFile(file string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(file), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	return err
}

// Remember returns what to remember of a recipe that is built now. maintainer is "" if it is not known.
func Remember(recipe Recipe, report Report, maintainer string, now time.Time) Seen {
	s := Seen{Maintainer: maintainer, Version: report.Version, Built: now.UTC().Truncate(time.Second)}
	s.Files = sums(recipe)
	s.Facts = deeds(report)
	s.Texts = texts(recipe)
	return s
}

// sums returns the digests of a recipe's files.
func sums(recipe Recipe) map[string]string {
	all := map[string]string{}
	for name, text := range recipe.Files {
		sum := sha256.Sum256(text)
		all[name] = hex.EncodeToString(sum[:])
	}
	return all
}

// Is reports whether a recipe has exactly the files that were seen.
func (s Seen) Is(recipe Recipe) bool { return len(s.Files) > 0 && maps.Equal(s.Files, sums(recipe)) }

// Fetched returns the files in a recipe's directory that makepkg has put there since the recipe was seen: they have the names of
// sources from the network or of packages. What pacman runs as root belongs to the recipe, wherever it is from.
func Fetched(recipe Recipe, seen Seen) (names []string) {
	if len(seen.Files) == 0 {
		return nil
	}
	c := newChecker(recipe)
	c.readPKGBUILD()
	for _, s := range c.sources {
		if s.far() && s.vcs == "" {
			names = append(names, s.name())
		}
	}
	for _, name := range recipe.names() {
		if strings.Contains(name, ".pkg.tar") {
			names = append(names, name)
		}
	}
	return slices.DeleteFunc(names, func(name string) bool {
		_, was := seen.Files[name]
		return was || slices.Contains([]string{".install", ".hook"}, path.Ext(name)) || slices.Contains(c.install, name)
	})
}

// Without returns a recipe without some files.
func (r Recipe) Without(names []string) Recipe {
	r.Files, r.Large = maps.Clone(r.Files), slices.Clone(r.Large)
	for _, name := range names {
		delete(r.Files, name)
	}
	r.Large = slices.DeleteFunc(r.Large, func(name string) bool { return slices.Contains(names, name) })
	return r
}

// texts returns the files of a recipe whose lines are compared: those that run as the person or as root. Together they take at
// most maxTexts bytes.
func texts(recipe Recipe) map[string]string {
	list, left := map[string]string{}, maxTexts
	for _, name := range recipe.names() {
		text := recipe.Files[name]
		if (name == pkgbuild || path.Ext(name) == ".install" || path.Ext(name) == ".hook" || isShellFile(name, text)) && len(text) <= left {
			list[name], left = string(text), left-len(text)
		}
	}
	return list
}

// judgeLines reports the lines that are new since the version built last, and those that are gone: without versions, checksums
// and comments.
func judgeLines(f *facts, old, now map[string]string) {
	shown := 0
	report := func(code Code, file string, from, to []string) {
		have := map[string]bool{}
		for _, line := range from {
			have[strings.TrimSpace(line)] = true
		}
		for i, line := range to {
			if line = strings.TrimSpace(line); !have[line] && matters(line) && shown < maxLines {
				shown++
				f.add(Fact{Code: code, Severity: Note, File: file, Line: i + 1, Detail: line})
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		report(LineAdded, name, strings.Split(old[name], "\n"), strings.Split(now[name], "\n"))
	}
	for _, name := range slices.Sorted(maps.Keys(old)) {
		report(LineRemoved, name, strings.Split(now[name], "\n"), strings.Split(old[name], "\n"))
	}
}

// unimportant matches lines that every new version changes: versions, checksums, comments and brackets.
var unimportant = lazyregexp.New(`^(#.*|(pkgver|pkgrel|_?commit)=\S*|([a-z0-9_]*sums[a-z0-9_]*=\(?)?\s*['"]?([0-9a-f]{8,}|SKIP)?['"]?\)?|[(){};]*|fi|done|esac)$`)

func matters(line string) bool { return !unimportant.MatchString(line) }

// deeds returns the facts of a report as texts that do not change with lines.
func deeds(r Report) (list []string) {
	for _, f := range r.Facts {
		if f.Severity != Note || f.Code == Host || f.Code == RootCommand || f.Code == Hook {
			list = append(list, string(f.Code)+" "+f.Detail)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Known is what is known of a package besides its recipe.
type Known struct {
	Info    *Info // nil if the AUR was not asked
	Seen    *Seen // nil if the package was never built here
	Now     time.Time
	Cooling time.Duration // a version younger than this is worth a warning; 0 for never
}

// Bounds of what makes a package little known.
const (
	youngPackage = 30 * 24 * time.Hour
	fewVotes     = 5
)

// Compare returns a report with what is known of the package besides its recipe.
func Compare(report Report, recipe Recipe, k Known) Report {
	f := facts{list: slices.Clone(report.Facts)}
	if k.Info != nil {
		judgeInfo(&f, *k.Info, k)
	}
	if k.Seen != nil {
		judgeChange(&f, report, recipe, k)
	}
	report.Facts = f.sorted()
	return report
}

func judgeInfo(f *facts, i Info, k Known) {
	if i.Maintainer == "" {
		f.add(Fact{Code: Orphan, Severity: Warn})
	}
	if age := k.Now.Sub(time.Unix(i.LastModified, 0)); i.LastModified > 0 && age < k.Cooling {
		f.add(Fact{Code: Fresh, Severity: Warn, Detail: day(i.LastModified)})
	}
	if i.FirstSubmitted > 0 && k.Now.Sub(time.Unix(i.FirstSubmitted, 0)) < youngPackage {
		f.add(Fact{Code: Young, Severity: Warn, Detail: day(i.FirstSubmitted)})
	}
	if i.NumVotes < fewVotes {
		f.add(Fact{Code: FewVotes, Severity: Note, Detail: strconv.Itoa(i.NumVotes)})
	}
	if i.OutOfDate > 0 {
		f.add(Fact{Code: OutOfDate, Severity: Note, Detail: day(i.OutOfDate)})
	}
}

func day(seconds int64) string { return time.Unix(seconds, 0).UTC().Format("2006-01-02 15:04Z") }

// judgeChange compares a recipe with the one that was built last. A new maintainer who adds what needs a warning is how
// packages were taken over in 2026: that holds the build.
func judgeChange(f *facts, report Report, recipe Recipe, k Known) {
	if k.Seen.Texts != nil {
		judgeLines(f, k.Seen.Texts, texts(recipe))
	}
	var changed []string
	now := Remember(recipe, report, "", k.Now)
	for name, sum := range now.Files {
		if k.Seen.Files[name] != sum && name != ".SRCINFO" {
			changed = append(changed, name)
		}
	}
	for name := range k.Seen.Files {
		if _, still := now.Files[name]; !still {
			changed = append(changed, "-"+name)
		}
	}
	if slices.Sort(changed); len(changed) > 0 {
		f.add(Fact{Code: Changed, Severity: Note, Detail: k.Seen.Version + ": " + strings.Join(changed, " ")})
	}
	if k.Info == nil || k.Seen.Maintainer == "" || k.Info.Maintainer == k.Seen.Maintainer {
		return
	}
	f.add(Fact{Code: NewMaintainer, Severity: Warn, Detail: k.Seen.Maintainer + " → " + k.Info.Maintainer})
	for _, deed := range now.Facts {
		if !slices.Contains(k.Seen.Facts, deed) {
			f.add(Fact{Code: Adopted, Severity: Red, Detail: deed})
			return
		}
	}
}
