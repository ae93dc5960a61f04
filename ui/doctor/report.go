package doctor

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"mvdan.cc/sh/v3/syntax"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/internal/channel"
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
	program = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,39}$`)
	option  = regexp.MustCompile(`^(-[A-Za-z]{1,3}|--[a-z][a-z-]{0,39})$`)
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
var personalFields = regexp.MustCompile(`( (?:session|sender|to|from|automation|rule)=)("(?:[^"\\]|\\.)*"|\S+)`)

// isModelMessage reports whether a line of the daemon's log contains the conversation with a model.
func isModelMessage(line string) bool {
	_, rest, _ := strings.Cut(line, " ")
	return strings.HasPrefix(rest, "TRC ")
}
