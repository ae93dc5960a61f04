//go:build systemtest

package system

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	root       = "../.."
	newVersion = "0.1.0"
	oldVersion = "0.0.9" // the same sources, built with an older version
)

// builtPackages is what makepkg has built from this working tree, and a pacman world.
type builtPackages struct {
	Dir                    string // contains everything; readable for everyone
	World                  string // directory of pacman-root.sh
	New, Old               string // directories with three packages each, *.pkg.tar
	Release, Commit        string // output of make dist for the new version, and its commit
	NewVersion, OldVersion string
}

// packages builds the packages once for each state of the working tree and caches them in [cacheDir].
func packages(t *testing.T) builtPackages {
	t.Helper()
	if os.Geteuid() != 0 {
		skip(t, "only root can install packages")
	}
	m, err := build()
	var failed *exec.ExitError
	if errors.As(err, &failed) && failed.ExitCode() == 77 {
		skip(t, "no pacman here: %v", err)
	}
	require.NoError(t, err)
	return m
}

var build = sync.OnceValues(func() (builtPackages, error) {
	commit, tree, err := workingTree()
	if err != nil {
		return builtPackages{}, err
	}
	kept, err := cacheDir()
	if err != nil {
		return builtPackages{}, err
	}
	dir := filepath.Join(kept, tree)
	m := builtPackages{
		Dir: dir, World: filepath.Join(dir, "world"), New: filepath.Join(dir, newVersion), Old: filepath.Join(dir, oldVersion),
		Release: filepath.Join(dir, "release-"+newVersion), NewVersion: newVersion, OldVersion: oldVersion,
	}
	if err := pruneCache(kept, tree); err != nil {
		return m, err
	}
	if before, err := os.ReadFile(dir + "/commit"); err == nil {
		if exec.Command("git", "-C", root, "cat-file", "-e", string(before)).Run() == nil {
			commit = string(before) // the tests have changed, but not the packages
		} else if err := os.RemoveAll(dir); err != nil { // of another checkout, whose commit is not in this one
			return m, fmt.Errorf("cannot remove the packages of another checkout: %w", err)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return m, fmt.Errorf("cannot keep the packages: %w", err)
	}
	if err := command(exec.Command("bash", root+"/test/e2e/testenv/pacman-root.sh", m.World)); err != nil {
		return m, err
	}
	m.Commit = commit
	if err := os.WriteFile(dir+"/commit", []byte(commit), 0o644); err != nil {
		return m, fmt.Errorf("cannot keep the packages: %w", err)
	}
	for _, module := range []string{root, root + "/bridge/whatsapp"} { // makepkg has no network
		if err := command(exec.Command("go", "-C", module, "mod", "download")); err != nil {
			return m, err
		}
	}
	for _, version := range []string{newVersion, oldVersion} {
		if _, err := os.Stat(filepath.Join(dir, version)); err == nil {
			continue
		}
		release := filepath.Join(dir, "release-"+version)
		if err := dist(commit, version, release); err != nil {
			return m, err
		}
		// Run check() only for the new version, because the sources are the same.
		var options []string
		if version == oldVersion {
			options = []string{"--nocheck"}
		}
		half := filepath.Join(dir, "half-"+version)
		if err := makepkg(m.World, release, half, nil, options...); err != nil {
			return m, err
		}
		if err := os.Rename(half, filepath.Join(dir, version)); err != nil {
			return m, fmt.Errorf("cannot keep the packages: %w", err)
		}
	}
	return m, nil
})

// cacheDir returns the directory of the cache. Everyone can enter it.
func cacheDir() (string, error) {
	dir := os.Getenv("BLUNUX_AI_PACKAGES")
	if dir == "" {
		dir = "/var/tmp/blunux-ai-packages"
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("cannot keep packages: %w", err)
	}
	return dir, nil
}

// pruneCache removes all but the last few entries of former states from the cache.
func pruneCache(kept, but string) error {
	entries, err := os.ReadDir(kept)
	if err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return changed(b).Compare(changed(a)) })
	left := 4
	for _, e := range entries {
		if e.Name() == but {
			continue
		}
		if left--; left < 0 {
			if err := os.RemoveAll(filepath.Join(kept, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// workingTree writes the working tree, committed or not, as a commit without a branch, and returns the cache
// key of its build.
func workingTree() (commit, key string, err error) {
	index, err := os.MkdirTemp("", "blunux-index-")
	if err != nil {
		return "", "", err
	}
	defer os.RemoveAll(index)
	git := func(args ...string) (string, error) {
		cmd := exec.Command("git", append([]string{"-C", root}, args...)...)
		cmd.Env = append(
			os.Environ(), "GIT_INDEX_FILE="+index+"/index",
			"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.invalid", "GIT_AUTHOR_DATE=1700000000 +0000",
			"GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.invalid", "GIT_COMMITTER_DATE=1700000000 +0000",
		)
		out, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("cannot %s: %w", cmd, err)
		}
		return strings.TrimSpace(string(out)), nil
	}
	if _, err := git("add", "--all"); err != nil {
		return "", "", err
	}
	tree, err := git("write-tree")
	if err != nil {
		return "", "", err
	}
	if commit, err = git("commit-tree", "-m", "the working tree", tree); err != nil {
		return "", "", err
	}
	// The build does not depend on these tests.
	if _, err := git("rm", "-rq", "--cached", "--ignore-unmatch", "packaging/system", "test", ".ci"); err != nil {
		return "", "", err
	}
	if tree, err = git("write-tree"); err != nil {
		return "", "", err
	}
	conf, err := os.ReadFile("testdata/makepkg.conf")
	if err != nil {
		return "", "", err
	}
	version, err := exec.Command("go", "version").Output()
	sum := sha256.Sum256(slices.Concat(version, []byte(tree), conf))
	return commit, hex.EncodeToString(sum[:8]), err
}

// dist builds the release of a commit as make dist does.
func dist(commit, version, dir string) error {
	half := dir + "-half"
	if err := command(exec.Command("make", "-C", root, "--no-print-directory", "dist", "COMMIT="+commit, "PKGVER="+version, "DIST="+half)); err != nil {
		return err
	}
	return errors.Join(os.RemoveAll(dir), os.Rename(half+"/release", dir), os.RemoveAll(half))
}

// makepkg builds a release with the real makepkg and Arch's settings, without root and without a network.
func makepkg(world, release, dest string, env []string, options ...string) error {
	conf, err := filepath.Abs("testdata/makepkg.conf")
	if err != nil {
		return err
	}
	args := []string{"--net", "--", root + "/packaging/makepkg.sh", release, dest, "--config", conf}
	cmd := exec.Command("unshare", append(args, options...)...)
	cmd.Env = append(os.Environ(), "PACMAN="+world+"/bin/pacman", "GOPROXY=off", "BUILDDIR="+release+"/build")
	cmd.Env = append(cmd.Env, env...)
	return command(cmd)
}

// command runs a command and includes its output in the error.
func command(cmd *exec.Cmd) error {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		text := out.String()
		return fmt.Errorf("cannot %s: %w: %s", cmd, err, text[max(0, len(text)-4000):])
	}
	return nil
}

func changed(e os.DirEntry) (at time.Time) {
	if info, err := e.Info(); err == nil {
		at = info.ModTime()
	}
	return at
}

// skip skips a test that cannot run here. It fails the test if the environment requires all tests to run.
func skip(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("cannot be skipped in CI: "+format, args...)
	}
	t.Skipf(format, args...)
}
