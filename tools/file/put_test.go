package file_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/internal/crash"
	"github.com/nidoit/blunux-ai/tools/file"
)

// place is a directory with kept texts and one with files.
type place struct{ kept, dir string }

func newPlace(t testing.TB) place {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	p := place{filepath.Join(dir, "kept"), filepath.Join(dir, "files")}
	require.NoError(t, os.Mkdir(p.kept, 0o700))
	require.NoError(t, os.Mkdir(p.dir, 0o755))
	return p
}

func (p place) path(name string) string { return filepath.Join(p.dir, name) }

// keep stores a text under its digest.
func (p place) keep(t require.TestingT, text string) string {
	path := filepath.Join(p.kept, file.Digest([]byte(text)))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func (p place) write(t require.TestingT, name, text string) {
	require.NoError(t, os.WriteFile(p.path(name), []byte(text), 0o644))
}

// put is the replacement of a file as it is now.
func (p place) put(t require.TestingT, name, text string) file.Put {
	put := file.Put{Kept: p.keep(t, text), Path: p.path(name), Was: file.Absent}
	if old, fi, err := file.Read(put.Path, file.MaxPut); err == nil {
		put.Was = file.Identity(old, fi)
	}
	return put
}

// list returns the names in the directory.
func (p place) list(t require.TestingT) (names []string) {
	entries, err := os.ReadDir(p.dir)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func textOf(t require.TestingT, path string) string {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

func TestAReplacedFileKeepsItsPermissionsAndAttributes(t *testing.T) {
	p := newPlace(t)
	p.write(t, "a", "one\n")
	require.NoError(t, os.Chmod(p.path("a"), 0o640))
	attributes := unix.Setxattr(p.path("a"), "user.note", []byte("mine"), 0) == nil
	require.NoError(t, os.Link(p.path("a"), p.path("other name")))
	require.NoError(t, p.put(t, "a", "two\n").Do())
	require.Equal(t, "two\n", textOf(t, p.path("a")))
	fi, err := os.Stat(p.path("a"))
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o640), fi.Mode())
	require.Equal(t, "one\n", textOf(t, p.path("other name")), "a hard link can be in another directory, which was not asked about")
	if attributes {
		value := make([]byte, 10)
		n, err := unix.Getxattr(p.path("a"), "user.note", value)
		require.NoError(t, err)
		require.Equal(t, "mine", string(value[:n]))
	}
	if os.Geteuid() == 0 {
		require.NoError(t, os.Chown(p.path("a"), 1234, 2345))
		require.NoError(t, p.put(t, "a", "three\n").Do())
		fi, err := os.Stat(p.path("a"))
		require.NoError(t, err)
		st, ok := fi.Sys().(*syscall.Stat_t)
		require.True(t, ok)
		require.Equal(t, []uint32{1234, 2345}, []uint32{st.Uid, st.Gid})
	}

	require.NoError(t, p.put(t, "new/and/deep", "x").Do(), "missing directories are made")
	require.Equal(t, "x", textOf(t, p.path("new/and/deep")))
	private := p.put(t, "private", "x")
	private.Mode = "600"
	require.NoError(t, private.Do())
	fi, err = os.Stat(private.Path)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), fi.Mode())
	require.Equal(t, []string{"a", "new", "other name", "private"}, p.list(t))
}

// TestThreat36WhatChangedSinceTheQuestionIsNotReplaced: the command names the text that the person saw and the file that
// has it; everything else is refused without a change.
func TestThreat36WhatChangedSinceTheQuestionIsNotReplaced(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, p place, put *file.Put){
		"another text": func(t *testing.T, p place, _ *file.Put) { p.write(t, "sub/a", "changed\n") },
		"another file with the same text": func(t *testing.T, p place, _ *file.Put) {
			p.write(t, "b", "one\n")
			require.NoError(t, os.Rename(p.path("b"), p.path("sub/a")))
		},
		"a link to another file": func(t *testing.T, p place, _ *file.Put) {
			require.NoError(t, os.Rename(p.path("sub/a"), p.path("b")))
			require.NoError(t, os.Symlink("../b", p.path("sub/a")))
		},
		"a link beside it": func(t *testing.T, p place, _ *file.Put) {
			require.NoError(t, os.Rename(p.path("sub/a"), p.path("sub/b")))
			require.NoError(t, os.Symlink("b", p.path("sub/a")))
		},
		"a link that leads nowhere": func(t *testing.T, p place, put *file.Put) {
			require.NoError(t, os.Remove(p.path("sub/a")))
			require.NoError(t, os.Symlink("missing", p.path("sub/a")))
			put.Was = file.Absent
		},
		"a directory that is a link": func(t *testing.T, p place, _ *file.Put) {
			require.NoError(t, os.Rename(p.path("sub"), p.path("moved")))
			require.NoError(t, os.Symlink("moved", p.path("sub")))
		},
		"a pipe": func(t *testing.T, p place, _ *file.Put) {
			require.NoError(t, os.Remove(p.path("sub/a")))
			require.NoError(t, unix.Mkfifo(p.path("sub/a"), 0o644))
		},
		"a file that is gone":       func(t *testing.T, p place, _ *file.Put) { require.NoError(t, os.Remove(p.path("sub/a"))) },
		"a file that was not there": func(_ *testing.T, _ place, put *file.Put) { put.Was = file.Absent },
		"a kept text that was changed": func(t *testing.T, _ place, put *file.Put) {
			require.NoError(t, os.WriteFile(put.Kept, []byte("mine\n"), 0o600))
		},
		"a file of the kernel": func(_ *testing.T, _ place, put *file.Put) { put.Path = "/proc/self/mem" },
		"a device":             func(_ *testing.T, _ place, put *file.Put) { put.Path = "/dev/null" },
		"a sparse file of 10 GB": func(t *testing.T, p place, _ *file.Put) {
			require.NoError(t, os.Truncate(p.path("sub/a"), 10<<30))
		},
		"permissions with more bits": func(_ *testing.T, _ place, put *file.Put) { put.Mode = "4755" },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			require.NoError(t, os.Mkdir(p.path("sub"), 0o755))
			p.write(t, "sub/a", "one\n")
			put := p.put(t, "sub/a", "two\n")
			change(t, p, &put)
			before := snapshot(t, p.dir)
			require.Error(t, put.Do())
			require.Equal(t, before, snapshot(t, p.dir))
			require.NotEqual(t, 0, file.Main(put.Args()[1:]))
		})
	}
	require.Equal(t, 1, file.Main([]string{"--was", "x"}))
	require.Equal(t, 1, file.Main([]string{"--as", "x", "--", "a", "b"}))
}

// snapshot describes everything below a directory.
func snapshot(t *testing.T, dir string) (rows []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := entry.Info()
		if err != nil {
			return err
		}
		row := path + " " + fi.Mode().String()
		switch {
		case fi.Mode()&fs.ModeSymlink != 0:
			row += " " + must(os.Readlink(path))
		case fi.Mode().IsRegular() && fi.Size() < file.MaxPut:
			row += " " + textOf(t, path)
		}
		rows = append(rows, row)
		return nil
	}))
	return rows
}

func must(text string, err error) string {
	if err != nil {
		panic(err)
	}
	return text
}

func TestThreat36NothingIsReadThatBlocksOrNeverEnds(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, unix.Mkfifo(p.path("pipe"), 0o600))
	p.write(t, "sparse", "")
	require.NoError(t, os.Truncate(p.path("sparse"), 10<<30))
	require.NoError(t, os.Symlink("sparse", p.path("link")))
	for path, want := range map[string]error{
		p.path("pipe"): file.ErrNotRegular, p.path("sparse"): file.ErrTooLarge, p.path("link"): file.ErrMoved, p.dir: file.ErrNotRegular,
		"/dev/zero": file.ErrNotRegular, "/proc/self/mem": file.ErrNotRegular, fmt.Sprintf("/proc/%d/mem", os.Getpid()): file.ErrNotRegular,
		"/proc/cpuinfo": file.ErrNotRegular, p.path("missing"): fs.ErrNotExist,
	} {
		_, _, err := file.Read(path, file.MaxPut)
		require.ErrorIs(t, err, want, path)
	}
}

// built has the program of [crashing].
var built string

func TestMain(m *testing.M) {
	var err error
	if built, err = os.MkdirTemp("", "put-test-"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(built)
	os.Exit(code)
}

// crashing builds the program so that it kills itself at the points of internal/crash.
var crashing = sync.OnceValues(func() (string, error) {
	program := filepath.Join(built, "put")
	out, err := exec.Command("go", "build", "-mod=readonly", "-trimpath", "-tags", "crashtest", "-o", program, "./testdata/put").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return program, nil
})

// TestOnlyWhatKilledReplacementsLeftIsRemoved: a file with a similar name, a directory and a link are somebody's own.
func TestOnlyWhatKilledReplacementsLeftIsRemoved(t *testing.T) {
	p := newPlace(t)
	kept := []string{".blunux-ai-0123456789ABCDEF", ".blunux-ai-0123456789abcde", ".blunux-ai-0123456789abcdef0", ".blunux-ai-notes", "a"}
	for _, name := range kept {
		p.write(t, name, "mine\n")
	}
	require.NoError(t, os.Mkdir(p.path(".blunux-ai-00000000000000dd"), 0o755))
	require.NoError(t, os.Symlink("a", p.path(".blunux-ai-00000000000000ee")))
	kept = append(kept, ".blunux-ai-00000000000000dd", ".blunux-ai-00000000000000ee", "b")
	p.write(t, ".blunux-ai-0123456789abcdef", "left\n")
	require.NoError(t, p.put(t, "b", "x").Do())
	slices.Sort(kept)
	require.Equal(t, kept, p.list(t))
}

// TestAMountedFileIsExplained: a container has such files, whose names cannot be given to others.
func TestAMountedFileIsExplained(t *testing.T) {
	program, err := crashing()
	require.NoError(t, err)
	p := newPlace(t)
	p.write(t, "resolv.conf", "nameserver 127.0.0.53\n")
	p.write(t, "mounted", "nameserver 192.0.2.1\n")
	kept := p.keep(t, "nameserver 192.0.2.2\n")
	script := `mount --bind mounted resolv.conf && exec "$0" put --was "$1" -- "$2" "$3"`
	was := file.Identity([]byte("nameserver 192.0.2.1\n"), nil)
	cmd := exec.Command("sh", "-c", script, program, was, kept, p.path("resolv.conf"))
	cmd.Dir = p.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "cannot replace a file on which another one is mounted (findmnt shows which)")
	require.Contains(t, string(out), p.path("resolv.conf"))
	require.Equal(t, []string{"mounted", "resolv.conf"}, p.list(t))
	require.Equal(t, "nameserver 192.0.2.1\n", textOf(t, p.path("mounted")))
}

// TestThreat36KilledReplacementsAgainstAModel replaces files and changes them from outside in any order, with the program
// killed at each point. A file always has its old or its new text, and the next try in the directory leaves nothing of the
// killed one.
func TestThreat36KilledReplacementsAgainstAModel(t *testing.T) {
	program, err := crashing()
	require.NoError(t, err)
	parent := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp(parent, "")
		require.NoError(t, err)
		dir, err = filepath.EvalSymlinks(dir)
		require.NoError(t, err)
		p := place{filepath.Join(dir, "kept"), filepath.Join(dir, "files")}
		require.NoError(t, os.Mkdir(p.kept, 0o700))
		require.NoError(t, os.Mkdir(p.dir, 0o755))
		model := map[string]string{}
		names := rapid.SampledFrom([]string{"a", "b", ".c", "name with blanks"})
		texts := rapid.SampledFrom([]string{"", "one\n", "two\n", "\xbe\xc8\n", strings.Repeat("long", 5000)})
		var stale *file.Put
		var seen string // by the stale one
		check := func() {
			var want []string
			for name := range model {
				want = append(want, name)
				require.Equal(t, model[name], textOf(t, p.path(name)))
			}
			slices.Sort(want)
			require.Equal(t, want, p.list(t))
		}
		t.Repeat(map[string]func(*rapid.T){
			"replace": func(t *rapid.T) {
				name, text := names.Draw(t, "name"), texts.Draw(t, "text")
				put := p.put(t, name, text)
				if rapid.Bool().Draw(t, "named") {
					put = put.Named()
				}
				require.NoError(t, put.Do())
				if was, ok := model[name]; ok && was != text {
					stale, seen = &put, was
				}
				model[name] = text
			},
			"killed": func(t *rapid.T) {
				name, text := names.Draw(t, "name"), texts.Draw(t, "text")
				point := rapid.SampledFrom([]crash.Point{crash.FileWritten, crash.FileNamed, crash.FileRenamed}).Draw(t, "point")
				was, existed := model[name]
				put := p.put(t, name, text)
				cmd := exec.Command(program, put.Args()...)
				cmd.Env = append(os.Environ(), "BLUNUX_AI_CRASH="+string(point))
				if err := cmd.Run(); existed && was == text || !existed && point == crash.FileNamed {
					require.NoError(t, err, "there is nothing to do, or a new file has its name at once")
					model[name] = text
					return
				} else {
					require.ErrorContains(t, err, "killed")
				}
				if is, err := os.ReadFile(put.Path); point == crash.FileRenamed {
					require.Equal(t, text, string(is))
				} else if existed {
					require.Equal(t, was, string(is))
				} else {
					require.ErrorIs(t, err, fs.ErrNotExist)
				}
				if point == crash.FileRenamed {
					model[name] = text
				}
				if point != crash.FileNamed {
					check() // nothing is left
					return
				}
				require.Contains(t, strings.Join(p.list(t), " "), ".blunux-ai-")
				name, text = names.Draw(t, "next name"), texts.Draw(t, "next")
				require.NoError(t, p.put(t, name, text).Do(), "of any file there")
				model[name] = text
			},
			"changed from outside": func(t *rapid.T) {
				name, text := names.Draw(t, "name"), texts.Draw(t, "text")
				put := p.put(t, name, "mine")
				p.write(t, name, text)
				if was, ok := model[name]; !ok || was != text {
					require.Error(t, put.Do())
				}
				model[name] = text
			},
			"removed": func(t *rapid.T) {
				name := names.Draw(t, "name")
				put := p.put(t, name, "mine")
				if os.Remove(p.path(name)) == nil {
					require.Error(t, put.Do())
				}
				delete(model, name)
			},
			"an old yes": func(t *rapid.T) {
				if stale == nil {
					return
				}
				switch is, ok := model[filepath.Base(stale.Path)]; {
				case ok && file.Digest([]byte(is)) == filepath.Base(stale.Kept):
					require.NoError(t, stale.Do(), "it is done already")
				case is != seen:
					require.Error(t, stale.Do())
				}
			},
			"": func(*rapid.T) { check() },
		})
	})
}
