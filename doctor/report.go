package doctor

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/logfile"
	"github.com/nidoit/blunux-ai/tail"
)

// How many of a log's last lines a report has.
const (
	reportedLines    = 500
	reportedCommands = 200
)

// Report is what somebody else needs to help: what was found, versions, settings,
// units and the ends of both logs. It has no conversation, no note and no key,
// and of commands only the names of programs and options.
type Report struct {
	Patient Patient
	Found   []Finding
	// Scrub takes out of a text what is nobody's business.
	Scrub func(string) string
	Now   time.Time
}

// Piece is a file of a report.
type Piece struct{ Name, Text string }

// Pieces are the files of a report, scrubbed.
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

// Write writes the pieces as a compressed archive, in a directory of that name.
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
	text, err := json.MarshalIndent(map[string]any{"ok": Sound(r.Found), "version": r.Patient.Version, "checks": r.Found}, "", "  ")
	if err != nil {
		return err.Error()
	}
	return string(text) + "\n"
}

// versions are of the program, of what it was built with, and of what it runs on.
func (r Report) versions() string {
	var b strings.Builder
	fmt.Fprintf(&b, "blunux-ai %s\n%s %s/%s\n", r.Patient.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	for _, file := range []string{"/proc/sys/kernel/osrelease", "/etc/os-release"} {
		text, err := os.ReadFile(r.Patient.in(file))
		if err != nil {
			text = []byte(err.Error())
		}
		fmt.Fprintf(&b, "%s: %s\n", file, strings.TrimSpace(string(text)))
	}
	return b.String()
}

// settings are those in force, without what people put secrets and telephone
// numbers into.
func (r Report) settings() string {
	cfg, err := config.Load(r.Patient.Source)
	if err != nil {
		return "# " + err.Error() + "\n"
	}
	for i := range cfg.WhatsApp.AllowedNumbers {
		cfg.WhatsApp.AllowedNumbers[i] = "[number]"
	}
	for _, ids := range [][]string{cfg.Telegram.AllowedChats, cfg.Discord.AllowedUsers} {
		for i := range ids {
			ids[i] = "[id]"
		}
	}
	servers := map[string]config.MCP{}
	for name, m := range cfg.MCP {
		env := map[string]string{}
		for variable := range m.Env {
			env[variable] = "[value]"
		}
		if m.Env = env; len(m.Command) > 1 { // arguments hold tokens as often as not
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

// daemonLog is the end of the daemon's own log, without what was said to models
// and by them, and without the names that people gave.
func (r Report) daemonLog() string {
	lines, err := tail.Files{Dir: r.Patient.Paths.Logs(), Match: logfile.Is}.Last(reportedLines, func(line string) bool { return !talk(line) })
	for i := range lines {
		lines[i] = chosen.ReplaceAllString(lines[i], "${1}[name]")
	}
	return whole(lines, err)
}

// commandLog is the end of the log of commands, in outline.
func (r Report) commandLog() string {
	lines, err := tail.One(r.Patient.Paths.CommandLog()).Last(reportedCommands, nil)
	for i := range lines {
		lines[i] = outlineOf(lines[i])
	}
	return whole(lines, err)
}

func whole(lines []string, err error) string {
	if err != nil {
		lines = append(lines, err.Error())
	}
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}
