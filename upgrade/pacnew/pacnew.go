// Package pacnew merges the configuration files that pacman leaves next to those that a person changed: .pacnew and .pacsave.
//
// The base of a merge is the version that the person's file comes from: pacman's log says which, and the package cache has it, or a
// receipt, if it was left as .pacnew and merged here. diff3 compares the three. What only one side changed comes from that side; what both changed is a question. The package
// runs nothing: it names the commands that are still needed, which only read, and returns a plan, which a person confirms.
package pacnew

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/machine"
)

// Wish is what a person wants to know or have done.
type Wish struct {
	// File is the file to merge, or the one next to it, by its path or name; "" for all.
	File string
	// Choice is what they decided about it. Without a file, it counts for the first one that needs a decision.
	Choice Choice
	// AtTheMachine reports that the person sits at this machine, and not at a messenger.
	AtTheMachine bool
}

// State is what can be done about a file.
type State string

// The states.
const (
	Same       State = "same"       // the left file has the same text
	Clean      State = "clean"      // merged without a conflict, or as decided
	Conflict   State = "conflict"   // the person decides
	NoBase     State = "no-base"    // it is not known what each side changed
	Special    State = "special"    // never merged by lines
	Untouched  State = "untouched"  // never changed here
	Unreadable State = "unreadable" // only root reads it, or it can have secrets
	Unfit      State = "unfit"      // not text, too large, or changed meanwhile
	Saved      State = "saved"      // settings of a removed package
	Chosen     State = "chosen"     // the person takes one side as it is
)

// File is a configuration file with the one next to it.
type File struct {
	Path string
	Left string // its .pacnew or .pacsave file
	// Package is the owner, "" if no package has the file; Since is when the left file was written.
	Package string
	Since   time.Time
	State   State
	Says    i18n.Text
	// Conflicts need a decision each.
	Conflicts []Place
	// steps are what is to be done, nil for nothing; hint is a command that helps.
	steps []diagnose.Step
	hint  i18n.Text
}

// Place is a place that both sides changed.
type Place struct {
	Line      int // of the person's file, from 1
	Mine, New []string
}

// ErrHidden reports a file that is not read because it can have secrets.
var ErrHidden = errors.New("the file can have secrets")

// Machine is what the package looks at.
type Machine struct {
	// Run runs a command that only reads.
	Run func(ctx context.Context, command string) diagnose.Output
	// Read returns a file's text and when it changed last. It returns [ErrHidden] for a file that can have secrets.
	Read func(path string) ([]byte, time.Time, error)
	// Keep keeps the text that a step writes and returns its digest.
	Keep func(text []byte) (digest string, err error)
	// Kept yields when a file was removed and where its text is kept, oldest first; nil for a machine that keeps none.
	Kept func(file string) iter.Seq2[time.Time, string]
}

// Outcome is what a wish leads to.
type Outcome struct {
	Says  []i18n.Text
	Files []File
	// Plan is what is to be done, nil if nothing is.
	Plan *diagnose.Repair
}

// lookTime bounds a look.
const lookTime = 20 * time.Second

// Plan looks at the files of a wish and returns what can be done. It ends early with ctx.
func Plan(ctx context.Context, w Wish, m Machine) (out Outcome, err error) {
	l := &look{wish: w, machine: m, facts: diagnose.NewFacts(w.File)}
	if err := l.facts.Gather(ctx, lookTime, m.Run, func() { out = l.conclude() }); err != nil {
		return Outcome{}, err
	}
	return out, l.err
}

// look is one look at the files.
type look struct {
	wish    Wish
	machine Machine
	facts   *diagnose.Facts
	log     []machine.LeftFile
	err     error // of keeping a text
	decided bool  // the choice was used
	single  bool  // the wish is about one file
}

// conclude returns what the looks show so far; some may still be needed.
func (l *look) conclude() (out Outcome) {
	l.decided = false
	if !l.facts.Know(machine.LeftFilesProbe) {
		return out
	}
	found := l.facts.Output(machine.LeftFilesProbe)
	list, err := machine.ParseFoundFiles([]byte(found.Stdout))
	if found.Unseen || err != nil {
		return Outcome{Says: []i18n.Text{i18n.PacnewUnseen}}
	}
	beside, partly, done := l.besideBackups()
	if !done {
		return out
	}
	list = append(list, beside...)
	files := l.wanted(list)
	switch {
	case len(list) == 0:
		out.Says = append(out.Says, i18n.PacnewNone)
	case len(files) == 0:
		return Outcome{Says: []i18n.Text{i18n.PacnewUnknown(l.wish.File)}}
	default:
		out.Says = append(out.Says, i18n.PacnewCount(len(files)))
	}
	if found.Exit != 0 || found.Cut || partly {
		out.Says = append(out.Says, i18n.PacnewPartly)
	}
	l.single = len(files) == 1
	if len(files) == 0 || !l.describe(files) {
		return out
	}
	for i := range files {
		l.decide(&files[i])
	}
	out.Files = files
	out.Plan = planOf(files)
	return out
}

// maxDirs bounds the directories outside /etc that are looked at.
const maxDirs = 200

// besideBackups returns the files left next to configuration files outside /etc, which pacman's database names. partly reports that
// a directory could not be read. done is false while a look is needed.
func (l *look) besideBackups() (list []machine.FoundFile, partly, done bool) {
	if !l.facts.Know(machine.BackupsProbe) {
		return nil, false, false
	}
	dirs := slices.DeleteFunc(machine.ParseBackupDirs([]byte(l.facts.Stdout(machine.BackupsProbe))), func(dir string) bool {
		return !isPlainPath(dir) || strings.HasPrefix(dir, "/etc/")
	})
	if len(dirs) == 0 {
		return nil, false, true
	}
	probe := machine.LeftBesideProbe(dirs[:min(len(dirs), maxDirs)]...)
	if !l.facts.Know(probe) {
		return nil, false, false
	}
	found := l.facts.Output(probe)
	list, err := machine.ParseFoundFiles([]byte(found.Stdout))
	unread := strings.Contains(found.Stderr, "Permission denied") // a directory of a removed file is missing
	return list, unread || found.Unseen || found.Cut || err != nil || len(dirs) > maxDirs, true
}

// wanted returns the files that a wish is about, by name.
func (l *look) wanted(list []machine.FoundFile) (files []File) {
	for _, found := range list {
		f := File{Path: besideOf(found.Path), Left: found.Path, Since: found.Modified}
		if slices.Contains([]string{"", f.Path, f.Left, path.Base(f.Path), path.Base(f.Left)}, l.wish.File) {
			files = append(files, f)
		}
	}
	sorting.By(files, func(a, b File) int { return strings.Compare(a.Left, b.Left) })
	return files
}

// besideOf returns the file that something was left next to.
func besideOf(left string) string {
	i := max(strings.LastIndex(left, ".pacnew"), strings.LastIndex(left, ".pacsave"))
	return left[:max(i, 0)]
}

// describe looks up the owners of the files, and what the log says about them. done is false while a look is needed.
func (l *look) describe(files []File) (done bool) {
	var paths []string
	for _, f := range files {
		if isPlainPath(f.Path) && !slices.Contains(paths, f.Path) {
			paths = append(paths, f.Path)
		}
	}
	owners := machine.FileOwnersProbe(paths...)
	if len(paths) > 0 && !l.facts.Know(owners) {
		return false
	}
	packages, _ := machine.ParseFileOwners([]byte(l.facts.Output(owners).Stdout)) // nobody has a file of which no row says it
	var names []string
	for i := range files {
		f := &files[i]
		if f.Package = packages[f.Path].Name; isPlain(f.Package) && !slices.Contains(names, f.Package) {
			names = append(names, f.Package)
		}
	}
	if len(names) == 0 {
		return true
	}
	slices.Sort(names)
	log := machine.LeftFilesLogProbe(names...)
	if !l.facts.Know(log) {
		return false
	}
	l.log, _ = machine.ParseLeftFilesLog([]byte(l.facts.Output(log).Stdout)) // without a row, no version is known
	for i := range files {
		for _, row := range l.log {
			if row.As == files[i].Left {
				files[i].Since = row.At
			}
		}
	}
	return true
}

// isPlainPath reports whether commands can name a file as it is.
func isPlainPath(file string) bool {
	return path.Clean(file) == file && path.IsAbs(file) && isPlain(strings.ReplaceAll(file, "/", "_")) && !strings.Contains(file, "~")
}

// maxText bounds a file that is merged, in bytes.
const maxText = 512 << 10

// decide finds out what can be done about a file.
func (l *look) decide(f *File) {
	kind := kindOf(f.Path)
	switch {
	case !isPlainPath(f.Path) || !isPlainPath(f.Left):
		f.State, f.Says = Untouched, i18n.PacnewStrange
		return
	case kind == accounts:
		f.State, f.Says = Untouched, i18n.PacnewAccounts
		return
	case kind == rights:
		f.State, f.Says = Untouched, i18n.PacnewSudoers
		return
	}
	mine, modified, mineErr := l.machine.Read(f.Path)
	left, _, leftErr := l.machine.Read(f.Left)
	isSaved := strings.Contains(path.Base(f.Left), ".pacsave")
	switch err := errors.Join(mineErr, leftErr); {
	case leftErr == nil && errors.Is(mineErr, fs.ErrNotExist):
		f.State, f.Says = Saved, i18n.PacnewSavedAlone
		l.offerSides(f, left)
		return
	case errors.Is(err, ErrHidden):
		f.State, f.Says = Unreadable, i18n.PacnewSecret
		return
	case errors.Is(err, fs.ErrPermission):
		l.asRoot(f)
		return
	case err != nil || !isText(mine) || !isText(left):
		f.State, f.Says = Unfit, i18n.PacnewBinary
		return
	case bytes.Equal(mine, left):
		f.State, f.Says, f.steps = Same, i18n.PacnewSame, []diagnose.Step{remove(f.Left)}
		return
	case isSaved:
		f.State, f.Says = Saved, i18n.PacnewSaved
		l.offerSides(f, left)
		return
	case kind == mirrors:
		f.State, f.Says = Special, i18n.PacnewMirrors
		l.offerSides(f, left)
		return
	case l.chosen() && l.wish.Choice.Whole != "":
		l.offerSides(f, left)
		return
	}
	l.mergeFile(f, string(mine), string(left), modified)
}

// chosen reports whether the choice of the wish is about a file.
func (l *look) chosen() bool {
	return !l.wish.Choice.IsZero() && l.single && !l.decided
}

// mergeFile merges a file with the one left next to it, if its base is known.
func (l *look) mergeFile(f *File, mine, left string, modified time.Time) {
	place, version, done := l.base(f, modified)
	switch {
	case !done:
		return
	case version == "":
		f.State, f.Says = NoBase, i18n.PacnewNoLog
		l.offerSides(f, []byte(left))
		return
	case place == "":
		f.State, f.Says = NoBase, i18n.PacnewNoCache(f.Package+" "+version)
		l.offerSides(f, []byte(left))
		return
	}
	base := f.Package + " " + version
	changes, ok, done := l.changes(f, place)
	if !done {
		return
	}
	parts, err := merge(mine, left, changes)
	open := conflicts(parts)
	if !ok || err != nil || len(open) > maxConflicts {
		f.State, f.Says = Unfit, i18n.PacnewDiffers
		l.offerSides(f, []byte(left))
		return
	}
	sides := map[int]Side{}
	if len(open) > 0 && !l.decided && len(l.wish.Choice.Sides) > 0 {
		sides, l.decided = l.wish.Choice.Sides, true
	}
	text, complete := resolve(parts, sides)
	if !complete {
		f.State, f.Says = Conflict, i18n.PacnewConflict(len(open), base)
		for _, p := range open {
			f.Conflicts = append(f.Conflicts, Place{p.line, p.mine, p.new})
		}
		return
	}
	f.State, f.Says = Clean, i18n.PacnewClean(base)
	if len(open) > 0 {
		f.Says = i18n.PacnewAnswered(base)
	}
	f.steps = l.write(f, i18n.PacnewStepWrite(f.Path), []byte(text), text == mine)
}

// offerSides plans for a file that is not merged by lines what the person chose, or says how to choose.
func (l *look) offerSides(f *File, left []byte) {
	side := Side("")
	if l.chosen() {
		side, l.decided = l.wish.Choice.Whole, true
	}
	isSaved := strings.Contains(path.Base(f.Left), ".pacsave")
	switch side {
	case Mine:
		f.State, f.Says, f.steps = Chosen, i18n.PacnewChosenMine, []diagnose.Step{remove(f.Left)}
	case New:
		f.State, f.Says = Chosen, i18n.PacnewChosenNew
		if isSaved {
			f.Says = i18n.PacnewChosenSaved
		}
		f.steps = l.write(f, i18n.PacnewStepTake(f.Path), left, false)
	default:
		command := "blunux-aictl pacnew " + f.Left + " "
		f.hint = i18n.PacnewChoose(command+string(Mine), command+string(New))
	}
}

// asRoot plans what can be done about a file that only root reads: to look at it, and to remove the leftover.
func (l *look) asRoot(f *File) {
	f.State, f.Says = Unreadable, i18n.PacnewUnreadable
	f.hint = i18n.PacnewLook("sudo diff -u " + f.Path + " " + f.Left)
	switch {
	case l.chosen() && l.wish.Choice.Whole == Mine:
		step := remove(f.Left)
		step.Lost = true // its text cannot be kept
		f.State, f.Says, f.steps, l.decided = Chosen, i18n.PacnewChosenMine, []diagnose.Step{step}, true
	case l.single && l.wish.Choice.IsZero() && l.wish.AtTheMachine:
		f.steps = []diagnose.Step{diagnose.Run(i18n.PacnewStepLook(f.Path), "sudo -n diff -u "+f.Path+" "+f.Left, "", "", "")}
	}
}

// write returns the steps that give a file its text, check it, and remove the leftover.
func (l *look) write(f *File, about i18n.Text, text []byte, unchanged bool) (steps []diagnose.Step) {
	if !unchanged {
		digest, err := l.machine.Keep(text)
		if err != nil {
			l.err = err
			return nil
		}
		steps = append(steps, writeStep(about, f.Path, digest))
		if command := checkerOf(f.Path); command != "" {
			steps = append(steps, diagnose.Run(i18n.PacnewStepCheck(f.Path), command, "", "", ""))
		}
	}
	return append(steps, remove(f.Left))
}

// isText reports whether a text can be merged by lines.
func isText(text []byte) bool {
	return len(text) <= maxText && bytes.IndexByte(text, 0) < 0 && utf8.Valid(text)
}
