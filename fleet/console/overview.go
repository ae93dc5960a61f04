package console

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/fleet"
	"github.com/nidoit/blunux-ai/fleet/server"
	"github.com/nidoit/blunux-ai/ipc"
)

// Overview is the fleet for a person who looks at it, as JSON for the page. Texts come from machines: a program
// that shows them must make control characters visible.
type Overview struct {
	At time.Time `json:"at"`
	// Count is the number of machines, of which Machines has the first.
	Count     int            `json:"count"`
	Machines  []MachineView  `json:"machines"`
	Questions []QuestionView `json:"questions"` // the latest first
	Plans     []PlanView     `json:"plans"`     // the oldest first
	MorePlans int            `json:"morePlans,omitempty"`
	RollOuts  []RollOutView  `json:"rollOuts"` // the latest first
}

// MachineView is a machine.
type MachineView struct {
	Name    string    `json:"name"`
	Labels  []string  `json:"labels"`
	Seen    time.Time `json:"seen,omitzero"`
	Twins   bool      `json:"twins,omitempty"`
	Approve []string  `json:"approve"` // what a console may approve there
	Quiet   string    `json:"quiet,omitempty"`
}

// Group is a number of machines with the names of the first.
type Group struct {
	Count int      `json:"count"`
	Names []string `json:"names"`
}

// QuestionView is a question with what machines answered alike.
type QuestionView struct {
	At      time.Time    `json:"at"`
	Console string       `json:"console"`
	Text    string       `json:"text"`
	Count   int          `json:"count"` // machines that were asked
	Answers []AnswerView `json:"answers"`
	More    int          `json:"more,omitempty"` // groups of answers that were left off
	Missing Group        `json:"missing"`
}

// AnswerView is what machines answered alike.
type AnswerView struct {
	Group
	Text    string `json:"text"`
	Problem string `json:"problem,omitempty"` // see [fleet.Answer]
}

// PlanView is a plan that waits for a signature.
type PlanView struct {
	Group
	Code    string    `json:"code"` // for `blunux-fleet approve`
	Command string    `json:"command"`
	Expires time.Time `json:"expires"` // the first of its machines
}

// The states of a roll-out.
const (
	StateRunning     = "running"
	StateDone        = "done"
	StateStopped     = "stopped"
	StateInterrupted = "interrupted" // its console went away, or could not send
)

// RollOutView is how far a roll-out is.
type RollOutView struct {
	At      time.Time `json:"at"`
	Console string    `json:"console"`
	Command string    `json:"command"`
	Count   int       `json:"count"`
	Done    int       `json:"done"` // machines that ended well
	State   string    `json:"state"`
	Stopped string    `json:"stopped,omitempty"` // the machine at which it stopped, and why
	Reason  string    `json:"reason,omitempty"`
	Left    int       `json:"left,omitempty"`
}

// The bounds of an overview.
const (
	maxMachines  = 1000
	maxQuestions = 5
	maxAnswers   = 10 // groups of a question
	maxPlans     = 20
	maxRollOuts  = 5
	maxNames     = 12
	maxLabels    = 8
	maxShown     = 4 << 10 // bytes of a text
	maxCode      = 32      // bytes of what should be a code
)

// clockSlack is how far the clock of a console may be ahead of the server's.
const clockSlack = 15 * time.Minute

// Overview returns the fleet as it is now.
func (c *Console) Overview(ctx context.Context) (o Overview, err error) {
	o.At = c.now().UTC()
	if err = c.addMachines(ctx, &o); err == nil {
		err = c.addPlans(ctx, &o)
	}
	var questions []asked
	var rollOuts []progress
	if err == nil {
		questions, rollOuts, err = c.readRecords(ctx)
	}
	if err == nil {
		err = c.addQuestions(ctx, &o, questions)
	}
	o.RollOuts = make([]RollOutView, len(rollOuts))
	for i, p := range rollOuts {
		o.RollOuts[i] = p.view(c.now())
	}
	if err == nil {
		err = ctx.Err() // what is read until then is not all
	}
	if err != nil {
		return o, fmt.Errorf("cannot read the fleet: %w", err)
	}
	return o, nil
}

func (c *Console) addMachines(ctx context.Context, o *Overview) error {
	r, err := c.Call(ctx, server.CallMachines, server.Call{})
	o.Count, o.Machines = len(r.Machines), []MachineView{}
	for _, m := range r.Machines[:min(len(r.Machines), maxMachines)] {
		labels := []string{}
		for k, v := range m.Labels {
			labels = append(labels, clip(k+"="+v, 2*maxCode))
		}
		slices.Sort(labels)
		approve := []string{}
		for _, tool := range m.Beat.Approve[:min(len(m.Beat.Approve), maxLabels)] {
			approve = append(approve, clip(tool, maxCode))
		}
		o.Machines = append(o.Machines, MachineView{
			Name: m.String(), Labels: labels[:min(len(labels), maxLabels)], Seen: m.Seen.UTC(), Twins: m.Twins, Approve: approve,
			Quiet: clip(m.Beat.Quiet, maxCode),
		})
	}
	return err
}

func (c *Console) addPlans(ctx context.Context, o *Overview) error {
	waits, err := c.Waits(ctx)
	folds := FoldWaits(waits)
	o.Plans, o.MorePlans = []PlanView{}, max(0, len(folds)-maxPlans)
	for _, f := range folds[:min(len(folds), maxPlans)] {
		v := PlanView{Code: f.Code(), Command: f.Command}
		for _, w := range f.Waits {
			v.add(w.Machine.String())
			if v.Expires.IsZero() || w.Expires.Before(v.Expires) {
				v.Expires = w.Expires
			}
		}
		o.Plans = append(o.Plans, v)
	}
	return err
}

// readRecords returns the latest questions and roll-outs.
func (c *Console) readRecords(ctx context.Context) (questions []asked, rollOuts []progress, err error) {
	all := source{stream: fleet.Records, filter: fleet.RecordSubject("*", "*")}
	err = c.readStored(ctx, all, func(subject string, data []byte) {
		var q asked
		var p progress
		switch {
		case strings.HasPrefix(subject, fleet.RecordSubject(kindAsked, "")) && json.Unmarshal(data, &q) == nil:
			questions = append(questions, q)
		case strings.HasPrefix(subject, fleet.RecordSubject(kindRollOut, "")) && json.Unmarshal(data, &p) == nil:
			rollOuts = append(rollOuts, p)
		}
	})
	slices.SortFunc(questions, func(a, b asked) int { return cmp.Or(b.At.Compare(a.At), strings.Compare(a.ID, b.ID)) })
	slices.SortFunc(
		rollOuts,
		func(a, b progress) int { return cmp.Or(b.At.Compare(a.At), strings.Compare(a.ID, b.ID)) },
	)
	return questions[:min(len(questions), maxQuestions)], rollOuts[:min(len(rollOuts), maxRollOuts)], err
}

// addQuestions adds questions with the first answer of each machine.
func (c *Console) addQuestions(ctx context.Context, o *Overview, questions []asked) error {
	o.Questions = []QuestionView{}
	if len(questions) == 0 {
		return nil
	}
	got := map[string]map[string]fleet.Answer{} // by request and machine
	for _, q := range questions {
		got[q.ID] = map[string]fleet.Answer{}
	}
	since := questions[len(questions)-1].At.Add(-clockSlack)
	answers := source{stream: fleet.Replies, filter: "f.*.*." + fleet.Answered, since: since}
	err := c.readStored(ctx, answers, func(subject string, data []byte) {
		var a fleet.Answer
		m, _, ok := fleet.MachineOf(subject)
		if !ok || json.Unmarshal(data, &a) != nil || got[a.Re] == nil {
			return
		}
		if _, known := got[a.Re][m.String()]; !known {
			a.Text = clip(a.Text, maxShown)
			got[a.Re][m.String()] = a
		}
	})
	for _, q := range questions {
		o.Questions = append(o.Questions, q.view(got[q.ID]))
	}
	return err
}

// view folds the answers to a question.
func (q asked) view(got map[string]fleet.Answer) QuestionView {
	v := QuestionView{
		At:      q.At,
		Console: q.Console,
		Text:    q.Text,
		Count:   len(q.Machines),
		Answers: []AnswerView{},
		Missing: Group{Names: []string{}},
	}
	texts := map[string]map[fleet.Machine]string{} // by problem
	for _, name := range q.Machines {
		a, ok := got[name]
		if !ok {
			v.Missing.add(name)
			continue
		}
		problem := clip(a.Problem, maxCode)
		if texts[problem] == nil {
			texts[problem] = map[fleet.Machine]string{}
		}
		site, of, _ := strings.Cut(name, "/")
		texts[problem][fleet.Machine{Site: site, Name: of}] = a.Text
	}
	for problem, of := range texts {
		for _, f := range fleet.FoldAnswers(of) {
			a := AnswerView{Text: f.Text, Problem: problem}
			for _, m := range f.Machines {
				a.add(m.String())
			}
			v.Answers = append(v.Answers, a)
		}
	}
	slices.SortFunc(v.Answers, func(a, b AnswerView) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(a.Names[0], b.Names[0]))
	})
	v.More = max(0, len(v.Answers)-maxAnswers)
	v.Answers = v.Answers[:len(v.Answers)-v.More]
	return v
}

func (p *progress) view(now time.Time) RollOutView {
	v := RollOutView{
		At:      p.At,
		Console: p.Console,
		Command: p.Command,
		Count:   p.Machines,
		State:   StateInterrupted,
		Stopped: p.Stopped,
		Reason:  p.Reason,
		Left:    p.Left,
	}
	for _, result := range p.Results {
		if result == fleet.ResultDone {
			v.Done++
		}
	}
	switch {
	case p.Stopped != "":
		v.State = StateStopped
	case p.Ended && v.Done == v.Count:
		v.State = StateDone
	case !p.Ended && now.Before(p.Until.Add(time.Minute)):
		v.State = StateRunning
	}
	return v
}

// add counts a machine.
func (g *Group) add(name string) {
	if g.Count++; g.Count <= maxNames {
		g.Names = append(g.Names, name)
	}
}

// clip cuts a text to a number of bytes, and marks the cut.
func clip(text string, most int) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

// Encode returns the overview as a line of JSON of at most [ipc.MaxOverview] bytes. Texts are cut as far as needed.
func (o Overview) Encode() ([]byte, error) {
	for most := maxShown; ; most /= 2 {
		o.clip(most)
		var b bytes.Buffer
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false) // a page inserts it as text
		if err := encoder.Encode(o); err != nil {
			return nil, fmt.Errorf("cannot encode the fleet: %w", err)
		}
		if b.Len() <= ipc.MaxOverview {
			return b.Bytes(), nil
		}
		if most == 0 {
			return nil, ipc.ErrTooLarge
		}
	}
}

func (o Overview) clip(most int) {
	for i := range o.Plans {
		o.Plans[i].Command = clip(o.Plans[i].Command, most)
	}
	for i := range o.RollOuts {
		o.RollOuts[i].Command = clip(o.RollOuts[i].Command, most)
	}
	for i := range o.Questions {
		q := &o.Questions[i]
		q.Text = clip(q.Text, most)
		for j := range q.Answers {
			q.Answers[j].Text = clip(q.Answers[j].Text, most)
		}
	}
}
