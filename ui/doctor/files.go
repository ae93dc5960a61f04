package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/tools/commandlog"
)

// home checks that the program can write its files and that others cannot read them.
func home(_ context.Context, p Machine) Finding {
	dir := p.Paths.Home
	fi, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p.finding(OK, "", i18n.DoctorHomeNew(dir))
	case err != nil:
		return p.finding(Broken, "ls -ld "+shellWord(dir), i18n.DoctorHomeBad(dir, err))
	case !fi.IsDir() || unix.Access(dir, unix.W_OK|unix.X_OK) != nil:
		return p.finding(Broken, "ls -ld "+shellWord(dir), i18n.DoctorHomeClosed(dir))
	case fi.Mode().Perm()&0o077 != 0:
		return p.fixable(Warn, []string{"chmod", "700", dir}, i18n.DoctorHomeOpen(dir, fi.Mode().Perm()))
	}
	return p.finding(OK, "", i18n.DoctorHome(dir))
}

// maxListed is how many files a command lists. For more, it names the directory.
const maxListed = 5

// modes checks for files that others could access if they could enter the directory: on another system, in a
// copy, or if its mode changes.
func modes(_ context.Context, p Machine) Finding {
	loose := slices.DeleteFunc(p.Paths.InsecureFiles(), p.hasOwnCheck)
	switch n := len(loose); {
	case n == 0:
		return p.finding(OK, "", i18n.DoctorModes)
	case n > maxListed:
		dirs := slices.DeleteFunc([]string{p.Paths.Home, p.Paths.Recall()}, func(dir string) bool {
			return !slices.ContainsFunc(loose, func(path string) bool { return path == dir || strings.HasPrefix(path, dir+"/") })
		})
		return p.fixable(Warn, append([]string{"chmod", "-R", "go-rwx"}, dirs...), i18n.DoctorModesLoose(n, loose[0]))
	default:
		return p.fixable(Warn, append([]string{"chmod", "go-rwx"}, loose...), i18n.DoctorModesLoose(n, loose[0]))
	}
}

// hasOwnCheck reports whether a path is a key or a login, which have separate checks.
func (p Machine) hasOwnCheck(path string) bool {
	return filepath.Dir(path) == p.Paths.Credentials() || slices.Contains(logins(p.Paths), path)
}

// Free space, in bytes: below lowSpace the daemon will soon be unable to write its files, below noSpace it is already.
const (
	lowSpace = 100 << 20
	noSpace  = 1 << 20
)

func disk(_ context.Context, p Machine) Finding {
	dir := p.Paths.Home
	biggest := "du -xhd3 ~ | sort -rh | head" // a question to the daemon would need space too
	var st unix.Statfs_t
	err := unix.Statfs(dir, &st)
	for errors.Is(err, fs.ErrNotExist) && dir != "/" {
		dir = dir[:max(strings.LastIndexByte(dir, '/'), 1)]
		if len(dir) > 1 {
			dir = strings.TrimSuffix(dir, "/")
		}
		err = unix.Statfs(dir, &st)
	}
	if err != nil {
		return p.finding(Broken, "df -h", i18n.DoctorHomeBad(dir, err))
	}
	free := st.Bavail * uint64(st.Bsize)
	text := fmt.Sprintf("%.1f GiB", float64(free)/(1<<30))
	switch {
	case free < noSpace:
		return p.finding(Broken, biggest, i18n.DoctorDiskFull(text))
	case free < lowSpace:
		return p.finding(Warn, biggest, i18n.DoctorDiskLittle(text))
	}
	return p.finding(OK, "", i18n.DoctorDisk(text))
}

func settings(_ context.Context, p Machine) Finding {
	cfg, err := config.Load(p.Source)
	switch {
	case err != nil:
		return p.finding(Broken, "blunux-ai config check", i18n.DoctorConfigBad(i18n.ErrorText(err, p.Lang)))
	case len(cfg.Warnings) > 0:
		return p.finding(Warn, "blunux-ai config check", i18n.DoctorConfigOdd(cfg.Warnings[0].In(p.Lang)))
	}
	return p.finding(OK, "", i18n.DoctorConfig(len(cfg.Files)))
}

// keys checks every key file like the daemon does.
func keys(_ context.Context, p Machine) Finding {
	dir := p.Paths.Credentials()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return p.finding(Broken, "ls -ld "+shellWord(dir), i18n.DoctorHomeBad(dir, err))
	}
	c := config.Credentials{Dir: dir, Getenv: func(string) string { return "" }}
	var all *Finding
	for _, e := range entries {
		var bad *config.CredentialError
		if _, err := c.Key(e.Name()); errors.As(err, &bad) {
			f := p.finding(Broken, bad.Fix, i18n.DoctorKeyBad(bad.File, bad.ProblemIn(p.Lang)))
			if strings.HasPrefix(bad.Fix, "chmod 600 ") {
				f.Fix = []string{"chmod", "600", bad.File}
			}
			if all == nil {
				all = &f
				continue
			}
			all.Text += " " + f.Text
			all.Help += "; " + f.Help
			if all.Fix != nil && f.Fix != nil {
				all.Fix = append(all.Fix, bad.File)
			} else if all.Fix == nil {
				all.Fix = f.Fix
			}
		}
	}
	if all != nil {
		return *all
	}
	return p.finding(OK, "", i18n.DoctorKeys(len(entries)))
}

func log(_ context.Context, p Machine) Finding {
	l := commandlog.Open(p.Paths.CommandLog(), p.Paths.LogWitness())
	if err := l.Ready(); err != nil {
		return p.finding(Broken, "ls -la "+shellWord(p.Paths.Home), i18n.DoctorLogClosed(err))
	}
	report, err := l.Verify()
	switch {
	case err != nil:
		return p.finding(Broken, "blunux-aictl log --verify", i18n.DoctorLogClosed(err))
	case !report.OK:
		return p.finding(Broken, "blunux-aictl log --verify", i18n.DoctorLogFlaws(len(report.Problems)+report.More))
	}
	return p.finding(OK, "", i18n.DoctorLog(report.Records))
}

// CommandLine quotes a command for a shell.
func CommandLine(argv []string) string {
	words := make([]string, len(argv))
	for i, word := range argv {
		words[i] = shellWord(word)
	}
	return strings.Join(words, " ")
}

func shellWord(path string) string {
	if path != "" && strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-") == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
