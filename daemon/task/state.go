package task

import "fmt"

// State is where a task is (Moonbot specification section 9.3).
type State string

// The states.
const (
	Pending State = "PENDING" // waits in its queue
	Running State = "RUNNING"
	Paused  State = "PAUSED" // waits for a person's answer
	Done    State = "DONE"
	Failed  State = "FAILED"
	Aborted State = "ABORTED"
)

// Ended reports whether the state is final.
func (s State) Ended() bool { return s == Done || s == Failed || s == Aborted }

// isKnown reports whether this program knows the state.
func (s State) isKnown() bool { return s.Ended() || transitions[s] != nil }

// Change is an event of a task.
type Change string

// The changes.
const (
	Start  Change = "start"
	Pause  Change = "pause"
	Resume Change = "resume"
	Finish Change = "finish"
	Fail   Change = "fail"
	Abort  Change = "abort"
	// Retry is a restart of the daemon before the task had run anything.
	Retry Change = "again"
)

// transitions is the complete state machine. Other transitions are errors.
var transitions = map[State]map[Change]State{
	Pending: {Start: Running, Abort: Aborted, Fail: Failed, Retry: Pending},
	Running: {Pause: Paused, Finish: Done, Fail: Failed, Abort: Aborted, Retry: Pending},
	Paused:  {Resume: Running, Fail: Failed, Abort: Aborted, Retry: Pending},
}

// Next returns the state after a change, or an error if the change is not possible in this state.
func (s State) Next(c Change) (State, error) {
	next, ok := transitions[s][c]
	if !ok {
		return s, fmt.Errorf("a task that is %s cannot %s", s, c)
	}
	return next, nil
}
