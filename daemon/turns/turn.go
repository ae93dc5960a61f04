package turns

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/crash"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
)

func ErrorFrame(e *ipc.Error) ipc.Message {
	return ipc.Message{Type: ipc.TypeError, Error: e, Done: true}
}

// work runs a job's turn.
func (ts *Turns) work(j *job) {
	if !j.step(task.Start) {
		return // aborted while it waited
	}
	ts.recordChange(j, ts.tasks.Move(j.rec.ID, task.Start))
	crash.Here(crash.TaskStarted)
	if detected, ok := i18n.Detect(j.rec.Text); ok && j.req.Lang == "" {
		j.answerIn = detected // confirmations and errors are in the language of the question
	}
	w := &worker{ts: ts, job: j}
	e, left := w.runTurn()
	if j.awaitAccepted() != nil {
		return // Accept reports it
	}
	if left {
		// The next daemon resumes the task.
		j.client.Detach(ErrorFrame(ts.settings.Failure(settings.ErrStopping, j.answerIn)))
		return
	}
	w.sendPictures()
	ts.finish(j, e)
	w.releaseOutput()
	w.compact() // before the next turn of the session starts
	w.tidyNotes()
}

// tidyNotes rolls old daily notes up into months and updates the index of the notes. Without old days it only
// lists the files.
func (w *worker) tidyNotes() {
	if w.rt == nil {
		return
	}
	defer w.rt.Notes.Finder.UpdateSoon(w.rec.Session)
	if err := w.rt.Notes.RollUp(w.ctx, time.Now()); err != nil && w.ctx.Err() == nil {
		w.ts.log.Warn().Err(err).Msg("cannot roll up daily notes")
	}
}

// releaseOutput deletes the spooled output of the task's commands, once the turn and its answer are saved.
func (w *worker) releaseOutput() {
	if w.rt == nil {
		return
	}
	if err := w.rt.Gate.ReleaseRuns(w.rec.ID); err != nil {
		w.ts.log.Warn().Err(err).Str("task", w.rec.ID).Msg("cannot remove command output")
	}
}

// worker runs one job: it observes the turn and asks for approvals.
type worker struct {
	ts *Turns
	*job

	mu    sync.Mutex
	steps []ipc.Step
	// pictures are the latest that tools showed, for the sender of a messenger.
	pictures []*providers.Picture
	// hasPlan reports that a plan was carried out.
	hasPlan bool
	rt      *settings.Runtime
	// notice says that another model answers, and why. It is "" if the chosen one does.
	notice string
	late   *agent.LateCall // the approved call after which the turn continues, nil for a message
}

// reportSwitch informs the person before the answer that another model answers, and why.
func (w *worker) reportSwitch(c providers.Switch) {
	w.ts.log.Warn().Str("error", w.rt.Redact(c.Err.Error())).Str("task", w.rec.ID).Str("from", c.From).Str("to", c.To).Msg("switched to another model")
	if c.From == c.To { // only clients that stream saw the interrupted answer
		w.sendText("\n\n" + i18n.AnswerRestarted.In(w.answerIn) + "\n\n")
		return
	}
	why := settings.PublicError(w.ts.settings.Failure(c.Err, w.answerIn), w.rec.Channel, w.rec.ID, w.answerIn).Message
	notice := i18n.FallbackToHelper(why).In(w.answerIn)
	if c.To != "offline" {
		notice = i18n.DaemonFallback(why, c.To).In(w.answerIn)
	}
	w.notice += notice + "\n\n"
	if c.TextShown {
		notice = "\n\n" + notice
	}
	w.sendText(notice + "\n\n")
}

// runTurn runs the agent's turn. It returns how the job ends, or that the job is left to the next daemon because this
// one stops.
func (w *worker) runTurn() (e end, left bool) {
	rt, err := w.ts.settings.EnabledRuntime()
	if err != nil {
		return w.ts.failedEnd(w.job, err), false
	}
	w.rt = rt
	if w.rec.Unsaved {
		w.sayFirst(i18n.DiskNotWritable(w.ts.settings.Home).In(w.answerIn))
	}
	if run := w.withoutModel(); run != nil {
		return run()
	}
	if !w.req.DryRun {
		defer rt.Gate.Anticipate()()
	}
	by, err := rt.AgentOf(w.rec.Session)
	if err != nil { // it is no longer in the settings
		return w.ts.failedEnd(w.job, err), false
	}
	reply, err := by.Turn(w.withLog(w.ctx), w.request())
	if w.awaitAccepted() != nil {
		return end{}, false
	}
	w.ts.spending.tokens.add(reply.Usage)
	w.ts.tasks.Count(w.rec.ID, reply.Rounds, reply.Usage.InputTokens+reply.Usage.OutputTokens, len(w.steps))
	if reply.Lang != "" && w.req.Lang == "" { // a chosen language stays
		w.answerIn = reply.Lang
	}
	if errors.Is(err, agent.ErrRounds) {
		reply.Text, err = i18n.ErrRounds.In(w.answerIn), nil
	}
	if errors.Is(context.Cause(w.ctx), settings.ErrStopping) && err != nil {
		return end{}, true
	}
	if err != nil {
		w.ts.log.Warn().Str("error", rt.Redact(err.Error())).Str("task", w.rec.ID).Str("session", w.rec.Session).Msg("turn failed")
		e = w.ts.failedEnd(w.job, w.turnCause(err))
		e.stored = reply.Stored
		w.addChanges(e, reply)
		return e, false
	}
	reply.Text = w.notice + reply.Text
	w.appendDetails(&reply)
	out := w.outcome(reply)
	frame := ipc.Message{Type: ipc.TypeResponse, To: w.rec.Channel, Body: reply.Text}.WithData(out)
	return end{change: task.Finish, frame: frame, stored: reply.Stored}, false
}

// withoutModel returns what runs a job that needs no model, nil for a turn of the agent.
func (w *worker) withoutModel() func() (e end, left bool) {
	switch id, undoes := w.undoes(); {
	case len(w.rec.Argvs) > 0:
		return w.runCommands
	case w.late != nil:
		return nil
	case undoes:
		return func() (end, bool) { return w.runUndo(id) }
	case w.req.Repair != nil:
		return func() (end, bool) { return w.runRepair(*w.req.Repair) }
	case w.req.Merge != nil:
		return func() (end, bool) { return w.runMerge(*w.req.Merge) }
	case w.req.Upgrade:
		return w.runUpgrade
	}
	return nil
}

// appendDetails adds to an answer which notes changed, what waits, and what the checks show.
func (w *worker) appendDetails(reply *agent.Reply) {
	if changes := describeNoteChanges(w.rt, reply.NoteChanges, w.rec.Channel, w.answerIn); changes != "" {
		if reply.Stop != "max_rounds" { // a text of max_rounds is only sent with the answer
			w.sendText("\n\n" + changes)
		}
		reply.Text += "\n\n" + changes
	}
	if pending := w.pendingText(*reply); pending != "" {
		w.sendText("\n\n" + pending)
		reply.Text += "\n\n" + pending
	}
	if lines := appendLines(w.stepList(), describeChanges(reply.Proofs, reply.Receipts, w.answerIn)); lines != "" {
		if reply.Stop != "max_rounds" {
			w.sendText("\n\n" + lines)
		}
		reply.Text = appendLines(reply.Text, lines)
	}
}

// request returns the input of the agent's turn.
func (w *worker) request() agent.Request {
	r := agent.Request{
		Session: w.rec.Session, Dir: w.req.Cwd, Lang: w.answerIn, Late: w.late,
		Origin: w.origin(), Extra: w.deliveryTools(),
		DryRun: w.req.DryRun, Approver: w, Accepted: w.awaitAccepted,
		OnText: w.sendText, OnEvent: w.observe, OnSwitch: w.reportSwitch, OnRound: w.logRound,
		Explain: w.failureText,
	}
	if w.late != nil { // the conversation has what came with the message
		r.Text = w.ts.requestOf(w.rec.ID)
		return r
	}
	r.Text, r.IsRetry, r.Stdin, r.Attachments = w.rec.Text, w.retried, w.req.Stdin, w.ts.files.ReadAttachments(w.rec)
	r.Foreign = w.req.Foreign
	return r
}

// sendText sends a piece of the answer, once the message is known to be accepted.
func (w *worker) sendText(text string) {
	if w.awaitAccepted() == nil {
		w.client.SendDelta(text)
	}
}

// pendingText lists the commands that wait for an approval, what they would do, and how to approve each, unless the answer says it.
// Automations ask separately.
func (w *worker) pendingText(reply agent.Reply) string {
	var rows []string
	for _, code := range reply.Pending {
		r, err := w.ts.Approvals.Stored(code)
		if err != nil || w.rec.Rule != "" {
			continue
		}
		row := w.rt.Redact(Foreseen(r.Judged(), w.answerIn))
		if !strings.Contains(reply.Text, code) {
			row += i18n.WaitsForApproval(w.rt.Redact(briefCommand(r.Judged(), w.answerIn)), code).In(w.answerIn)
		}
		if row != "" {
			rows = append(rows, strings.TrimSuffix(row, "\n"))
		}
	}
	return strings.Join(slices.Compact(rows), "\n")
}

// briefCommand returns the command of a call in one line: of a plan the first one.
func briefCommand(j tools.JudgedPlan, lang i18n.Lang) string {
	if j.Plan.Typed == nil {
		return chat.ExcerptOf(ipc.VisibleLine(j.Command()), chat.MaxExcerpt)
	}
	lines := j.Lines()
	first := chat.ExcerptOf(i18n.StepCommand(ipc.VisibleLine(lines[0]), lang), chat.MaxExcerpt)
	if len(lines) == 1 {
		return first
	}
	return i18n.PlanBrief(first, len(lines)).In(lang)
}

// deliveryTools returns the tools that only work for senders over a bridge.
func (w *worker) deliveryTools() []providers.ToolDefinition {
	if !w.ts.files.CanReach(w.origin()) {
		return nil
	}
	return w.rt.Gate.SendTools()
}

// origin returns where the turn's calls come from.
func (w *worker) origin() tools.Origin {
	return tools.Origin{Unsaved: w.rec.Unsaved, Task: w.rec.ID, Channel: w.rec.Channel, Automation: w.rec.Rule, Watched: w.client.WantsOutput()}
}

// turnCause returns the cause of a failed turn: a timeout or cancellation takes precedence over the layers' errors.
func (w *worker) turnCause(err error) error {
	if w.ctx.Err() != nil {
		return context.Cause(w.ctx)
	}
	return err
}

// outcome returns the data of the response.
func (w *worker) outcome(reply agent.Reply) ipc.Outcome {
	out := ipc.Outcome{
		Task: w.rec.ID, Session: w.rec.Session, Stop: string(reply.Stop), Rounds: reply.Rounds,
		Usage:    ipc.Usage{In: reply.Usage.InputTokens, Out: reply.Usage.OutputTokens},
		Provider: reply.Provider, Model: reply.Model, Lang: string(w.answerIn), Why: reply.Why, Pending: reply.Pending,
		Budget: w.budgetLine(), Notes: w.noteChanges(reply.NoteChanges), Checks: checksOf(reply.Proofs), Receipts: reply.Receipts,
	}
	if !w.req.DryRun {
		w.mu.Lock()
		defer w.mu.Unlock()
		out.Steps = w.steps
		return out
	}
	out.Steps = []ipc.Step{}
	for _, p := range reply.Planned {
		step := ipc.Step{Tool: p.Judged.Call.Name, Input: inputOf(p.Judged.Call.Input)}
		if p.Refused != nil {
			step.State, step.Reason = ipc.ToolRefused, p.Refused.Output.Refusal
		}
		if p.Judged.Digest != "" {
			step.Class, step.Command, step.Reasons = p.Judged.Class.String(), chat.Truncate(p.Judged.Command()), p.Judged.Reasons
			step.Shell = p.Judged.Plan.Action == nil && len(p.Judged.Plan.Commands) > 0
		}
		out.Steps = append(out.Steps, step)
	}
	return out
}

func inputOf(raw json.RawMessage) json.RawMessage {
	switch {
	case len(raw) == 0:
		return json.RawMessage("{}")
	case len(raw) > chat.MaxShown: // a frame must fit a line
		return json.RawMessage(`{"_cut":true}`)
	}
	return raw
}

// observe sends a tool call to the client and adds it to the outcome.
func (w *worker) observe(e tools.Event) {
	if e.Step != nil {
		w.mu.Lock()
		w.hasPlan = true
		w.mu.Unlock()
		w.client.SendTool(ipc.Tool{Call: e.Call, Name: e.Name, Class: e.Class, State: e.State, Step: &ipc.PlanStep{
			Number: e.Step.Index + 1, Of: e.Step.Of, ID: e.Step.ID, Command: chat.Truncate(e.Step.Command), State: string(e.Step.State),
		}})
		return
	}
	if e.Output != "" {
		w.client.SendTool(ipc.Tool{Call: e.Call, Name: e.Name, State: e.State, Output: e.Output})
		return
	}
	w.client.SendTool(ipc.Tool{
		Call: e.Call, Name: e.Name, Class: e.Class, Command: chat.Truncate(e.Command), State: e.State,
		Exit: e.Exit, Millis: e.Took.Milliseconds(), OutBytes: e.OutBytes, Reason: e.Reason,
		Cut: e.Cut, Picture: e.Picture.File(), End: ipc.End{Ended: e.Ended, Program: e.Program, Limit: e.Limit},
	})
	w.logCall(e)
	if e.State == tools.StateRunning {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.addPicture(e.Picture)
	w.steps = append(w.steps, ipc.Step{
		Tool: e.Name, Input: inputOf(e.Input), Class: e.Class, Command: chat.Truncate(e.Command), State: e.State,
		Exit: e.Exit, Millis: e.Took.Milliseconds(), OutBytes: e.OutBytes, Reason: e.Reason, Reasons: e.Reasons,
		Picture: e.Picture.File(),
	})
}

// maxPictures bounds the pictures that one answer brings a sender.
const maxPictures = 4

// addPicture keeps a picture, nil for none, that the sender of a messenger gets with the answer. Others see it as it is shown.
func (w *worker) addPicture(p *providers.Picture) {
	if p == nil || !w.ts.files.CanReach(w.origin()) {
		return
	}
	if w.pictures = append(w.pictures, p); len(w.pictures) > maxPictures {
		w.pictures = w.pictures[1:]
	}
}

// sendPictures sends the pictures before the answer about them. Without them the answer still counts.
func (w *worker) sendPictures() {
	for i, p := range w.pictures {
		if err := w.ts.files.SendPicture(p, i, w.origin()); err != nil {
			w.ts.log.Warn().Err(err).Str("task", w.rec.ID).Msg("cannot send picture")
		}
	}
}

// compact summarises the older part of a long conversation. If that fails, only the window bounds what the model
// reads.
func (w *worker) compact() {
	if w.rt == nil {
		return
	}
	by, err := w.rt.AgentOf(w.rec.Session)
	if err != nil {
		return
	}
	spent, err := by.Compact(w.ctx, w.rec.Session)
	w.ts.spending.tokens.addExtra(spent.Usage)
	if spent.Usage != (providers.Usage{}) {
		w.recordUsage(spent.Provider, spent.Model, spent.Usage, true)
	}
	if err != nil {
		w.ts.log.Warn().Str("error", w.rt.Redact(err.Error())).Str("task", w.rec.ID).Str("session", w.rec.Session).Msg("cannot summarise conversation")
	}
}

// failureText returns the message for the person about a failed turn, as the conversation stores it.
func (w *worker) failureText(err error) string {
	if errors.Is(err, agent.ErrRounds) {
		return i18n.ErrRounds.In(w.answerIn)
	}
	return settings.PublicError(w.ts.settings.Failure(w.turnCause(err), w.answerIn), w.rec.Channel, w.rec.ID, w.answerIn).Message
}
