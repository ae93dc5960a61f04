package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"
	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/agent/plan"
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
	texts := map[string]string{} // of the files that steps above change
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
func (env Env) planStep(s *plan.Step, texts map[string]string) (Plan, error) {
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

// planInstall plans the installation of packages by name, or of package files that pacman has kept.
func (env Env) planInstall(args map[string]string) (Plan, error) {
	files := strings.Fields(args["file"])
	switch {
	case len(files) == 0:
		return changePackages("-S", reasonInstall)(env, nameInput{args["name"]})
	case args["name"] != "":
		return Plan{}, errors.New("install has either name or file")
	}
	words := []string{"pacman", "-U", "--noconfirm"}
	switch args["reason"] {
	case "":
	case "dependency":
		words = append(words, "--asdeps")
	default:
		return Plan{}, fmt.Errorf("the reason %q is not dependency", args["reason"])
	}
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

// maxEdited bounds the files that steps edit, in bytes.
const maxEdited = 1 << 20

// planFile plans the change of one file: a copy of a kept text, so that the command is complete and the text cannot change
// after the question. It gives the step the whole text.
func (env Env) planFile(s *plan.Step, texts map[string]string) (Plan, error) {
	if env.Receipts == nil {
		return Plan{}, errors.New("files cannot be changed here: nothing keeps their texts")
	}
	path, err := absolutePath(env, s.Args["path"])
	if err != nil {
		return Plan{}, err
	}
	if s.Verb != "remove_file" && env.isSecretFile(path) {
		return Plan{}, fmt.Errorf("%s can hold keys or passwords: the person changes it by hand", path)
	}
	old, exists, err := readText(path, texts)
	if s.Verb == "remove_file" && errors.Is(err, fs.ErrPermission) {
		exists, err = true, nil // its text is not needed, and cannot be kept
	}
	if err != nil {
		return Plan{}, err
	}
	if s.Verb == "remove_file" {
		if !exists {
			return Plan{}, fmt.Errorf("there is no file %s", path)
		}
		s.Args = map[string]string{"path": path}
		return env.forPath(path, "rm", "--", path), nil
	}
	text, err := env.newText(s, old, exists)
	if err != nil {
		return Plan{}, err
	}
	digest, err := env.Receipts.Keep([]byte(text))
	if err != nil {
		return Plan{}, err
	}
	texts[path] = text
	copied := []string{"cp", "--no-preserve=mode", "--", env.Receipts.Path(digest), path}
	mode := s.Args["mode"]
	if _, err := os.Stat(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) && mode == "" {
		mode = "644"
	}
	if mode != "" {
		if n, err := strconv.ParseUint(mode, 8, 16); err != nil || n > 0o777 {
			return Plan{}, fmt.Errorf("%q are no permissions: octal, from 000 to 777", mode)
		}
		copied = []string{"install", "-D", "-m", mode, "-T", "--", env.Receipts.Path(digest), path}
	}
	args := map[string]string{"path": path, "kept": digest, "was": noFile}
	if exists {
		args["was"] = receipt.Digest([]byte(old))
	}
	for _, name := range []string{"old", "new", "mode"} {
		if value := s.Args[name]; value != "" {
			args[name] = value
		}
	}
	shown, err := showDiff(path, old, text)
	if err != nil && s.Args["kept"] == "" { // what a receipt has kept was there before
		return Plan{}, err
	}
	s.Args = args
	p := env.forPath(path, copied...)
	p.Diffs = []string{shown}
	return p, nil
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

// noFile stands for the digest of a file that was not there.
const noFile = "none"

// isAsPlanned reports whether the file that a step of a plan changes is still the one that was shown, or has its new text
// already from an earlier try.
func isAsPlanned(s plan.Step) bool {
	was := s.Args["was"]
	if was == "" {
		return true
	}
	data, err := os.ReadFile(s.Args["path"])
	if errors.Is(err, fs.ErrNotExist) {
		return was == noFile
	}
	return err == nil && slices.Contains([]string{was, s.Args["kept"]}, receipt.Digest(data))
}

// maxDiff bounds the lines that a step can change, because a person reads them before the yes.
const maxDiff = 500

// showDiff shows the lines of a file that go and come. It is an error if they are too many; then it shows the first.
func showDiff(path, old, text string) (string, error) {
	var rows []string
	for line := range strings.Lines(string(diff.Diff(path, []byte(old), path, []byte(text)))) {
		if line = strings.TrimRight(line, "\n"); strings.HasPrefix(line, "-") || strings.HasPrefix(line, "+") {
			rows = append(rows, line)
		}
	}
	if len(rows) > 2 {
		rows = rows[2:] // the names of the files
	}
	if more := len(rows) - maxDiff; more > 0 {
		rows = append(rows[:maxDiff], fmt.Sprintf("… (+%d)", more))
		return strings.Join(rows, "\n"), fmt.Errorf("%s would change in %d lines: at most %d can be shown to the person", path, len(rows)+more-1, maxDiff)
	}
	return strings.Join(rows, "\n"), nil
}

// newText returns the text that a step gives a file.
func (env Env) newText(s *plan.Step, old string, exists bool) (string, error) {
	if s.Verb == "write_file" {
		if digest := s.Args["kept"]; digest != "" {
			data, err := os.ReadFile(env.Receipts.Path(digest))
			if err != nil || receipt.Digest(data) != digest {
				return "", errors.New("the text is not kept any more")
			}
			return string(data), nil
		}
		return s.Args["content"], nil
	}
	switch n := strings.Count(old, s.Args["old"]); {
	case !exists:
		return "", fmt.Errorf("there is no file %s", s.Args["path"])
	case n == 0:
		return "", fmt.Errorf("%s does not contain the text to replace", s.Args["path"])
	case n > 1:
		return "", fmt.Errorf("%s contains the text to replace %d times: give more of what surrounds it", s.Args["path"], n)
	}
	return strings.Replace(old, s.Args["old"], s.Args["new"], 1), nil
}

// readText returns the text of a file as it is after the steps above.
func readText(path string, texts map[string]string) (text string, exists bool, err error) {
	if text, ok := texts[path]; ok {
		return text, true, nil
	}
	fi, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", false, nil
	case err != nil:
		return "", false, fmt.Errorf("cannot read %s: %w", path, err)
	case !fi.Mode().IsRegular():
		return "", false, fmt.Errorf("%s is not a file", path)
	case fi.Size() > maxEdited:
		return "", false, fmt.Errorf("%s has %d bytes: at most %d can be changed", path, fi.Size(), maxEdited)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", false, fmt.Errorf("cannot read %s: %w", path, err)
	}
	if !utf8.Valid(data) || strings.ContainsRune(string(data), 0) {
		return "", false, fmt.Errorf("%s is not a text", path)
	}
	return string(data), true, nil
}

// forPath plans a command that changes a path, with root's rights if the person has none there.
func (env Env) forPath(path string, command ...string) Plan {
	place := path
	if command[0] == "rm" {
		place = filepath.Dir(path)
	}
	for place != "/" && unix.Access(place, unix.F_OK) != nil {
		place = filepath.Dir(place)
	}
	if env.isRoot() || unix.Access(place, unix.W_OK) == nil {
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
