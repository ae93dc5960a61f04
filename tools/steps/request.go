package steps

import (
	"encoding/json"
	"time"

	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/executor"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// Request is a command or an action of a call that is about to run.
type Request struct {
	Entry    commandlog.Entry // with secrets, which are not recorded
	ReadOnly bool             // it only reads, so it can run while the disk is not writable
	Unsaved  bool             // its task is not saved on disk
	Command  shell.Command
	Cells    []executor.Cell
	Timeout  time.Duration
	OnOutput func(text string)

	// These describe a confirmed command to a later process.
	CallID    string
	Index, Of int    // position in the call's commands
	Why       string // of the inhibitor lock; "" for none
}

// Note is stored with a confirmed command, so that a later process can complete its record and report its result.
type Note struct {
	Ref        commandlog.Ref `json:"ref"` // of the command's record
	Session    string         `json:"session"`
	Task       string         `json:"task"`
	Channel    string         `json:"channel"`
	Automation string         `json:"automation,omitempty"` // the automation that ran it; "" for a person's message
	CallID     string         `json:"call"`                 // the model's id of the tool call
	Tool       string         `json:"tool"`
	Command    string         `json:"command"`       // as logged, without secrets
	Index      int            `json:"index"`         // position in the call's commands, from 0
	Of         int            `json:"of"`            // commands in the call; the ones after this one did not run
	Why        string         `json:"why,omitempty"` // of the inhibitor lock; "" for none
}

func (q Request) note(e commandlog.Entry, ref commandlog.Ref) json.RawMessage {
	data, err := json.Marshal(Note{
		Ref: ref, Session: e.Session, Task: e.Task, Channel: e.Channel, Automation: e.Automation, CallID: q.CallID,
		Tool: e.Tool, Command: e.Command, Index: q.Index, Of: q.Of, Why: q.Why,
	})
	if err != nil { // strings and numbers always marshal
		panic(err)
	}
	return data
}
