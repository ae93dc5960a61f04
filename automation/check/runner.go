package check

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/machine"
)

// Runner runs a read-only command without a shell, in the C.UTF-8 locale.
//
// An error means that the command did not run: [ErrMissing] if the program is not installed, [ErrRefused] if the
// gate does not allow it without approval. A program that ran and failed returns an [Output].
type Runner interface {
	Run(ctx context.Context, argv ...string) (Output, error)
}

// Errors of a [Runner] that checks distinguish.
var (
	ErrMissing = errors.New("program is not installed")
	ErrRefused = errors.New("command is not known to be read-only")
)

// Output is the output of a command.
type Output struct {
	Stdout, Stderr string
	Exit           int
	Truncated      bool // the output is incomplete
}

// look is one look of one check.
type look struct {
	ctx    context.Context
	runner Runner
	p      Params
	row    *row
	res    Result
}

func (l *look) over() float64 {
	if l.p.Over != nil {
		return *l.p.Over
	}
	return l.row.over.def
}

// try runs a command and returns why it did not run, without reporting it.
func (l *look) try(argv ...string) (Output, Reason) {
	out, err := l.runner.Run(l.ctx, argv...)
	switch {
	case err == nil:
		return out, ""
	case errors.Is(err, ErrMissing):
		return out, ReasonMissing
	case errors.Is(err, ErrRefused):
		return out, ReasonRefused
	}
	return out, ReasonFailed
}

// run runs a command. If it fails to run, the subject is reported as unknown.
func (l *look) run(subject string, argv ...string) (Output, bool) {
	out, why := l.try(argv...)
	if why != "" {
		l.unknown(subject, why, argv[0])
	}
	return out, why == ""
}

// readOutput runs a command and reads its output. If either fails, the subject is reported as unknown.
func readOutput[T any](l *look, subject, name string, read func(Output) (T, bool), argv ...string) (v T, ok bool) {
	out, ok := l.run(subject, argv...)
	if !ok {
		return v, false
	}
	if v, ok = read(out); !ok {
		l.unknown(subject, outputProblem(out), name)
	}
	return v, ok
}

// unknown reports that a subject could not be checked, once for each reason and name.
func (l *look) unknown(subject string, why Reason, name string) {
	u := Unknown{Subject: cleanKey(subject), Reason: why, Name: display(name, 80)}
	if why == ReasonMissing {
		if u.Package = machine.PackageOf(name); u.Package == "coreutils" {
			u.Package = "" // every system has it: the program is not in the path
		}
	}
	switch {
	case slices.Contains(l.res.Unknown, u):
	case len(l.res.Unknown) < maxFindings:
		l.res.Unknown = append(l.res.Unknown, u)
	default:
		l.res.Unknown[maxFindings-1] = Unknown{Subject: l.row.name, Reason: ReasonTruncated}
	}
}

func (l *look) find(f Finding) {
	f.Key = cleanKey(f.Key)
	l.res.Findings = append(l.res.Findings, f)
}

func (l *look) figure(f Figure) {
	f.Key = cleanKey(f.Key)
	l.res.Figures = append(l.res.Figures, f)
}

// count adds the figure of a number of things.
func (l *look) count(key string, n int) { l.figure(Figure{Key: key, Value: float64(n), Unit: Number}) }

func (l *look) near(key string) { l.res.Near = append(l.res.Near, cleanKey(key)) }

// cleanKey cleans a key, because keys appear in logs too.
func cleanKey(key string) string { return display(key, 1000) }

func (o Output) says(s string) bool { return strings.Contains(o.Stderr, s) }

func (o Output) empty() bool { return strings.TrimSpace(o.Stdout) == "" }

// isPacmanList reports whether pacman printed a list, or nothing with exit code 1, which means that there are none.
func (o Output) isPacmanList() bool {
	none := o.Exit == 1 && o.empty() && strings.TrimSpace(o.Stderr) == ""
	return !o.Truncated && (none || o.Exit == 0 && !o.empty())
}

// failure returns why a program that ran failed. Permission errors contain the words of strerror(3).
func (o Output) failure() Reason {
	switch {
	case o.says("ermission denied"), o.says("peration not permitted"), o.says("ccess denied"):
		return ReasonRights
	case o.says("o such file or directory"):
		return ReasonAbsent
	}
	return ReasonFailed
}

// level reports a finding if the value reaches its limit, and marks it as near if it is below the limit by less
// than the margin.
func (l *look) level(f Finding, value, limit, critical, margin float64) {
	switch {
	case value >= max(critical, limit):
		f.Severity = Critical
		l.find(f)
	case value >= limit:
		l.find(f)
	case value >= limit-margin:
		l.near(f.Key)
	}
}
