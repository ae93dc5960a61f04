package rules

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// taskPrograms are the programs of what people wait for without naming one.
var taskPrograms = map[string][]string{
	"build": strings.Fields("make ninja cmake meson cargo rustc gradle mvn bazel scons npm pnpm yarn makepkg gcc g++ cc1 cc1plus clang clang++ go xmake tsc"),
	"copy":  strings.Fields("cp rsync scp mv dd"),
	"update": strings.Fields(
		"pacman yay paru pamac flatpak"),
	"render":   strings.Fields("blender ffmpeg HandBrakeCLI ghb kdenlive_render melt"),
	"compress": strings.Fields("tar zip unzip 7z 7za xz zstd gzip bzip2 bsdtar unrar"),
}

// process is a running process of the machine.
type process struct {
	machine.ProcessStat
	program string
}

// readProcess reads a process. ok is false if it has ended.
func readProcess(pid int) (p process, ok bool) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	text, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return p, false
	}
	stat, err := machine.ParseProcessStat(text)
	if err != nil || stat.HasEnded() {
		return p, false
	}
	p = process{stat, stat.Name}
	// A kernel thread has no command line.
	if line, err := os.ReadFile(filepath.Join(dir, "cmdline")); err == nil && len(line) > 0 {
		argv := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
		if argv[0] != "" {
			p.program = machine.Process{Command: argv}.Program()
		}
	}
	return p, true
}

// processes returns the running processes, without this one and those that started it.
func processes() (all []process) {
	names, _ := filepath.Glob("/proc/[0-9]*")
	own := map[int]bool{}
	for pid := os.Getpid(); pid > 1 && !own[pid]; {
		own[pid] = true
		p, _ := readProcess(pid)
		pid = p.Parent
	}
	for _, name := range names {
		pid, err := strconv.Atoi(filepath.Base(name))
		if err != nil || own[pid] {
			continue
		}
		if p, ok := readProcess(pid); ok {
			all = append(all, p)
		}
	}
	return all
}

// matches reports whether a process is the program of a name: "ffmpeg", or "train.py" for "python train.py".
func (p process) matches(name string) bool {
	return strings.EqualFold(p.program, name) || strings.EqualFold(p.Name, name) || strings.HasSuffix(strings.ToLower(p.program), " "+strings.ToLower(name))
}

// outermost returns the processes that no other one of the list has started: make starts make.
func outermost(all []process) []process {
	pids := map[int]bool{}
	for _, p := range all {
		pids[p.PID] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(p process) bool { return pids[p.Parent] && p.Parent != p.PID })
}

// A waitError says why a reminder cannot wait for something. The person is asked instead of guessing.
type waitError struct {
	says i18n.Text
	lang i18n.Lang
}

// Error returns the reason in the person's language: the tools show it to the person.
func (e *waitError) Error() string { return e.says.In(e.lang) }

// Text returns the reason in a language.
func (e *waitError) Text(lang i18n.Lang) string { return e.says.In(lang) }

// resolveProcess returns the process that a name or number means.
func (a *Automations) resolveProcess(name string, lang i18n.Lang) (automation.ProcessID, error) {
	if pid, err := strconv.Atoi(name); err == nil {
		if p, ok := readProcess(pid); ok {
			return idOf(p), nil
		}
		return automation.ProcessID{}, &waitError{i18n.WaitNoProcess(name), lang}
	}
	programs, task := taskPrograms[name]
	if !task {
		programs = []string{name}
	}
	found := outermost(slices.DeleteFunc(processes(), func(p process) bool {
		return !slices.ContainsFunc(programs, p.matches)
	}))
	switch len(found) {
	case 0:
		return automation.ProcessID{}, &waitError{i18n.WaitNoProcess(name), lang}
	case 1:
		return idOf(found[0]), nil
	}
	return automation.ProcessID{}, &waitError{i18n.WaitWhichProcess(name, a.processRows(found, lang)), lang}
}

// maxProcessRows bounds how many processes a question lists.
const maxProcessRows = 8

func (a *Automations) processRows(all []process, lang i18n.Lang) string {
	now := a.machine.Now()
	var info unix.Sysinfo_t
	_ = unix.Sysinfo(&info) // never fails on Linux
	var rows []string
	for _, p := range all[:min(len(all), maxProcessRows)] {
		started := p.StartedAt(now, time.Duration(info.Uptime)*time.Second).In(a.machine.Zone())
		rows = append(rows, i18n.WaitProcessRow(p.program, strconv.Itoa(p.PID), i18n.Clock(lang, started.Hour(), started.Minute())).In(lang))
	}
	if len(all) > maxProcessRows {
		rows = append(rows, "…")
	}
	return strings.Join(rows, ", ")
}

// idOf returns the identity of a process. Its name is written so that an event can contain it.
func idOf(p process) automation.ProcessID {
	name := strings.Map(func(r rune) rune {
		if r == ':' || r == '/' || r <= ' ' || r == 0x7f {
			return '_'
		}
		return r
	}, p.program)
	return automation.ProcessID{PID: p.PID, Start: p.Start, Name: string([]rune(name)[:min(len([]rune(name)), 64)])}
}

// hasEnded reports whether a process has ended, also if its number is in use again.
func hasEnded(id automation.ProcessID) bool {
	p, ok := readProcess(id.PID)
	return !ok || p.Start != id.Start
}

// awaitEnd waits until a process has ended or ctx ends. It costs no wake-up before.
func awaitEnd(ctx context.Context, id automation.ProcessID) error {
	fd, err := unix.PidfdOpen(id.PID, unix.PIDFD_NONBLOCK)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot watch process %d: %w", id.PID, err)
	}
	file := os.NewFile(uintptr(fd), "pidfd")
	defer file.Close()
	if hasEnded(id) { // looked at after the descriptor: it is of this process or of none
		return nil
	}
	stop := context.AfterFunc(ctx, func() { _ = file.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	raw, err := file.SyscallConn()
	if err != nil {
		return fmt.Errorf("cannot watch process %d: %w", id.PID, err)
	}
	err = raw.Read(func(uintptr) bool { return hasEnded(id) })
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("cannot watch process %d: %w", id.PID, err)
	}
	return ctx.Err()
}
