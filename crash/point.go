// Package crash names the instants at which the program must be able to die.
//
// What is promised after a crash is only worth something when the crash is
// tried where it hurts most. A build with the tag crashtest kills itself
// (SIGKILL) at the point that BLUNUX_AI_CRASH names, "point" or "point:nth";
// any other build does nothing there, and the calls cost nothing. [Scaled] makes
// bounds small in that build, so that what happens at them happens in a test.
package crash

// Point is an instant between two steps that have to fit together.
type Point string

// The points. "written" is after the bytes were given to the kernel and before
// they are on the disk, "synced" after.
const (
	JournalWritten  Point = "journal-written"  // tasks, outbox, settled approvals, usage
	JournalSynced   Point = "journal-synced"   //
	JournalRewrite  Point = "journal-rewrite"  // between the new file and its name
	SessionWritten  Point = "session-written"  // a conversation's entry
	SessionSynced   Point = "session-synced"   //
	TaskAccepted    Point = "task-accepted"    // known, not queued yet
	TaskStarted     Point = "task-started"     // RUNNING, nothing done yet
	ApprovalKept    Point = "approval-kept"    // on the disk, not asked yet
	ApprovalAsked   Point = "approval-asked"   // asked, not answered
	ApprovalSettled Point = "approval-settled" // answered yes, nothing run yet
	LogWritten      Point = "log-written"      // a command's line and record
	LogSynced       Point = "log-synced"       //
	BeforeExec      Point = "before-exec"      // between the log and the command
	ExecStarted     Point = "exec-started"     // the command runs
	ExecEnded       Point = "exec-ended"       // between the command's end and its record
	ResultKept      Point = "result-kept"      // its output stands in the conversation
	AnswerKept      Point = "answer-kept"      // the answer does, the task is not DONE
	AnswerStored    Point = "answer-stored"    // DONE with its answer, nobody has it
	AnswerSent      Point = "answer-sent"      // the answer left, which is not written down
	Compacting      Point = "compacting"       // a summary is made, not kept
	Compacted       Point = "compacted"        // kept
	NotifyStored    Point = "notify-stored"    // a notification waits
	NotifyTaken     Point = "notify-taken"     // read, to be handed over
	NotifySent      Point = "notify-sent"      // handed over, which is not written down

	AutomationWritten Point = "automation-written" // a due time is in the ledger: begun, skipped or ended
)

// Points are the points a message comes by, in no particular order. An automation
// comes by [AutomationWritten] too.
func Points() []Point {
	return []Point{
		JournalWritten, JournalSynced, JournalRewrite, SessionWritten, SessionSynced, TaskAccepted, TaskStarted,
		ApprovalKept, ApprovalAsked, ApprovalSettled, LogWritten, LogSynced, BeforeExec, ExecStarted, ExecEnded, ResultKept,
		AnswerKept, AnswerStored, AnswerSent, Compacting, Compacted, NotifyStored, NotifyTaken, NotifySent,
	}
}
