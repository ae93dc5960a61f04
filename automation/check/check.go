// Package check holds the conditions that automations watch without a model:
// each runs commands that only read, takes figures out of what they print, and
// finds what a person should know.
//
// A [Check] looks once ([Check.Run]); [Memory] remembers from look to look what
// a person was told, so that nothing is told twice; [Report] writes the message.
// Whatever could not be looked at is [Unknown]: it is told, and never called
// fine.
package check

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Severity says how pressing a finding is. The values are ordered.
type Severity int

// The severities.
const (
	Notice   Severity = iota // worth knowing
	Warning                  // worth doing something about
	Critical                 // cannot wait for the morning
)

// Params are what a check is held to. Zero values are the check's defaults.
type Params struct {
	// Over is the limit of the check's figure: a percentage, a number, degrees
	// Celsius; for battery the percentage below which it is worn.
	Over *float64
	// Within is how far back or ahead the check looks.
	Within time.Duration
	// Paths are mount points, files or directories, absolute or below ~/.
	Paths []string
	// Now is the time of the look, and Zone what its clock times are told in
	// (UTC when nil).
	Now  time.Time
	Zone *time.Location
	// Home is the person's home directory, which ~ stands for.
	Home string
	// Previous is the Keep of the check's last result.
	Previous json.RawMessage
}

// Result is what one look found.
type Result struct {
	Check    string    `json:"check"`
	At       time.Time `json:"at"` // in the person's time zone
	Findings []Finding `json:"findings,omitempty"`
	Figures  []Figure  `json:"figures,omitempty"`
	// Near are keys of findings that are just under their limit: such a finding
	// neither begins nor ends, so that what hovers about its limit is told once.
	Near []string `json:"near,omitempty"`
	// Unknown is what could not be looked at.
	Unknown []Unknown `json:"unknown,omitempty"`
	// Keep is handed to the next look as [Params.Previous]; at most some 20 KiB.
	Keep json.RawMessage `json:"keep,omitempty"`
}

// Worst is the highest severity among the findings, and whether there are any.
func (r Result) Worst() (Severity, bool) {
	worst := Notice
	for _, f := range r.Findings {
		worst = max(worst, f.Severity)
	}
	return worst, len(r.Findings) > 0
}

// Finding is something a person should know.
type Finding struct {
	// Key is the same from look to look while the same thing is the matter, as
	// "disk:/home".
	Key      string   `json:"key"`
	Severity Severity `json:"severity"`
	// Code says what it is; [Finding.Text] puts it into words.
	Code string `json:"code"`
	// Event is true of what happened once, such as a message of the journal: it
	// is told at once and does not recover.
	Event bool `json:"event,omitempty"`
	Args  Args `json:"args,omitzero"`
	// Fix is the one command that helps, for a person to run; "" for none.
	Fix string `json:"fix,omitempty"`
}

// Args are what a finding's sentence is made of; which of them, the code says.
// Texts come from the system and have been through [shown].
type Args struct {
	Name   string        `json:"name,omitempty"`
	Detail string        `json:"detail,omitempty"`
	Names  []string      `json:"names,omitempty"`
	Value  float64       `json:"value,omitempty"`
	Limit  float64       `json:"limit,omitempty"`
	Count  int64         `json:"count,omitempty"`
	Bytes  int64         `json:"bytes,omitempty"`
	At     time.Time     `json:"at,omitzero"`
	For    time.Duration `json:"for,omitempty"`
	// AtLeast is true of a Count that went on beyond what was read.
	AtLeast bool `json:"at_least,omitempty"`
}

// Unit says what a figure is counted in.
type Unit string

// The units.
const (
	Percent Unit = "percent"
	Number  Unit = "number"
	Celsius Unit = "celsius"
)

// Figure is a number that can be compared from day to day.
type Figure struct {
	// Key is what kind it is and of what, as "disk:/home" or "updates".
	Key   string  `json:"key"`
	Value float64 `json:"value"`
	Unit  Unit    `json:"unit"`
	// Name is what it is of, "" where there is only one.
	Name    string `json:"name,omitempty"`
	AtLeast bool   `json:"at_least,omitempty"` // the true one may be higher
}

// Unknown is something that could not be looked at.
type Unknown struct {
	// Subject is the key of the findings there might have been, or what such keys
	// begin with before a colon.
	Subject string `json:"subject"`
	Why     Why    `json:"why"`
	// Name is what could not be looked at, a program or a path; Package is what
	// has the program.
	Name    string `json:"name,omitempty"`
	Package string `json:"package,omitempty"`
}

// Covers reports whether nothing is known of the finding with that key.
func (u Unknown) Covers(key string) bool {
	return u.Subject == "" || key == u.Subject || strings.HasPrefix(key, u.Subject+":")
}

// Why is the reason why something could not be looked at.
type Why string

// The reasons.
const (
	WhyMissing     Why = "missing"     // the program is not installed
	WhyRefused     Why = "refused"     // the gate does not let it be read unasked
	WhyRights      Why = "rights"      // the system does not let this user read it
	WhyUnreadable  Why = "unreadable"  // the output was not understood
	WhyFailed      Why = "failed"      // the program failed
	WhyAbsent      Why = "absent"      // there is no such file, or nothing that measures it
	WhyUnsupported Why = "unsupported" // the device does not tell
	WhyPartly      Why = "partly"      // some of it could not be read; the rest was looked at
	WhyCut         Why = "cut"         // there was more output than is read
)

// Check is one condition.
type Check struct{ row *row }

// row is an entry of the table of checks.
type row struct {
	name   string
	look   func(*look)
	over   *bounds
	within time.Duration // the default; 0 when it is not used
	paths  pathUse
}

// bounds are what Over may be, and what it is when nothing is said.
type bounds struct{ usual, least, most float64 }

// pathUse says what Paths are to a check.
type pathUse int

const (
	noPaths pathUse = iota
	somePaths
	needsPaths
)

var (
	percentage = bounds{90, 1, 100}
	anyNumber  = bounds{1, 1, 1e6}
)

func (b bounds) usually(v float64) *bounds { b.usual = v; return &b }

const day = 24 * time.Hour

// table lists the checks in the order in which a person reads about them.
func table() []row {
	return append(simple(), row{name: "health", look: health})
}

func simple() []row {
	return []row{
		{name: "disk", look: disk, over: percentage.usually(90), paths: somePaths},
		{name: "inodes", look: inodes, over: percentage.usually(90), paths: somePaths},
		{name: "memory", look: memory, over: percentage.usually(90)},
		{name: "failed_units", look: failedUnits},
		{name: "journal_errors", look: journalErrors, over: anyNumber.usually(100)},
		{name: "updates", look: updates, over: anyNumber.usually(1)},
		{name: "security_updates", look: securityUpdates, over: anyNumber.usually(1)},
		{name: "reboot", look: reboot},
		{name: "smart", look: smart, over: percentage.usually(90)},
		{name: "temperature", look: temperature, over: &bounds{85, 30, 120}},
		{name: "battery", look: battery, over: percentage.usually(60)},
		{name: "certificates", look: certificates, within: 14 * day, paths: somePaths},
		{name: "backup", look: backup, within: 2 * day, paths: needsPaths},
		{name: "logins", look: logins, over: anyNumber.usually(10), within: 6 * time.Hour},
		{name: "pacnew", look: pacnew, over: anyNumber.usually(1)},
		{name: "orphans", look: orphans, over: anyNumber.usually(20)},
		{name: "network", look: network},
	}
}

// Names are the checks there are.
func Names() []string {
	var names []string
	for _, r := range table() {
		names = append(names, r.name)
	}
	return names
}

// Lookup finds a check by its name.
func Lookup(name string) (Check, bool) {
	for _, r := range table() {
		if r.name == name {
			return Check{&r}, true
		}
	}
	return Check{}, false
}

// maxFindings bounds what one simple check finds.
const maxFindings = 50

// Run looks once. An error means that nothing was looked at: parameters that
// [Check.Validate] refuses, or the context's end. Everything else that goes
// wrong is in [Result.Unknown].
func (c Check) Run(ctx context.Context, r Runner, p Params) (Result, error) {
	if err := c.Validate(p); err != nil {
		return Result{}, err
	}
	if p.Zone == nil {
		p.Zone = time.UTC
	}
	res := c.run(ctx, r, p)
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	return res, nil
}

func (c Check) run(ctx context.Context, r Runner, p Params) Result {
	l := &look{ctx: ctx, runner: r, p: p, row: c.row, res: Result{Check: c.row.name, At: p.Now.In(p.Zone).Round(0)}}
	c.row.look(l)
	if c.row.name != "health" && len(l.res.Findings) > maxFindings {
		slices.SortStableFunc(l.res.Findings, func(a, b Finding) int { return int(b.Severity - a.Severity) })
		l.res.Findings = l.res.Findings[:maxFindings]
	}
	return l.res
}
