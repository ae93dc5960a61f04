package diagnose

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/machine"
)

// pacmanRoot is a private root with pacman's database, cache and a repository, which newer versions are in.
type pacmanRoot string

// makeRoot is bash: it makes three packages in two versions. b needs a, and c has a configuration file.
const makeRoot = `set -eu
mkdir -p root/var/lib/pacman repo cache gnupg bin
printf '[options]\nRootDir = %s/root/\nDBPath = %s/root/var/lib/pacman/\nCacheDir = %s/cache/\nLogFile = %s/pacman.log\nGPGDir = %s/gnupg/\nSigLevel = Never\nArchitecture = x86_64\n[test]\nServer = file://%s/repo\n' "$PWD" "$PWD" "$PWD" "$PWD" "$PWD" "$PWD" >pacman.conf
make() {
	mkdir -p tree/usr/share tree/etc
	echo "$1 $2" | tee "tree/usr/share/$1" "tree/usr/share/$1.lib" >"tree/etc/$1"
	printf 'pkgname = %s\npkgver = %s\npkgdesc = test\nsize = 10\narch = any\nbackup = etc/%s\n%b' "$1" "$2" "$1" "$4" >tree/.PKGINFO
	(cd tree; bsdtar -czf .MTREE --uid 0 --gid 0 --format=mtree --options='!all,use-set,type,uid,gid,mode,time,size,md5,sha256,link' .PKGINFO usr etc
	bsdtar --uid 0 --gid 0 -cf - .PKGINFO .MTREE usr etc | gzip >"../$3/$1-$2-any.pkg.tar.gz")
	rm -r tree
}
for v in 1-1:cache 2-1:repo; do for p in a c; do make $p ${v%:*} ${v#*:} ''; done; make b ${v%:*} ${v#*:} 'depend = a\n'; done
pacman --config pacman.conf --noconfirm -U cache/*.gz >/dev/null
(cd repo; repo-add -q test.db.tar.gz *.gz >/dev/null)
pacman --config pacman.conf -Sy >/dev/null
`

func newPacmanRoot(t *testing.T) pacmanRoot {
	t.Helper()
	for _, program := range []string{"pacman", "repo-add", "bsdtar", "strace", "fuser"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	if os.Geteuid() != 0 {
		t.Skip("only root owns the files of packages")
	}
	r := pacmanRoot(t.TempDir())
	cmd := exec.Command("bash", "-c", makeRoot)
	cmd.Dir = string(r)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return r
}

// copyTo copies the root: the paths in its configuration change with it.
func (r pacmanRoot) copyTo(t *testing.T, dir string) pacmanRoot {
	t.Helper()
	require.NoError(t, exec.Command("cp", "-a", string(r)+"/.", dir).Run())
	conf, err := os.ReadFile(filepath.Join(dir, "pacman.conf"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pacman.conf"), bytes.ReplaceAll(conf, []byte(r), []byte(dir)), 0o644))
	return pacmanRoot(dir)
}

// here replaces the usual paths of pacman by those of the root, away does the opposite.
func (r pacmanRoot) here(text string) string {
	return strings.NewReplacer("sudo -n ", "", "/var/lib/pacman", string(r)+"/root/var/lib/pacman", "/var/log/", string(r)+"/",
		"pacman -", "pacman --config "+string(r)+"/pacman.conf -", "pacman-conf", "pacman-conf --config "+string(r)+"/pacman.conf").Replace(text)
}

func (r pacmanRoot) away(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, string(r)+"/root", ""), string(r)+"/pacman.log", "/var/log/pacman.log")
}

// run runs a command on the root.
func (r pacmanRoot) run(ctx context.Context, command string) Output {
	if command == machine.PackageProgramsProbe.String() {
		return Output{Exit: 1} // others may run on this computer; the root's own one was killed
	}
	cmd := exec.CommandContext(ctx, "bash", "-c", r.here(command))
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	exit := cmd.ProcessState.ExitCode()
	if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) {
		return Output{Unseen: true}
	}
	return Output{Stdout: r.away(out.String()), Stderr: r.away(errs.String()), Exit: exit}
}

// kill runs pacman and kills it at the n-th call of a system call. It returns false if pacman ended before.
func (r pacmanRoot) kill(call string, n int, command string) bool {
	return exec.Command("bash", "-c", fmt.Sprintf("strace -f -o /dev/null -e inject=%s:signal=KILL:when=%d %s >/dev/null 2>&1", call, n, r.here(command))).Run() != nil
}

// state is a digest of the names and texts of all files.
func (r pacmanRoot) state(t *testing.T) string {
	t.Helper()
	sum := sha256.New()
	require.NoError(t, filepath.WalkDir(filepath.Join(string(r), "root"), func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			text, _ := os.ReadFile(file)
			fmt.Fprintf(sum, "%s %d\n", file[len(r):], len(text))
		} else {
			fmt.Fprintln(sum, file[len(r):])
		}
		return err
	}))
	return string(sum.Sum(nil))
}

// cutPower empties all files that differ from those of another root: what a file system leaves that writes names first.
func (r pacmanRoot) cutPower(t *testing.T, before pacmanRoot) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(filepath.Join(string(r), "root"), func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(file)
		if was, _ := os.ReadFile(string(before) + file[len(r):]); err != nil || bytes.Equal(was, text) {
			return err
		}
		return os.Truncate(file, 0)
	}))
}

// recover does what a diagnosis offers, and checks it with pacman.
func (r pacmanRoot) recover(t *testing.T, point string) {
	t.Helper()
	f := NewFacts("")
	found, err := Update().Diagnose(t.Context(), f, r.run)
	require.NoError(t, err)
	require.NotEmpty(t, found, point)
	require.Contains(t, []string{"interrupted", "lock-left"}, found[0].Cause, point)
	require.NotNil(t, found[0].Repair, point)
	for _, s := range found[0].Repair.Steps {
		command := s.Args["command"]
		switch s.Verb {
		case "remove_file":
			require.NoError(t, os.Remove(r.here(s.Args["path"])), point)
			continue
		case "upgrade":
			command = "pacman -Syu --noconfirm"
		}
		out := r.run(t.Context(), command)
		require.True(t, out.Exit == 0 || s.ID == "idle", "%s: %s: %+v", point, command, out)
		if s.Check != "" && s.ID != "idle" {
			out = r.run(t.Context(), s.Check)
			require.Zero(t, out.Exit, "%s: %s: %+v", point, s.Check, out)
			require.Contains(t, out.Stdout, s.Expect, "%s: %s", point, s.Check)
		}
	}
	for _, check := range []string{"pacman -Dk", "pacman -Qkk"} {
		out := r.run(t.Context(), check)
		require.Zero(t, out.Exit, "%s: %s: %+v", point, check, out)
	}
	f = NewFacts("")
	found, err = Update().Diagnose(t.Context(), f, r.run)
	require.NoError(t, err)
	require.Empty(t, found, "%s: %+v", point, f.seen)
}

// TestAnUpdateThatIsKilledAnywhereIsFinished kills the real pacman in an update, its way back and a removal,
// at every eighth removal of a file or directory. After a kill, all that was written is there; after a power cut, names
// are, texts are not.
func TestAnUpdateThatIsKilledAnywhereIsFinished(t *testing.T) {
	t.Parallel()
	old := newPacmanRoot(t)
	current := old.copyTo(t, t.TempDir())
	require.Zero(t, current.run(t.Context(), "pacman -Syu --noconfirm").Exit)
	for name, c := range map[string]struct {
		from    pacmanRoot
		command string
	}{
		"update":   {old, "pacman -Syu --noconfirm"},
		"way back": {current, "pacman -U --noconfirm --ask=4 " + string(current) + "/cache/a-1-1-any.pkg.tar.gz " + string(current) + "/cache/b-1-1-any.pkg.tar.gz"},
		"removal":  {current, "pacman -R --noconfirm c"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			last, states := "", 0
			for _, call := range []string{"unlink", "rmdir"} {
				for n := 1; ; n += 8 {
					r := c.from.copyTo(t, t.TempDir())
					if !r.kill(call, n, c.command) {
						break
					}
					state := r.state(t)
					_, err := os.Stat(filepath.Join(string(r), "root/var/lib/pacman/db.lck"))
					if state == last || err != nil { // before the first change, or after the last one
						continue
					}
					last = state
					states++
					point := fmt.Sprintf("%s, %s %d", name, call, n)
					if states%2 == 0 { // the others keep their texts
						r.recover(t, point)
						continue
					}
					cut := r.copyTo(t, t.TempDir())
					r.recover(t, point)
					cut.cutPower(t, c.from)
					cut.recover(t, point+", power cut")
				}
			}
			require.Positive(t, states)
			t.Logf("%d states", states)
		})
	}
}
