package plan

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/internal/sorting"
)

// Kind is what an effect is about.
type Kind string

// The kinds of effects.
const (
	KindPackage  Kind = "package"
	KindUnit     Kind = "unit"      // whether it runs: active or inactive
	KindUnitFile Kind = "unit-file" // when it is started: enabled, disabled or masked
	KindFile     Kind = "file"      // Before and After are digests of the text
	KindSetting  Kind = "setting"   // Name is a row of the settings
	KindCommand  Kind = "command"   // Before is the command that takes it back
	KindSnapshot Kind = "snapshot"  // Before and After are snapper's numbers, Name is its configuration
)

// Effect is one difference that a change made.
type Effect struct {
	Kind       Kind   `json:"kind"`
	Name       string `json:"name"`
	User       bool   `json:"user,omitempty"`       // of units: they are the user manager's
	Before     string `json:"before,omitempty"`     // "" if it was not there
	After      string `json:"after,omitempty"`      // "" if it is gone
	Dependency bool   `json:"dependency,omitempty"` // of packages: it was installed as a dependency
	Mode       string `json:"mode,omitempty"`       // of files: the permissions before, in octal
	Files      string `json:"files,omitempty"`      // of snapshots: the digest of the kept list of the files that differ
}

// Same reports whether two effects are about the same thing. Two pairs of snapshots never are.
func (e Effect) Same(other Effect) bool {
	return e.Kind != KindSnapshot && e.Kind == other.Kind && e.Name == other.Name && e.User == other.User
}

// PackageState is an installed package.
type PackageState struct {
	Version    string
	Dependency bool // installed as a dependency: pacman(8), --asdeps
}

// PackageEffects returns how two lists of the installed packages differ, by name.
func PackageEffects(before, after map[string]PackageState) []Effect {
	var effects []Effect
	for name, was := range before {
		if is := after[name]; is.Version != was.Version {
			effects = append(effects, Effect{Kind: KindPackage, Name: name, Before: was.Version, After: is.Version, Dependency: was.Dependency})
		}
	}
	for name, is := range after {
		if _, there := before[name]; !there {
			effects = append(effects, Effect{Kind: KindPackage, Name: name, After: is.Version, Dependency: is.Dependency})
		}
	}
	sorting.By(effects, func(a, b Effect) int { return strings.Compare(a.Name, b.Name) })
	return effects
}

// Effects returns how the looks before and after the command differ. Packages are compared by [PackageEffects].
func (v Verb) Effects(before, after []Look) []Effect {
	switch v.Action {
	case Install, Remove, Upgrade, Run, Write, Delete, Firewall, Link, Display, Reboot:
		return nil
	case Set:
		return v.settingEffects(before, after)
	}
	if len(before) == 0 || len(after) == 0 {
		return nil
	}
	was, is := unitsOf(before[0]), unitsOf(after[len(after)-1])
	if len(was) != len(v.Targets) || len(is) != len(v.Targets) {
		return nil
	}
	var effects []Effect
	for i, name := range v.Targets {
		e := Effect{Kind: KindUnit, Name: is[i].name(name), User: v.User, Before: was[i].running(), After: is[i].running()}
		if e.Before != e.After {
			effects = append(effects, e)
		}
		e.Kind, e.Before, e.After = KindUnitFile, was[i].boot(), is[i].boot()
		if e.Before != e.After {
			effects = append(effects, e)
		}
	}
	return effects
}

// running returns whether a unit runs.
func (u unit) running() string {
	switch u["ActiveState"] {
	case "active", "reloading", "refreshing", "activating":
		return "active"
	}
	return "inactive"
}

// boot returns when a unit is started, as far as enable, disable and mask decide it.
func (u unit) boot() string {
	switch state := u["UnitFileState"]; {
	case u.isMasked():
		return "masked"
	case state == "enabled" || state == "enabled-runtime":
		return "enabled"
	default:
		return "disabled"
	}
}

// WayBack is whether a change can be taken back.
type WayBack string

// The ways back.
const (
	CanGoBack   WayBack = "yes"
	CacheBack   WayBack = "cache" // as far as the earlier packages are still in the cache
	NoWayBack   WayBack = "no"
	NothingBack WayBack = "nothing" // it leaves nothing different
)

// WayBack returns whether the verb can be taken back.
func (v Verb) WayBack() WayBack {
	switch v.Action {
	case Install, Start, Stop, Enable, Disable, Mask, Unmask, Write, Delete:
		return CanGoBack
	case Remove, Upgrade:
		return CacheBack
	case Restart, Reload:
		return NothingBack
	}
	return NoWayBack
}

// ShownCheck returns the command with which the verb is checked, as a person would type it, "" for none.
func (v Verb) ShownCheck() string {
	proofs := v.Judge(nil, nil, 0)
	if len(proofs) == 0 {
		return ""
	}
	return proofs[0].Check
}

// Archive knows the packages that are not installed any more.
type Archive interface {
	// Find returns the file of a package.
	Find(name, version string) (path string, ok bool)
	// Replacing returns those of the packages that have to go for others to come back: each excludes one of them. It returns
	// none if a further installed package excludes one.
	Replacing(added, back []string) []string
}

// TakeBack returns the plan that takes effects back, newest first, and the effects for which there is no way back. What was done
// before any change of a package comes after the packages, in whose way it may have been. kept reports whether an earlier text
// of a file is kept.
func TakeBack(goal string, effects []Effect, archive Archive, kept func(digest string) bool) (p Plan, lost []Effect) {
	p.Goal = goal
	effects = slices.Clone(effects)
	slices.Reverse(effects)
	packages, gone := takePackagesBack(effects, archive)
	lost = append(lost, gone...)
	first := 0 // the change of a package that was done first
	for i, e := range effects {
		if e.Kind == KindPackage {
			first = i
		}
	}
	for i, e := range effects {
		if i == first {
			p.Steps = append(p.Steps, packages...)
		}
		if e.Kind == KindPackage || e.Kind == KindSnapshot { // the caller knows what is in the snapshots
			continue
		}
		steps, ok := e.takeBack(kept)
		if !ok {
			lost = append(lost, e)
		}
		p.Steps = append(p.Steps, steps...)
	}
	return p, lost
}

// stepOf returns a step with those of the arguments, names and values in turn, that have a value.
func stepOf(verb string, args ...string) Step {
	s := Step{Verb: verb, Args: map[string]string{}}
	for i := 0; i < len(args); i += 2 {
		if args[i+1] != "" {
			s.Args[args[i]] = args[i+1]
		}
	}
	return s
}

// takePackagesBack returns the steps that take all changes of packages back, and those without a way back. All files are
// installed in one transaction, so that packages of one version need no package of another. New ones are removed
// afterwards: until then the later versions need it.
func takePackagesBack(effects []Effect, archive Archive) (steps []Step, lost []Effect) {
	var added, files, back, dependencies []string
	for _, e := range effects {
		switch {
		case e.Kind != KindPackage:
			continue
		case e.Before == "":
			added = append(added, e.Name)
			continue
		}
		path, ok := archive.Find(e.Name, e.Before)
		if !ok {
			lost = append(lost, e)
			continue
		}
		files = append(files, path)
		if e.After == "" { // an installed package keeps its reason
			back = append(back, e.Name)
			if e.Dependency {
				dependencies = append(dependencies, e.Name)
			}
		}
	}
	if len(files) > 0 {
		var replaced []string
		if len(added) > 0 && len(back) > 0 {
			replaced = archive.Replacing(added, back)
		}
		added = slices.DeleteFunc(added, func(name string) bool { return slices.Contains(replaced, name) })
		steps = installBack(files, dependencies, replaced)
	}
	if len(added) > 0 {
		steps = append(steps, stepOf("remove", "name", strings.Join(added, " "), "only", "true"))
	}
	return steps, lost
}

// installBack returns the steps that install files in the place of packages, some of them as dependencies.
func installBack(files, dependencies, replaced []string) []Step {
	reason := ""
	if len(dependencies) == len(files) {
		reason, dependencies = "dependency", nil
	}
	steps := []Step{stepOf("install", "file", strings.Join(files, " "), "reason", reason, "replaces", strings.Join(replaced, " "))}
	if len(dependencies) > 0 {
		names := strings.Join(dependencies, " ")
		mark := stepOf("install", "mark", names)
		mark.Check = "pacman -Qd -- " + names
		steps = append(steps, mark)
	}
	return steps
}

// takeBack returns the steps that take an effect back that is not one of packages. It returns false if there is no way.
func (e Effect) takeBack(kept func(digest string) bool) (steps []Step, ok bool) {
	unit := func(action string) Step {
		user := ""
		if e.User {
			user = "true"
		}
		return stepOf("unit", "action", action, "name", e.Name, "user", user)
	}
	switch e.Kind {
	case KindUnit:
		return []Step{unit(map[string]string{"active": "start", "inactive": "stop"}[e.Before])}, true
	case KindUnitFile:
		if e.After == "masked" {
			steps = append(steps, unit("unmask"))
		}
		if e.After != "masked" || e.Before == "enabled" {
			steps = append(steps, unit(map[string]string{"enabled": "enable", "disabled": "disable", "masked": "mask"}[e.Before]))
		}
		return steps, true
	case KindFile:
		return e.takeFileBack(kept)
	case KindSetting:
		set, ok := restoreSetting(e)
		if !ok {
			return nil, false
		}
		return []Step{set}, true
	}
	return []Step{stepOf("run", "command", e.Before)}, true
}

func (e Effect) takeFileBack(kept func(digest string) bool) (steps []Step, ok bool) {
	switch {
	case e.Before == "":
		return []Step{stepOf("remove_file", "path", e.Name)}, true
	case !kept(e.Before):
		return nil, false
	case e.After == "": // otherwise the file keeps its own permissions
		return []Step{stepOf("write_file", "path", e.Name, "kept", e.Before, "mode", e.Mode)}, true
	}
	return []Step{stepOf("write_file", "path", e.Name, "kept", e.Before)}, true
}
