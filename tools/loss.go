package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/tools/safety"
)

// warnOwnFiles warns of a plan that removes the person's own files. Its detail is the path or pattern; once it is measured,
// "FILES BYTES PATH", or "FILES BYTES+ PATH" if there is at least that much.
const warnOwnFiles = "own-files"

// warnOfLosses warns of the person's own files that a plan removes.
func warnOfLosses(j *JudgedPlan) {
	for _, r := range j.Parts {
		if r.Code == safety.DeleteOwn {
			j.warn(warnOwnFiles + ": " + r.Part)
		}
	}
}

// maxMeasure bounds how long a question waits for the size of what is lost.
const maxMeasure = 2 * time.Second

// Measured returns the plan with the number and size of the person's own files that it removes in its warnings. It takes
// at most two seconds for all; what is not counted by then is "at least".
func (j JudgedPlan) Measured() JudgedPlan {
	end := time.Now().Add(maxMeasure)
	j.Warnings = slices.Clone(j.Warnings)
	for i, w := range j.Warnings {
		if p, ok := strings.CutPrefix(w, warnOwnFiles+": /"); ok {
			j.Warnings[i] = warnOwnFiles + ": " + measure("/"+p, func() bool { return time.Now().Before(end) })
		}
	}
	return j
}

// errCutShort ends a walk that takes too long.
var errCutShort = errors.New("too much to count")

// measure counts the files at a path or pattern, as [warnOwnFiles] describes, while it may go on. What does not exist stays
// a path.
func measure(pattern string, goOn func() bool) string {
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		return pattern
	}
	var files, bytes int64
	more := ""
	for _, p := range paths {
		err := filepath.WalkDir(p, func(_ string, d fs.DirEntry, err error) error {
			if !goOn() {
				return errCutShort
			}
			if err != nil {
				more = "+" // a directory that cannot be read
				return nil
			}
			if d.IsDir() {
				return nil
			}
			files++
			if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
				bytes += info.Size()
			}
			return nil
		})
		if err != nil {
			more = "+"
		}
	}
	return fmt.Sprintf("%d %d%s %s", files, bytes, more, pattern)
}
