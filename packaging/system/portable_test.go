//go:build systemtest

package system

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// cross builds all programs for an architecture as make build does.
func cross(t *testing.T, arch string) string {
	t.Helper()
	bin := filepath.Join(crossDir(), arch)
	if _, err := os.Stat(bin); err == nil {
		return bin // built by another test
	}
	for _, dir := range []string{root, root + "/bridge/whatsapp"} {
		cmd := exec.Command("go", "build", "-C", dir, "-mod=readonly", "-trimpath", "-tags", "nethttpomithttp2", "-ldflags", "-s -w -X main.version=1", "-o", bin+"/", "./cmd/...")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOARCH="+arch)
		require.NoError(t, command(cmd))
	}
	return bin
}

// crossDir is the directory of this run's programs, by architecture.
var crossDir = sync.OnceValue(func() string {
	dir, err := os.MkdirTemp("", "blunux-cross-")
	if err != nil {
		panic(err)
	}
	return dir
})

func TestMain(m *testing.M) {
	code := m.Run()
	_ = os.RemoveAll(crossDir())
	os.Exit(code)
}

// requireStatic requires that the programs need no loader and no library of glibc or musl.
func requireStatic(t *testing.T, bin string, machine elf.Machine) {
	t.Helper()
	programs, err := filepath.Glob(bin + "/*")
	require.NoError(t, err)
	require.Len(t, programs, 10)
	for _, path := range programs {
		program, err := elf.Open(path)
		require.NoError(t, err)
		require.Equal(t, machine, program.Machine, path)
		for _, p := range program.Progs {
			require.NotContains(t, []elf.ProgType{elf.PT_INTERP, elf.PT_DYNAMIC}, p.Type, path)
		}
		program.Close()
	}
}

// sizeRow matches a line of docs/sizes.md: program, and MB by architecture.
var sizeRow = regexp.MustCompile(`(?m)^\| (blunux-\S+) \| ([0-9.]+) \| ([0-9.]+) \|`)

// requireSize requires that programs are about as large as docs/sizes.md says. column 2 is amd64, 3 is arm64.
func requireSize(t *testing.T, bin string, column int) {
	t.Helper()
	text, err := os.ReadFile(root + "/docs/sizes.md")
	require.NoError(t, err)
	rows := sizeRow.FindAllStringSubmatch(string(text), -1)
	require.Len(t, rows, 10)
	for _, row := range rows {
		info, err := os.Stat(filepath.Join(bin, row[1]))
		require.NoError(t, err)
		said, err := strconv.ParseFloat(row[column], 64)
		require.NoError(t, err)
		require.InEpsilon(t, said, float64(info.Size())/1e6, 0.1, "docs/sizes.md: %s", row[1])
	}
}

// TestArm64 builds everything for the other architecture, and runs the programs if possible
// (qemu-user-static).
func TestArm64(t *testing.T) {
	bin := cross(t, "arm64")
	requireStatic(t, bin, elf.EM_AARCH64)
	requireSize(t, bin, 3)
	qemu, err := exec.LookPath("qemu-aarch64-static")
	if err != nil {
		skip(t, "there is no qemu-aarch64-static")
	}
	home := t.TempDir()
	run := func(args ...string) (string, error) {
		cmd := exec.Command(qemu, append([]string{bin + "/" + args[0]}, args[1:]...)...)
		cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "BLUNUX_AI_LANG=en", "HOME="+home, "BLUNUX_AI_HOME="+home+"/h", "BLUNUX_AI_SOCK="+home+"/s.sock", "BLUNUX_AI_AUTOMATIONS=off")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for _, program := range []string{"blunux-ai", "blunux-aictl", "blunux-telegram-bridge", "blunux-discord-bridge", "blunux-wa-bridge"} {
		out, err := run(program, "--version")
		require.NoError(t, err, out)
		require.Equal(t, program+" 1\n", out)
	}
	out, err := run("blunux-ai", "check", "df -h")
	require.NoError(t, err, out)
	require.Contains(t, out, "SAFE")

	daemon := exec.Command(qemu, bin+"/blunux-ai", "daemon")
	daemon.Env = append(os.Environ(), "HOME="+home, "BLUNUX_AI_HOME="+home+"/h", "BLUNUX_AI_SOCK="+home+"/s.sock", "BLUNUX_AI_AUTOMATIONS=off", "BLUNUX_AI_PROVIDER=offline")
	var said bytes.Buffer
	daemon.Stdout, daemon.Stderr = &said, &said
	require.NoError(t, daemon.Start())
	defer func() {
		_ = daemon.Process.Signal(syscall.SIGTERM)
		_ = daemon.Wait()
	}()
	require.Eventually(t, func() bool { _, err := os.Stat(home + "/s.sock"); return err == nil }, time.Minute, 20*time.Millisecond)
	out, err = run("blunux-aictl", "ask", "help")
	require.NoError(t, err, "%s\n%s", out, said.String())
	require.NotEmpty(t, strings.TrimSpace(out))
}

// TestAmd64 does the same as TestArm64 for amd64.
func TestAmd64(t *testing.T) {
	bin := cross(t, "amd64")
	requireStatic(t, bin, elf.EM_X86_64)
	requireSize(t, bin, 2)
}

const emptyRoot = "BLUNUX_AI_EMPTY_ROOT"

// init runs in the process that TestOnMusl starts in its own root: it becomes an ordinary user and executes its
// arguments.
func init() {
	dir := os.Getenv(emptyRoot)
	if dir == "" {
		return
	}
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	must(syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""))
	must(syscall.Mount(dir, dir, "", syscall.MS_BIND, ""))
	must(syscall.Mount("proc", dir+"/proc", "proc", 0, ""))
	must(syscall.Mount("/dev/null", dir+"/dev/null", "", syscall.MS_BIND, ""))
	must(os.Chdir(dir))
	must(syscall.PivotRoot(".", "."))
	must(syscall.Unmount(".", syscall.MNT_DETACH))
	must(os.Chdir("/"))
	must(syscall.Setgroups(nil))
	must(syscall.Setgid(4242))
	must(syscall.Setuid(4242))
	must(syscall.Exec(os.Args[1], os.Args[1:], []string{
		"HOME=/home", "XDG_RUNTIME_DIR=/run", "PATH=/usr/bin", "LANG=C.UTF-8", "BLUNUX_AI_LANG=en", "BLUNUX_AI_AUTOMATIONS=off",
	}))
}

// TestOnMusl: on a system with musl and without glibc, the daemon starts, answers, and runs a musl program in
// its sandbox.
func TestOnMusl(t *testing.T) {
	if os.Geteuid() != 0 {
		skip(t, "only root can make a root directory")
	}
	gcc, err := exec.LookPath("musl-gcc")
	if err != nil {
		skip(t, "there is no musl-gcc")
	}
	bin, dir := cross(t, "amd64"), t.TempDir()
	for _, d := range []string{"proc", "dev", "tmp", "run", "home", "usr/bin", "usr/lib/blunux-ai", "lib", "etc", "sys"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, d), 0o755))
	}
	require.NoError(t, os.Chmod(dir, 0o755))
	for _, d := range []string{"run", "home"} {
		require.NoError(t, os.Chown(filepath.Join(dir, d), 4242, 4242))
		require.NoError(t, os.Chmod(filepath.Join(dir, d), 0o700))
	}
	require.NoError(t, os.Chmod(dir+"/tmp", 0o1777))
	require.NoError(t, os.WriteFile(dir+"/dev/null", nil, 0o666))
	install := func(from, to string) {
		text, err := os.ReadFile(from)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, to), text, 0o755))
	}
	for _, name := range []string{"blunux-ai", "blunux-aictl"} {
		install(bin+"/"+name, "usr/bin/"+name)
	}
	for _, name := range []string{"blunux-ai-cell", "blunux-ai-index"} {
		install(bin+"/"+name, "usr/lib/blunux-ai/"+name)
	}
	install("/lib/ld-musl-x86_64.so.1", "lib/ld-musl-x86_64.so.1")
	require.NoError(t, command(exec.Command(gcc, "-O1", "-o", dir+"/usr/bin/df", "testdata/df.c")))
	program, err := elf.Open(dir + "/usr/bin/df")
	require.NoError(t, err)
	libraries, err := program.ImportedLibraries()
	require.NoError(t, err)
	require.Equal(t, []string{"libc.so"}, libraries) // musl's library, which is also its loader

	cmd := exec.Command("/proc/self/exe", "/usr/bin/blunux-aictl", "ask", "how full is the disk?")
	cmd.Env = []string{emptyRoot + "=" + dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "73%")
	log, err := os.ReadFile(dir + "/home/.config/blunux-ai/logs/commands.log")
	require.NoError(t, err)
	require.Contains(t, string(log), "df")
}
