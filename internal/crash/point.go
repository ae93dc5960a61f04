// Package crash names the points at which the program must survive a crash.
//
// A build with the tag crashtest kills itself (SIGKILL) at the point in BLUNUX_AI_CRASH, "point" or "point:nth",
// so that tests can check what is promised after a crash. In any other build the calls do nothing and cost
// nothing. [Scaled] reduces limits in a crashtest build, so that tests reach them.
package crash

// Point is a moment between two steps that must be consistent.
type Point string

// The points. "written" is after the data was given to the kernel and before it is on disk, "synced" is after that.
const (
	JournalWritten       Point = "journal-written"  // tasks, outbox, answered approvals, usage
	JournalSynced        Point = "journal-synced"   //
	JournalRewrite       Point = "journal-rewrite"  // the new file is written, but not renamed yet
	SessionWritten       Point = "session-written"  // a conversation's entry
	SessionSynced        Point = "session-synced"   //
	TaskAccepted         Point = "task-accepted"    // stored, not queued yet
	TaskStarted          Point = "task-started"     // RUNNING, nothing done yet
	ApprovalStored       Point = "approval-kept"    // on disk, not asked yet
	ApprovalAsked        Point = "approval-asked"   // asked, not answered
	ApprovalAnswered     Point = "approval-settled" // answered yes, nothing run yet
	LogWritten           Point = "log-written"      // a command's line and record
	LogSynced            Point = "log-synced"       //
	BeforeExec           Point = "before-exec"      // between the log and the command
	ExecStarted          Point = "exec-started"     // the command runs
	ExecEnded            Point = "exec-ended"       // between the command's end and its record
	ResultInConversation Point = "result-kept"      // its output is in the conversation
	AnswerInConversation Point = "answer-kept"      // the answer is in the conversation, the task is not DONE
	AnswerStored         Point = "answer-stored"    // DONE with its answer, not delivered
	AnswerSent           Point = "answer-sent"      // delivered, not recorded yet
	Compacting           Point = "compacting"       // a summary is made, not stored
	Compacted            Point = "compacted"        // a summary is stored
	NotifyStored         Point = "notify-stored"    // a notification is in the outbox
	NotifyTaken          Point = "notify-taken"     // read for delivery
	NotifySent           Point = "notify-sent"      // delivered, not recorded yet

	AutomationWritten Point = "automation-written" // a run is in the ledger as started, skipped or ended

	FileWritten Point = "file-written" // a file's new text is on disk without a name
	FileNamed   Point = "file-named"   // it has a name beside the file that it replaces
	FileRenamed Point = "file-renamed" // it has the file's name, which is not on disk yet
)

// Points returns the points that a message passes, in no particular order. An automation also passes
// [AutomationWritten], a program that replaces a file [FileWritten], [FileNamed] and
// [FileRenamed].
func Points() []Point {
	return []Point{
		JournalWritten, JournalSynced, JournalRewrite, SessionWritten, SessionSynced, TaskAccepted, TaskStarted,
		ApprovalStored, ApprovalAsked, ApprovalAnswered, LogWritten, LogSynced, BeforeExec, ExecStarted, ExecEnded, ResultInConversation,
		AnswerInConversation, AnswerStored, AnswerSent, Compacting, Compacted, NotifyStored, NotifyTaken, NotifySent,
	}
}
