package tools

import (
	"cmp"
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

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/internal/charset"
	"github.com/nidoit/blunux-ai/tools/file"
	"github.com/nidoit/blunux-ai/tools/place"
	"github.com/nidoit/blunux-ai/tools/receipt"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// ReasonPlan is the reason to ask about a plan of several steps.
const ReasonPlan = "plan"

// planSteps plans the commands of a plan, one for each step.
func planSteps(env Env, input json.RawMessage) (Plan, error) {
	p, err := plan.Read(input)
	if err != nil {
		return Plan{}, err
	}
	for _, s := range p.Steps {
		if command := s.Args["command"]; s.Verb == "timer" && env.IsForbidden != nil && env.IsForbidden(command) {
			return Plan{}, fmt.Errorf("step %q: %q is never allowed, at no time", s.ID, command)
		}
	}
	if p, err = p.Expand(env.Home); err != nil {
		return Plan{}, err
	}
	return env.planTyped(p)
}

// planTyped plans the commands of a typed plan.
func (env Env) planTyped(typed plan.Plan) (Plan, error) {
	p := Plan{Typed: &typed, Reason: ReasonPlan}
	texts := map[string][]byte{} // of the files that steps above change
	for i := range typed.Steps {
		s := &typed.Steps[i]
		one, err := env.planStep(s, texts)
		if err != nil {
			return Plan{}, fmt.Errorf("step %q: %w", s.ID, err)
		}
		p.Commands, p.Diffs = append(p.Commands, one.Commands...), append(p.Diffs, strings.Join(one.Diffs, ""))
		p.AtLeast, p.Timeout = max(p.AtLeast, one.AtLeast), max(p.Timeout, one.Timeout)
		if s.Verb == "remove" {
			p.Uncached = append(p.Uncached, env.uncached(strings.Fields(s.Args["name"]))...)
		}
		if one.Reason == "" && one.AtLeast == safety.Safe {
			one.Reason = "run"
		}
		if len(one.Lacks) > 0 && p.Lacks == nil {
			p.Lacks, p.ByHand = one.Lacks, one.ByHand
		}
	}
	if p.AtLeast == safety.Safe {
		p.Reason = "" // only run steps: their commands decide
	}
	return p, nil
}

// planStep plans the command of one step.
func (env Env) planStep(s *plan.Step, texts map[string][]byte) (Plan, error) {
	change := func(p Plan, err error) (Plan, error) {
		p.AtLeast = safety.Confirm
		return p, err
	}
	switch s.Verb {
	case "run":
		return planRunCommand(env, commandInput{s.Args["command"]})
	case "install":
		return env.planInstall(s.Args)
	case "remove":
		if s.Args["only"] == "true" {
			names, err := packageNames(s.Args["name"])
			if err != nil {
				return Plan{}, err
			}
			return packageChange(env, reasonRemove, env.asRoot(append([]string{"pacman", "-R", "--noconfirm", "--"}, names...)...)), nil
		}
		return changePackages("-Rns", reasonRemove)(env, nameInput{s.Args["name"]})
	case "upgrade":
		if s.Args["replaces"] != "" {
			return packageChange(env, reasonUpgrade, env.asRoot("pacman", "-Syu", "--noconfirm", plan.RemoveConflicting)), nil
		}
		return planUpdateSystem(env, struct{}{})
	case "unit":
		return change(env.planUnit(s.Args))
	case "write_file", "edit_file", "remove_file":
		return change(env.planFile(s, texts))
	}
	command, err := s.Command(env.HasProgram)
	switch {
	case err != nil:
		return Plan{}, err
	case command.Root:
		return change(env.asRoot(command.Argv...), nil)
	}
	return change(argvPlan(command.Argv), nil)
}

// planInstall plans the installation of packages by name, or of package files that pacman has kept, or marks installed
// packages as dependencies.
func (env Env) planInstall(args map[string]string) (Plan, error) {
	given := 0
	for _, arg := range []string{"name", "file", "mark"} {
		if len(strings.Fields(args[arg])) > 0 {
			given++
		}
	}
	switch {
	case given > 1:
		return Plan{}, errors.New("install has one of name, file and mark")
	case args["file"] != "":
		return env.planInstallFiles(args)
	case args["mark"] != "":
		names, err := packageNames(args["mark"])
		if err != nil {
			return Plan{}, err
		}
		return packageChange(env, reasonInstall, env.asRoot(append([]string{"pacman", "-D", "--asdeps", "--"}, names...)...)), nil
	}
	return changePackages("-S", reasonInstall)(env, nameInput{args["name"]})
}

// planInstallFiles plans the installation of package files, in the place of the packages that they replace.
func (env Env) planInstallFiles(args map[string]string) (Plan, error) {
	words := []string{"pacman", "-U", "--noconfirm"}
	switch args["reason"] {
	case "":
	case "dependency":
		words = append(words, "--asdeps")
	default:
		return Plan{}, fmt.Errorf("the reason %q is not dependency", args["reason"])
	}
	if args["replaces"] != "" {
		words = append(words, plan.RemoveConflicting)
	}
	files := strings.Fields(args["file"])
	for _, f := range files {
		if !filepath.IsAbs(f) || filepath.Clean(f) != f {
			return Plan{}, fmt.Errorf("%q is not the absolute path of a file", f)
		}
	}
	return packageChange(env, reasonInstall, env.asRoot(slices.Concat(words, []string{"--"}, files)...)), nil
}

// unitActions are the actions of the verb unit: systemctl(1).
var unitActions = []string{"start", "stop", "restart", "reload", "enable", "disable", "mask", "unmask"}

func (env Env) planUnit(args map[string]string) (Plan, error) {
	action := args["action"]
	if !slices.Contains(unitActions, action) {
		return Plan{}, fmt.Errorf("the action %q is none of %s", action, strings.Join(unitActions, ", "))
	}
	if err := checkUnit(args["name"]); err != nil {
		return Plan{}, err
	}
	words := []string{action}
	if args["now"] == "true" && slices.Contains([]string{"enable", "disable", "mask"}, action) {
		words = append(words, "--now")
	}
	if args["user"] == "true" {
		return argvPlan(systemctl(true, append(words, "--", args["name"])...)), nil
	}
	return env.changeService(strings.Join(words, " "), args["name"]), nil
}

// planFile plans the change of one file: a kept text takes its place, so that the command is complete and the text cannot
// change after the question. It gives the step the whole text.
func (env Env) planFile(s *plan.Step, texts map[string][]byte) (Plan, error) {
	path, err := absolutePath(env, s.Args["path"])
	switch {
	case env.Receipts == nil || env.Putter == "":
		return Plan{}, errors.New("files cannot be changed here: nothing keeps their texts")
	case err != nil:
		return Plan{}, err
	case s.Verb == "remove_file":
		return env.planRemoval(s, path, texts)
	case env.isSecretFile(path):
		return Plan{}, fmt.Errorf("%s can hold keys or passwords: the person changes it by hand", path)
	}
	if path, err = place.RealPath(path); err != nil {
		return Plan{}, fmt.Errorf("cannot find where the path leads: %w", err)
	}
	old, err := readText(path, texts)
	if err != nil {
		return Plan{}, err
	}
	text, err := env.newText(s, old)
	if err != nil {
		return Plan{}, err
	}
	digest, err := env.Receipts.Keep(text)
	if err != nil {
		return Plan{}, err
	}
	shown, err := showDiff(path, old, text)
	if err != nil && s.Args["kept"] == "" { // what a receipt has kept was there before
		return Plan{}, err
	}
	put := file.Put{Kept: env.Receipts.Path(digest), Path: path, Was: old.identity(), Mode: s.Args["mode"]}
	if n, err := strconv.ParseUint(cmp.Or(put.Mode, "0"), 8, 16); err != nil || n > 0o777 {
		return Plan{}, fmt.Errorf("%q are no permissions: octal, from 000 to 777", put.Mode)
	}
	texts[path] = text
	args := map[string]string{"path": path, "kept": digest, "was": noFile}
	if old.exists {
		args["was"] = receipt.Digest(old.data)
	}
	for _, name := range []string{"old", "new", "mode"} {
		if value := s.Args[name]; value != "" {
			args[name] = value
		}
	}
	s.Args = args
	p := env.forPath(path, append([]string{env.Putter}, put.Args()...)...)
	p.Diffs = []string{shown}
	return p, nil
}

// planRemoval plans the removal of a file, or of a link to one.
func (env Env) planRemoval(s *plan.Step, path string, texts map[string][]byte) (Plan, error) {
	real, err := place.RealPath(path)
	if err != nil {
		return Plan{}, fmt.Errorf("cannot find where the path leads: %w", err)
	}
	old, err := readText(real, texts)
	switch {
	case errors.Is(err, fs.ErrPermission): // its text is not needed, and cannot be kept
	case err != nil:
		return Plan{}, err
	case !old.exists:
		return Plan{}, fmt.Errorf("there is no file %s", path)
	}
	s.Args = map[string]string{"path": path}
	return env.forPath(path, "rm", "--", path), nil
}

// isSecretFile reports whether a file can hold a secret, by its own name or that of the file that it leads to. A plan would
// show its text, keep it, and tell a model what it contains.
func (env Env) isSecretFile(path string) bool {
	if env.IsSecret == nil {
		return false
	}
	real, err := filepath.EvalSymlinks(path)
	return env.IsSecret(path) || err == nil && env.IsSecret(real)
}

// newText returns the bytes that a step gives a file, in the encoding that it has.
func (env Env) newText(s *plan.Step, old fileText) ([]byte, error) {
	if s.Verb == "write_file" {
		if digest := s.Args["kept"]; digest != "" {
			data, err := os.ReadFile(env.Receipts.Path(digest))
			if err != nil || receipt.Digest(data) != digest {
				return nil, errors.New("the text is not kept any more")
			}
			return data, nil
		}
		if data, err := charset.Encode(s.Args["content"], old.encoding); err == nil {
			return data, nil
		}
		return []byte(s.Args["content"]), nil
	}
	switch n := strings.Count(old.text, s.Args["old"]); {
	case !old.exists:
		return nil, fmt.Errorf("there is no file %s", s.Args["path"])
	case n == 0:
		return nil, fmt.Errorf("%s does not contain the text to replace", s.Args["path"])
	case n > 1:
		return nil, fmt.Errorf("%s contains the text to replace %d times: give more of what surrounds it", s.Args["path"], n)
	}
	return charset.Encode(strings.Replace(old.text, s.Args["old"], s.Args["new"], 1), old.encoding)
}

// forPath plans a command that changes a path, with root's rights if the person has none there. A file is replaced in its
// directory and keeps its owner.
func (env Env) forPath(path string, command ...string) Plan {
	dir := filepath.Dir(path)
	for dir != "/" && unix.Access(dir, unix.F_OK) != nil {
		dir = filepath.Dir(dir)
	}
	mine := true
	if fi, err := os.Lstat(path); err == nil && command[0] != "rm" {
		st, ok := fi.Sys().(*syscall.Stat_t)
		mine = ok && int(st.Uid) == os.Geteuid()
	}
	if env.isRoot() || mine && unix.Access(dir, unix.W_OK) == nil {
		return argvPlan(command)
	}
	return env.asRoot(command...)
}

// verbOf returns the change that a command of a plan makes.
func (p Plan) verbOf(index int) (plan.Verb, bool) {
	if p.Typed != nil {
		s := p.Typed.Steps[index]
		switch s.Verb {
		case "write_file", "edit_file":
			return plan.Verb{Action: plan.Write, Targets: []string{s.Args["path"]}, Digest: s.Args["kept"]}, true
		case "remove_file":
			return plan.Verb{Action: plan.Delete, Targets: []string{s.Args["path"]}}, true
		}
	}
	argv, literal := p.Commands[index].Literal()
	if !literal {
		return plan.Verb{}, false
	}
	return plan.Recognize(argv)
}
