package tools

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/tools/action"
	"github.com/nidoit/blunux-ai/tools/shell"
	"github.com/nidoit/blunux-ai/tools/steps"
)

// snapperConfig returns the configuration of snapper with which an upgrade takes snapshots, "" if it takes none: the root file
// system has no configuration, or a hook of pacman takes them.
func (r run) snapperConfig(ctx context.Context, j JudgedPlan) string {
	if !r.env.HasProgram("snapper") {
		return ""
	}
	look := lookFor(r.judge.services, action.Call{Origin: j.Origin, Session: j.Session}, j.Call.ID+".snapper")
	name, err := machine.ParseSnapperRoot([]byte(look(ctx, machine.SnapperConfigsProbe.String()).Stdout))
	if err != nil || name == "" {
		return ""
	}
	if hooks := look(ctx, machine.SnapshotHooksProbe.String()); hooks.Unseen || hooks.Stdout != "" {
		return ""
	}
	return name
}

// snapper returns a command of snapper that takes a snapshot and prints its number. snapper removes old ones by their number.
func (e *execution) snapper(words ...string) []string {
	argv := []string{"snapper", "-c", e.judged.Plan.Snapper, "create", "--print-number", "--cleanup-algorithm", "number"}
	return append(append(argv, "--description", "blunux-ai "+e.receipt), words...)
}

// snapshotBefore takes the snapshot before an upgrade. If snapper fails or does not end, the upgrade goes on, and its answer says
// so: the packages in the cache take it back too, and a computer without updates is worse off than one without a snapshot.
func (e *execution) snapshotBefore(ctx context.Context, i int, c *check) error {
	if e.judged.Plan.Snapper == "" || c.Verb == nil || c.Verb.Action != plan.Upgrade {
		return nil
	}
	_, wrap := e.managerOf(i, false)
	done, err := e.aside(ctx, wrap(e.snapper("--type", "pre")...), "snapshot")
	if err != nil {
		return err
	}
	if c.Snapshot = snapshotNumber(done); c.Snapshot == "" {
		e.proveSnapshots(i, plan.NoSnapshot, whyNoSnapshot(done))
		return nil
	}
	if e.judged.Plan.Preview != nil {
		for _, p := range e.judged.Plan.Preview.Packages {
			c.owners = addOwner(c.owners, p.Name, p.From)
		}
	}
	e.keep(i) // with the number, for the case that the program dies
	return nil
}

// listChanges prints what differs from the snapshot before an upgrade, where packages have files and settings: in two lines, so
// that settings fit into a command's output if all does not. Kernels, their modules and the person's own files are never set back.
const listChanges = ` | grep -E '^[^ ]+ /(etc|usr|opt|var/lib/pacman/local)/' | grep -Ev ' /usr/(local|lib/modules)/'); ` +
	`echo "$s" | grep ' /etc/' | gzip -9 | base64 -w 0; echo; echo "$s" | grep -v ' /etc/' | gzip -9 | base64 -w 0; echo`

// snapshotAfter takes the snapshot after an upgrade that changed packages, and adds both to what it changed.
func (e *execution) snapshotAfter(ctx context.Context, i int, c *check) {
	var changed []plan.Effect
	for _, effect := range e.steps[i].Effects {
		if effect.Kind == plan.KindPackage {
			changed = append(changed, effect)
		}
	}
	if c.Snapshot == "" || len(changed) == 0 {
		return
	}
	take := shell.CommandLine(e.snapper("--type", "post", "--pre-number", c.Snapshot))
	script := fmt.Sprintf("n=$(%s) && echo \"$n\" && s=$(snapper -c %s status %s..\"$n\"%s",
		take, e.judged.Plan.Snapper, c.Snapshot, listChanges)
	_, wrap := e.managerOf(i, false)
	done, err := e.asideWithin(ctx, e.env.Limits.Update, wrap("sh", "-c", script), "snapshot.after")
	if err != nil {
		return // the whole call was cancelled, and its end says so
	}
	effect := plan.Effect{Kind: plan.KindSnapshot, Name: e.judged.Plan.Snapper, Before: c.Snapshot, After: snapshotNumber(done)}
	if effect.After == "" {
		e.proveSnapshots(i, plan.NoSnapshot, whyNoSnapshot(done))
	} else {
		effect.Files, _ = e.env.Receipts.Keep(c.ownedChanges(done.Stdout, changed)) // without it, undo takes nothing from them
		e.proveSnapshots(i, plan.Snapshots, effect.Before+".."+effect.After)
	}
	e.set(i, func(s *stepResult) { s.Effects = append(s.Effects, effect) })
}

func (e *execution) proveSnapshots(i int, code plan.Code, state string) {
	p := plan.Proof{
		Action: plan.Upgrade, Subject: "snapshots", Outcome: plan.Done, Code: code, State: state,
		Check: "snapper -c " + e.judged.Plan.Snapper + " list",
	}
	e.set(i, func(s *stepResult) { s.proofs = append(s.proofs, p) })
}

// snapshotNumber returns the number that snapper printed in the first line, "" if it printed none.
func snapshotNumber(done steps.Result) string {
	number, _, _ := strings.Cut(done.Stdout, "\n")
	if number == "" || len(number) > 9 || strings.Trim(number, "0123456789") != "" {
		return ""
	}
	return number
}

func whyNoSnapshot(done steps.Result) string {
	if lines := machine.Lines([]byte(done.Stderr)); len(lines) > 0 && !done.TimedOut {
		return machine.CleanLine(lines[0])
	}
	return done.EndReason()
}

// addOwner adds the files of a version of a package to the owners, by path. The entries of the database of installed packages
// belong to their packages too.
func addOwner(owners map[string]string, name, version string) map[string]string {
	if owners == nil {
		owners = map[string]string{}
	}
	conf, _ := os.ReadFile("/etc/pacman.conf") // the usual places count without it
	dir := machine.ParsePacmanPaths(conf).Installed
	for _, file := range machine.LocalFiles(dir, name+"-"+version) {
		owners[file] = name
	}
	entry := filepath.Join(dir, name+"-"+version)
	for _, file := range []string{"", "desc", "files", "mtree", "install", "changelog"} {
		owners[filepath.Join(entry, file)] = name
	}
	return owners
}

// ownedChanges returns the list of changes that the script has printed, a line each: the package, or "-" for none, and the change.
func (c *check) ownedChanges(printed string, changed []plan.Effect) []byte {
	for _, e := range changed {
		c.owners = addOwner(c.owners, e.Name, e.After)
	}
	var list bytes.Buffer
	for line := range strings.Lines(printed) { // longer than a line of [machine.Lines]
		text, err := unpackList(strings.TrimSuffix(line, "\n"))
		if err != nil {
			continue // the number, or more than a command's output can be
		}
		changes, _ := machine.ParseSnapshotChanges(text)
		for _, change := range changes {
			owner := c.owners[change.Path]
			if owner == "" {
				owner = "-"
			}
			fmt.Fprintf(&list, "%s %c..... %s\n", owner, change.Sign, change.Path)
		}
	}
	return list.Bytes()
}

func unpackList(line string) ([]byte, error) {
	packed, err := base64.StdEncoding.DecodeString(line)
	if err != nil {
		return nil, err
	}
	in, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(in, 8<<20))
}

// setBack is what a plan takes from the snapshots of an upgrade.
type setBack struct {
	// packages are files of packages that are in no cache. They come first, because those of the cache can need them. settings
	// come last, because hooks of pacman write them.
	packages, settings []string
	later              []string      // files that have changed since
	lost               []plan.Effect // what is not in the snapshots either
	undo               []string      // snapper's command, without the files
}

// maxSetBack bounds the files that a plan takes from snapshots, which its question names.
const maxSetBack = 500

// generated are files that other programs make again from the rest.
var generated = []string{"/etc/ld.so.cache", "/etc/.updated", "/etc/.pwd.lock"}

// fromSnapshots chooses what to take from the snapshots of an upgrade: the settings of no package, and the packages that are in no
// cache. Kernels and their modules are not among them, because their images in /boot would not come with them.
func (env Env) fromSnapshots(effects, lost []plan.Effect) setBack {
	back := setBack{lost: lost}
	at := slices.IndexFunc(effects, func(e plan.Effect) bool { return e.Kind == plan.KindSnapshot && e.Files != "" })
	if at < 0 || !env.Receipts.Has(effects[at].Files) {
		return back
	}
	wanted := env.inSnapshots(lost)
	lines, taken := env.readChanges(effects[at].Files)
	for name := range wanted {
		wanted[name] = slices.ContainsFunc(lines, func(l ownedChange) bool { return l.owner == name })
	}
	for _, line := range lines {
		isSetting := line.owner == "-" && strings.HasPrefix(line.Path, "/etc/") && !slices.Contains(generated, line.Path)
		switch state := stateOf(line.SnapshotChange, taken); {
		case !isSetting && !wanted[line.owner], state == asBefore:
		case state == changedAgain:
			back.later = append(back.later, line.Path)
		case isSetting:
			back.settings = append(back.settings, line.Path)
		default:
			back.packages = append(back.packages, line.Path)
		}
	}
	if len(back.packages)+len(back.settings) > maxSetBack {
		return setBack{lost: lost}
	}
	if len(back.packages) > 0 {
		back.lost = slices.DeleteFunc(slices.Clone(lost), func(e plan.Effect) bool { return e.Kind == plan.KindPackage && wanted[e.Name] })
	}
	s := effects[at]
	back.undo = env.asRoot("snapper", "-c", s.Name, "undochange", s.Before+".."+s.After).Commands[0].Argv
	return back
}

// inSnapshots returns the names of the lost packages that a snapshot can bring back: those that are as the upgrade left them.
func (env Env) inSnapshots(lost []plan.Effect) map[string]bool {
	wanted := map[string]bool{}
	for _, e := range lost {
		if e.Kind == plan.KindPackage && !isOfKernel(e.Name) && installedPackages()[e.Name].Version == e.After {
			wanted[e.Name] = true
		}
	}
	return wanted
}

// ownedChange is a change with the package of the file, "-" for none.
type ownedChange struct {
	owner string
	machine.SnapshotChange
}

// readChanges reads a kept list of changes. taken is when the snapshot after the upgrade was there.
func (env Env) readChanges(digest string) (all []ownedChange, taken time.Time) {
	text, _ := os.ReadFile(env.Receipts.Path(digest))
	if fi, err := os.Stat(env.Receipts.Path(digest)); err == nil {
		taken = fi.ModTime()
	}
	for line := range strings.Lines(string(text)) {
		owner, change, _ := strings.Cut(line, " ")
		changes, _ := machine.ParseSnapshotChanges([]byte(change))
		for _, c := range changes {
			all = append(all, ownedChange{owner, c})
		}
	}
	return all, taken
}

// The states of a file that an upgrade changed.
const (
	asAfter = iota
	asBefore
	changedAgain
)

// stateOf returns whether a file is still as the upgrade left it. New directories stay, because others can have files in them, but
// for entries of pacman's database.
func stateOf(c machine.SnapshotChange, taken time.Time) int {
	fi, err := os.Lstat(c.Path)
	switch {
	case err != nil && c.Sign == '+', err == nil && c.Sign == '+' && fi.IsDir() && !strings.HasPrefix(c.Path, machine.LocalEntries):
		return asBefore
	case err != nil && c.Sign == '-':
		return asAfter
	case err != nil || c.Sign == '-':
		return changedAgain
	}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok && time.Unix(st.Ctim.Unix()).After(taken) && !fi.IsDir() {
		return changedAgain
	}
	return asAfter
}

// around returns the steps of a plan with those that take files from the snapshots.
func (b setBack) around(others []plan.Step) (all []plan.Step) {
	add := func(files []string) {
		if len(files) > 0 {
			command := shell.CommandLine(slices.Concat(b.undo, files))
			all = append(all, plan.Step{Verb: "run", Args: map[string]string{"command": command}})
		}
	}
	add(b.packages)
	all = append(all, others...)
	add(b.settings)
	return all
}
