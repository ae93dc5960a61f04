package tools

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/tools/action"
	"github.com/nidoit/blunux-ai/tools/autonomy"
	"github.com/nidoit/blunux-ai/tools/file"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// formerTools are the names that Moonbot ("Local-first AI Agent System", section 6.2) and RRClaw (its architecture, Tool
// trait) have for our tools, in case a model goes on using them.
var formerTools = map[string]string{
	"file.read": "read_file", "file.write": "write_file", "file.list": "list_files", "file.glob": "glob",
	"file_read": "read_file", "file_write": "write_file",
	"system.run": runCommand, "system.run.raw": runCommand, "shell": runCommand,
	"http.request": "http_request", "http.download": "download",
}

// browserPrefix begins the names that Moonbot has for what our tool browser does.
const browserPrefix = "browser."

// asOurs returns a call of a tool by a former name as one of ours.
func asOurs(call Call) Call {
	verb, ok := strings.CutPrefix(call.Name, browserPrefix)
	if !ok {
		if ours, known := formerTools[call.Name]; known {
			call.Name = ours
		}
		return call
	}
	var input map[string]any
	if json.Unmarshal(call.Input, &input) != nil || input == nil || input["action"] != nil {
		return call
	}
	input["action"] = verb
	if data, err := json.Marshal(input); err == nil {
		call.Name, call.Input = "browser", data
	}
	return call
}

// ReasonFile is the reason to ask about the change of one file.
const ReasonFile = "file-change"

func planReadFile(env Env, in struct {
	Path          string
	Offset, Limit int
},
) (Plan, error) {
	if strings.TrimSpace(in.Path) == "" {
		return Plan{}, errors.New("path is missing")
	}
	path, err := absolutePath(env, in.Path)
	if err != nil {
		return Plan{}, err
	}
	a, err := action.ReadFile(path, in.Offset, in.Limit)
	return Plan{Action: a}, err
}

// listedDir returns the directory that a tool lists: that of the person without a path.
func listedDir(env Env, path string) (string, error) {
	if path == "" {
		path = "."
	}
	return absolutePath(env, path)
}

func planListFiles(env Env, in struct {
	Path   string
	Hidden bool
},
) (Plan, error) {
	path, err := listedDir(env, in.Path)
	return Plan{Action: action.ListFiles(path, in.Hidden)}, err
}

func planGlob(env Env, in struct {
	Path, Pattern string
	Hidden        bool
},
) (Plan, error) {
	path, err := listedDir(env, in.Path)
	if err != nil {
		return Plan{}, err
	}
	a, err := action.Glob(path, in.Pattern, in.Hidden)
	return Plan{Action: a}, err
}

func planWriteFile(env Env, in struct{ Path, Content, Mode string }) (Plan, error) {
	return env.planOneFile("write_file", map[string]string{"path": in.Path, "content": in.Content, "mode": in.Mode})
}

func planEditFile(env Env, in struct{ Path, Old, New string }) (Plan, error) {
	return env.planOneFile("edit_file", map[string]string{"path": in.Path, "old": in.Old, "new": in.New})
}

// planOneFile plans the change of one file as a plan of one step, so that question, check, receipt and way back are the
// same.
func (env Env) planOneFile(verb string, args map[string]string) (Plan, error) {
	for name, value := range args {
		if value == "" {
			delete(args, name)
		}
	}
	typed, err := plan.Read(plan.Plan{Steps: []plan.Step{{Verb: verb, Args: args}}}.JSON())
	if err != nil {
		return Plan{}, err
	}
	p, err := env.planTyped(typed)
	p.Reason = ReasonFile
	return p, err
}

// asCopy returns the command that a command is judged as: cp for our own program that replaces a file, whose operands are
// the same. What a person may read, write or must confirm does not depend on which of them does it.
func (d *judge) asCopy(c shell.Command) shell.Command {
	program, operands := slices.Index(c.Argv, d.putter), slices.Index(c.Argv, "--")
	if d.putter == "" || program < 0 || operands < program || c.Argv[program+1] != file.Command {
		return c
	}
	return shell.Command{Argv: slices.Concat(c.Argv[:program], []string{"cp"}, c.Argv[operands:])}
}

// asCopies returns the commands of a plan as [judge.asCopy] does.
func (d *judge) asCopies(commands []shell.Command) []shell.Command {
	judged := make([]shell.Command, len(commands))
	for i, c := range commands {
		judged[i] = d.asCopy(c)
	}
	return judged
}

// warnHardLinks warns of the change of a file that has other names too: they keep the old text.
const warnHardLinks = "hard-links"

// warnOfLinks warns of the files with other names that the plan replaces. They are not refused: writing into the file instead
// would change all names, but a crash could leave half a text.
func (d *judge) warnOfLinks(j *JudgedPlan) {
	for _, c := range j.Plan.Commands {
		if at := slices.Index(c.Argv, d.putter); d.putter == "" || at < 0 || at+1 == len(c.Argv) || c.Argv[at+1] != file.Command {
			continue
		}
		path := c.Argv[len(c.Argv)-1]
		fi, err := os.Lstat(path)
		if err != nil || !fi.Mode().IsRegular() {
			continue
		}
		if st, ok := fi.Sys().(*syscall.Stat_t); ok && st.Nlink > 1 {
			j.warn(warnHardLinks + ": " + path)
		}
	}
}

// startedBy returns the programs of a plan, with our own one that replaces files.
func (d *judge) startedBy(j JudgedPlan) []string {
	if slices.ContainsFunc(j.Plan.Commands, func(c shell.Command) bool { return slices.Contains(c.Argv, d.putter) }) {
		return append(slices.Clone(j.Programs), d.putter)
	}
	return j.Programs
}

// changedFiles returns the files whose texts a call of write_file or edit_file replaces, none for other calls.
func (p Plan) changedFiles() (paths []string) {
	if p.Typed == nil || p.Reason != ReasonFile {
		return nil
	}
	for _, s := range p.Typed.Steps {
		paths = append(paths, s.Args["path"])
	}
	return paths
}

// changesFreely reports whether full autonomy covers a call that only replaces files. The program that does it follows
// no link, so that they are the files that the allowance is asked about.
func (g *Gate) changesFreely(j JudgedPlan, env autonomy.Env) bool {
	return j.Class == safety.Confirm && !j.isUnparsed && len(j.Warnings) == 0 && len(j.Plan.Lacks) == 0 && j.Plan.ByHand == nil &&
		!slices.Contains(j.Reasons, ReasonUserRule) && g.allowance.CoversFiles(j.Plan.Tool, j.Plan.changedFiles(), env)
}

func planBrowser(env Env, in action.BrowserInput) (Plan, error) {
	a, err := action.Browse(env.Session, in)
	return Plan{Action: a}, err
}
