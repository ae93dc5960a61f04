package console

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/nidoit/blunux-ai/fleet"
)

// Fold is a plan that waits on several machines with the same commands. Each machine has its own digest, and each gets
// its own signature.
type Fold struct {
	Command string
	Waits   []Waiting
}

// Code names the fold. It depends only on the commands, so other plans that begin or end to wait do not change it.
func (f Fold) Code() string {
	sum := sha256.Sum256([]byte(f.Command))
	return base32.StdEncoding.EncodeToString(sum[:])[:6]
}

// FoldWaits joins what waits by its commands, in the order of the oldest.
func FoldWaits(all []Waiting) []Fold {
	var folds []Fold
	for _, w := range all {
		i := slices.IndexFunc(folds, func(f Fold) bool { return f.Command == w.Command })
		if i < 0 {
			folds, i = append(folds, Fold{Command: w.Command}), len(folds)
		}
		folds[i].Waits = append(folds[i].Waits, w)
	}
	return folds
}

// Stages divides n machines: one, then a tenth of all, then the rest.
func Stages(n int) []int {
	stages, left := []int{}, n
	for _, size := range []int{1, (n + 9) / 10, n} {
		if size = min(size, left); size > 0 {
			stages, left = append(stages, size), left-size
		}
	}
	return stages
}

// StoppedError reports a roll-out that ended early.
type StoppedError struct {
	Machine fleet.Machine
	Reason  string // one of the results of [fleet.End], a problem of an [fleet.Answer], or "silent"
	Left    int    // machines that were not asked
}

func (e *StoppedError) Error() string {
	return fmt.Sprintf("stopped at %s: %s; %d machines were left as they are", e.Machine, e.Reason, e.Left)
}

// RollOut says yes to a fold in stages. A stage begins when every machine of the one before has ended well; the first
// that fails, that cannot show its change, or of which nothing is heard in time ends the roll-out with a
// [StoppedError]. It calls ended for each machine.
func (c *Console) RollOut(
	ctx context.Context,
	f Fold,
	patience time.Duration,
	ended func(m fleet.Machine, result string),
) error {
	p := c.newProgress(ctx, rand.Text(), f)
	waits := f.Waits
	for _, size := range Stages(len(waits)) {
		stage := waits[:size]
		waits = waits[size:]
		p.beginStage(c.now().Add(patience))
		results, err := c.yes(ctx, stage, patience, p.note)
		if err != nil {
			p.end(nil)
			return err
		}
		for _, w := range stage {
			ended(w.Machine, results[w.Machine])
			p.note(w.Machine, results[w.Machine])
		}
		for _, w := range stage {
			if r := results[w.Machine]; r != fleet.ResultDone {
				stopped := &StoppedError{w.Machine, r, len(waits)}
				p.end(stopped)
				return stopped
			}
		}
	}
	p.end(nil)
	return nil
}

// resultSilent is the result of a machine of which nothing was heard.
const resultSilent = "silent"

// yes signs for machines and waits until all have ended, or patience is over. It passes each result to note.
func (c *Console) yes(
	ctx context.Context,
	stage []Waiting,
	patience time.Duration,
	note func(m fleet.Machine, result string),
) (map[fleet.Machine]string, error) {
	results, requests := map[fleet.Machine]string{}, map[string]fleet.Machine{}
	of := map[string]fleet.Machine{}
	for _, w := range stage {
		results[w.Machine] = resultSilent
		if w.Re == "" { // a daemon that was restarted no longer tells how it ends
			results[w.Machine] = fleet.ResultUnproved
			continue
		}
		id, err := c.Decide(ctx, w, true)
		if err != nil {
			return nil, err
		}
		requests[id], of[w.Re+w.Machine.String()] = w.Machine, w.Machine
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	open := len(requests)
	err := c.read(ctx, "*", func(m fleet.Machine, data []byte) bool {
		var e fleet.Event
		var a fleet.Answer
		switch {
		case json.Unmarshal(data, &e) == nil && e.End != nil && of[e.End.Re+m.String()] == m && results[m] == resultSilent:
			results[m] = e.End.Result
			note(m, results[m])
			open--
		case json.Unmarshal(data, &a) == nil && requests[a.Re] == m && a.Problem != "" && results[m] == resultSilent:
			results[m] = a.Problem
			note(m, results[m])
			open--
		}
		return open > 0
	})
	return results, err
}
