package tools

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/tools/action"
	"github.com/nidoit/blunux-ai/tools/binding"
	"github.com/nidoit/blunux-ai/tools/executor"
	"github.com/nidoit/blunux-ai/tools/place"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/sandbox"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// judge classifies plans.
type judge struct {
	checker  *safety.Checker
	executor *executor.Executor
	services action.Services
	rules    Rules
	hosts    *hostPolicy
	home     string
	putter   string // the program that replaces files
	// families and protected are those of [Policy].
	families  bool
	protected []string
}

// pin binds the plan's action, if it has one, to the current state of what it acts on. lang is the person's language.
func (d *judge) pin(p Plan, lang i18n.Lang) (Plan, error) {
	if p.Action == nil {
		return p, nil
	}
	services := d.services
	services.Lang = lang
	pinned, against, err := p.Action.Pin(services)
	p.Action, p.Against = pinned, cmp.Or(against, p.Against)
	return p, err
}

// classify judges a plan. It replaces shell sources by the canonical print of the parsed source. A reading
// plan that the sandbox cannot confine needs a confirmation.
func (d *judge) classify(call Call, plan Plan, session string) JudgedPlan {
	j := JudgedPlan{Call: call, Plan: plan, Session: session, Finding: Finding{Class: plan.AtLeast}}
	var hosts, webHosts []string
	switch {
	case plan.Action != nil && len(plan.Commands) == 0:
		v := d.services.Judge(plan.Action, j.actionCall())
		j.Class, j.Parts, j.Warnings, j.isUnparsed = max(j.Class, v.Class), v.Reasons, v.Warnings, v.Unparsed
		webHosts = v.WebHosts
	case plan.Action != nil || len(plan.Commands) == 0:
		j.isUnparsed, j.Class = true, max(j.Class, safety.Confirm)
	default:
		hosts = d.judgeCommands(&j)
	}
	j.Privileged = j.Privileged || plan.ByHand != nil // yay raises its own rights
	if plan.Reason != "" {
		j.Reasons = []string{plan.Reason}
	}
	for _, r := range j.Parts {
		j.addReason(r.Code)
	}
	switch {
	case j.Class != safety.Safe || plan.Action != nil:
	case !d.canConfine(&j):
		j.Class, j.Reasons = safety.Confirm, []string{ReasonNoSandbox}
	case j.isMixed:
		j.Class, j.Reasons = safety.Confirm, []string{reasonMixedCells}
	}
	d.hosts.check(&j, hosts)
	d.hosts.checkWeb(&j, webHosts)
	d.rules.apply(&j)
	if len(call.Pages) > 0 && j.Class == safety.Confirm {
		j.warn(WarnPageRead + ": " + strings.Join(call.Pages, ", "))
	}
	if j.Class == safety.Confirm && plan.Action == nil {
		judged := d.asCopies(j.Plan.Commands)
		j.Binding = binding.Of(judged, j.Programs, j.Plan.Dir, d.home)
		j.ProgramFiles = d.executor.ProgramFiles(d.startedBy(j))
		uses := place.Persistent(judged, j.Programs, j.Plan.Dir, d.home)
		j.isVague = uses.Vague
		for _, p := range uses.Found {
			j.warn(warnPersistence + ": " + p)
		}
		d.warnOfLinks(&j)
		warnOfLosses(&j)
		for _, r := range j.Parts {
			if r.Code == warnDataLoss {
				j.isVague = true
				j.warn(warnDataLoss + ": " + r.Part)
			}
		}
	}
	for i := range j.Plan.Commands {
		if v, ok := j.Plan.verbOf(i); ok && v.IsGuarded() && j.Class == safety.Confirm && plan.Action == nil {
			j.warn(WarnGoesBack)
		}
	}
	j.Digest = d.digest(j)
	j.Family = d.familyOf(&j)
	return j
}

// judgeCommands classifies the plan's commands and returns the hosts that they contact.
func (d *judge) judgeCommands(j *JudgedPlan) (hosts []string) {
	j.Plan.Commands = slices.Clone(j.Plan.Commands)
	for i, c := range j.Plan.Commands {
		var v safety.Verdict
		if c.Shell != "" {
			v = d.checker.JudgeIn(j.Plan.Dir, c.Shell)
			if v.Source == "" {
				j.isUnparsed = true
			} else {
				j.Plan.Commands[i].Shell = v.Source
			}
		} else {
			v = d.checker.JudgeArgv(j.Plan.Dir, d.asOwn(d.asCopy(c)).Argv)
			j.isUnparsed = j.isUnparsed || len(c.Argv) == 0
		}
		j.Class = max(j.Class, v.Class)
		j.Privileged = j.Privileged || v.Privileged
		j.Programs = append(j.Programs, v.Programs...)
		j.Parts = append(j.Parts, v.Reasons...)
		hosts = append(hosts, v.Hosts...)
		j.classes = append(j.classes, v.Class)
		cells, apart := cellsOf(j.Plan.Commands[i], v)
		j.cells, j.isMixed = append(j.cells, cells), j.isMixed || !apart
	}
	return hosts
}

// digest covers everything that decides what runs: the tool, the commands, their program files and scripts, the
// working directories, the session and the environment.
func (d *judge) digest(j JudgedPlan) string {
	steps := ""
	if j.Plan.Typed != nil {
		steps = j.Plan.Typed.Digest()
	}
	transaction := ""
	if j.Plan.Preview != nil {
		transaction = j.Plan.Preview.Digest
	}
	var start []machine.BootFinding
	if j.Plan.NextStart != nil {
		start = j.Plan.NextStart.Findings
	}
	data, err := json.Marshal(struct {
		Tool     string                `json:"tool"`
		Commands any                   `json:"commands"`
		Programs []string              `json:"programs"`
		Files    []binding.File        `json:"files"`
		Dir      string                `json:"dir"`
		Dirs     []string              `json:"dirs"`
		Session  string                `json:"session"`
		Env      []string              `json:"env"`
		Steps    string                `json:"steps,omitempty"`
		Upgrade  string                `json:"upgrade,omitempty"`
		Snapper  string                `json:"snapper,omitempty"`
		Start    []machine.BootFinding `json:"start,omitempty"`
	}{j.Plan.Tool, j.Plan.digested(), j.ProgramFiles, j.Files, j.Plan.Dir, j.Dirs, j.Session, d.executor.ApprovalEnv(), steps, transaction, j.Plan.Snapper, start})
	if err != nil { // strings always marshal
		panic(err)
	}
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// canConfine reports whether the sandbox can confine every part of a plan.
func (d *judge) canConfine(j *JudgedPlan) bool {
	return !slices.ContainsFunc(slices.Concat(j.cells...), func(c executor.Cell) bool { return d.executor.CanConfine(c.Needs) != nil })
}

// again judges a plan in the current state.
func (d *judge) again(j JudgedPlan) JudgedPlan {
	again := d.classify(j.Call, j.Plan, j.Session)
	again.Origin, again.By = j.Origin, j.By
	return again
}

// checkSteps refuses a plan with a check that can change something, and with a step or a way back that is never allowed.
func (d *judge) checkSteps(p Plan) error {
	if p.Typed == nil {
		return nil
	}
	for _, s := range p.Typed.Steps {
		if s.Check != "" {
			if v := d.checker.JudgeIn(p.Dir, s.Check); v.Class != safety.Safe || v.Source == "" {
				return fmt.Errorf("step %q: its check %q may change something; a check only reads", s.ID, s.Check)
			}
		}
		if s.Undo != "" {
			if v := d.checker.JudgeIn(p.Dir, s.Undo); v.Class == safety.Blocked || v.Source == "" {
				return fmt.Errorf("step %q: its undo %q is never allowed", s.ID, s.Undo)
			}
		}
	}
	return nil
}

// ReasonNoSandbox is the reason to confirm a reading command if no sandbox can confine it.
const ReasonNoSandbox = "no-sandbox"

// isSecret reports whether a file can have a secret, according to the checker.
func (d *judge) isSecret(path string) bool {
	v := d.checker.JudgeArgv("/", []string{"cat", path})
	return v.Class != safety.Safe
}

// WarnPageRead warns of a call in a conversation that has read web pages, whose authors may have suggested it. Its detail
// lists their hosts.
const WarnPageRead = "page-read"

// The warnings that precede ": " and a detail.
const (
	// warnPersistence warns of a plan that uses a place, or starts a program, that decides what runs automatically
	// later.
	warnPersistence = "persistence"
	// warnDataLoss warns of a plan that destroys all data on a device or in an image.
	warnDataLoss = "data-loss"
)

// reasonMixedCells is the reason to confirm a reading command whose parts need different openings but cannot be
// started separately.
const reasonMixedCells = "mixed-cells"

// cellsOf returns the cells of a SAFE command, one for each part that can be started separately. apart is false
// if parts that cannot be separated need openings that must not be shared.
func cellsOf(c shell.Command, v safety.Verdict) (cells []executor.Cell, apart bool) {
	apart = true
	for _, p := range v.Parts {
		part := executor.Cell{After: p.After, Command: c}
		if c.Shell != "" {
			part.Shell = p.Source
		}
		needs, ok := needsOf(p, part.String())
		part.Needs = needs
		apart = apart && ok
		cells = append(cells, part)
	}
	return cells, apart
}

// needsOf returns the openings of one part, which are those of its commands.
//
// Openings that only read can be shared (mounts, processes, the network as this machine sees it, a read-only
// bus). A service's socket, a device or access to other hosts is only for the commands that need it, and for
// commands that only process their input. A cell with a service also accepts a command without path operands
// that is no script: no text written by others decides what it does.
func needsOf(p safety.Part, text string) (sandbox.Needs, bool) {
	var names []string
	var special []sandbox.Needs
	for _, u := range p.Uses {
		names = append(names, u.Programs...)
		if n := sandbox.NeedsOf(u.Programs, ""); n.HasRiskyOpenings() && !slices.ContainsFunc(special, func(m sandbox.Needs) bool { return m.Equal(n) }) {
			special = append(special, n)
		}
	}
	all := sandbox.NeedsOf(names, text)
	if len(special) == 0 {
		return all, true
	}
	if len(special) > 1 {
		return all, false
	}
	reach := special[0].HasNetwork()
	for _, u := range p.Uses {
		if !u.Neutral && !sandbox.NeedsOf(u.Programs, "").Equal(special[0]) && (reach || !u.Plain) {
			return all, false
		}
	}
	return all, true
}
