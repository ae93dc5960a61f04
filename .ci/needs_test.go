package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// debian creates a directory of programs that imitate a Debian machine with only the packages installed. Calls
// of apt-get are appended to log.
func debian(t *testing.T, installed ...string) (path, log string) {
	t.Helper()
	dir := t.TempDir()
	log = filepath.Join(dir, "log")
	programs := map[string]string{
		"id":   "echo 0",
		"dpkg": `case " ` + strings.Join(installed, " ") + ` " in *" $2 "*) exit 0;; esac; exit 1`,
		"apt-get": `echo "$*" >> ` + log + `
case "$*" in *--assume-no*)
	echo '0 upgraded, 41 newly installed, 0 to remove and 3 not upgraded.'
	echo 'After this operation, 612 MB of additional disk space will be used.'
	exit 1;;
esac`,
	}
	for name, body := range programs {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755))
	}
	return dir + ":" + os.Getenv("PATH"), log
}

// everything returns the names in .ci/packages.
func everything(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("packages")
	require.NoError(t, err)
	var all []string
	for line := range strings.Lines(string(text)) {
		if names, why, found := strings.Cut(line, ": "); found && line[0] != '#' {
			require.NotEmpty(t, strings.TrimSpace(why))
			all = append(all, strings.Fields(names)...)
		}
	}
	return all
}

func needs(t *testing.T, path string) string {
	t.Helper()
	cmd := exec.Command("./needs")
	cmd.Env = append(os.Environ(), "PATH="+path)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

func TestT3WhatIsInstalledIsPrintedBeforehandWithItsReasonAndSize(t *testing.T) {
	present := strings.Fields(strings.NewReplacer(" gcc ", " ", " tmux ", " ").Replace(" " + strings.Join(everything(t), " ") + " "))
	path, log := debian(t, present...)
	out := needs(t, path)
	require.Contains(t, out, "the tests need 2 packages that are not installed")
	require.Contains(t, out, "    gcc: the race detector needs a C compiler\n")
	require.Contains(t, out, "    tmux: tests type into terminals")
	require.Contains(t, out, "apt-get installs 41 packages: 612 MB on the disk")
	require.Contains(t, out, "make check")
	calls, err := os.ReadFile(log)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(calls)), "\n")
	require.Len(t, lines, 3)
	require.Contains(t, lines[1], "--assume-no")
	require.NotContains(t, lines[1], "-qq", "apt-get takes -qq for a yes")
	require.Equal(t, "install -y -qq --no-install-recommends gcc tmux", lines[2])
}

func TestT3NothingIsInstalledWhereNothingIsMissing(t *testing.T) {
	path, log := debian(t, everything(t)...)
	require.Empty(t, needs(t, path))
	require.NoFileExists(t, log)
}

// asksServer matches ways to run a tool that query the module proxy on each run.
var asksServer = regexp.MustCompile(`(?m)\bgo(?:\)|\b) (?:run|install|get)\b[^\n]*@`)

func TestT2LintersComeFromTheModuleCache(t *testing.T) {
	for _, file := range []string{"../Makefile", "run", "needs"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NotRegexp(t, asksServer, strings.ReplaceAll(string(text), "$(GO", "go"), file)
	}
	goTool := func(env []string, args ...string) string {
		cmd := exec.Command("go", append([]string{"-C", "tools"}, args...)...)
		cmd.Env = append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "go %v: %s", args, out)
		return strings.TrimSpace(string(out))
	}
	goTool(nil, "mod", "download")
	for _, name := range []string{"gofumpt", "staticcheck"} {
		built := goTool([]string{"GOPROXY=off", "GOSUMDB=off"}, "tool", "-n", name)
		require.FileExists(t, built)
	}
}
