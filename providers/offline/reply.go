package offline

import (
	"encoding/json"
	"strings"

	"github.com/nidoit/blunux-ai/providers"
)

// reply is what one tool result says, and where it leads.
type reply struct {
	text  string
	offer *Step  // what the question at the end of text offers
	next  []Step // read-only steps to run before answering
}

// result is one finished tool call with what was asked.
type result struct {
	tool  string
	input map[string]any
	steps []providers.Step
	out   *providers.Output
	raw   string // the content, for tools whose output is not parsed
	isErr bool

	lang string
	ask  *reading // the question that led here
	home string
}

func newResult(use, res providers.Block, lang string, ask *reading, home string) *result {
	r := &result{tool: use.Name, out: res.Output, raw: res.Content, isErr: res.IsError, lang: lang, ask: ask, home: home}
	_ = json.Unmarshal(use.Input, &r.input) // a bad input is an empty one: nothing is read from it but names
	if r.input == nil {
		r.input = map[string]any{}
	}
	if res.Output != nil {
		r.steps = res.Output.Steps
	}
	return r
}

func (r *result) str(key string) string {
	s, _ := r.input[key].(string)
	return s
}

func (r *result) flag(key string) bool {
	b, _ := r.input[key].(bool)
	return b
}

func (r *result) say(p phrase, args ...any) string { return p.in(r.lang, args...) }

// polar puts yes or no before a finding.
func (r *result) polar(yes bool, finding string) string {
	if yes {
		return r.say(sayYes) + finding
	}
	return r.say(sayNo) + finding
}

// step returns the first step whose command contains s, nil when there is none.
func (r *result) step(s string) *providers.Step {
	for i := range r.steps {
		if strings.Contains(r.steps[i].Command, s) {
			return &r.steps[i]
		}
	}
	return nil
}

// asked reports whether the question mentions one of the concepts.
func (r *result) asked(ids ...string) bool { return r.ask != nil && r.ask.hasAny(ids...) }

// repliers tell the results of each tool.
var repliers = map[string]func(*result) reply{
	"check_disk": (*result).disk, "check_memory": (*result).memory, "check_processes": (*result).processes,
	"read_logs": (*result).logs, "check_network": (*result).network, "list_packages": (*result).packageList,
	"search_packages": (*result).packageSearch, "package_info": (*result).packageInfo, "check_updates": (*result).updates,
	"install_package": (*result).installed, "remove_package": (*result).removed, "update_system": (*result).updated,
	"check_service": (*result).service, "manage_service": (*result).managed, "system_info": (*result).system,
	"check_hardware": (*result).hardware, "check_boot": (*result).boot, "find_large": (*result).large,
	"run_command": (*result).command,
}

// compose tells one result: first what kept it from running, then what it says.
func (r *result) compose() reply {
	if r.out == nil {
		return reply{text: r.unparsed()}
	}
	if r.out.Refusal != "" {
		return r.refused(r.out.Refusal)
	}
	if len(r.steps) == 0 {
		return reply{text: r.say(sayNoOutput)}
	}
	if text := r.missing(); text != "" {
		return reply{text: text}
	}
	tell := repliers[r.tool]
	if tell == nil {
		tell = (*result).command
	}
	rep := tell(r)
	if note := r.interrupted(); note != "" {
		rep.text = joinBlocks(note, rep.text)
	}
	return rep
}

// unparsed shows the content of a result that came without streams.
func (r *result) unparsed() string {
	var keep []string
	for line := range strings.Lines(r.raw) {
		if t := strings.TrimRight(line, "\n"); !hasAnyPrefix(strings.TrimSpace(t), "<data", "</data") {
			keep = append(keep, t)
		}
	}
	text := strings.TrimSpace(strings.Join(keep, "\n"))
	if text == "" {
		return r.say(sayNoOutput)
	}
	return excerpt(text, 30)
}

// missing says which program is not installed when nothing else could run.
func (r *result) missing() string {
	for _, s := range r.steps {
		if s.Missing == "" {
			return ""
		}
	}
	return r.missingText(r.steps[0].Missing)
}

func (r *result) missingText(program string) string {
	if pkg := providerOf[program]; pkg != "" {
		return r.say(sayMissingPackage, program, pkg)
	}
	return r.say(sayMissing, program)
}

// providerOf tells which Arch package has a program (pacman -F).
var providerOf = map[string]string{
	"checkupdates": "pacman-contrib", "sensors": "lm_sensors", "lspci": "pciutils", "lsusb": "usbutils", "upower": "upower", "nmcli": "networkmanager",
	"yay": "yay (AUR)", "getent": "glibc", "ping": "iputils", "ip": "iproute2", "ss": "iproute2", "free": "procps-ng", "ps": "procps-ng", "pgrep": "procps-ng", "uptime": "procps-ng",
	"df": "coreutils", "du": "coreutils", "uname": "coreutils", "lscpu": "util-linux", "lsblk": "util-linux", "find": "findutils", "journalctl": "systemd", "systemctl": "systemd",
	"systemd-analyze": "systemd", "pacman": "pacman", "sudo": "sudo",
}

// interrupted notes that an output is incomplete.
func (r *result) interrupted() string {
	for _, s := range r.steps {
		switch {
		case s.TimedOut:
			return r.say(sayTimedOut, s.Command)
		case s.Cut:
			return r.say(sayCut)
		}
	}
	return ""
}

// failed tells a command that went wrong in its own last words.
func (r *result) failed(s *providers.Step) string {
	words := essentials(s.Stderr, 4)
	if words == "" {
		words = essentials(s.Stdout, 4)
	}
	if words == "" {
		return r.say(sayFailedSilently, s.Command, s.Exit)
	}
	return joinBlocks(r.say(sayFailed, s.Command, s.Exit), quote(words))
}

// unreadable shows the essential lines of an output that no parser fits, such
// as one in another language.
func (r *result) unreadable(s *providers.Step) reply {
	if s.Exit != 0 && s.Exit != -1 || s.Stdout == "" && s.Stderr != "" {
		return reply{text: r.failed(s)}
	}
	if strings.TrimSpace(s.Stdout) == "" {
		return reply{text: r.say(sayEmpty, s.Command)}
	}
	return reply{text: joinBlocks(r.say(sayRaw, s.Command), quote(excerpt(s.Stdout, 12)))}
}
