package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/errand"
	"github.com/nidoit/blunux-ai/internal/installed"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/upgrade/aur"
	"github.com/nidoit/blunux-ai/upgrade/aur/server"
)

// exitHeld is the status if a recipe holds its build: docs/exit-codes.md.
const exitHeld = 6

// errHeld reports a recipe that holds its build, which was printed.
var errHeld = errors.New("the build is held")

// aurOptions are the options of the check of build recipes.
type aurOptions struct {
	Lang     i18n.Lang `json:"lang"`
	Targets  []string  `json:"targets"`
	JSON     bool      `json:"json"`
	Building bool      `json:"building"` // remember what is built now
	Ask      bool      `json:"ask"`      // whether a person at the terminal may overrule
	Memory   string    `json:"memory"`   // directory of what was built
	Cooling  int       `json:"cooling"`  // hours
	Version  string    `json:"version"`
	// Makepkg are the arguments with which yay or paru started this program in the place of makepkg; nil if neither did.
	Makepkg []string `json:"makepkg"`
}

// checked is what was found about one recipe. docs/json.md documents it.
type checked struct {
	aur.Report
	Held     bool      `json:"held"`
	Red      int       `json:"red"`
	Warnings int       `json:"warnings"`
	Notes    int       `json:"notes"`
	AUR      *aur.Info `json:"aur,omitempty"`
	NotAsked string    `json:"not_asked,omitempty"` // why the AUR was not asked

	recipe aur.Recipe
	name   string // of the package as the AUR and the memory know it
}

// failed is a recipe that could not be checked.
type failed struct {
	Package string `json:"package"`
	Unknown bool   `json:"unknown"` // the AUR has no such package
	Error   string `json:"error"`
}

// recipeChecker checks recipes one after another.
type recipeChecker struct {
	aurOptions
	server *server.Server
	memory aur.Memory
	asked  *bufio.Reader
	// fetched are the files that makepkg has put beside the recipe.
	fetched []string
}

// runAUR checks the recipes of the options.
func runAUR(options []byte) (i18n.Lang, error) {
	var o aurOptions
	if err := readOptions(options, &o); err != nil {
		return o.Lang, err
	}
	ctx, stop := untilSignal(syscall.SIGINT)
	defer stop()
	c := recipeChecker{o, server.New(o.Version), aur.Memory{Dir: o.Memory}, bufio.NewReader(os.Stdin), nil}
	if o.Makepkg != nil {
		return o.Lang, c.build(ctx)
	}
	var failed error
	done := map[string]bool{}
	for _, target := range o.Targets {
		target = recipeOf(target)
		if done[target] {
			continue
		}
		done[target] = true
		err := c.run(ctx, target)
		if err != nil && (failed == nil || !errors.Is(err, errHeld)) {
			failed = err
		}
	}
	return o.Lang, failed
}

// build checks the recipe of the working directory, and becomes makepkg if nothing holds it. It writes to standard error, because
// yay and paru read what makepkg prints. They start makepkg several times for a package: what was checked is not checked again
// while it is the same.
func (c recipeChecker) build(ctx context.Context) error {
	os.Stdout = os.Stderr
	if i := slices.IndexFunc(c.Makepkg, namesRecipe); i >= 0 {
		return fmt.Errorf("cannot check what makepkg builds with %s", c.Makepkg[i])
	}
	recipe, err := aur.ReadDir(".")
	if err == nil {
		name := aur.Check(recipe).Package
		seen, _, _ := c.memory.Load(name) // what cannot be read is checked again
		c.fetched = aur.Fetched(recipe, seen)
		if !seen.Is(recipe.Without(c.fetched)) {
			err = c.run(ctx, ".")
		}
	}
	if err != nil && !errors.Is(err, aur.ErrNoPKGBUILD) { // without one makepkg builds nothing
		return err
	}
	return errand.ReplaceByName("makepkg", c.Makepkg)
}

// namesRecipe reports whether an argument makes makepkg build another recipe than that of the working directory: makepkg(8).
func namesRecipe(arg string) bool {
	long, _, _ := strings.Cut(arg, "=")
	return strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--") && strings.ContainsAny(arg, "pD") || long == "--dir" ||
		long == "BUILDFILE" || long == "BUILDSCRIPT"
}

// becomeChecked starts the check of a build: blunux-ai knows the settings, and becomes this program again.
func becomeChecked(args []string) error {
	file, err := installed.Find("blunux-ai")
	if err != nil {
		return err
	}
	return errand.Replace(file, append([]string{"blunux-ai", "makepkg"}, args...))
}

// recipeOf returns the directory of a recipe for one of its files, as yay names them.
func recipeOf(target string) string {
	if fi, err := os.Stat(target); err == nil && fi.Mode().IsRegular() {
		return filepath.Dir(target)
	}
	return target
}

// run checks and prints one recipe.
func (c recipeChecker) run(ctx context.Context, target string) error {
	found, err := c.check(ctx, target)
	if err != nil && c.JSON {
		if text, bad := json.Marshal(failed{target, errors.Is(err, server.ErrUnknown), err.Error()}); bad == nil {
			fmt.Println(string(text))
		}
	}
	if err != nil {
		return err
	}
	if c.JSON {
		enc := json.NewEncoder(os.Stdout)
		enc.SetEscapeHTML(false)
		err = enc.Encode(found)
	} else {
		_, err = fmt.Print(found.text(c.Lang))
	}
	if err != nil {
		return err
	}
	if found.Held && !c.overrules(found) {
		return errHeld
	}
	if c.Building {
		maintainer := ""
		if found.AUR != nil {
			maintainer = found.AUR.Maintainer
		}
		if err := c.memory.Save(found.name, c.remember(found, maintainer)); err != nil {
			fmt.Fprintf(os.Stderr, "blunux-ai: %s\n", ipc.Clean(err.Error()))
		}
	}
	return nil
}

// remember returns what to keep of a recipe. A maintainer who is not known now is the one of before.
func (c recipeChecker) remember(found checked, maintainer string) aur.Seen {
	if maintainer == "" {
		if old, ok, err := c.memory.Load(found.name); err == nil && ok {
			maintainer = old.Maintainer
		}
	}
	return aur.Remember(found.recipe, found.Report, maintainer, time.Now())
}

// overrules asks a person at the terminal whether to build all the same. The name is typed, so that no one agrees by habit.
func (c recipeChecker) overrules(found checked) bool {
	if !c.Ask || found.Package == "" {
		return false
	}
	fmt.Print(i18n.AurAsk(ipc.VisibleLine(found.Package)).In(c.Lang))
	line, err := c.asked.ReadString('\n')
	if err != nil || strings.TrimSpace(line) != found.Package {
		return false
	}
	fmt.Println(i18n.AurOverruled(ipc.VisibleLine(found.Package)).In(c.Lang))
	return true
}

// check reads a recipe and compares it with what the AUR and the memory know.
func (c recipeChecker) check(ctx context.Context, target string) (checked, error) {
	fi, err := os.Stat(target)
	isDir := err == nil && fi.IsDir()
	if !isDir && !aur.IsName(target) {
		return checked{}, i18n.AurNoName(target).WithCause(fs.ErrNotExist)
	}
	found := checked{}
	known := aur.Known{Now: time.Now(), Cooling: time.Duration(c.Cooling) * time.Hour}
	if isDir {
		found, err = c.readDir(ctx, target, &known)
	} else {
		found, err = c.readName(ctx, target, &known)
	}
	if err != nil {
		return found, i18n.AurNoRecipe(target, c.cause(err)).WithCause(err)
	}
	if seen, ok, err := c.memory.Load(found.name); err != nil {
		fmt.Fprintf(os.Stderr, "blunux-ai: %s\n", ipc.Clean(err.Error()))
	} else if ok {
		known.Seen = &seen
	}
	found.Report = aur.Compare(found.Report, found.recipe, known)
	found.AUR = known.Info
	found.Held, found.Red, found.Warnings, found.Notes = found.Report.Held(), found.Count(aur.Red), found.Count(aur.Warn), found.Count(aur.Note)
	return found, nil
}

// cause says in the person's language why a recipe could not be read.
func (c recipeChecker) cause(err error) string {
	switch {
	case errors.Is(err, aur.ErrNoPKGBUILD):
		return i18n.AurNoFile.In(c.Lang)
	case errors.Is(err, server.ErrUnknown):
		return i18n.AurUnknown.In(c.Lang)
	}
	return i18n.Cause(err, c.Lang)
}

// readDir reads the recipe in a directory. The AUR is only asked about a recipe that is built now: a look needs no network.
func (c recipeChecker) readDir(ctx context.Context, dir string, known *aur.Known) (found checked, err error) {
	if found.recipe, err = aur.ReadDir(dir); err != nil {
		return found, err
	}
	found.recipe = found.recipe.Without(c.fetched)
	found.Report = aur.Check(found.recipe)
	found.name = found.Package
	if !c.Building || !aur.IsName(found.name) {
		return found, nil
	}
	info, err := c.server.Info(ctx, found.name)
	switch {
	case err == nil:
		known.Info = &info
	case !errors.Is(err, server.ErrUnknown):
		found.NotAsked = c.cause(err)
	}
	return found, nil
}

// readName fetches the recipe of a package.
func (c recipeChecker) readName(ctx context.Context, name string, known *aur.Known) (found checked, err error) {
	info, err := c.server.Info(ctx, name)
	if err != nil {
		return found, err
	}
	known.Info = &info
	if found.recipe, err = c.server.Recipe(ctx, info.PackageBase); err != nil {
		return found, err
	}
	found.Report, found.name = aur.Check(found.recipe), info.PackageBase
	return found, nil
}

// text writes what was found for people.
func (f checked) text(lang i18n.Lang) string {
	var b strings.Builder
	name := strings.TrimSpace(f.Package + " " + f.Version)
	title := i18n.AurPassed(name, f.Warnings, f.Notes)
	if f.Held {
		title = i18n.AurHeld(name, f.Red, f.Warnings, f.Notes)
	}
	fmt.Fprintln(&b, ipc.VisibleLine(title.In(lang)))
	for _, fact := range f.Facts {
		fmt.Fprintln(&b, "  "+ipc.VisibleLine(factLine(fact, lang)))
	}
	if i := f.AUR; i != nil && i.Maintainer != "" {
		modified := time.Unix(i.LastModified, 0).UTC().Format(time.DateOnly)
		fmt.Fprintln(&b, "  "+ipc.VisibleLine(i18n.AurMaintainer(i.Maintainer, i.NumVotes, modified).In(lang)))
	}
	if f.NotAsked != "" {
		fmt.Fprintln(&b, "  "+ipc.VisibleLine(i18n.AurNotAsked(f.NotAsked).In(lang)))
	}
	last := i18n.AurReadYourself
	if f.Held {
		last = i18n.AurAdvice
	}
	fmt.Fprintln(&b, last.In(lang))
	return b.String()
}

// factLine writes a fact on one line: weight, place, sentence, detail.
func factLine(f aur.Fact, lang i18n.Lang) string {
	place := f.File
	if f.Line > 0 {
		place += ":" + strconv.Itoa(f.Line)
	}
	if f.Function != "" {
		place += " " + f.Function + "()"
	}
	parts := []string{i18n.AurSeverities.In(string(f.Severity), lang), place, i18n.AurFacts.In(string(f.Code), lang)}
	line := strings.Join(strings.Fields(strings.Join(parts, "  ")), " ")
	if f.Detail != "" {
		line += ": " + f.Detail
	}
	return line
}
