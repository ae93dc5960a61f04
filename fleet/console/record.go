package console

import (
	"context"
	"encoding/json"
	"time"

	"github.com/nidoit/blunux-ai/fleet"
)

// The kinds of records.
const (
	kindAsked   = "asked"
	kindRollOut = "rollout"
)

// recordTime bounds the wait for the server to store a record.
const recordTime = 2 * time.Second

// asked is the record of a question.
type asked struct {
	ID       string    `json:"id"`
	Console  string    `json:"console"`
	Text     string    `json:"text"`
	At       time.Time `json:"at"`
	Machines []string  `json:"machines"`
}

// progress is the record of a roll-out. It is written again with each result.
type progress struct {
	ID       string            `json:"id"`
	Console  string            `json:"console"`
	Command  string            `json:"command"`
	At       time.Time         `json:"at"`
	Until    time.Time         `json:"until"` // when its stage is over; a later reader knows that the console is gone
	Machines int               `json:"machines"`
	Results  map[string]string `json:"results"`
	Ended    bool              `json:"ended,omitempty"`
	Stopped  string            `json:"stopped,omitempty"` // the machine at which it stopped
	Reason   string            `json:"reason,omitempty"`
	Left     int               `json:"left,omitempty"`

	write func(*progress)
}

// record stores a record, also after ctx ended, and reports whether it could.
func (c *Console) record(ctx context.Context, kind, id string, v any) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	data, err := json.Marshal(v)
	if err == nil {
		_, err = c.js.Publish(ctx, fleet.RecordSubject(kind, id), data)
	}
	return err == nil
}

// recordQuestion records which machines were asked. A question counts without its record: only the page lacks it.
func (c *Console) recordQuestion(ctx context.Context, r fleet.Request, machines []fleet.Machine) {
	a := asked{ID: r.ID, Console: r.Console, Text: r.Text, At: r.Sent, Machines: make([]string, len(machines))}
	for i, m := range machines {
		a.Machines[i] = m.String()
	}
	c.record(ctx, kindAsked, a.ID, a)
}

// newProgress begins the record of a roll-out. After the first that cannot be stored it stores none: a roll-out does
// not wait for its records.
func (c *Console) newProgress(ctx context.Context, id string, f Fold) *progress {
	works := true
	return &progress{
		ID:       id,
		Console:  c.name,
		Command:  clip(f.Command, maxShown),
		At:       c.now().UTC(),
		Machines: len(f.Waits),
		Results:  map[string]string{},
		write:    func(p *progress) { works = works && c.record(ctx, kindRollOut, p.ID, p) },
	}
}

// beginStage records until when the next stage ends at the latest.
func (p *progress) beginStage(until time.Time) {
	p.Until = until.UTC()
	p.write(p)
}

// note records how a machine ended.
func (p *progress) note(m fleet.Machine, result string) {
	if p.Results[m.String()] != result {
		p.Results[m.String()] = clip(result, maxCode)
		p.write(p)
	}
}

// end records the end, and why it came early.
func (p *progress) end(stopped *StoppedError) {
	p.Ended = true
	if stopped != nil {
		p.Stopped, p.Reason, p.Left = stopped.Machine.String(), clip(stopped.Reason, maxCode), stopped.Left
	}
	p.write(p)
}
