package action

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// The kinds of actions. Digests contain them, so they never change.
const (
	KindForeign    = "server"
	KindNote       = "notes"
	KindAutomation = "timetable"
	KindFile       = "courier"
	KindHistory    = "history"
	KindLook       = "look"
	KindWeb        = "web"
	KindBrowser    = "browser"
)

// Origin is the source of a call.
type Origin struct {
	Task    string // the task's id
	Channel string // the channel of the message
	// Automation is the name of the automation whose turn it is, or "" for a person's turn. Such a turn cannot
	// change automations, and its commands are recorded under this name.
	Automation string
	// Unsaved reports a task that is not saved on disk. It only runs reading commands.
	Unsaved bool
	// Watched enables events with the output of running commands.
	Watched bool
}

// AutomationStore stores the automations. A call of its tools is an [automationAction].
type AutomationStore interface {
	// List returns all automations, sorted by name.
	List(ctx context.Context) ([]Automation, error)
	// Preview returns the automation that [Timetable.Add] or, if the name exists, [Timetable.Change] would
	// store, with the same errors. It stores nothing.
	Preview(ctx context.Context, c AutomationChange) (Automation, error)
	// Add adds an automation. If the change names no channel, it notifies the channel of from, or the configured one.
	Add(ctx context.Context, c AutomationChange, from Origin) (Automation, error)
	// Change changes the given fields of the automation with exactly this name.
	Change(ctx context.Context, c AutomationChange) (Automation, error)
	Remove(ctx context.Context, name string) error
	// Snooze silences an automation for a duration and returns until when; 0 ends a snooze.
	Snooze(ctx context.Context, name string, long time.Duration) (time.Time, error)
}

// Automation is an automation as its tools show it.
type Automation struct {
	Name string
	// Translations are its names in other languages, which people may say. Plans hold Name.
	Translations []string
	Schedule     string   // as written: a cron expression or a short form
	At           string   // its single due time, RFC 3339
	Say          string   // the text of a reminder
	On           []string // events that trigger it
	When         string   // schedule and events in words
	Action       string   // what it does, in the person's words
	Check        string   // the built-in condition it watches
	Threshold    *float64 // threshold of the condition
	Notify       []string // channels to notify
	Language     string   // of its messages, "" for the configured one
	Enabled      bool
	// SignedCommands are the commands that a person signed for it, as argument vectors.
	SignedCommands [][]string
	AutomationTimes
}

// AutomationTimes are when an automation runs and ran.
type AutomationTimes struct {
	// Next are the next due times in its time zone, soonest first. The first two are shown.
	Next       []time.Time
	Snoozed    time.Time // end of the snooze; zero if there is none
	LastRun    time.Time // last due time; zero for never
	LastResult string    // result of the last run: RAN, LATE, SKIPPED, FAILED
}

// AutomationChange is a new automation, or a change of one. Empty fields stay as they are.
type AutomationChange struct {
	Name      string
	Schedule  string
	At        string // also a span from now ("30m") or the next time of a day ("18:00")
	On        string // what a reminder waits for, such as process:ffmpeg
	Say       string
	Action    string
	Check     string
	Threshold *float64
	Notify    []string
	Enabled   *bool
	// Language is that of a new automation's messages, "" for the configured one.
	Language string
}

// Notebook stores notes; [memory.Memory] implements it. A call of its tools is a [noteAction].
type Notebook interface {
	Remember(ctx context.Context, n memory.Note) (memory.Change, error)
	Recall(ctx context.Context, q memory.Query) ([]memory.Hit, error)
	Forget(ctx context.Context, key string) (memory.Change, error)
	UpdateUser(ctx context.Context, content string) (memory.Change, error)
	// UserChange returns what UpdateUser would change.
	UserChange(content string) (memory.Change, error)
	// Find returns the note that Forget would remove, with the same errors.
	Find(ctx context.Context, key string) (memory.Note, error)
	// Echoes returns the other notes that Forget would remove as well.
	Echoes(ctx context.Context, n memory.Note) []memory.Note
}

// FileSender sends files to a person who writes from a messenger. A call of its tool is a [fileAction].
type FileSender interface {
	// CanReach reports whether files can be sent to the origin of a call.
	CanReach(from Origin) bool
	// Send stores a copy of a file of size bytes for sending, and returns when it is on disk.
	Send(ctx context.Context, file io.Reader, name string, size int64, from Origin) error
}

// Looker runs commands that only read.
type Looker interface {
	// Look runs a command of a call. An error means that it did not run.
	Look(ctx context.Context, id, command string, from Origin, session string) (providers.Step, error)
}

// Foreign provides the tools of MCP servers. A call of one is a [foreignAction].
type Foreign interface {
	// Tools returns the currently known tools. Their names differ from ours.
	Tools() []ForeignTool
	// Allows reports whether the person marked a tool as read-only.
	Allows(server, tool string) bool
	// Ready returns nil if a call is possible now, [ErrForeignChanged] if the tool has changed, or the reason
	// why its server does not answer.
	Ready(ctx context.Context, c ForeignCall) error
	// Call makes a call and writes its output. failed is the server's verdict on the call; an error means that
	// there was no answer. The end of ctx ends the call.
	Call(ctx context.Context, c ForeignCall, to io.Writer) (failed bool, err error)
}

// ForeignTool is a tool of another server.
type ForeignTool struct {
	Definition providers.ToolDefinition // with the name that models see
	Server     string                   // name in the configuration
	Tool       string                   // name on the server
	Digest     string                   // of its description and its schema
	Timeout    time.Duration            // of a call
}

// ForeignCall is one call of such a tool.
type ForeignCall struct {
	Server, Tool string
	Input        json.RawMessage // canonical: one object with sorted keys
	Digest       string          // of the tool when the call was planned
}

// Previewer runs our own command that finds out what an upgrade of all packages would do. id names it in the command log.
type Previewer interface {
	Preview(ctx context.Context, id string, from Origin, session string) (providers.Step, error)
	// News returns the page with the news of Arch Linux, "" if it cannot be read now.
	News(ctx context.Context, id string, from Origin, session string) string
}

// Explainer says what commands do, without running them.
type Explainer interface {
	// Explain returns a text for a person.
	Explain(command string, lang i18n.Lang) string
}

// Keeper keeps what changes need that are to be taken back.
type Keeper interface {
	// Keep stores a text that a step of a plan writes, and returns its digest.
	Keep(text []byte) (digest string, err error)
	// Pins returns the packages whose files must stay in the cache, as NAME-VERSION.
	Pins() ([]string, error)
	// Removed yields when a file was removed and where its text is kept, oldest first.
	Removed(file string) iter.Seq2[time.Time, string]
}

// Services are what actions act on; nil for what a program does not have.
type Services struct {
	Notebook    Notebook        // stores the notes
	Automations AutomationStore // stores the automations
	FileSender  FileSender      // sends files to people who write from a messenger
	Foreign     Foreign         // the tools of MCP servers
	History     History         // what was done
	Timeline    Timeline        // what changed on this machine
	Looker      Looker          // runs commands that only read
	Explainer   Explainer       // says what commands do
	Keeper      Keeper          // keeps what changes need that are to be taken back
	Previewer   Previewer       // finds out what an upgrade would do
	Web         Web             // web servers
	Browser     Browser         // web pages that are used, not only read
	Checker     *safety.Checker // decides which files may be sent
	Blocked     []string        // directories whose files are never sent
	Lang        i18n.Lang       // the language of the person who asks; "" means the configured one
	Redactor    *secret.Redactor
}

// Has reports whether there is what an action of a kind acts on.
func (s Services) Has(kind string) bool {
	switch kind {
	case KindNote:
		return s.Notebook != nil
	case KindAutomation:
		return s.Automations != nil
	case KindFile:
		return s.FileSender != nil
	case KindHistory:
		return s.History != nil
	case KindForeign:
		return s.Foreign != nil
	case KindWeb:
		return s.Web != nil
	case KindBrowser:
		return s.Browser != nil
	}
	return true
}
