package report

import (
	"maps"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// asRoot is how a look begins that the person allowed with root's rights.
const asRoot = "sudo -n "

// offerRootLook offers the first look that the account may not run, if no cause is proved: it decides what is only likely.
func (q *inquiry) offerRootLook(f *finding, found diagnose.Report) {
	if len(found.Causes) > 0 && found.Causes[0].Certain && found.Topic != "disk" {
		return
	}
	if found.Topic == "disk" {
		q.offerSmart(f, found)
		return
	}
	for _, u := range found.Unseen {
		if u.Reason == diagnose.NeedsRights && strings.HasPrefix(u.Command, "nft ") { // others only show a part of their output
			f.propose(command(asRoot+u.Command), q.say(i18n.HelperLookAsRoot(asRoot+u.Command)))
			return
		}
	}
}

// rootLook concludes what the question before it asked, with what a look showed with root's rights.
func (q *inquiry) rootLook() Reply {
	seen := q.output(q.first, "")
	if seen == nil || q.Before == nil || seen.Exit != 0 && strings.TrimSpace(seen.Stdout) == "" { // smartctl(8) exits with bits about the disk
		return q.toolReply(q.first)
	}
	shown, isWhole := q.shownAsRoot(*seen)
	id, object, ok := q.Before.Problem()
	if look := slices.Sorted(maps.Keys(shown)); len(look) > 0 && strings.HasPrefix(look[0], "smartctl ") {
		id, object, ok = diagnose.Disk().ID, "", true
		if len(look) == 1 {
			object = look[0][strings.LastIndex(look[0], " ")+1:]
		}
	}
	topic, known := diagnose.Lookup(id)
	if !ok || !known || !isWhole {
		return q.toolReply(q.first)
	}
	f := diagnose.NewFacts(object)
	f.Text = q.Before.Raw()
	for {
		found := topic.Conclude(f)
		needed := f.Needed()
		if len(needed) == 0 {
			return q.causeReply(topic.Tell(q.Lang, found, f))
		}
		for _, look := range needed {
			if out, ok := shown[look.String()]; ok {
				f.Add(look, out)
			} else if out, ok := q.lookHere(look); ok {
				f.Add(look, out)
			}
		}
		if len(q.needed) > 0 {
			return Reply{}
		}
	}
}

// shownAsRoot returns what the looks of the first step printed. ok is false if one of several is missing: smartctl prints a report each.
func (q *inquiry) shownAsRoot(seen providers.Step) (shown map[string]diagnose.Output, ok bool) {
	text, _ := q.first.Input["command"].(string)
	looks := strings.Split(text, "; ")
	each := []string{seen.Stdout}
	if len(looks) > 1 {
		each = machine.SplitSmart([]byte(seen.Stdout))
	}
	shown = map[string]diagnose.Output{}
	for i, one := range each[:min(len(each), len(looks))] {
		shown[strings.TrimPrefix(looks[i], asRoot)] = diagnose.Output{Stdout: one, Exit: seen.Exit, Cut: seen.Cut}
	}
	return shown, len(each) == len(looks)
}

// lookHere returns what a look printed as a step of this answer. ok is false while it has not run.
func (q *inquiry) lookHere(look machine.Probe) (out diagnose.Output, ok bool) {
	s := command(look.String())
	if len(q.newSteps([]intent.Step{s})) > 0 {
		q.collect(s)
		return out, false
	}
	step := q.output(s, "")
	if step == nil {
		return diagnose.Output{Unseen: true}, true
	}
	return diagnose.Output{Stdout: step.Stdout, Stderr: step.Stderr, Exit: step.Exit, Cut: step.Cut, Unseen: step.TimedOut, TimedOut: step.TimedOut}, true
}
