package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// The warnings about packages of the AUR that a command builds. The detail of WarnRecipe is the package and how many
// warnings and notes it has, that of WarnRecipeFact a code of aur_facts and what it is about.
const (
	WarnRecipe          = "aur-checked"
	WarnRecipeFact      = "aur-fact"
	WarnRecipeUnchecked = "aur-unchecked"
)

// Bounds of what is looked at before a question.
const (
	maxRecipes     = 20 // packages of one command
	maxRecipeFacts = 4  // warnings about one package
)

// recipeReport is what it prints about a package: docs/json.md.
type recipeReport struct {
	Package  string `json:"package"`
	Held     bool   `json:"held"`
	Red      int    `json:"red"`
	Warnings int    `json:"warnings"`
	Notes    int    `json:"notes"`
	Unknown  bool   `json:"unknown"` // the AUR has no such package
	Error    string `json:"error"`   // why it could not be checked
	Facts    []struct {
		Code     string `json:"code"`
		Severity string `json:"severity"`
		File     string `json:"file"`
		Line     int    `json:"line"`
		Detail   string `json:"detail"`
	} `json:"facts"`
}

// checkRecipes looks at the build recipes of the packages that a plan would build from the AUR, before anybody is asked. What
// it finds is in the question. A recipe that is held is not offered: a person who has read it builds it at a terminal.
func (r run) checkRecipes(ctx context.Context, j *JudgedPlan) *Outcome {
	names := r.builtPackages(ctx, *j)
	if len(names) == 0 {
		return nil
	}
	for i, name := range names {
		report, ok := r.recipeReport(ctx, *j, i, name)
		switch {
		case ctx.Err() != nil:
			return nil
		case !ok:
			j.warn(WarnRecipeUnchecked + ": " + name)
		case report.Unknown: // of a repository
		case report.Error != "":
			j.warn(WarnRecipeUnchecked + ": " + name)
		case report.Held:
			return r.refuse(*j, commandlog.Cancelled, RefusedHeld, heldText(name, report))
		default:
			j.warn(fmt.Sprintf("%s: %s %d %d", WarnRecipe, name, report.Warnings, report.Notes))
			warnOfFacts(j, report)
		}
	}
	return nil
}

// warnOfFacts adds the warnings of a report to the question.
func warnOfFacts(j *JudgedPlan, report recipeReport) {
	shown := 0
	for _, f := range report.Facts {
		if f.Severity == "warn" && shown < maxRecipeFacts {
			shown++
			j.warn(strings.TrimSpace(WarnRecipeFact + ": " + f.Code + " " + f.Detail))
		}
	}
}

// heldText says what holds a build, for models and people.
func heldText(name string, report recipeReport) string {
	var b strings.Builder
	fmt.Fprintf(&b, "not run: the AUR package %s should not be built:", name)
	for _, f := range report.Facts {
		if f.Severity == "red" {
			fmt.Fprintf(&b, "\n%s:%s %s: %s", f.File, strconv.Itoa(f.Line), f.Code, f.Detail)
		}
	}
	fmt.Fprintf(&b, "\nDo not try to install it another way. The person can read it with: blunux-ai aur check %s", name)
	return b.String()
}

// recipeReport checks the recipe of a package of the AUR. ok is false if that was not possible.
func (r run) recipeReport(ctx context.Context, j JudgedPlan, i int, name string) (report recipeReport, ok bool) {
	id := j.Call.ID + ".aur" + strconv.Itoa(i)
	step, err := r.Look(ctx, id, shell.CommandLine([]string{ownProgram, "aur", "check", "--json", "--", name}), j.Origin, j.Session)
	if err != nil {
		return report, false
	}
	line, _, _ := strings.Cut(step.Stdout, "\n")
	return report, json.Unmarshal([]byte(line), &report) == nil && report.Package != ""
}

// builtPackages returns the packages that a plan installs or updates with a program that builds packages of the AUR.
func (r run) builtPackages(ctx context.Context, j JudgedPlan) (names []string) {
	for _, c := range j.Plan.Commands {
		argv, literal := c.Literal()
		if !literal {
			continue
		}
		found, upgrades := helperTargets(argv)
		names = append(names, found...)
		if upgrades != "" {
			names = append(names, r.outdated(ctx, j, upgrades)...)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return names[:min(len(names), maxRecipes)]
}

// outdated returns the packages of the AUR for which a helper knows an update.
func (r run) outdated(ctx context.Context, j JudgedPlan, helper string) (names []string) {
	step, err := r.Look(ctx, j.Call.ID+".aur", helper+" -Qua", j.Origin, j.Session)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(step.Stdout) {
		if fields := strings.Fields(line); len(fields) >= 4 && fields[2] == "->" {
			names = append(names, fields[0])
		}
	}
	return names
}

// withCheckedBuild returns a command of yay or paru that builds packages with a program in the place of makepkg that checks the recipe
// in the directory where it is built: yay(8), paru(8), --makepkg. They fetch recipes again after the check before the question. It
// returns false for any other command, and for one that names a program itself.
func (env Env) withCheckedBuild(argv []string) ([]string, bool) {
	names, upgrades := helperTargets(argv)
	named := slices.ContainsFunc(argv, func(word string) bool { return strings.HasPrefix(word, makepkgOption) })
	if env.Makepkg == "" || named || len(names) == 0 && upgrades == "" {
		return nil, false
	}
	at := slices.IndexFunc(argv, func(word string) bool { return strings.HasPrefix(word, "-S") || word == "--sync" })
	if at < 0 { // without an operation they update all
		return append(slices.Clone(argv), "-Syu", makepkgOption+"="+env.Makepkg), true
	}
	return slices.Insert(slices.Clone(argv), at+1, makepkgOption+"="+env.Makepkg), true
}

const makepkgOption = "--makepkg"

// helperTargets returns the packages that a command line of yay or paru installs, and the helper if it also updates all.
func helperTargets(argv []string) (names []string, upgrades string) {
	at := slices.IndexFunc(argv, func(word string) bool {
		return word == "yay" || word == "paru" || path.Base(word) == "yay" || path.Base(word) == "paru"
	})
	if at < 0 || at > 2 {
		return nil, ""
	}
	syncs, only := len(argv) == at+1, false
	for i, word := range argv[at+1:] {
		switch {
		case word == "--":
		case word == "--sync":
			syncs = true
		case word == "--sysupgrade":
			upgrades = path.Base(argv[at])
		case strings.HasPrefix(word, "-S"):
			syncs = true
			only = only || strings.ContainsAny(word, "silgcp")
			if strings.Contains(word, "u") {
				upgrades = path.Base(argv[at])
			}
		case strings.HasPrefix(word, "-") && i == 0:
			return nil, "" // another operation
		case !strings.HasPrefix(word, "-"):
			_, name, repository := strings.Cut(word, "/")
			switch {
			case !repository:
				names = append(names, word)
			case strings.HasPrefix(word, "aur/"):
				names = append(names, name)
			}
		}
	}
	if len(argv) == at+1 {
		upgrades = path.Base(argv[at])
	}
	if !syncs || only {
		return nil, ""
	}
	return names, upgrades
}
