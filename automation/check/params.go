package check

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
)

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

// maxPaths bounds the paths of one check.
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
