package claudecli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
	"github.com/nidoit/blunux-ai/providers"
)

// minVersion is the oldest claude that is known to have all options used here. MinVersion is its text.
var minVersion = [3]int{2, 1, 100}

// MinVersion is the oldest supported version of claude.
const MinVersion = "2.1.100"

// installDirs are the directories in which installers put claude, below the home directory and elsewhere. The
// daemon's PATH can differ from the user's.
var installDirs = []string{"~/.local/bin", "~/.claude/local", "~/.npm-global/bin", "~/.bun/bin", "~/bin", "/usr/local/bin", "/usr/bin"}

// Find returns the path of claude, from PATH or an installer's directory.
func (p *Program) Find() (string, bool) {
	for _, dir := range append(filepath.SplitList(p.o.Getenv("PATH")), installDirs...) {
		if rest, ok := strings.CutPrefix(dir, "~/"); ok {
			dir = filepath.Join(p.o.Home, rest)
		}
		file := filepath.Join(dir, "claude")
		if fi, err := os.Stat(file); filepath.IsAbs(dir) && err == nil && fi.Mode().IsRegular() && fi.Mode()&0o111 != 0 {
			return file, true
		}
	}
	return "", false
}

// LoggedIn reports whether claude is installed and logged in, without starting it: from CLAUDE_CODE_OAUTH_TOKEN
// or its credentials file. It does not detect a revoked login.
func (p *Program) LoggedIn() bool {
	_, found := p.Find()
	return found && p.hasCredentials()
}

func (p *Program) hasCredentials() bool {
	if p.o.Getenv("CLAUDE_CODE_OAUTH_TOKEN") != "" {
		return true
	}
	dir := p.o.Getenv("CLAUDE_CONFIG_DIR")
	if dir == "" {
		dir = filepath.Join(p.o.Home, ".claude")
	}
	file := filepath.Join(dir, ".credentials.json")
	if fi, err := os.Stat(file); err != nil || !fi.Mode().IsRegular() || fi.Size() > 1<<20 {
		return false
	}
	data, err := os.ReadFile(file)
	var c struct {
		OAuth struct {
			Access  string `json:"accessToken"`
			Refresh string `json:"refreshToken"`
		} `json:"claudeAiOauth"`
	}
	return err == nil && json.Unmarshal(data, &c) == nil && (c.OAuth.Access != "" || c.OAuth.Refresh != "")
}

// versionCheck is the cached version check of a claude file. It is valid until the file changes.
type versionCheck struct {
	file    string
	size    int64
	changed time.Time
	err     error
}

// executable returns the path of a claude that is new enough. Errors are of kind missing and outdated.
func (p *Program) executable(ctx context.Context) (string, error) {
	file, ok := p.Find()
	if !ok {
		return "", &providers.Error{Kind: providers.KindMissing, Message: "no claude in PATH nor in " + strings.Join(installDirs, ", ")}
	}
	fi, err := os.Stat(file)
	if err != nil {
		return "", &providers.Error{Kind: providers.KindMissing, Message: err.Error(), Err: err}
	}
	now := versionCheck{file: file, size: fi.Size(), changed: fi.ModTime()}
	p.mu.Lock()
	known := p.lastCheck
	p.mu.Unlock()
	if known.file == now.file && known.size == now.size && known.changed.Equal(now.changed) {
		return file, known.err
	}
	now.err = p.checkVersion(ctx, file)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	p.mu.Lock()
	p.lastCheck = now
	p.mu.Unlock()
	return file, now.err
}

// version matches the beginning of the output of `claude --version`, such as "2.1.197 (Claude Code)".
var version = lazyregexp.New(`^(\d+)\.(\d+)\.(\d+)`)

// checkVersion asks claude for its version. It accepts a claude that reports none: if that does not work, its start
// fails.
func (p *Program) checkVersion(ctx context.Context, file string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, file, "--version")
	cmd.Env, cmd.WaitDelay = p.o.environ(), time.Second
	out, err := cmd.Output()
	m := version.FindStringSubmatch(strings.TrimSpace(string(out)))
	if err != nil || m == nil {
		return nil //nolint:nilerr // starting it shows its own message
	}
	for i, least := range minVersion {
		n, _ := strconv.Atoi(m[i+1]) // digits; an overflow is new enough
		if n != least {
			if n < least {
				return outdated(m[0])
			}
			return nil
		}
	}
	return nil
}

func outdated(have string) error {
	return &providers.Error{Kind: providers.KindOutdated, Message: fmt.Sprintf("claude %s is older than %s", have, MinVersion)}
}
