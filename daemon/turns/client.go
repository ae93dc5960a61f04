package turns

import (
	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools"
)

// Client receives the frames of a task: a peer that reads a stream of them, or an original one that reads a single
// line.
type Client interface {
	// CanAsk reports whether a person can be asked there now.
	CanAsk() bool
	// Ask shows a question and reports whether it was shown completely.
	Ask(a *approval.Approval, question string) bool
	SendResolved(id string, r ipc.Resolved)
	SendDelta(text string)
	SendTool(t ipc.Tool)
	// WantsOutput reports whether the client wants the output of commands.
	WantsOutput() bool
	// ShowsSteps reports whether the client shows the steps of a plan as they begin and end.
	ShowsSteps() bool
	// Finish ends the request with a response or an error frame, and reports whether that was delivered. Only the
	// first call counts.
	Finish(m ipc.Message) (delivered bool)
	// Detach ends the request of a task that the next daemon resumes.
	Detach(m ipc.Message)
	// Disconnected is closed when the client has disconnected.
	Disconnected() <-chan struct{}
	// IsRequest reports whether the client waits on a connection for the request named re.
	IsRequest(conn any, re string) bool
}

// taskClient is a client whose answer names its task.
type taskClient interface{ SetTask(id string) }

// MutedClient is a client that can be made to send nothing more.
type MutedClient interface{ Mute() }

// ShowsSteps implements [Client].
func (NoClient) ShowsSteps() bool { return false }

// ruleClient is the client of a rule's task. A person has signed its commands before, or is asked on the rule's channels
// and answers later.
type ruleClient interface {
	// SignedDecision returns the decision about a plan that a person has signed.
	SignedDecision(j tools.JudgedPlan) (tools.Decision, bool)
	// Audience returns the conversations in which questions are asked.
	Audience() []string
	// AskLater sends a stored question.
	AskLater(a *approval.Approval, lang i18n.Lang)
}
