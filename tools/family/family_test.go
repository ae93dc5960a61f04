package family

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// testDirectory returns a directory with files and links, and the directory outside to which the links lead.
func testDirectory(t *testing.T) (d *Directory, outside string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	dir, outside := filepath.Join(base, "work"), filepath.Join(base, "outside")
	for _, sub := range []string{dir, outside, dir + "/sub", dir + "/open", dir + "/.git", dir + "/protected"} {
		require.NoError(t, os.Mkdir(sub, 0o755))
	}
	for _, file := range []string{dir + "/a", dir + "/b.gz", dir + "/sub/c", dir + "/secret", dir + "/.git/config", outside + "/x", dir + "/hard", dir + "/protected/y"} {
		require.NoError(t, os.WriteFile(file, []byte("x"), 0o644))
	}
	require.NoError(t, os.Chmod(dir+"/open", 0o777))
	require.NoError(t, os.Link(dir+"/hard", outside+"/hard"))
	require.NoError(t, os.Symlink(outside, dir+"/out"))
	require.NoError(t, os.Symlink(outside+"/new", dir+"/dangling"))
	require.NoError(t, os.Symlink("a", dir+"/inside"))
	require.NoError(t, os.Symlink(outside, dir+"/sub/a"))
	require.NoError(t, syscall.Mkfifo(dir+"/pipe", 0o600))
	d, ok := Open(dir, "/home/blu", []string{dir + "/protected"}, func(path string) bool { return filepath.Base(path) == "secret" })
	require.True(t, ok)
	return d, outside
}

func TestCommandsOfEachFamily(t *testing.T) {
	d, _ := testDirectory(t)
	for command, words := range map[string]string{
		"mkdir new":                                 "mkdir PATH…",
		"mkdir -p new/deep sub/two":                 "mkdir PATH…",
		"mkdir -p -v " + d.Path + "/n":              "mkdir PATH…",
		"rmdir sub":                                 "rmdir PATH…",
		"touch a new":                               "touch PATH…",
		"cp -n a new":                               "cp -n FILE… PATH",
		"cp -p -n a sub/c sub/new":                  "cp -n FILE… PATH",
		"mv -n a new":                               "mv -n FILE… PATH",
		"gzip -k -9 a":                              "gzip -k FILE…",
		"gunzip -k b.gz":                            "gunzip -k FILE…",
		"brightnessctl -q set 50%":                  "brightnessctl set PERCENT",
		"brightnessctl set 5%-":                     "brightnessctl set PERCENT",
		"brightnessctl set +5%":                     "brightnessctl set PERCENT",
		"light -S 12.5":                             "light -S LEVEL",
		"xbacklight -set 100":                       "xbacklight -set LEVEL",
		"pactl set-sink-volume @DEFAULT_SINK@ 50%":  "pactl set-sink-volume NAME PERCENT",
		"pactl set-sink-mute 3 toggle":              "pactl set-sink-mute NAME SWITCH",
		"wpctl set-volume @DEFAULT_AUDIO_SINK@ 0.5": "wpctl set-volume NAME PERCENT",
		"amixer -q sset Master 5%+":                 "amixer sset NAME PERCENT",
		"pamixer --set-volume 30":                   "pamixer --set-volume LEVEL",
		"playerctl volume 0.25":                     "playerctl volume PERCENT",
	} {
		f, ok := Of(strings.Fields(command), d)
		require.True(t, ok, command)
		require.Equal(t, words, f.Words, command)
	}
}

func TestWhatBelongsToNoFamily(t *testing.T) {
	d, outside := testDirectory(t)
	for _, command := range []string{
		// Programs that are not in the table, and words that are not those of a family.
		"rm a", "git add a", "git -C . add a", "git -c alias.x=!sh add a", "git --exec-path=. add a", "python3 a", "vi a",
		"ssh host", "makepkg a", "pacman -S a", "systemctl start a", "chmod +x a", "ln -s a b", "tee a", "tar -xf a",
		"cp a new", "mv a new", "cp -f a new", "gzip a", "xz a", "brightnessctl get", "pactl load-module x",
		"playerctl open http://x", "amixer -D x sset Master 5%", "mkdir", "touch", "cp -n a", "mv -n a",
		// Options that are not listed, in any spelling and place.
		"mkdir -m 777 new", "mkdir --mode=777 new", "mkdir -pv new", "mkdir new -p", "mkdir -- new", "mkdir -- -p", "touch -r a new",
		"cp -n -r sub new", "cp -n -t sub a", "cp -nT a new", "cp -n a --target-directory=sub", "cp -n -- a new", "cp --no-clobber a new",
		"gzip -k -f a", "gzip -k -t a", "gzip -k -c a", "gzip -k -S .x a", "gzip -kr sub", "xz -k --files=a a", "bzip2 -k -c a",
		"light 50 -S", "xbacklight 50 -set", "brightnessctl -d x set 50%",
		// Paths that lead or look elsewhere.
		"touch ../x", "touch sub/../x", "touch ./a", "touch .", "touch ..", "touch sub/", "touch sub//c", "touch " + outside + "/x",
		"touch " + d.Path, "touch " + d.Path + "/../x", "touch " + d.Path + "x", "touch /etc/x", "touch ~", "touch ~/x", "touch sub/~x",
		"touch out/x", "touch out", "touch dangling", "touch inside", "cp -n inside new", "cp -n a out/new", "mkdir out/x",
		"touch a/x", "touch open/x", "mkdir -p open/x/y", "cp -n hard new", "touch hard", "touch pipe", "cp -n pipe new",
		"cp -n a sub", "mv -n a sub", // sub/a is a link to the outside
		"touch .envrc", "touch .git/hooks/x", "mkdir .git/hooks", "cp -n .git/config new", "mv -n sub/c .x", "touch sub/.x",
		"touch secret", "cp -n secret new", "gzip -k secret", "touch protected/y", "mkdir protected/z", "touch protected",
		"cp -n none new", "cp -n sub new", "mv -n sub new", "gzip -k sub", "gzip -k none",
		"touch a*", "touch a?", "touch {a,b}", "touch $HOME", "touch `a`", "touch a\\b", "touch a;b", "touch a\x01b", "touch a\u202eb", "touch \xff",
		"touch " + strings.Repeat("a", 2000), "mkdir " + strings.Repeat("a ", 100),
		// Values out of their bounds.
		"brightnessctl set 101%", "brightnessctl set 1000%", "brightnessctl set 50", "brightnessctl set +5%-", "brightnessctl set %", "brightnessctl set 5%%",
		"light -S 100.5", "light -S 1e3", "light -S 1.234", "light -S 1.", "light -S -5", "pactl set-sink-mute 3 maybe",
		"pactl set-sink-volume a/b 50%", "pactl set-sink-volume 3 50% 60%", "pactl set-sink-volume 3 65536", "wpctl set-volume 3 1.5", "wpctl set-volume 3 0.",
	} {
		words := strings.Fields(command)
		f, ok := Of(words, d)
		require.False(t, ok, "%q belongs to %q", command, f.Words)
	}
	_, ok := Of([]string{"touch", ""}, d)
	require.False(t, ok)
	_, ok = Of(nil, d)
	require.False(t, ok)
}

func TestDirectoriesInWhichNoFamilyIsOffered(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	never := func(string) bool { return false }
	opens := func(dir string) bool {
		_, ok := Open(dir, base+"/home", []string{base + "/ours"}, never)
		return ok
	}
	for _, dir := range []string{"home", "home/src", "home/bin/x", "ours/x", ".config/x", "wide", "above/in", "a b"} {
		require.NoError(t, os.MkdirAll(filepath.Join(base, dir), 0o755))
	}
	require.True(t, opens(base+"/home"))
	require.True(t, opens(base+"/home/src"))
	require.True(t, opens(base+"/a b"))
	require.NoError(t, os.Symlink("home/src", base+"/link"))
	d, ok := Open(base+"/link", base+"/home", nil, never)
	require.True(t, ok)
	require.Equal(t, base+"/home/src", d.Path, "the directory is known without links")

	for _, dir := range []string{"home/bin", "home/bin/x", "ours", "ours/x", ".config/x", "missing"} {
		require.False(t, opens(filepath.Join(base, dir)), dir)
	}
	for _, dir := range []string{"/", "/etc", "/usr/bin", "/proc/self", "/run", "/var/lib", "/dev/shm", "", "relative", os.TempDir()} {
		require.False(t, opens(dir), dir)
	}
	require.NoError(t, os.Chmod(base+"/wide", 0o777))
	require.False(t, opens(base+"/wide"), "others can put links there")
	require.NoError(t, os.Chmod(base+"/above", 0o777))
	require.False(t, opens(base+"/above/in"), "others can rename it")
}

// The table has no row whose words a person could misread or whose program may not belong there.
func TestTheTable(t *testing.T) {
	never := strings.Fields(`git rm ssh scp rsync curl wget tar zip unzip find make makepkg pacman yay apt systemctl sh bash env sudo
		python python3 perl ruby node vi vim nano ed sed awk xargs tee dd ln chmod chown blunux-ai blunux-aictl`)
	kinds := strings.Fields("PATH PATH… FILE FILE… PERCENT LEVEL NAME SWITCH")
	rows := table()
	require.GreaterOrEqual(t, len(rows), 15)
	require.LessOrEqual(t, len(rows), 40)
	seen := map[string]bool{}
	for _, r := range rows {
		words := strings.Fields(r.words)
		require.False(t, seen[r.words], r.words)
		seen[r.words] = true
		require.NotContains(t, never, words[0])
		_, operands := r.split()
		require.NotEmpty(t, operands, r.words)
		several := 0
		for _, k := range operands {
			require.Contains(t, kinds, k, r.words)
			if strings.HasSuffix(k, more) {
				several++
			}
		}
		require.LessOrEqual(t, several, 1, r.words)
		for _, option := range strings.Fields(r.options) {
			require.True(t, strings.HasPrefix(option, "-") && !strings.Contains(option, "="), r.words)
			require.NotContains(t, words, option)
		}
		require.True(t, slices.IsSortedFunc(words[1:], func(a, b string) int { // fixed words, then operands
			return isOperand(a) - isOperand(b)
		}), r.words)
	}
}

func isOperand(word string) int {
	if strings.ToUpper(word) == word && word[0] != '-' {
		return 1
	}
	return 0
}

func TestAProgramIsKnownByItsFile(t *testing.T) {
	file := "/usr/bin/touch"
	identity, ok := Program(file)
	require.True(t, ok)
	same, _ := Program(file)
	require.Equal(t, identity, same)
	other, ok := Program("/usr/bin/mkdir")
	require.True(t, ok)
	require.NotEqual(t, identity, other)
	own := filepath.Join(t.TempDir(), "touch")
	require.NoError(t, os.WriteFile(own, []byte("#!/bin/sh\n"), 0o755))
	for _, file := range []string{own, "/usr/bin/no-such-program", "/usr/bin", "touch", "/usr/bin/passwd", "/usr/bin/../../tmp/x"} {
		_, ok := Program(file)
		require.False(t, ok, file)
	}
}
