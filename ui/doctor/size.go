package doctor

import (
	"context"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
)

// Usual maximum sizes of the program's files, in bytes. The daemon keeps two weeks of logs, and delivers the
// outbox within days.
const (
	muchLog    = 200 << 20
	muchOutbox = 50 << 20
)

// manyFiles bounds how many files are counted.
const manyFiles = 100_000

type dirSize struct {
	bytes, largest int64
	name           string // path of the largest file below the directory
}

// files reports the disk space of the program's files.
func files(ctx context.Context, p Machine) Finding {
	for _, part := range []struct {
		dir, help string
		limit     int64
	}{
		{p.Paths.Logs(), "du -ah " + shellWord(p.Paths.Logs()), muchLog},
		{p.Paths.Outbox(), "blunux-aictl notifications", muchOutbox},
	} {
		if size := sizeOf(ctx, part.dir).bytes; size > part.limit {
			return p.finding(Warn, part.help, i18n.DoctorFilesBig(part.dir, i18n.Size(size), i18n.Size(part.limit)))
		}
	}
	all := sizeOf(ctx, p.Paths.Home)
	if all.name == "" {
		return p.finding(OK, "", i18n.DoctorFilesNew)
	}
	return p.finding(OK, "", i18n.DoctorFiles(i18n.Size(all.bytes), all.name, i18n.Size(all.largest)))
}

// sizeOf adds up the sizes of the readable files below a directory.
func sizeOf(ctx context.Context, dir string) dirSize {
	var t dirSize
	seen := 0
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if seen++; seen > manyFiles || ctx.Err() != nil {
			return fs.SkipAll
		}
		if err != nil || !e.Type().IsRegular() {
			return nil
		}
		fi, err := e.Info()
		if err != nil {
			return nil
		}
		t.bytes += fi.Size()
		if fi.Size() >= t.largest {
			t.largest, t.name = fi.Size(), strings.TrimPrefix(path, dir+"/")
		}
		return nil
	})
	return t
}

// rules reports errors in the files of automations.
func rules(_ context.Context, p Machine) Finding {
	r := p.Rules()
	if len(r.Problems) > 0 {
		return p.finding(Warn, "blunux-aictl automations list", i18n.DoctorRulesBad(len(r.Problems), r.Problems[0]))
	}
	if r.WithoutLogin != "" {
		return p.finding(Warn, "blunux-aictl channel add "+r.Messenger, i18n.DoctorRulesNoLogin(r.WithoutLogin, i18n.BridgeTitle(r.Messenger)))
	}
	return p.finding(OK, "", i18n.DoctorRules(r.On))
}
