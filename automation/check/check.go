// Package check implements the conditions that automations watch without a model. Each check runs read-only commands,
// extracts figures from their output, and reports findings.
//
// [Check.Run] performs one look. [Memory] records between looks what was reported to a person, so that no finding is
// repeated. [Report] writes the message. Anything that could not be checked is reported as [Unknown] and never as fine.
package check

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/sorting"
)

// Severity is the urgency of a finding. The values are ordered.
type Severity int

// The severities.
const (
	Notice   Severity = iota // worth knowing
	Warning                  // worth acting on
	Critical                 // cannot wait until morning
)

// Params are the parameters of a look. Zero values mean the check's defaults.
type Params struct {
	// Over is the limit of the check's figure: a percentage, a number, or degrees Celsius. For battery it is the
	// lower limit of the capacity.
	Over *float64
	// Within is how far back or ahead the check looks.
	Within time.Duration
	// Paths are mount points, files or directories, absolute or below ~/.
	Paths []string
	// Now is the time of the look. Zone is the zone of displayed times (UTC if nil).
	Now  time.Time
	Zone *time.Location
	// Home is the person's home directory, which replaces ~.
	Home string
	// Previous is the Keep of the check's last result.
	Previous json.RawMessage
}

// Result is the result of one look.
type Result struct {
	Check    string    `json:"check"`
	At       time.Time `json:"at"` // in the person's time zone
	Findings []Finding `json:"findings,omitempty"`
	Figures  []Figure  `json:"figures,omitempty"`
	// Near lists keys of findings just under their limit. Such a finding neither begins nor ends, so a value that
	// fluctuates around its limit is reported once.
	Near []string `json:"near,omitempty"`
	// Unknown lists what could not be checked.
	Unknown []Unknown `json:"unknown,omitempty"`
	// Keep is passed to the next look as [Params.Previous]. It has at most about 20 KiB.
	Keep json.RawMessage `json:"keep,omitempty"`
}

// Worst returns the highest severity of the findings. ok is false if there are none.
func (r Result) Worst() (Severity, bool) {
	worst := Notice
	for _, f := range r.Findings {
		worst = max(worst, f.Severity)
	}
	return worst, len(r.Findings) > 0
}

// Finding is something a person should know.
type Finding struct {
	// Key identifies the finding across looks, for example "disk:/home".
	Key      string   `json:"key"`
	Severity Severity `json:"severity"`
	// Code is the kind of finding. [Finding.Text] translates it.
	Code string `json:"code"`
	// Event marks a single occurrence, such as a journal message. It is reported immediately and does not recover.
	Event bool `json:"event,omitempty"`
	Args  Args `json:"args,omitzero"`
	// Fix is the command that helps, for a person to run, or "".
	Fix string `json:"fix,omitempty"`
}

// Args are the arguments of a finding's sentence. The code determines which are used. Texts come from the system,
// cleaned by [display].
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
	// AtLeast marks a Count that is a lower bound, because not everything was read.
	AtLeast bool `json:"at_least,omitempty"`
}

// Unit is the unit of a figure.
type Unit string

// The units.
const (
	Percent Unit = "percent"
	Number  Unit = "number"
	Celsius Unit = "celsius"
)

// Figure is a number that can be compared between days.
type Figure struct {
	// Key is its kind and subject, for example "disk:/home" or "updates".
	Key   string  `json:"key"`
	Value float64 `json:"value"`
	Unit  Unit    `json:"unit"`
	// Name is the subject, or "" if there is only one.
	Name    string `json:"name,omitempty"`
	AtLeast bool   `json:"at_least,omitempty"` // Value is a lower bound
}

// Unknown is something that could not be checked.
type Unknown struct {
	// Subject is the key of the findings that are unknown, or the part of their keys before a colon.
	Subject string `json:"subject"`
	Reason  Reason `json:"why"`
	// Name is the program or path that failed. Package is the package of the program.
	Name    string `json:"name,omitempty"`
	Package string `json:"package,omitempty"`
}

// Covers reports whether the finding with that key is unknown.
func (u Unknown) Covers(key string) bool {
	return u.Subject == "" || key == u.Subject || strings.HasPrefix(key, u.Subject+":")
}

// Reason is the reason why something could not be checked.
type Reason string

// The reasons.
const (
	ReasonMissing     Reason = "missing"     // the program is not installed
	ReasonRefused     Reason = "refused"     // the gate does not allow it without approval
	ReasonRights      Reason = "rights"      // the user has no permission
	ReasonUnreadable  Reason = "unreadable"  // the output was not understood
	ReasonFailed      Reason = "failed"      // the program failed
	ReasonAbsent      Reason = "absent"      // the file or sensor does not exist
	ReasonUnsupported Reason = "unsupported" // the device does not report it
	ReasonPartial     Reason = "partly"      // some of it could not be read; the rest was checked
	ReasonTruncated   Reason = "cut"         // the output was too long
)

// Check is one condition.
type Check struct{ row *row }

// row is an entry of the table of checks.
type row struct {
	name   string
	look   func(*look)
	over   *bounds
	within time.Duration // the default; 0 if it is not used
	paths  pathUse
}

// bounds are the default and the limits of Over.
type bounds struct{ def, least, most float64 }

// pathUse is how a check uses Paths.
type pathUse int

const (
	pathsUnused pathUse = iota
	pathsOptional
	pathsRequired
)

var (
	percentage = bounds{90, 1, 100}
	anyNumber  = bounds{1, 1, 1e6}
)

func (b bounds) withDefault(v float64) *bounds { b.def = v; return &b }

const day = 24 * time.Hour

// table returns the checks in the order of display.
func table() []row { return append(simpleChecks(), row{name: "health", look: health}) }

func simpleChecks() []row {
	return []row{
		{name: "disk", look: disk, over: percentage.withDefault(90), paths: pathsOptional},
		{name: "inodes", look: inodes, over: percentage.withDefault(90), paths: pathsOptional},
		{name: "memory", look: memory, over: percentage.withDefault(90)},
		{name: "failed_units", look: failedUnits},
		{name: "journal_errors", look: journalErrors, over: anyNumber.withDefault(100)},
		{name: "updates", look: updates, over: anyNumber.withDefault(1)},
		{name: "security_updates", look: securityUpdates, over: anyNumber.withDefault(1)},
		{name: "reboot", look: reboot},
		{name: "smart", look: smart, over: percentage.withDefault(90)},
		{name: "temperature", look: temperature, over: &bounds{85, 30, 120}},
		{name: "battery", look: battery, over: percentage.withDefault(60)},
		{name: "certificates", look: certificates, within: 14 * day, paths: pathsOptional},
		{name: "backup", look: backup, within: 2 * day, paths: pathsRequired},
		{name: "logins", look: logins, over: anyNumber.withDefault(10), within: 6 * time.Hour},
		{name: "pacnew", look: pacnew, over: anyNumber.withDefault(1)},
		{name: "orphans", look: orphans, over: anyNumber.withDefault(20)},
		{name: "network", look: network},
	}
}

// Lookup finds a check by its name.
func Lookup(name string) (Check, bool) {
	all := table()
	i := slices.IndexFunc(all, func(r row) bool { return r.name == name })
	if i < 0 {
		return Check{}, false
	}
	return Check{&all[i]}, true
}

// maxFindings bounds the findings of a simple check.
const maxFindings = 50

// Run performs one look. It fails if [Check.Validate] does or the context ends. Other failures are reported in
// [Result.Unknown].
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
		sorting.Stably(l.res.Findings, func(a, b Finding) int { return int(b.Severity - a.Severity) })
		l.res.Findings = l.res.Findings[:maxFindings]
	}
	return l.res
}

var severities = [...]string{"notice", "warning", "critical"}

// String returns notice, warning or critical.
func (s Severity) String() string {
	if s < Notice || s > Critical {
		return severities[Critical]
	}
	return severities[s]
}

// MarshalText returns the word of [Severity.String].
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText parses the word of [Severity.String].
func (s *Severity) UnmarshalText(text []byte) error {
	for i, word := range severities {
		if string(text) == word {
			*s = Severity(i)
			return nil
		}
	}
	return fmt.Errorf("cannot read severity %q: want notice, warning or critical", text)
}

// ParamError reports an invalid parameter of a check.
type ParamError struct {
	Check string // the check's name
	Field string // over, within or paths
	Code  string // unused, range, needed, many or path
	// Least and Most are the bounds for the code range. Path is the path for the code path.
	Least, Most float64
	Path        string
}

// Error describes the error in English.
func (e *ParamError) Error() string {
	return fmt.Sprintf("cannot use %s in check %s: %s", e.Field, e.Check, e.Code)
}

// Text describes the error in a language.
func (e *ParamError) Text(lang i18n.Lang) string {
	switch e.Code {
	case "unused":
		return i18n.CheckParamUnused(e.Check, e.Field).In(lang)
	case "range":
		if e.Field == "within" {
			return i18n.CheckWithinRange(e.Check).In(lang)
		}
		return i18n.CheckParamRange(e.Check, e.Field, i18n.CheckNumber(e.Least), i18n.CheckNumber(e.Most)).In(lang)
	case "needed":
		return i18n.CheckParamNeeded(e.Check, e.Field).In(lang)
	case "many":
		return i18n.CheckParamMany(e.Check, maxPaths).In(lang)
	}
	return i18n.CheckParamPath(e.Check, display(e.Path, 80)).In(lang)
}

const maxPaths = 20

// Validate checks the parameters. The error is a [*ParamError].
func (c Check) Validate(p Params) error {
	r := c.row
	bad := func(field, code string) *ParamError { return &ParamError{Check: r.name, Field: field, Code: code} }
	switch {
	case p.Over != nil && r.over == nil:
		return bad("over", "unused")
	case p.Over != nil && !r.over.contains(*p.Over):
		e := bad("over", "range")
		e.Least, e.Most = r.over.least, r.over.most
		return e
	case p.Within != 0 && r.within == 0:
		return bad("within", "unused")
	case p.Within != 0 && (p.Within < time.Minute || p.Within > 365*day):
		return bad("within", "range")
	case len(p.Paths) > 0 && r.paths == pathsUnused:
		return bad("paths", "unused")
	case len(p.Paths) == 0 && r.paths == pathsRequired:
		return bad("paths", "needed")
	case len(p.Paths) > maxPaths:
		return bad("paths", "many")
	}
	for _, path := range p.Paths {
		if !isAbsolutePath(path) {
			e := bad("paths", "path")
			e.Path = path
			return e
		}
	}
	return nil
}

func (b bounds) contains(v float64) bool { return !math.IsNaN(v) && v >= b.least && v <= b.most }

// isAbsolutePath reports whether a path is independent of the working directory.
func isAbsolutePath(path string) bool {
	whole := strings.HasPrefix(path, "/") || path == "~" || strings.HasPrefix(path, "~/")
	return whole && len(path) <= 4096 && isDisplayable(path)
}

// at replaces ~ by the home directory.
func (p Params) at(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok {
		path = p.Home + rest
	}
	return filepath.Clean(path)
}
