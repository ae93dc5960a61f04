package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/channel"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools/commandlog"
)

// Fixer runs commands that fix findings, each after a person saw it and confirmed. It runs only harmless ones:
// they close the program's own files to others, remove its own stale socket, and make the person's service
// manager load, start or restart the program's own units. It never uses root's rights or changes packages.
type Fixer struct {
	Lang  i18n.Lang
	Paths config.Paths
	// Socket is the path of the program's socket.
	Socket string
	Log    *commandlog.Log
	// Ask shows a command and returns whether a person confirmed it.
	Ask func(ctx context.Context, command string) (bool, error)
	// Run runs a command.
	Run func(ctx context.Context, argv []string) error
	// Say reports the result of a command.
	Say func(text string)
}

// OfferFixes offers the fix of each finding once. It returns the number of commands run. An error means that the person
// could not be asked, or that the command log cannot be written, in which case nothing runs.
func (m Fixer) OfferFixes(ctx context.Context, found []Finding) (ran int, err error) {
	offered := map[string]bool{}
	for _, f := range found {
		command := CommandLine(f.Fix)
		if len(f.Fix) == 0 || offered[command] || !m.isHarmless(f.Fix) {
			continue
		}
		offered[command] = true
		yes, err := m.Ask(ctx, command)
		switch {
		case err != nil:
			return ran, err
		case !yes, f.Fix[0] == "rm" && !isStale(ctx, m.Socket), // or a daemon is listening by now
			f.Fix[0] == "chmod" && !areOwn(operands(f.Fix)): // or it was replaced, for example by a link
			m.Say(i18n.DoctorFixLeft.In(m.Lang))
			continue
		}
		if err := m.run(ctx, command, f.Fix); err != nil {
			return ran, err
		}
		ran++
	}
	if len(offered) == 0 {
		m.Say(i18n.DoctorFixNothing.In(m.Lang))
	}
	return ran, nil
}

// run logs a command and runs it. A failing command is reported and is not an error.
func (m Fixer) run(ctx context.Context, command string, argv []string) error {
	ref, err := m.Log.Begin(commandlog.Entry{Class: commandlog.Confirmed, Command: command, Tool: "doctor", Channel: "cli", Approver: "terminal"})
	if err != nil {
		return errors.New(i18n.DoctorFixLog(err).In(m.Lang))
	}
	began := time.Now()
	err = m.Run(ctx, argv)
	result := commandlog.Result{Took: time.Since(began)}
	said := i18n.DoctorFixDone.In(m.Lang)
	if err != nil {
		result.Exit, result.Error = ExitOf(err), err.Error()
		said = i18n.DoctorFixFailed(err).In(m.Lang)
	}
	m.Say(said)
	if err := m.Log.End(ref, result); err != nil {
		return fmt.Errorf("cannot log the end of a command: %w", err)
	}
	return nil
}

// ExitOf returns the exit code of a failed program, or -1 if it did not start.
func ExitOf(err error) int {
	var ended interface{ ExitCode() int }
	if errors.As(err, &ended) {
		return ended.ExitCode()
	}
	return -1
}

// isHarmless reports whether a command is one of the few that need only a confirmation. This list is separate from
// the findings on purpose, so that a new check cannot run anything else.
func (m Fixer) isHarmless(argv []string) bool {
	switch {
	case len(argv) == 3 && argv[0] == "chmod" && argv[1] == "700":
		return m.isOwn(argv[2])
	case len(argv) == 3 && argv[0] == "chmod" && argv[1] == "600" && slices.Contains(logins(m.Paths), argv[2]):
		return true
	case len(argv) >= 3 && argv[0] == "chmod" && argv[1] == "go-rwx":
		return !slices.ContainsFunc(argv[2:], func(path string) bool { return !m.isOwn(path) })
	case len(argv) >= 4 && argv[0] == "chmod" && argv[1] == "-R" && argv[2] == "go-rwx":
		return !slices.ContainsFunc(argv[3:], func(path string) bool { return path != m.Paths.Home && path != m.Paths.Recall() })
	case len(argv) >= 3 && argv[0] == "chmod" && argv[1] == "600":
		return !slices.ContainsFunc(argv[2:], func(file string) bool { return filepath.Dir(file) != m.Paths.Credentials() || !m.isOwn(file) })
	case len(argv) == 2 && argv[0] == "rm":
		return argv[1] == m.Socket && filepath.IsAbs(argv[1])
	case len(argv) < 3 || argv[0] != "systemctl" || argv[1] != "--user":
		return false
	}
	units := []string{ipc.SocketUnit, serviceUnit, timerUnit, pathUnit, bridgesSocket}
	restarted := []string{serviceUnit}
	for _, c := range channel.WithBridge() {
		units, restarted = append(units, c.Unit), append(restarted, c.Unit)
	}
	switch rest := argv[2:]; {
	case len(rest) == 1:
		return rest[0] == "daemon-reload"
	case len(rest) == 2:
		return rest[0] == "restart" && slices.Contains(restarted, rest[1])
	case len(rest) == 3:
		return rest[0] == "enable" && rest[1] == "--now" && slices.Contains(units, rest[2])
	}
	return false
}

func operands(argv []string) []string {
	i := slices.IndexFunc(argv, filepath.IsAbs)
	return argv[max(i, 0):]
}

func logins(p config.Paths) (files []string) {
	for _, c := range channel.WithBridge() {
		files = append(files, filepath.Join(state.Dir(p.Home, c.Name), c.Login))
	}
	return files
}

// areOwn reports whether each path is now the person's own file or directory, and not a link. A question can
// wait for hours.
func areOwn(paths []string) bool {
	return !slices.ContainsFunc(paths, func(path string) bool {
		var st unix.Stat_t
		if err := unix.Lstat(path, &st); err != nil {
			return true
		}
		kind := st.Mode & unix.S_IFMT
		return int(st.Uid) != os.Getuid() || kind != unix.S_IFREG && kind != unix.S_IFDIR || kind == unix.S_IFREG && st.Nlink > 1
	})
}

// isOwn reports whether a path is one of the program's directories or below one.
func (m Fixer) isOwn(path string) bool {
	return path == filepath.Clean(path) && filepath.IsAbs(path) && slices.ContainsFunc([]string{m.Paths.Home, m.Paths.Recall()}, func(dir string) bool {
		return path == dir || strings.HasPrefix(path, dir+"/")
	})
}
