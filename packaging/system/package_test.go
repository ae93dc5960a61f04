//go:build systemtest

package system

import (
	"archive/tar"
	"crypto/sha256"
	"debug/elf"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the lists of files anew")

var names = []string{"blunux-ai", "blunux-discord-bridge", "blunux-telegram-bridge", "blunux-wa-bridge"}

// file returns the path of a package in dir, by name and version.
func file(t *testing.T, dir, name, version string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, name+"-"+version+"-1-*.pkg.tar"))
	require.NoError(t, err)
	require.Len(t, found, 1, "%s in %s", name, dir)
	return found[0]
}

// contents calls visit with each file of a package.
func contents(t *testing.T, path string, visit func(*tar.Header, io.Reader)) {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	r := tar.NewReader(f)
	for {
		h, err := r.Next()
		if err == io.EOF {
			return
		}
		require.NoError(t, err)
		visit(h, r)
	}
}

// TestWhatIsInThePackages compares the lists of files and modes. No file is in two packages, and all belong to
// root.
func TestWhatIsInThePackages(t *testing.T) {
	m := packages(t)
	owner := map[string]string{}
	for _, name := range names {
		var list []string
		contents(t, file(t, m.New, name, m.NewVersion), func(h *tar.Header, _ io.Reader) {
			require.Zero(t, h.Uid+h.Gid, h.Name)
			list = append(list, fmt.Sprintf("%04o %s %s", h.Mode&0o7777, h.Name, h.Linkname))
			list[len(list)-1] = strings.TrimSpace(list[len(list)-1])
			if strings.HasPrefix(h.Name, ".") || h.Typeflag == tar.TypeDir {
				return
			}
			require.Empty(t, owner[h.Name], "%s is in two packages", h.Name)
			owner[h.Name] = name
		})
		got := strings.Join(list, "\n") + "\n"
		golden := "testdata/" + name + ".files"
		if *update {
			require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		require.Equal(t, string(want), got, "go test -tags systemtest ./packaging/system -run WhatIsIn -update writes it anew")
	}
}

// TestTheProgramsAreHardened: position-independent, static, full RELRO, no executable stack, no symbols, no
// build paths. namcap also checks this, but exists only on Arch.
func TestTheProgramsAreHardened(t *testing.T) {
	m := packages(t)
	programs := 0
	for _, name := range names {
		contents(t, file(t, m.New, name, m.NewVersion), func(h *tar.Header, r io.Reader) {
			if h.Typeflag != tar.TypeReg {
				return
			}
			text, err := io.ReadAll(r)
			require.NoError(t, err)
			if h.Name != ".BUILDINFO" {
				require.NotContains(t, string(text), m.Dir, "%s tells where it was built", h.Name)
			}
			program, err := elf.NewFile(strings.NewReader(string(text)))
			if err != nil {
				require.False(t, strings.HasPrefix(string(text), elf.ELFMAG))
				return
			}
			programs++
			require.Equal(t, elf.ET_DYN, program.Type, h.Name)
			segments := map[elf.ProgType]elf.ProgFlag{}
			for _, p := range program.Progs {
				segments[p.Type] = p.Flags
				require.NotEqual(t, elf.PF_W|elf.PF_X, p.Flags&(elf.PF_W|elf.PF_X), "%s: a segment to write and execute", h.Name)
			}
			require.NotContains(t, segments, elf.PT_INTERP, h.Name)
			require.Contains(t, segments, elf.PT_GNU_RELRO, h.Name)
			require.Equal(t, elf.PF_R|elf.PF_W, segments[elf.PT_GNU_STACK], h.Name)
			flags, err := program.DynValue(elf.DT_FLAGS_1)
			require.NoError(t, err)
			require.Len(t, flags, 1)
			require.NotZero(t, elf.DynFlag1(flags[0])&elf.DF_1_NOW, h.Name)
			require.NotZero(t, elf.DynFlag1(flags[0])&elf.DF_1_PIE, h.Name)
			for _, tag := range []elf.DynTag{elf.DT_NEEDED, elf.DT_TEXTREL, elf.DT_RPATH, elf.DT_RUNPATH} {
				value, err := program.DynValue(tag)
				require.NoError(t, err)
				require.Empty(t, value, "%s: %s", h.Name, tag)
			}
			require.Nil(t, program.Section(".symtab"), h.Name)
		})
	}
	require.Equal(t, 10, programs)
}

// TestTheBuildIsReproducible: the packages are identical when they are built in another directory, at another
// time, with another user's settings. As in Arch's own builds the path of the build directory is the same,
// because makepkg records it.
func TestTheBuildIsReproducible(t *testing.T) {
	m := packages(t)
	again := filepath.Join(m.Dir, "again")
	t.Cleanup(func() { os.RemoveAll(again) })
	require.NoError(t, os.RemoveAll(again))
	require.NoError(t, os.MkdirAll(again, 0o755))
	out, err := exec.Command("cp", "-r", m.Release, again+"/release").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NoError(t, os.Chtimes(again+"/release/PKGBUILD", past, past))
	conf, err := filepath.Abs("testdata/makepkg.conf")
	require.NoError(t, err)
	script := `mount --bind "$1" "$2" && shift 2 && umask 0027 && exec "$@"`
	tool, err := filepath.Abs(root + "/packaging/makepkg.sh")
	require.NoError(t, err)
	cmd := exec.Command("unshare", "--net", "--mount", "--uts", "--", "bash", "-c", script, "_", again+"/release", m.Release,
		tool, m.Release, again+"/made", "--config", conf, "--nocheck")
	cmd.Env = append(os.Environ(), "PACMAN="+m.World+"/bin/pacman", "GOPROXY=off", "BUILDDIR="+m.Release+"/build",
		"TZ=Asia/Seoul", "HOME="+again, "LANG=ko_KR.UTF-8", "USER=somebody", "GOENV=off", "GOCACHE="+goEnv(t, "GOCACHE"), "GOMODCACHE="+goEnv(t, "GOMODCACHE"))
	require.NoError(t, command(cmd))
	for _, name := range names {
		require.Equal(t, sum(t, file(t, m.New, name, m.NewVersion)), sum(t, file(t, again+"/made", name, m.NewVersion)), name)
	}
}

// TestTheFormsForTheAURHaveTheFilesOfThePackage builds the main package alone from the release's sources, and packs the built
// one again. A bridge works with either, and none of them brings one.
func TestTheFormsForTheAURHaveTheFilesOfThePackage(t *testing.T) {
	m := packages(t)
	dir := filepath.Join(m.Dir, "aur")
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, command(exec.Command("cp", "-r", m.Release, dir)))
	built := file(t, m.New, "blunux-ai", m.NewVersion)
	require.NoError(t, command(exec.Command(root+"/packaging/aur-bin.sh", dir, m.New)))
	want := filesIn(t, built)
	for form, sources := range map[string]string{"blunux-ai": m.Release + "/blunux-ai-" + m.NewVersion + ".tar.gz", "blunux-ai-bin": built} {
		from, to := filepath.Join(dir, "aur", form), filepath.Join(dir, "made")
		text, err := os.ReadFile(from + "/.SRCINFO")
		require.NoError(t, err)
		require.Contains(t, string(text), " = "+sum(t, sources)+"\n")
		require.NotContains(t, string(text), "pkgname = blunux-wa-bridge")
		require.NoError(t, command(exec.Command("cp", sources, from)))
		require.NoError(t, makepkg(m.World, from, to, nil, "--nocheck"))
		got := filesIn(t, file(t, to, form, m.NewVersion))
		if form == "blunux-ai-bin" {
			require.Equal(t, want, got)
		}
		require.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)), form)
	}

	p := newPacman(t, m)
	p.must("-U", file(t, dir+"/made", "blunux-ai-bin", m.NewVersion), file(t, m.New, "blunux-telegram-bridge", m.NewVersion))
	require.Contains(t, p.must("-Qkk", "blunux-ai-bin"), " 0 altered files")
	out, err := p.run("-U", built)
	require.Error(t, err)
	require.Contains(t, out, "blunux-ai and blunux-ai-bin are in conflict")
	p.must("-Rns", "blunux-ai-bin", "blunux-telegram-bridge")
}

// filesIn returns the files of a package with their modes and digests, without makepkg's own.
func filesIn(t *testing.T, path string) map[string]string {
	t.Helper()
	found := map[string]string{}
	contents(t, path, func(h *tar.Header, r io.Reader) {
		text, err := io.ReadAll(r)
		require.NoError(t, err)
		if !strings.HasPrefix(h.Name, ".") {
			found[h.Name] = fmt.Sprintf("%04o %s %x", h.Mode&0o7777, h.Linkname, sha256.Sum256(text))
		}
	})
	return found
}

// TestTheSourcesAreTheSameBytesEachTime: also from another clone.
func TestTheSourcesAreTheSameBytesEachTime(t *testing.T) {
	m := packages(t)
	clone := t.TempDir()
	for _, args := range [][]string{
		{"init", "-q", clone}, {"-C", root, "push", "-q", clone, m.Commit + ":refs/heads/it"}, {"-C", clone, "checkout", "-q", "it"},
	} {
		out, err := exec.Command("git", args...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	cmd := exec.Command("bash", "-c", `umask 0077; exec make -C "$0" --no-print-directory dist`, clone)
	cmd.Env = append(os.Environ(), "TZ=Asia/Seoul", "PACMAN="+m.World+"/bin/pacman")
	require.NoError(t, command(cmd))
	for _, name := range []string{
		"blunux-ai-" + m.NewVersion + ".tar.gz", "PKGBUILD", ".SRCINFO", "blunux-ai.install", "aur/blunux-ai/PKGBUILD", "aur/blunux-ai/.SRCINFO",
	} {
		require.Equal(t, sum(t, filepath.Join(m.Release, name)), sum(t, filepath.Join(clone, "dist/release", name)), name)
	}
	text, err := os.ReadFile(m.Release + "/PKGBUILD")
	require.NoError(t, err)
	require.Contains(t, string(text), "sha256sums=('"+sum(t, m.Release+"/blunux-ai-"+m.NewVersion+".tar.gz")+"')")
	require.NotContains(t, string(text), "SKIP")
}

// TestSRCINFO compares it with the PKGBUILD.
func TestSRCINFO(t *testing.T) {
	m := packages(t)
	for _, dir := range []string{root, m.Release} {
		out, err := exec.Command(root+"/packaging/makepkg.sh", "--printsrcinfo", dir).Output()
		require.NoError(t, err)
		kept, err := os.ReadFile(filepath.Join(dir, ".SRCINFO"))
		require.NoError(t, err)
		require.Equal(t, string(out), string(kept), "make .SRCINFO writes it anew")
	}
}

// TestTheCheckoutTakesWhatIsCommitted: the PKGBUILD in the tree needs no release. It builds what is committed.
func TestTheCheckoutTakesWhatIsCommitted(t *testing.T) {
	m := packages(t)
	clone := filepath.Join(m.Dir, "checkout")
	t.Cleanup(func() { os.RemoveAll(clone) })
	require.NoError(t, os.RemoveAll(clone))
	for _, args := range [][]string{
		{"init", "-q", clone}, {"-C", root, "push", "-q", clone, m.Commit + ":refs/heads/it"}, {"-C", clone, "checkout", "-q", "it"},
	} {
		out, err := exec.Command("git", args...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	require.NoError(t, os.WriteFile(clone+"/main.go", []byte("package not committed"), 0o644))
	require.NoError(t, makepkg(m.World, clone, clone+"/made", []string{"SOURCE_DATE_EPOCH=1"}, "--nobuild"))
	require.FileExists(t, clone+"/build/blunux-ai/src/blunux-ai-"+m.NewVersion+"/Makefile")
	require.NoFileExists(t, clone+"/build/blunux-ai/src/blunux-ai-"+m.NewVersion+"/main.go")
}

// past is before the date of any source file.
var past = time.Unix(1_600_000_000, 0)

func sum(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}
