// Package report turns tool results into answers as a good administrator would give them: the finding, the
// figures with their source, their meaning, and one next step. It states only what is in the output.
//
// [Case.Answer] answers a question from its results. The reply of each tool is in the file for its subject
// (disk.go, network.go, …). An inquiry chains several read-only steps to find a cause.
package report

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// Result is one finished tool call.
type Result struct {
	Tool    string
	Input   map[string]any
	Output  *providers.Output // nil if the call returned only text
	Content string            // the text of a call without streams
	IsError bool
}

// Case is a request with the results found so far.
type Case struct {
	Request *intent.Reading // the parsed request; nil if unknown
	Before  *intent.Reading // the request whose offer this one accepts; nil if none
	Lang    i18n.Lang
	Home    string           // replaced by "~" in paths; may be empty
	Now     func() time.Time // nil means [time.Now]
	// RequestedSteps are the first calls, and Diagnoses names the chain of steps that each starts, "" for none. If
	// Asked is empty, all results are reported.
	RequestedSteps []intent.Step
	Diagnoses      []string
	// FollowUps are changes requested after the read-only steps. The first is offered.
	FollowUps []intent.Step
	Results   []Result
	// IsUncertain reports that the request was only partly understood: results are reported, but no change is offered.
	IsUncertain bool
	// NoRights reports whether the rights for changes of the system, or of its units, are unavailable here; nil
	// means that they are available.
	NoRights func(units bool) bool
	// HasTool reports whether a tool can be called; nil means any.
	HasTool func(tool string) bool
}

// Reply is the answer to a case, or the steps needed for it.
type Reply struct {
	Text  string
	Offer *intent.Step  // the step offered by the question at the end of Text
	Next  []intent.Step // steps to run before answering; Text is empty then
	// GoesBack reports that the offer is what a request to undo asks for, so that it is made although the request forbids others.
	GoesBack bool
}

// Answer answers a case from its results, or returns the next steps. A step that was already run or whose tool is
// unavailable is not requested again, so a chain ends.
func (c Case) Answer() Reply {
	if len(c.Results) == 0 {
		return Reply{Text: i18n.HelperResultNoOutput.In(c.Lang)}
	}
	var whole Reply
	for _, rep := range c.replies() {
		rep = c.permitted(rep)
		whole.Next = append(whole.Next, rep.Next...)
		if both, ok := c.asOnePlan(whole, rep); ok {
			whole.Text, whole.Offer = both.Text, both.Offer
			continue
		}
		whole.Text = paragraphs(whole.Text, rep.Text)
		if rep.Offer != nil {
			whole.Offer = rep.Offer
		}
	}
	if len(whole.Next) > 0 {
		return Reply{Next: whole.Next}
	}
	if len(c.FollowUps) > 0 && c.FollowUps[0].Tool == "desktop" && !c.isInstalled() {
		whole.Text = paragraphs(whole.Text, c.openLater())
	} else if len(c.FollowUps) > 0 {
		then := c.permitted(Reply{Text: paragraphs(whole.Text, c.askFollowUp(c.FollowUps[0])), Offer: &c.FollowUps[0]})
		whole.Text, whole.Offer = then.Text, then.Offer
	}
	return whole
}

// openLater says how to open a program whose installation waits for approval, "" if it does not.
func (c Case) openLater() string {
	if out := c.Results[0].Output; out == nil || out.ApprovalCode == "" {
		return ""
	}
	return i18n.HelperFollowupOpenLater(stringOf(c.FollowUps[0].Input["object"])).In(c.Lang)
}

// isInstalled reports whether the installation before an offer to open the program is done.
func (c Case) isInstalled() bool {
	out := c.Results[0].Output
	return out != nil && out.Refusal == "" && len(out.Steps) > 0 && out.Steps[len(out.Steps)-1].Exit == 0
}

// replies answers every requested step.
func (c Case) replies() []Reply {
	var out []Reply
	for i, s := range c.RequestedSteps {
		switch {
		case i < len(c.Diagnoses) && diagnoses[c.Diagnoses[i]].run != nil:
			out = append(out, c.diagnose(c.Diagnoses[i], s))
		case c.find(s) != nil:
			out = append(out, c.follow(s))
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, res := range c.Results {
		rep := c.result(res).compose()
		rep.Next = nil
		out = append(out, rep)
	}
	return out
}

// follow answers a step, or the last step that its reply led to.
func (c Case) follow(s intent.Step) Reply {
	rep := c.result(*c.find(s)).compose()
	if next := c.newSteps(rep.Next); len(next) > 0 {
		return Reply{Next: next}
	}
	for _, n := range rep.Next {
		switch {
		case n.Tool == "diagnose":
			return (&inquiry{Case: c, first: n}).withCauseOf(rep, n)
		case c.find(n) != nil:
			return c.follow(n)
		}
	}
	return rep
}

// newSteps returns the available steps that have not been run.
func (c Case) newSteps(steps []intent.Step) []intent.Step {
	return filter(steps, func(s intent.Step) bool { return (c.HasTool == nil || c.HasTool(s.Tool)) && c.find(s) == nil })
}

// find returns the result of a step, nil if it was not run.
func (c Case) find(s intent.Step) *Result {
	for i := range c.Results {
		if res := &c.Results[i]; res.Tool == s.Tool && sameInput(res.Input, s.Input) {
			return res
		}
	}
	return nil
}

// sameInput compares inputs as JSON does: an integer is a number.
func sameInput(a, b map[string]any) bool {
	return len(a) == 0 && len(b) == 0 || reflect.DeepEqual(normalizeInput(a), normalizeInput(b))
}

func normalizeInput(m map[string]any) map[string]any {
	var out map[string]any
	if text, err := json.Marshal(m); err != nil || json.Unmarshal(text, &out) != nil {
		return nil // inputs are strings, numbers and booleans
	}
	return out
}

func (c Case) result(res Result) *result {
	r := &result{tool: res.Tool, input: res.Input, out: res.Output, raw: res.Content, isErr: res.IsError, lang: c.Lang, ask: c.Request, home: c.Home, now: c.now()}
	if r.input == nil {
		r.input = map[string]any{}
	}
	if res.Output != nil {
		r.steps = res.Output.Steps
	}
	return r
}

// askFollowUp asks to confirm a change requested after a read-only step.
func (c Case) askFollowUp(s intent.Step) string {
	name, action := stringOf(s.Input["name"]), stringOf(s.Input["action"])
	if s.Tool == "desktop" {
		return i18n.HelperFollowupAskThenOpen(stringOf(s.Input["object"])).In(c.Lang)
	}
	question := map[string]func(name string) i18n.Text{
		"install_package": i18n.HelperFollowupAskThenInstall, "remove_package": i18n.HelperFollowupAskThenRemove,
		"start": i18n.HelperFollowupAskThenStart, "stop": i18n.HelperFollowupAskThenStop, "restart": i18n.HelperFollowupAskThenRestart, "reload": i18n.HelperFollowupAskThenReload, "enable": i18n.HelperFollowupAskThenEnable, "disable": i18n.HelperFollowupAskThenDisable,
	}
	for _, key := range []string{action, s.Tool} {
		text, ok := question[key]
		switch {
		case key == "update_system":
			return i18n.HelperFollowupAskThenUpdate.In(c.Lang)
		case ok:
			return text(name).In(c.Lang)
		}
	}
	return i18n.HelperFollowupAskThenDo.In(c.Lang)
}

// permitted removes the offer of a change if it is not allowed: the request was only partly understood, or the
// rights are unavailable. In the latter case it shows the command to run instead.
func (c Case) permitted(rep Reply) Reply {
	if rep.Offer == nil || rep.Offer.IsReadOnly() {
		return rep
	}
	head := ""
	if i := strings.LastIndex(rep.Text, "\n\n"); i >= 0 {
		head = rep.Text[:i]
	}
	if c.IsUncertain && head != "" && !rep.GoesBack {
		return Reply{Text: head, Next: rep.Next}
	}
	command, units := rootCommand(*rep.Offer)
	if command == "" || c.NoRights == nil || !c.NoRights(units) {
		return rep
	}
	return Reply{Text: paragraphs(head, i18n.HelperRightsRunYourself(command).In(c.Lang)), Next: rep.Next}
}

// rootCommand returns the command to type for a step that needs root's rights, "" for any other. units reports
// that it manages units, which polkit may allow without a password.
func rootCommand(s intent.Step) (command string, units bool) {
	name, _ := s.Input["name"].(string)
	switch s.Tool {
	case "update_system":
		return "sudo pacman -Syu", false
	case "install_package":
		return "sudo pacman -S --needed " + name, false
	case "remove_package":
		return "sudo pacman -Rns " + name, false
	case "manage_service":
		if user, _ := s.Input["user"].(bool); !user {
			return fmt.Sprintf("sudo systemctl %v %s", s.Input["action"], name), true
		}
	case "plan":
		return rootSteps(s)
	case "run_command":
		text, _ := s.Input["command"].(string)
		if rest, ok := strings.CutPrefix(text, "sudo -n "); ok {
			return "sudo " + rest, false
		}
	}
	return "", false
}

func (c Case) now() time.Time {
	if c.Now == nil {
		return time.Now()
	}
	return c.Now()
}
