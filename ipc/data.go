package ipc

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Hello is the data of a hello. Client and Server are "name/version".
type Hello struct {
	Client  string `json:"client,omitempty"`
	Server  string `json:"server,omitempty"`
	Channel string `json:"channel,omitempty"`
	TTY     bool   `json:"tty,omitempty"`
	// Lang is the language chosen at the client, "" for none. Locale is the client's locale, which counts if no
	// language was configured for the daemon.
	Lang    string   `json:"lang,omitempty"`
	Locale  string   `json:"locale,omitempty"`
	Caps    []string `json:"caps,omitempty"`
	MaxLine int      `json:"max_line,omitempty"`
	// Notices is how many notifications wait for the client's channel.
	Notices int `json:"notices,omitempty"`
	// Provider and Model are those that answer, in the daemon's hello.
	Provider string `json:"provider,omitempty"`
	Model    string `json:"model,omitempty"`
}

// The capabilities a client may announce: which frames it wants.
const (
	CapDelta = "delta" // streamed text
	CapTool  = "tool"  // tool lines
	CapAsk   = "ask"   // it can ask a person for confirmation
	// CapSteps means that it shows the steps of a plan as they begin and end; others get a list of them in the answer.
	CapSteps = "steps"
	// CapOutput adds the output of running commands to tool frames.
	CapOutput = "output"
	// CapPicture adds picture frames before the result of a call, if that has one.
	CapPicture = "picture"
)

// CapPolicy is a capability of the daemon: it applies root's policy to the decisions of a fleet's consoles.
const CapPolicy = "policy"

// Request is the data of a message.
type Request struct {
	Stdin string `json:"stdin,omitempty"` // piped input, untrusted
	// Foreign reports that another program wrote the message, such as a web page with an address, and the person sent it.
	Foreign bool   `json:"foreign,omitempty"`
	Cwd     string `json:"cwd,omitempty"`     // the person's working directory
	Lang    string `json:"lang,omitempty"`    // interface language, "" for the daemon's
	DryRun  bool   `json:"dry_run,omitempty"` // plan and classify, run nothing
	// Timeout bounds the whole turn, in seconds. 0 means no bound.
	Timeout int `json:"timeout,omitempty"`
	// Files are files that the client has attached on this connection.
	Files []InboundFile `json:"files,omitempty"`
	// Undo takes a change back instead of asking the model: the id of its receipt, or [UndoLast].
	Undo string `json:"undo,omitempty"`
	// Repair looks for the cause of a problem instead of asking the model, and asks to repair it.
	Repair *Problem `json:"repair,omitempty"`
	// Merge looks at the configuration files that pacman left instead of asking the model, and asks to merge them.
	Merge *LeftFile `json:"merge,omitempty"`
	// Upgrade shows what an upgrade of all packages would do instead of asking the model, and asks to do it.
	Upgrade bool `json:"upgrade,omitempty"`
	// Agent answers, in its own conversations. "" means the default one, main.
	Agent string `json:"agent,omitempty"`
}

// GatewayRequest is the data of a message of the gateway. The same MID of a conversation becomes one task.
type GatewayRequest struct {
	Request
	MID string `json:"mid"`
}

// Problem is what a diagnosis is about: a topic, and its object, "" for none.
type Problem struct {
	Topic  string `json:"topic"`
	Object string `json:"object,omitempty"`
}

// Diagnosis is the answer to a query "diagnose": the causes for people, and as the tool diagnose prints them.
type Diagnosis struct {
	Topic  string          `json:"topic,omitempty"`
	Object string          `json:"object,omitempty"`
	Text   string          `json:"text"`
	Report json.RawMessage `json:"report,omitempty"`
	// Found reports that there is a cause.
	Found bool `json:"found,omitempty"`
	// Repairable reports that the first cause has a repair.
	Repairable bool `json:"repairable,omitempty"`
}

// Failure is a command that failed in a shell: the exit statuses of its last pipeline, and what it printed, "" if no one
// kept that.
type Failure struct {
	Command string `json:"command"`
	Status  []int  `json:"status"`
	Output  string `json:"output,omitempty"` // untrusted
}

// Why is the answer to a query "why": why a command failed, for people, and the report of a diagnosis, if there is one.
type Why struct {
	Diagnosis
	Program string `json:"program"` // that failed
	// Model reports that a model is configured, which can be asked for more.
	Model bool `json:"model,omitempty"`
}

// LeftFile is a configuration file that pacman left, "" for all, and what the person decided about it.
type LeftFile struct {
	File   string `json:"file,omitempty"`
	Choice string `json:"choice,omitempty"`
}

// LeftFiles is the answer to a query "pacnew": the files for people, and as the tool pacnew prints them.
type LeftFiles struct {
	Text   string          `json:"text"`
	Report json.RawMessage `json:"report"`
	// Mergeable reports that there is a plan.
	Mergeable bool `json:"mergeable,omitempty"`
}

// UpgradePreview is the answer to a query "upgrade": what an upgrade of all packages would do, for people, and as the tool
// preview_upgrade prints it.
type UpgradePreview struct {
	Text   string          `json:"text"`
	Report json.RawMessage `json:"report"`
	// Failed reports that there is no preview, and why is in the text.
	Failed bool `json:"failed,omitempty"`
}

// Miss is a request that the built-in helper did not understand.
type Miss struct {
	At   time.Time `json:"at"`
	Text string    `json:"text"`
}

// Timeline is the answer to a query "timeline": what changed on this machine, the latest first. Unseen are the sources that could
// not be read.
type Timeline struct {
	Events []TimelineEvent `json:"events"`
	Unseen []string        `json:"unseen"`
}

// TimelineEvent is one change. Row is it in words.
type TimelineEvent struct {
	At     time.Time  `json:"at"`
	Until  *time.Time `json:"until,omitempty"` // set if the time is between the two
	Source string     `json:"source"`
	Kind   string     `json:"kind"`
	Object string     `json:"object"`
	From   string     `json:"from,omitempty"`
	To     string     `json:"to,omitempty"`
	Row    string     `json:"row"`
	Lines  []string   `json:"lines,omitempty"` // of a text file: some that went ("- …") and came ("+ …")
}

// UndoLast means the last change.
const UndoLast = "last"

// UndoRequest returns the value of [Request.Undo] for an id as a person types it, "" for the last change.
func UndoRequest(id string) string {
	if id = strings.TrimSpace(id); id == "" {
		return UndoLast
	}
	return strings.ToUpper(id)
}

// UndoBody returns the words of a message with such a request.
func UndoBody(id string) string {
	return strings.TrimSpace("undo " + strings.ToUpper(strings.TrimSpace(id)))
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
	// Output is the next piece of a running command's output, for peers with [CapOutput]: whole lines, without keys, at
	// most 64 KiB per frame. Cut reports, in the frame that ends the call, that some of its output was left out.
	Output string `json:"output,omitempty"`
	Cut    bool   `json:"cut,omitempty"`
	// Picture is the path of the file that holds the picture of the result, for frames that end a call. Clients on this
	// computer can show it.
	Picture string `json:"picture,omitempty"`
	// Step is the step of a plan that has just begun or ended; the other fields describe the whole call.
	Step *PlanStep `json:"step,omitempty"`
	End
}

// HasSteps reports whether the call carries out a plan, whose steps are reported.
func (t Tool) HasSteps() bool { return t.Name == "plan" || t.Name == "undo" }

// PlanStep is a step of a plan.
type PlanStep struct {
	Number  int    `json:"number"` // from 1
	Of      int    `json:"of"`
	ID      string `json:"id,omitempty"`
	Command string `json:"command"`
	Looks   bool   `json:"looks,omitempty"` // it only reads
	// State is "", running, done, unproved, failed or skipped.
	State string `json:"state,omitempty"`
	// Check is the command that shows whether it is done. Back is whether it can be taken back: yes, cache (as far as the
	// earlier packages are in the cache), no, or nothing (it leaves nothing different). Needs are the numbers of the steps
	// that must be done before.
	Check string `json:"check,omitempty"`
	Back  string `json:"back,omitempty"`
	Needs []int  `json:"needs,omitempty"`
	// Detail shows how a file changes.
	Detail string `json:"detail,omitempty"`
}

// End describes why a command did not end by itself.
type End struct {
	Ended   string `json:"ended,omitempty"`   // "timeout", "missing" or "unknown", "" if it ended by itself
	Program string `json:"program,omitempty"` // the program that is not installed
	Limit   int    `json:"limit,omitempty"`   // the timeout in seconds, if it timed out
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
	Covers     string    `json:"covers,omitempty"` // what allow_session covers, "" if it is not offered
	Family     *Family   `json:"family,omitempty"` // what allow_family covers, nil if it is not offered
	Digest     string    `json:"digest"`
	Expires    time.Time `json:"expires"`
	Channel    string    `json:"channel,omitempty"`
	Session    string    `json:"session,omitempty"`
	// Warnings are codes of warnings to show before the decision, some with a detail after ": ", such as
	// "untrusted-read" or "dangerous-pattern: rm\s+-rf".
	Warnings []string `json:"warnings,omitempty"`
	// Foreseen says in lines, in the language of the question, what an upgrade among the commands would do, and what would keep the
	// computer from starting again. The body of an ask frame has it too.
	Foreseen string `json:"foreseen,omitempty"`
	// Plan lists the steps if the commands are those of a plan.
	Plan []PlanStep `json:"plan,omitempty"`
	// Files lists the scripts whose contents the approval is bound to.
	Files []AskFile `json:"files,omitempty"`
}

// Family is what allow_family covers: commands of a program in a directory that differ in some words only.
type Family struct {
	// Words are the program, its subcommand and the kinds of operands, in capitals: "cp -n FILE… PATH".
	Words   string `json:"words"`
	Options string `json:"options,omitempty"` // permitted options, separated by blanks
	Dir     string `json:"dir"`
	Program string `json:"program"` // file of the program
	Stamp   string `json:"stamp"`   // hash of the program's version and the environment
}

// Grant is what the person allowed for a conversation: one command, or a family.
type Grant struct {
	Code    string    `json:"code"` // of the approval that gave it
	Command string    `json:"command,omitempty"`
	Family  *Family   `json:"family,omitempty"`
	Channel string    `json:"channel"`
	Session string    `json:"session"`
	Since   time.Time `json:"since"`
}

// Revocation is the data of the action revoke_grant: the code of a grant, or all of them.
type Revocation struct {
	Code string `json:"code,omitempty"`
	All  bool   `json:"all,omitempty"`
}

// Revoked is the answer to the action revoke_grant.
type Revoked struct {
	Revoked int `json:"revoked"` // number of grants that ended
}

// CutForeseen separates a question into the lines of Foreseen, with which it begins, and the rest.
func (a Ask) CutForeseen(question string) (lines []string, rest string) {
	rest, ok := strings.CutPrefix(question, a.Foreseen+"\n")
	if a.Foreseen == "" || !ok {
		return nil, question
	}
	return a.ForeseenLines(), rest
}

// ForeseenLines returns the lines of Foreseen, for a screen.
func (a Ask) ForeseenLines() []string {
	if a.Foreseen == "" {
		return nil
	}
	return strings.Split(Clean(a.Foreseen), "\n")
}

// Steps returns the steps of a plan if they have exactly the commands that the ask is about, else none.
func (a Ask) Steps() []PlanStep {
	commands := make([]string, len(a.Plan))
	for i, s := range a.Plan {
		commands[i] = s.Command
	}
	if strings.Join(commands, "\n") != a.Command {
		return nil
	}
	return a.Plan
}

// DiffersFromOrder reports whether what a step needs is neither the step before it nor all steps before it.
func (s PlanStep) DiffersFromOrder() bool {
	return len(s.Needs) > 0 && len(s.Needs) != s.Number-1 && !slices.Equal(s.Needs, []int{s.Number - 1})
}

// The states of a [PlanStep]: one that has not started has none.
const (
	StepRunning  = "running"
	StepDone     = "done"
	StepUnproved = "unproved"
	StepFailed   = "failed"
	StepSkipped  = "skipped"
)

// The values of [PlanStep.Back].
const (
	BackYes     = "yes"
	BackCache   = "cache"
	BackNo      = "no"
	BackNothing = "nothing"
)

// Editable reports whether the command can be edited in the answer. Calls of MCP tools, removals of notes,
// changes of automations and of files, requests to web servers and plans cannot: another plan is asked about again.
func (a Ask) Editable() bool {
	return !slices.Contains(a.Reasons, "foreign-tool") &&
		!slices.Contains([]string{"forget", "update_user", "change_automation", "remove_automation", "send_file", "download", "http_request", "fetch_page", "browser", "plan", "undo", "write_file", "edit_file"}, a.Tool)
}

// AskFile is a file that an approval is bound to, with the hexadecimal hash of its contents at the time of the
// question.
type AskFile struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Answer is the data of an action that answers an ask. Digest must be the ask's if it is set. Command is the
// edited command. Code names an open approval if re is not known.
type Answer struct {
	Digest  string `json:"digest,omitempty"`
	Command string `json:"command,omitempty"`
	Code    string `json:"code,omitempty"`
	// MessageID identifies the message that answers, if it came over a bridge, so that it answers once. It is not on
	// the wire.
	MessageID string `json:"-"`
}

// Resolved is the data of a resolved frame.
type Resolved struct {
	By     string `json:"by"` // a channel, or "timeout", "disconnect", …
	Action string `json:"action"`
	// Code and Channel are the ask's, in an event of the topic approvals, so that clients can remove their buttons.
	Code    string `json:"code,omitempty"`
	Channel string `json:"channel,omitempty"`
}

// Step is one planned or executed tool call.
type Step struct {
	Tool     string          `json:"tool"`
	Input    json.RawMessage `json:"input"`
	Class    string          `json:"class"`
	Command  string          `json:"command"`
	Shell    bool            `json:"shell,omitempty"` // a shell can run the command as it is written
	State    string          `json:"state,omitempty"` // "" planned, done, refused
	Exit     int             `json:"exit"`
	Millis   int64           `json:"ms,omitempty"`
	OutBytes int             `json:"out_bytes,omitempty"`
	Reason   string          `json:"reason,omitempty"`
	Reasons  []string        `json:"reasons,omitempty"`
	Picture  string          `json:"picture,omitempty"` // path of the file with the picture of the result
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
	// Pending lists the codes of approvals that wait because no one could be asked.
	Pending []string `json:"pending,omitempty"`
	// Budget is the state of the day's budget, once its warning threshold is passed.
	Budget *DayBudget `json:"budget,omitempty"`
	// Notes lists the changes of the notes, in order.
	Notes []NoteChange `json:"notes,omitempty"`
	// Checks are what this program's own checks of the changes show, in order. The body ends with a line about each.
	Checks []Check `json:"checks,omitempty"`
	// Receipts are the ids of the changes, in order, with which they are taken back.
	Receipts []string `json:"receipts,omitempty"`
}

// CheckFailed is the result of a check that shows that a change is not there.
const CheckFailed = "failed"

// Check is what the check of a change shows.
type Check struct {
	Action  string `json:"action"`            // install, remove, upgrade, start, stop, …
	Subject string `json:"subject,omitempty"` // packages or a unit, "" for all packages
	User    bool   `json:"user,omitempty"`    // it is a unit of the user's service manager
	Result  string `json:"result"`            // done, unproved or failed
	Code    string `json:"code"`              // what it shows
	State   string `json:"state,omitempty"`   // the current state, in the words of the program that shows it
	Command string `json:"command"`           // the command that shows it
}

// NoteChange is a change of one of the files of the notes.
type NoteChange struct {
	File string `json:"file"` // below the directory of the notes
	// Key and Text are those of the note that was stored or removed, "" for USER.md.
	Key  string `json:"key,omitempty"`
	Text string `json:"text,omitempty"`
	// Added and Removed are lines of the file.
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
}

// Change is what one approved call did.
type Change struct {
	ID         string    `json:"id"` // with which it is taken back
	Task       string    `json:"task,omitempty"`
	Channel    string    `json:"channel,omitempty"`
	Session    string    `json:"session,omitempty"`
	Automation string    `json:"automation,omitempty"`
	Began      time.Time `json:"began"`
	Goal       string    `json:"goal,omitempty"`
	// TakesBack is the change that this one took back, TakenBack the one that took this one back.
	TakesBack string     `json:"takes_back,omitempty"`
	TakenBack string     `json:"taken_back,omitempty"`
	Steps     []PlanStep `json:"steps"`
	Effects   []Effect   `json:"effects"` // what it left different; nothing can be taken back without one
}

// Effect is one difference that a change left.
type Effect struct {
	Kind   string `json:"kind"` // package, unit, unit-file, file, setting or command
	Name   string `json:"name"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// Figures are what the daemon has measured of the machine's health in the last 30 days.
type Figures struct {
	Days    []DayFigures   `json:"days"` // one for each day on which the daemon was awake, the latest last
	Now     DayFigures     `json:"now"`
	Journal JournalFigures `json:"journal"`
}

// DayFigures are the figures of a day, or of now. Sizes are in bytes.
type DayFigures struct {
	At         time.Time    `json:"at"`
	Disks      []DiskFigure `json:"disks"`
	MemoryUsed uint64       `json:"memory_used"`
	MemorySize uint64       `json:"memory_size"`
}

// DiskFigure is a file system: that of the root or, if it is another one, of the home directory.
type DiskFigure struct {
	Path string `json:"path"`
	Used uint64 `json:"used"`
	Size uint64 `json:"size"` // without what is reserved for root
}

// The values of [JournalFigures.Access].
const (
	JournalOwn    = "own" // only the messages of the user's own programs
	JournalDenied = "denied"
	JournalAbsent = "absent"
)

// JournalFigures are what the journal says about boots and failed units.
type JournalFigures struct {
	Since    time.Time     `json:"since"`
	Access   string        `json:"access,omitempty"` // "" if all of it can be read
	Boots    []BootFigure  `json:"boots"`
	Failures []UnitFailure `json:"failures"`
}

// BootFigure is a boot.
type BootFigure struct {
	At      time.Time `json:"at"`
	Seconds float64   `json:"seconds"`
}

// UnitFailure is a unit that failed.
type UnitFailure struct {
	At   time.Time `json:"at"`
	Unit string    `json:"unit"`
}

// Query is the data of a query: its subject and its bounds.
type Query struct {
	What    string `json:"what"`
	Limit   int    `json:"limit,omitempty"`
	Page    int    `json:"page,omitempty"` // from 1, the latest first
	Session string `json:"session,omitempty"`
	Task    string `json:"task,omitempty"`
	Text    string `json:"text,omitempty"`   // for a search
	Offset  int64  `json:"offset,omitempty"` // for an export, in bytes
	Turn    string `json:"turn,omitempty"`   // whose tools, as in [Call]
	// Since and By are for usage: the first day, and the grouping of the rows. For changes, Since is the day: today,
	// yesterday, week or a date.
	Since string `json:"since,omitempty"`
	By    string `json:"by,omitempty"`
	// Provider is for models: the provider whose server is asked for its models.
	Provider string `json:"provider,omitempty"`
	// Categories are for a search in the notes. None means all.
	Categories []string `json:"categories,omitempty"`
	// Name is for automations: the name of one, "" for all.
	Name string `json:"name,omitempty"`
	// Dir is for judge: the working directory of the command, "" for the home directory.
	Dir string `json:"dir,omitempty"`
	// From is for timeline: the first day of those until now, written as Since is.
	From string `json:"from,omitempty"`
	// Problem is for diagnose. Without one, all topics that need no object are looked at.
	Problem *Problem `json:"problem,omitempty"`
	// Failure is for why.
	Failure *Failure `json:"failure,omitempty"`
	// Left is for pacnew. Without one, all files are looked at.
	Left *LeftFile `json:"left,omitempty"`
}

// The kinds of a [QuickAnswer].
const (
	QuickRead    = "read"    // Text answers
	QuickConfirm = "confirm" // the request would change something; nothing ran
	QuickOpen    = "open"    // the answer takes longer than a search field waits, or needs more than this computer
)

// QuickAnswer is the data of the result of the query "answer": what a search field shows for its words. Kind is "" for words
// that are no request to this computer.
type QuickAnswer struct {
	Kind string `json:"kind,omitempty"`
	Text string `json:"text,omitempty"`
	Lang string `json:"lang,omitempty"`
}

// Note is the data of an action on notes: Text to remember or import, Key of the note to remember or forget.
type Note struct {
	Key      string `json:"key,omitempty"`
	Text     string `json:"text,omitempty"`
	Category string `json:"category,omitempty"`
}

// Acknowledgement is the data of an ack: the ids of delivered notifications.
type Acknowledgement struct {
	IDs []string `json:"ids"`
}

// Notice is a notification, as it is listed and pushed.
type Notice struct {
	ID      string    `json:"id"`
	Channel string    `json:"channel"`
	To      string    `json:"to"`
	Session string    `json:"session,omitempty"`
	Task    string    `json:"task,omitempty"`
	Body    string    `json:"body"`
	Created time.Time `json:"created"`
	// Markup is the format of Body, for bridges: [MarkupPlain] or [MarkupMarkdown].
	Markup string `json:"markup,omitempty"`
	// Re is the channel's id of the message that the notice answers.
	Re string `json:"reply_to,omitempty"`
	// Approval is the code of the confirmation that Body asks for, Digest identifies its plan, and Actions lists
	// the choices for buttons.
	Approval string   `json:"approval,omitempty"`
	Digest   string   `json:"digest,omitempty"`
	Actions  []string `json:"actions,omitempty"`
	// Change is the id of the change that the button of [ActionUndo] takes back.
	Change string       `json:"change,omitempty"`
	Lang   string       `json:"lang,omitempty"`
	Files  []NoticeFile `json:"files,omitempty"`
}

// The topics of a subscription.
const (
	TopicTasks         = "tasks"
	TopicApprovals     = "approvals"
	TopicNotifications = "notifications"
	TopicConfig        = "config"
	TopicPairing       = "pairing" // the allowed senders of a channel changed
	// TopicLog and TopicDaemonLog are lines of commands.log and of the daemon's log. They are only sent to
	// subscribers that name them.
	TopicLog       = "log"
	TopicDaemonLog = "daemon-log"
)

// Subscription is the data of a subscribe. No topics means all except the logs.
type Subscription struct {
	Topics []string `json:"topics,omitempty"`
	// Lines is how many last lines of a log are sent first, 0 to 100,000.
	Lines int `json:"lines,omitempty"`
	// After is the position after the last line already seen, from [LogLine]. It overrides Lines.
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
	// At is the position after the line, to continue from. It stays valid across restarts of the daemon.
	At string `json:"at"`
}

// ConfigReport is an event of the topic "config": the configuration was read again.
type ConfigReport struct {
	OK      bool           `json:"ok"`
	Problem *ConfigProblem `json:"problem,omitempty"` // why the new one is not in use
}

// ConfigProblem is an invalid setting: its place and the error.
type ConfigProblem struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"` // from 1, 0 for the whole file
	Column  int    `json:"column,omitempty"`
	Problem string `json:"problem"`
}

// The actions on allowed remote senders. Bridges use the first, for their own channel. The others are for local
// clients.
const (
	ActionPairingAsk     = "pairing_ask"
	ActionPairingApprove = "pairing_approve"
	ActionPairingDeny    = "pairing_deny"
	ActionPairingRemove  = "pairing_remove"
)

// PairingChange is the data of a pairing action: Code for approve and deny, Sender for ask and remove, Channel for
// remove, Name for ask.
type PairingChange struct {
	Code    string `json:"code,omitempty"`
	Channel string `json:"channel,omitempty"`
	Sender  string `json:"sender,omitempty"`
	Name    string `json:"name,omitempty"` // the sender's display name
}

// Admission answers pairing_ask. An unknown sender is only sent the code, if there is one.
type Admission struct {
	Admitted bool       `json:"admitted"`
	Code     string     `json:"code,omitempty"` // to send to the sender, once
	Expires  *time.Time `json:"expires,omitempty"`
}

// Pairing is an open request (with a Code) or an allowed sender.
type Pairing struct {
	Channel string     `json:"channel"`
	Sender  string     `json:"sender"`
	Name    string     `json:"name,omitempty"`
	Code    string     `json:"code,omitempty"`
	Since   time.Time  `json:"since"`
	Expires *time.Time `json:"expires,omitempty"` // of a code
	// Configured reports that the configuration allows the sender, so pairing_remove has no effect.
	Configured bool `json:"configured,omitempty"`
}

// PairingList is the data of the result of the query "pairing".
type PairingList struct {
	Waiting []Pairing `json:"waiting"`
	Paired  []Pairing `json:"paired"`
}

// SessionRow is a conversation in the answers to the queries sessions and session.
type SessionRow struct {
	Key      string    `json:"key"`
	Modified time.Time `json:"modified"`
	Bytes    int64     `json:"bytes"`
	Messages *int      `json:"messages,omitempty"`
	Title    string    `json:"title,omitempty"`
	SessionHealth
}

// SessionHealth counts what cannot be read of a conversation.
type SessionHealth struct {
	Damaged      int   `json:"damaged,omitempty"`
	DamagedLines []int `json:"damaged_lines,omitempty"`
	Torn         int   `json:"torn,omitempty"`
}

// SessionView is a page of a conversation: the answer to the query session.
type SessionView struct {
	SessionRow
	Page    int            `json:"page"`
	Pages   int            `json:"pages"`
	Entries []SessionEntry `json:"entries"`
}

// SessionEntry is an entry of a conversation.
type SessionEntry struct {
	Type      string     `json:"type"`
	Content   string     `json:"content"`
	Timestamp int64      `json:"timestamp"`
	Metadata  *EntryInfo `json:"metadata,omitempty"`
	Cut       bool       `json:"cut,omitempty"`
}

// EntryInfo is an entry's metadata.
type EntryInfo struct {
	Task    string `json:"task,omitempty"`
	Channel string `json:"channel,omitempty"`
	Tool    string `json:"tool,omitempty"`
	Call    string `json:"call,omitempty"`
	Class   string `json:"class,omitempty"`
	Exit    *int   `json:"exit,omitempty"`
	End
	Refusal   string `json:"refusal,omitempty"`
	Covers    int64  `json:"covers,omitempty"`
	Untrusted bool   `json:"untrusted,omitempty"`
	Key       string `json:"key,omitempty"`
}

// NoteHits is the answer to the query memory-search.
type NoteHits struct {
	Hits []struct {
		Key     string    `json:"key"`
		Content string    `json:"content"`
		Source  string    `json:"source"`
		Updated time.Time `json:"updated_at"`
	} `json:"hits"`
}
