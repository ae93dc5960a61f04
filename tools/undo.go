package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/tools/action"
	"github.com/nidoit/blunux-ai/tools/receipt"
	"github.com/nidoit/blunux-ai/upgrade"
)

// ReasonUndo is the reason to ask about a plan that takes a change back.
const ReasonUndo = "undo"

// The reasons why nothing can be taken back.
var (
	ErrNoReceipt = errors.New("no change is known that could be taken back")
	ErrNoWayBack = errors.New("there is no way back")
)

// planUndo plans what takes a change back: the one with this id, or the last one of this conversation, or of this person
// if the conversation has none.
func planUndo(env Env, in struct{ ID string }) (Plan, error) {
	if env.Receipts == nil {
		return Plan{}, ErrNoReceipt
	}
	all, err := env.Receipts.All()
	if err != nil {
		return Plan{}, err
	}
	r, err := findChange(all, in.ID, env.Session)
	if err != nil {
		return Plan{}, err
	}
	typed, lost := plan.TakeBack("", r.Effects(), packageArchive{env, env.lacksKernel(r.Effects())}, env.Receipts.Has)
	back := env.fromSnapshots(r.Effects(), lost)
	typed.Steps, lost = back.around(typed.Steps), back.lost
	if len(typed.Steps) == 0 {
		return Plan{}, fmt.Errorf("%w from %s (%s)", ErrNoWayBack, r.ID, strings.Join(commandsOf(r), "; "))
	}
	if typed, err = plan.Read(typed.JSON()); err != nil {
		return Plan{}, fmt.Errorf("cannot take %s back: %w", r.ID, err)
	}
	p, err := env.planTyped(typed)
	if err != nil {
		return Plan{}, fmt.Errorf("cannot take %s back: %w", r.ID, err)
	}
	p.Reason, p.TakesBack, p.Lost = ReasonUndo, r.ID, lost
	p.SetBack = len(back.packages) + len(back.settings)
	p.Later = slices.Concat(laterChanges(all, r), changedSince(r.Effects()), back.later)
	return p, nil
}

func commandsOf(r receipt.Receipt) (commands []string) {
	for _, s := range r.Steps {
		if s.State != plan.StepSkipped && !s.Looks {
			commands = append(commands, s.Command)
		}
	}
	return commands
}

// findChange returns the receipt with an id, or the last one that can be meant without one.
func findChange(all []receipt.Receipt, id, session string) (receipt.Receipt, error) {
	if !action.IsAtMachine(channelOf(session)) { // its sender does not learn what was done elsewhere
		all = slices.DeleteFunc(slices.Clone(all), func(r receipt.Receipt) bool { return r.Session != session })
	}
	if id = strings.TrimSpace(id); id != "" {
		i := slices.IndexFunc(all, func(r receipt.Receipt) bool { return strings.EqualFold(r.ID, id) })
		if i < 0 {
			return receipt.Receipt{}, fmt.Errorf("%w: there is no %q", ErrNoReceipt, id)
		}
		return all[i], nil
	}
	takenBack := receipt.TakenBack(all)
	var last *receipt.Receipt
	for i := range all {
		r := &all[i]
		if takenBack[r.ID] != "" || r.TakesBack != "" || !r.HasChanges() {
			continue
		}
		if last == nil || r.Session == session || last.Session != session {
			last = r
		}
	}
	if last == nil {
		return receipt.Receipt{}, ErrNoReceipt
	}
	return *last, nil
}

// channelOf returns the channel of a conversation: agent:main:session:CHANNEL/NAME.
func channelOf(session string) string {
	_, key, _ := strings.Cut(session, ":session:")
	name, _, _ := strings.Cut(key, "/")
	return name
}

// laterChanges returns the ids of later receipts about the same things, without those that have been taken back and the
// ways back themselves.
func laterChanges(all []receipt.Receipt, r receipt.Receipt) (later []string) {
	own, gone := r.Effects(), receipt.TakenBack(all)
	past := false
	for _, other := range all {
		if other.ID == r.ID {
			past = true
			continue
		}
		same := slices.ContainsFunc(other.Effects(), func(e plan.Effect) bool {
			return slices.ContainsFunc(own, e.Same)
		})
		if past && same && gone[other.ID] == "" && gone[other.TakesBack] == "" {
			later = append(later, other.ID)
		}
	}
	return later
}

// changedSince returns the files and packages that are no longer as a change left them, by anyone's hand.
func changedSince(effects []plan.Effect) (names []string) {
	var packages map[string]plan.PackageState
	for _, e := range effects {
		switch e.Kind {
		case plan.KindFile:
			text, _, err := currentText(e.Name)
			if err == nil && receipt.Digest(text) != e.After || err != nil && e.After != "" {
				names = append(names, e.Name)
			}
		case plan.KindPackage:
			if packages == nil {
				packages = installedPackages()
			}
			if packages != nil && packages[e.Name].Version != e.After {
				names = append(names, e.Name)
			}
		}
	}
	return names
}

// packageArchive is what this machine has of packages that are not installed any more.
type packageArchive struct {
	env Env
	// keepsKernel leaves kernels and their modules as they are.
	keepsKernel bool
}

// Find implements [plan.Archive].
func (a packageArchive) Find(name, version string) (path string, ok bool) {
	if a.keepsKernel && isOfKernel(name) {
		return "", false
	}
	return a.env.findCached(name, version)
}

// isOfKernel reports whether a package is a kernel or has modules, which only work together.
func isOfKernel(name string) bool {
	kind := upgrade.KindOf(name)
	return kind == upgrade.Kernel || kind == upgrade.Module || strings.HasPrefix(name, "nvidia")
}

// lacksKernel reports whether a kernel or modules among the effects cannot be put back: then none of them goes back, because the
// computer would start with a kernel that does not find its modules.
func (env Env) lacksKernel(effects []plan.Effect) bool {
	return slices.ContainsFunc(effects, func(e plan.Effect) bool {
		if e.Kind != plan.KindPackage || e.Before == "" || !isOfKernel(e.Name) {
			return false
		}
		_, cached := env.findCached(e.Name, e.Before)
		return !cached
	})
}

// Replacing implements [plan.Archive].
func (packageArchive) Replacing(added, back []string) []string {
	return machine.Replacing(localPackages(), added, back)
}

// findCached finds the file of a package in pacman's caches, or in those of yay and paru.
func (env Env) findCached(name, version string) (path string, ok bool) {
	conf, _ := os.ReadFile("/etc/pacman.conf") // the usual places count without it
	dirs := machine.ParsePacmanPaths(conf).Caches
	dirs = append(dirs, filepath.Join(env.Home, ".cache/yay", name), filepath.Join(env.Home, ".cache/paru/clone", name))
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			rest, found := strings.CutPrefix(e.Name(), name+"-"+version+"-")
			arch, _, packed := strings.Cut(rest, ".pkg.tar")
			if found && packed && !strings.Contains(arch, "-") && !strings.HasSuffix(e.Name(), ".sig") {
				return filepath.Join(dir, e.Name()), true
			}
		}
	}
	return "", false
}

// uncached returns the installed packages among names whose files are in no cache.
func (env Env) uncached(names []string) (lost []string) {
	all := installedPackages()
	for _, name := range names {
		if p, installed := all[name]; installed {
			if _, ok := env.findCached(name, p.Version); !ok {
				lost = append(lost, name)
			}
		}
	}
	return lost
}

// Changes returns what approved changes did, oldest first.
func (g *Gate) Changes() ([]receipt.Receipt, error) {
	if g.env.Receipts == nil {
		return nil, nil
	}
	return g.env.Receipts.All()
}

// KnowsChange reports whether there is a change that can be meant by an id, or by the last one of a conversation without
// one.
func (g *Gate) KnowsChange(id, session string) bool {
	if g.env.Receipts == nil {
		return false
	}
	all, err := g.env.Receipts.All()
	if err != nil {
		return false
	}
	r, err := findChange(all, id, session)
	return err == nil && (id != "" || r.Session == session)
}

// localPackages reads pacman's database; nil if it cannot be read.
func localPackages() []machine.LocalPackage {
	conf, _ := os.ReadFile("/etc/pacman.conf") // the usual places count without it
	list, err := machine.LocalPackages(machine.ParsePacmanPaths(conf).Installed)
	if err != nil {
		return nil
	}
	return list
}

// installedPackages returns the packages of pacman's database by name; nil if it cannot be read.
func installedPackages() map[string]plan.PackageState {
	list := localPackages()
	if list == nil {
		return nil
	}
	all := map[string]plan.PackageState{}
	for _, p := range list {
		all[p.Name] = plan.PackageState{Version: p.Version, Dependency: p.Dependency}
	}
	return all
}

// keepPackages keeps the list of installed packages and returns its digest, "" if it cannot be read or kept.
func (env Env) keepPackages() (digest string) {
	all := installedPackages()
	if all == nil {
		return ""
	}
	data, err := json.Marshal(all)
	if err != nil { // texts and switches always marshal
		panic(err)
	}
	digest, _ = env.Receipts.Keep(data) // a list that cannot be kept has no way back, which the receipt says
	return digest
}

// packageEffects returns how the installed packages differ from a kept list.
func (env Env) packageEffects(kept string) []plan.Effect {
	if kept == "" {
		return nil
	}
	data, err := os.ReadFile(env.Receipts.Path(kept))
	before, after := map[string]plan.PackageState{}, installedPackages()
	if err != nil || after == nil || json.Unmarshal(data, &before) != nil {
		return nil
	}
	_ = os.Remove(env.Receipts.Path(kept)) // the differences say the rest
	return plan.PackageEffects(before, after)
}
