package ipc

import (
	"encoding/json"
	"slices"
	"time"
)

// Hello is the data of a hello. Client and Server are "name/version".
type Hello struct {
	Client  string `json:"client,omitempty"`
	Server  string `json:"server,omitempty"`
	Channel string `json:"channel,omitempty"`
	TTY     bool   `json:"tty,omitempty"`
	// Lang is the language that was chosen at the client, "" for none; Locale what
	// its surroundings speak, which counts where the daemon was told nothing either.
	Lang    string   `json:"lang,omitempty"`
	Locale  string   `json:"locale,omitempty"`
	Caps    []string `json:"caps,omitempty"`
	MaxLine int      `json:"max_line,omitempty"`
	// Notices is how many notifications wait for the client's channel.
	Notices int `json:"notices,omitempty"`
	// Provider and Model are who answers, in the daemon's hello.
	Provider string `json:"provider,omitempty"`
	Model    string `json:"model,omitempty"`
}

// The capabilities a client may announce: which frames it wants.
const (
	CapDelta = "delta" // streamed text
	CapTool  = "tool"  // tool lines
	CapAsk   = "ask"   // it can put a confirmation to a person
	// CapOutput adds to tool frames what commands print, as they print it.
	CapOutput = "output"
)

// Request is the data of a message.
type Request struct {
	Stdin  string `json:"stdin,omitempty"`   // piped in with the question, untrusted
	Cwd    string `json:"cwd,omitempty"`     // where the person is
	Lang   string `json:"lang,omitempty"`    // ui language, "" for the daemon's
	DryRun bool   `json:"dry_run,omitempty"` // plan and classify, run nothing
	// Timeout bounds the whole turn, in seconds; 0 means no bound of its own.
	Timeout int `json:"timeout,omitempty"`
}

// The states of a tool frame.
const (
	ToolRunning = "running"
	ToolDone    = "done"
	ToolRefused = "refused"
)

// Tool is the data of a tool frame: a call that starts, ends or is refused.
type Tool struct {
	Call     string `json:"call"`
	Name     string `json:"name,omitempty"`
	Class    string `json:"class,omitempty"`
	Command  string `json:"command,omitempty"`
	State    string `json:"state"`
	Exit     int    `json:"exit"`
	Millis   int64  `json:"ms,omitempty"`
	OutBytes int    `json:"out_bytes,omitempty"`
	Reason   string `json:"reason,omitempty"` // why it was refused
	// Output is the next piece of what a running command prints, for peers with
	// [CapOutput]: whole lines, keys taken out, at most 64 KiB a frame. Cut
	// reports, in the frame that ends the call, that some of its output was left out.
	Output string `json:"output,omitempty"`
	Cut    bool   `json:"cut,omitempty"`
	End
}

// End is why a command did not come to its own end.
type End struct {
	Ended   string `json:"ended,omitempty"`   // "timeout", "missing" or "unknown"; "" when it ended by itself
	Program string `json:"program,omitempty"` // the one that is not installed
	Limit   int    `json:"limit,omitempty"`   // seconds it was given, when it timed out
}

// Ask is the data of an ask frame: everything a person needs to decide.
type Ask struct {
	Code       string    `json:"code"`
	Tool       string    `json:"tool"`
	Class      string    `json:"class"`
	Command    string    `json:"command"` // literal, complete
	Argv       []string  `json:"argv,omitempty"`
	Cwd        string    `json:"cwd,omitempty"`
	Privileged bool      `json:"privileged"`
	Reasons    []string  `json:"reasons"`
	Covers     string    `json:"covers,omitempty"` // what allow_session covers; "" when withheld
	Digest     string    `json:"digest"`
	Expires    time.Time `json:"expires"`
	Channel    string    `json:"channel,omitempty"`
	Session    string    `json:"session,omitempty"`
	// Warnings are what a person should see before deciding: codes, some with
	// a detail after ": ", such as "untrusted-read" or
	// "dangerous-pattern: rm\s+-rf".
	Warnings []string `json:"warnings,omitempty"`
	// Files are the scripts whose contents the approval is bound to.
	Files []AskFile `json:"files,omitempty"`
}

// Editable reports whether the command can be answered with another: what
// another server's tool is called with cannot, nor what is taken from the notes or
// changed of an automation.
func (a Ask) Editable() bool {
	return !slices.Contains(a.Reasons, "foreign-tool") &&
		!slices.Contains([]string{"forget", "update_user", "change_automation", "remove_automation", "send_file"}, a.Tool)
}

// AskFile is a file an approval is bound to, with the hash of its contents in
// hexadecimal, when the question was asked.
type AskFile struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Answer is the data of an action that answers an ask. Digest, when given,
// must be the ask's; Command is the edited text of an edit; Code names a
// pending approval where re is not known.
type Answer struct {
	Digest  string `json:"digest,omitempty"`
	Command string `json:"command,omitempty"`
	Code    string `json:"code,omitempty"`
	// Letter names the message that answers, where it came over a bridge: the same
	// one answers once. It is not on the wire.
	Letter string `json:"-"`
}

// Resolved is the data of a resolved frame.
type Resolved struct {
	By     string `json:"by"` // channel, or "timeout", "disconnect", …
	Action string `json:"action"`
	// Code and Channel are the ask's, in an event of the topic approvals: who has
	// buttons for it takes them away.
	Code    string `json:"code,omitempty"`
	Channel string `json:"channel,omitempty"`
}

// Step is one planned or executed tool call.
type Step struct {
	Tool     string          `json:"tool"`
	Input    json.RawMessage `json:"input"`
	Class    string          `json:"class"`
	Command  string          `json:"command"`
	State    string          `json:"state,omitempty"` // "" planned, done, refused
	Exit     int             `json:"exit"`
	Millis   int64           `json:"ms,omitempty"`
	OutBytes int             `json:"out_bytes,omitempty"`
	Reason   string          `json:"reason,omitempty"`
	Reasons  []string        `json:"reasons,omitempty"`
}

// Usage counts the tokens of a turn.
type Usage struct {
	In  int `json:"in"`
	Out int `json:"out"`
}

// Outcome is the data of the response that ends a message.
type Outcome struct {
	Task     string `json:"task,omitempty"`
	Session  string `json:"session,omitempty"`
	Stop     string `json:"stop"`
	Rounds   int    `json:"rounds"`
	Usage    Usage  `json:"usage"`
	Provider string `json:"provider,omitempty"`
	Model    string `json:"model,omitempty"`
	Lang     string `json:"lang,omitempty"`
	Steps    []Step `json:"steps,omitempty"`
	Why      string `json:"why,omitempty"`
	// Pending lists the codes of approvals that wait because nobody could be
	// asked.
	Pending []string `json:"pending,omitempty"`
	// Budget tells how the day's budget stands, once that is worth telling.
	Budget *DayBudget `json:"budget,omitempty"`
	// Notes are the changes of the notes, in order.
	Notes []NoteChange `json:"notes,omitempty"`
}

// NoteChange is a change of one of the files of the notes.
type NoteChange struct {
	File string `json:"file"` // below the notes' directory
	// Key and Text are the note that was stored or removed; both "" for USER.md.
	Key  string `json:"key,omitempty"`
	Text string `json:"text,omitempty"`
	// Added and Removed are lines of the file.
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
}

// Query is the data of a query, what it is about and its bounds.
type Query struct {
	What    string `json:"what"`
	Limit   int    `json:"limit,omitempty"`
	Page    int    `json:"page,omitempty"` // from 1, the latest
	Session string `json:"session,omitempty"`
	Task    string `json:"task,omitempty"`
	Text    string `json:"text,omitempty"`   // of a search
	Offset  int64  `json:"offset,omitempty"` // of an export, in bytes
	Turn    string `json:"turn,omitempty"`   // whose tools, as in [Call]
	// Since and By are of usage: its first day, and what rows stand for.
	Since string `json:"since,omitempty"`
	By    string `json:"by,omitempty"`
	// Provider is of models: the one whose server is asked what it has.
	Provider string `json:"provider,omitempty"`
	// Categories are of a search in the notes; none for all.
	Categories []string `json:"categories,omitempty"`
	// Name is of automations: the one that is asked about; "" for all.
	Name string `json:"name,omitempty"`
	// Dir is of judge: where the command would run; "" for the home directory.
	Dir string `json:"dir,omitempty"`
}

// Note is the data of an action on notes: Text to remember or import, Key of
// what is remembered or forgotten.
type Note struct {
	Key      string `json:"key,omitempty"`
	Text     string `json:"text,omitempty"`
	Category string `json:"category,omitempty"`
}

// Acknowledged is the data of an ack: the ids of notifications that arrived.
type Acknowledged struct {
	IDs []string `json:"ids"`
}

// Notice is a text for somebody who was not there, as it is listed and pushed.
type Notice struct {
	ID      string    `json:"id"`
	Channel string    `json:"channel"`
	To      string    `json:"to"`
	Session string    `json:"session,omitempty"`
	Task    string    `json:"task,omitempty"`
	Body    string    `json:"body"`
	Created time.Time `json:"created"`
	// Markup is how Body is written, for bridges: [MarkupPlain] or [MarkupMarkdown].
	Markup string `json:"markup,omitempty"`
	// Re is the channel's id of the message that it answers.
	Re string `json:"reply_to,omitempty"`
	// Approval is the code of the confirmation that Body asks for, Digest what
	// exactly it covers, and Actions what may be answered by a button.
	Approval string       `json:"approval,omitempty"`
	Digest   string       `json:"digest,omitempty"`
	Actions  []string     `json:"actions,omitempty"`
	Lang     string       `json:"lang,omitempty"`
	Files    []NoticeFile `json:"files,omitempty"`
}

// The topics of a subscription.
const (
	TopicTasks         = "tasks"
	TopicApprovals     = "approvals"
	TopicNotifications = "notifications"
	TopicConfig        = "config"
	TopicPairing       = "pairing" // who may write over a channel has changed
	// TopicLog and TopicDaemonLog are lines of commands.log and of the daemon's
	// own log. They only come to who asks for them by name.
	TopicLog       = "log"
	TopicDaemonLog = "daemon-log"
)

// Subscription is the data of a subscribe: the topics; none means all but the
// logs.
type Subscription struct {
	Topics []string `json:"topics,omitempty"`
	// Lines is how many of a log's last lines come first, 0 to 100,000.
	Lines int `json:"lines,omitempty"`
	// After is the position behind the last line that was seen, as [LogLine]
	// has it; where it is given, Lines counts for nothing.
	After string `json:"after,omitempty"`
}

// Event is the data of an event frame.
type Event struct {
	Topic string          `json:"topic"`
	What  json.RawMessage `json:"what"`
}

// LogLine is an event of a log.
type LogLine struct {
	Line string `json:"line"`
	// At is the position behind the line, to go on from: it holds across a
	// restart of the daemon.
	At string `json:"at"`
}

// ConfigReport is an event of the topic "config": the configuration was read
// again.
type ConfigReport struct {
	OK      bool           `json:"ok"`
	Problem *ConfigProblem `json:"problem,omitempty"` // why it is not in use
}

// ConfigProblem is a setting that cannot be used: where it stands and what is
// wrong.
type ConfigProblem struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"` // from 1; 0 when the whole file is meant
	Column  int    `json:"column,omitempty"`
	Problem string `json:"problem"`
}
