package doctor

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"golang.org/x/sys/unix"
	"mvdan.cc/sh/v3/syntax"

	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/channel"
	"github.com/nidoit/blunux-ai/internal/lazyregexp"
	"github.com/nidoit/blunux-ai/internal/logfile"
	"github.com/nidoit/blunux-ai/internal/tail"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools/commandlog"
)

// Numbers of lines from the end of each log.
const (
	reportedLines    = 500
	reportedCommands = 200
)

// Report is what another person needs to help: findings, versions, settings, units and the ends of both logs. It
// contains no conversations, notes or keys, and only the names of programs and options of commands.
type Report struct {
	Patient Machine
	Found   []Finding
	// Scrub removes personal data.
	Scrub func(string) string
	Now   time.Time
}

// Piece is a file of a report.
type Piece struct{ Name, Text string }

// Pieces returns the files of the report, scrubbed.
func (r Report) Pieces(ctx context.Context) []Piece {
	pieces := []Piece{
		{"doctor.json", r.findings()},
		{"versions.txt", r.versions()},
		{"config.toml", r.settings()},
		{"units.txt", r.units(ctx)},
		{"daemon.log", r.daemonLog()},
		{"commands.log", r.commandLog()},
	}
	for i := range pieces {
		pieces[i].Text = r.Scrub(pieces[i].Text)
	}
	return pieces
}

// Write writes the pieces to a compressed archive, in a directory named dir.
func Write(w io.Writer, dir string, pieces []Piece, now time.Time) error {
	zipped := gzip.NewWriter(w)
	archive := tar.NewWriter(zipped)
	for _, p := range pieces {
		h := &tar.Header{Name: dir + "/" + p.Name, Mode: 0o600, Size: int64(len(p.Text)), ModTime: now.UTC().Truncate(time.Second), Typeflag: tar.TypeReg}
		if err := archive.WriteHeader(h); err != nil {
			return fmt.Errorf("cannot write the report: %w", err)
		}
		if _, err := io.WriteString(archive, p.Text); err != nil {
			return fmt.Errorf("cannot write the report: %w", err)
		}
	}
	for _, end := range []io.Closer{archive, zipped} {
		if err := end.Close(); err != nil {
			return fmt.Errorf("cannot write the report: %w", err)
		}
	}
	return nil
}

func (r Report) findings() string {
	text, err := json.MarshalIndent(map[string]any{"ok": IsHealthy(r.Found), "version": r.Patient.Version, "checks": r.Found}, "", "  ")
	if err != nil {
		return err.Error()
	}
	return string(text) + "\n"
}

// versions returns the versions of the program, its compiler and its system.
func (r Report) versions() string {
	var b strings.Builder
	fmt.Fprintf(&b, "blunux-ai %s\n%s %s/%s\n", r.Patient.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	for _, file := range []string{"/proc/sys/kernel/osrelease", "/etc/os-release"} {
		text, err := os.ReadFile(r.Patient.path(file))
		if err != nil {
			text = []byte(err.Error())
		}
		fmt.Fprintf(&b, "%s: %s\n", file, strings.TrimSpace(string(text)))
	}
	return b.String()
}

// settings returns the effective settings without values that can be secrets or telephone numbers.
func (r Report) settings() string {
	cfg, err := config.Load(r.Patient.Source)
	if err != nil {
		return "# " + err.Error() + "\n"
	}
	for _, c := range channel.All() {
		mark := "[id]"
		if c.Phones {
			mark = "[number]"
		}
		for ids, i := *cfg.Senders(c.Name), 0; i < len(ids); i++ {
			ids[i] = mark
		}
	}
	servers := map[string]config.MCP{}
	for name, m := range cfg.MCP {
		env := map[string]string{}
		for variable := range m.Env {
			env[variable] = "[value]"
		}
		if m.Env = env; len(m.Command) > 1 { // arguments often contain tokens
			m.Command = append(slices.Clone(m.Command[:1]), "[arguments]")
		}
		servers[name] = m
	}
	cfg.MCP = servers
	text, err := toml.Marshal(cfg)
	if err != nil {
		return "# " + err.Error() + "\n"
	}
	return "# " + strings.Join(cfg.Files, "\n# ") + "\n" + string(text)
}

func (r Report) units(ctx context.Context) string {
	var b strings.Builder
	names := []string{ipc.SocketUnit, serviceUnit, timerUnit, pathUnit, bridgesSocket}
	if more, err := r.Patient.Manager.Installed(ctx, bridgePatterns...); err == nil {
		names = append(names, more...)
	}
	for _, name := range names {
		u, err := r.Patient.Manager.Unit(ctx, name)
		if err != nil {
			fmt.Fprintf(&b, "%s: %v\n", name, err)
			continue
		}
		fmt.Fprintf(&b, "%s: %s %s %s pid=%d reload=%t %s\n", name, u.Load, u.Active, u.Enabled, u.PID, u.NeedLoad, u.Fragment)
	}
	return b.String()
}

// daemonLog returns the end of the daemon's log, without messages to and from models and without names that
// people chose.
func (r Report) daemonLog() string {
	lines, err := tail.Files{Dir: r.Patient.Paths.Logs(), Match: logfile.IsLogName}.Last(reportedLines, func(line string) bool { return !isModelMessage(line) })
	for i := range lines {
		lines[i] = personalFields.ReplaceAllString(lines[i], "${1}[name]")
	}
	return joinLines(lines, err)
}

// commandLog returns the end of the command log, with outlined commands.
func (r Report) commandLog() string {
	lines, err := tail.SingleFile(r.Patient.Paths.CommandLog()).Last(reportedCommands, nil)
	for i := range lines {
		lines[i] = outlineOf(lines[i])
	}
	return joinLines(lines, err)
}

func joinLines(lines []string, err error) string {
	if err != nil {
		lines = append(lines, err.Error())
	}
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// outlineOf returns a line of commands.log with only the names of programs and options in its command, without
// arguments such as addresses, passwords and file names.
func outlineOf(line string) string {
	r, err := commandlog.Parse(line)
	if err != nil {
		return "[not a line of this log]"
	}
	r.Command = outline(r.Command)
	return commandlog.Format(r)
}

// outline returns the programs and options of a command, with … for arguments. It returns "[no bash]" for a
// command that cannot be parsed.
func outline(command string) string {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		return "[no bash]"
	}
	var calls []string
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			calls = append(calls, outlineCall(call.Args))
		}
		return true
	})
	if len(calls) == 0 {
		return "…"
	}
	return strings.Join(calls, "; ")
}

// program matches the name of a program, and option the name of an option without an attached value, such as the
// password after mysql's -p.
var (
	program = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,39}$`)
	option  = lazyregexp.New(`^(-[A-Za-z]{1,3}|--[a-z][a-z-]{0,39})$`)
)

func outlineCall(args []*syntax.Word) string {
	name := path.Base(args[0].Lit())
	if !program.MatchString(name) {
		name = "[program]"
	}
	words := []string{name}
	for _, arg := range args[1:] {
		text := ""
		if len(arg.Parts) > 0 {
			if lit, ok := arg.Parts[0].(*syntax.Lit); ok {
				text = lit.Value
			}
		}
		text, _, given := strings.Cut(text, "=")
		if option.MatchString(text) && (given || len(arg.Parts) == 1) {
			words = append(words, text)
		} else {
			given = true
		}
		if given && words[len(words)-1] != "…" {
			words = append(words, "…")
		}
	}
	return strings.Join(words, " ")
}

// personalFields matches fields of the daemon's log that contain names that people chose, or their addresses.
var personalFields = lazyregexp.New(`( (?:session|sender|to|from|automation|rule)=)("(?:[^"\\]|\\.)*"|\S+)`)

// isModelMessage reports whether a line of the daemon's log contains the conversation with a model.
func isModelMessage(line string) bool {
	_, rest, _ := strings.Cut(line, " ")
	return strings.HasPrefix(rest, "TRC ")
}

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
